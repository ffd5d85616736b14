// What a store does for texts that are indexed only where a setting asks for it: tool results and reasoning (SES-45).
// They are an index of their own, ranked beside that of messages, and derived from the entries: never the only copy.
import type { Scope } from '../access/scope.ts';
import type { StoredBlock } from '../model/session.ts';
import type { Masked } from '../redact/masked.ts';
import type { Clause } from '../text/index.ts';
import type { Awaitable } from './contract.ts';
import type { MessageFilter, Reading, SessionFilter } from './reading.ts';

export const EXTRA_ROLES = ['tool', 'thinking'] as const;
export type ExtraRole = (typeof EXTRA_ROLES)[number];

/** An entry that may hold extra texts. */
export interface ExtraEntry {
  readonly id: number;
  readonly blocks: readonly StoredBlock[];
  /** As they are stored: `putExtra` writes only while they are the same. */
  readonly version: string | null;
}

/** How far a store's extra texts are indexed, and by which settings, tokenizer and maskers. Absent: they never were. */
export interface ExtraProgress {
  readonly of: string;
  /** Entries up to this one were looked at. */
  readonly through: number;
}

/** `extra…` of `roles`: the same questions as of messages, of extra texts in scope. */
export interface ExtraReading {
  extraTotals(
    scope: Scope,
    roles: readonly ExtraRole[],
  ): Awaitable<{ readonly texts: number; readonly characters: number }>;
  extraFrequency(scope: Scope, roles: readonly ExtraRole[], clause: Clause, cap: number): Awaitable<number>;
  extraDraw(scope: Scope, roles: readonly ExtraRole[], ...asked: OfMessages<'draw'>): ReturnType<Reading['draw']>;
  extraScan(scope: Scope, roles: readonly ExtraRole[], ...asked: OfMessages<'scan'>): ReturnType<Reading['scan']>;
  extraProgress(scope: Scope): Awaitable<ExtraProgress | undefined>;
  /** What in scope and filter is not looked at yet, `of` being what it should be indexed by: messages, and sessions that hold them. */
  extraPending(
    scope: Scope,
    filter: SessionFilter & MessageFilter,
    of: string,
  ): Awaitable<{ readonly sessions: number; readonly messages: number }>;
  /** Entries to look at again, then those after `after`; at most `limit` are looked at, up to `through`. For who indexes them. */
  extraNext(
    after: number,
    limit: number,
  ): Awaitable<{ readonly entries: readonly ExtraEntry[]; readonly through: number }>;
}

type OfMessages<Name extends 'draw' | 'scan'> =
  Parameters<Reading[Name]> extends [Scope, ...infer Asked] ? Asked : never;

export interface ExtraWriting {
  /** Takes every extra text away. Undefined: none are wanted any more. */
  resetExtra(of: string | undefined): Awaitable<void>;
  /** False, and nothing is written, when another process went on meanwhile. */
  advanceExtra(from: ExtraProgress, through: number): Awaitable<boolean>;
  /** Replaces the extra texts of an entry, whose blocks are still of this version where one is given. */
  putExtra(
    entry: { readonly id: number; readonly version?: string | null },
    texts: Readonly<Partial<Record<ExtraRole, Masked>>>,
  ): Awaitable<void>;
}
