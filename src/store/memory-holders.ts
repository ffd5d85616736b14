// What a backend tells of records that hold words: which, where they stand and what they say, each only when asked for.
import type { MemoryKind, Outcome } from '../model/episode.ts';
import type { ParsedQuery } from '../text/index.ts';
import type { Awaitable } from './contract.ts';

/** Active, unexpired records of one namespace, narrowed. Every read of recall and timeline takes one. */
export interface RecordFilter {
  /** Records whose `expiresAt` is at or before it are left out. */
  readonly now: number;
  /** Event time, ms: since inclusive, until exclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly kind?: MemoryKind;
  /** Any of them. */
  readonly tags?: readonly string[];
  /** Of run records. */
  readonly outcome?: Outcome;
  readonly tool?: string;
  readonly threadId?: string;
}

/** What a record's place among others is made of, its words aside. */
export interface RecordPlace {
  readonly no: number;
  readonly id: string;
  readonly at: number;
  readonly confidence: number;
}

/** Numbers of records that hold some clauses, written last first. */
export interface Holders {
  readonly numbers: readonly number[];
  /** There are others. */
  readonly more: boolean;
  /** Each surely holds them; else its text tells. */
  readonly decided: boolean;
}

export interface HolderReading {
  /**
   * Records that hold all clauses of `require` (indices into `query.clauses`), at most `limit`, by number alone: places and
   * texts are asked for where they are needed. At least every match: a word over 64 units is decided on the text.
   */
  holders(
    namespaceNo: number,
    filter: RecordFilter,
    query: ParsedQuery,
    require: readonly number[],
    limit: number,
  ): Awaitable<Holders>;
  /** In no order; numbers that are gone are left out. */
  places(numbers: readonly number[]): Awaitable<readonly RecordPlace[]>;
  /** Searched texts by number, masked and sanitized. */
  texts(numbers: readonly number[]): Awaitable<ReadonlyMap<number, string>>;
}
