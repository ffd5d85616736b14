// What a chat asks a source of knowledge and what it is given: requests, evidence and the coverage of an answer. Values
// and one interface; knows no file, no index and no engine (run-files.md §7, §11).
import type { Coverage } from './coverage.ts';
import { BackstoryError } from './errors.ts';

/** How heavy a log line is. */
export type EvidenceLevel = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'FATAL';

/** Where a record stands. `file` is the path below the run folder with `/`; `line` is 1-based. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly episode?: number;
  /** `-` outside any. */
  readonly conversation?: string;
  readonly time?: string;
}

/** One piece of text that may answer a turn: at most 2 000 units, masked, without its header. */
export interface Evidence extends Place {
  readonly text: string;
  readonly kind: 'note' | 'told' | 'said';
  /** 1-based, in UTF-16 units. */
  readonly column: number;
  readonly level?: EvidenceLevel;
  readonly state?: string;
  /** Visible records of this text, this one included (RUN-66). */
  readonly copies: number;
  /** The others, at most 20. */
  readonly alsoAt: readonly Place[];
}

/** Why records were not searched at all. */
export type RunReason = 'no_run_folder' | 'needs_episode_and_conversation' | 'needs_episode' | 'index_busy';

/** COM-30 for a run folder; `cursor` is never set. */
export interface RunCoverage extends Coverage {
  /** Files of the agent that were looked at. */
  readonly files: number;
  readonly reasons: readonly RunReason[];
}

export interface RetrievalResult {
  readonly evidence: readonly Evidence[];
  readonly coverage: RunCoverage;
}

/** Anything a chat can ask for evidence: `RetrievalEngine.Retriever`. */
export interface Retriever {
  /** Rejects with the signal's reason when aborted. */
  retrieve(
    query: string,
    context: ChatRetrievalContext,
    options?: { readonly signal?: AbortSignal },
  ): Promise<RetrievalResult>;
}

export interface ChatRetrievalContextFields {
  /** Who asks: the agent's name, unit by unit (RUN-35). */
  readonly ownerId?: string | undefined;
  /** The message that this turn answers: it is no evidence for itself (RUN-65). */
  readonly turnMessage?: string | undefined;
  /** Empty, `-` or absent: no conversation. */
  readonly conversationId?: string | undefined;
  readonly metadataFilters?: Readonly<Record<string, unknown>> | undefined;
  /** 0–1 000. */
  readonly topK?: number | undefined;
}

export const MAX_TOP_K = 1_000;

/** One request, frozen. Null is as absent. Throws `invalid_argument` for a field of another type or a `topK` that is none (RUN-63). */
export class ChatRetrievalContext {
  /** The metadata filter that names the current episode: `episode-N` (run-files.md §8). */
  static readonly CURRENT_EPISODE_FILTER = 'current-episode';

  readonly ownerId: string | undefined;
  readonly turnMessage: string | undefined;
  readonly conversationId: string | undefined;
  readonly metadataFilters: Readonly<Record<string, unknown>>;
  readonly topK: number | undefined;

  constructor(fields: ChatRetrievalContextFields = {}) {
    const given = isObject(fields) ? fields : refuse('context', 'an object with the fields of a request');
    const filters = given.metadataFilters ?? {};
    if (!isObject(filters)) refuse('metadataFilters', 'an object');
    this.ownerId = textOf('ownerId', given.ownerId);
    this.turnMessage = textOf('turnMessage', given.turnMessage);
    this.conversationId = textOf('conversationId', given.conversationId);
    this.metadataFilters = Object.freeze({ ...filters });
    this.topK = given.topK === undefined ? undefined : checkedTopK(given.topK);
    Object.freeze(this);
  }
}

/** The same number. Negative, fractional or above 1 000: `invalid_argument`, naming the range (RUN-63). */
export function checkedTopK(topK: number): number {
  if (Number.isInteger(topK) && topK >= 0 && topK <= MAX_TOP_K) return topK;
  throw new BackstoryError(
    'invalid_argument',
    `topK is ${shownNumber(topK)}: it must be a whole number from 0 to ${MAX_TOP_K}.`,
    'Ask for as many pieces of evidence as the turn can use; 5 is usual.',
  );
}

function shownNumber(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value).slice(0, 100) : `a ${typeof value}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : refuse(name, 'a string');
}

function refuse(name: string, what: string): never {
  throw new BackstoryError(
    'invalid_argument',
    `The ${name} of a retrieval request must be ${what}.`,
    'Give ownerId, turnMessage and conversationId as strings, metadataFilters as an object.',
  );
}
