// What an index of one agent's run files must do: hold masked pieces with what decides their visibility, and find them
// again for a request. Always embedded, in a file or in memory, so its calls are plain ones (RUN-28). No engine is named.
import type { Masked } from '../redact/masked.ts';
import type { ParsedQuery } from '../text/index.ts';

/** Bits of a file's `flags`: warnings that hold as long as its rows do. */
export const FILE_FLAG = {
  unreadable_header: 1,
  unindented_trace: 2,
  interpreter_failed: 4,
  masker_failed: 8,
  too_long_to_mask: 16,
  masked_in_parts: 32,
  /** The end of an unfinished last line is neither indexed nor returned yet (RUN-52). */
  withheld: 64,
} as const;

export const RECORD_KINDS = ['note', 'told', 'said'] as const;
export type RecordKindName = (typeof RECORD_KINDS)[number];

/** `unknown`: no field, which nobody can claim. `none`: written outside any. Else the SHA-256 of the id, and it masked. */
export type IndexedConversation = 'unknown' | 'none' | { readonly name: Uint8Array; readonly shown: string };

/** What decides who may see a piece (RUN-37). */
export interface Group {
  readonly isRecord: boolean;
  readonly episode?: number | undefined;
  readonly conversation: IndexedConversation;
  /** Of a suspect (RUN-21). */
  readonly enclosing?: IndexedConversation | undefined;
}

export interface NewPiece {
  readonly line: number;
  readonly column: number;
  readonly text: Masked;
  /** Of a line that was cut: tokens that begin in the piece, and those around its end. Absent: all of `text`. */
  readonly cut?: { readonly sides: number; readonly own: readonly string[]; readonly over: readonly string[] };
}

export interface NewRecord {
  /** Place among the records of its file. The same place again: more pieces of that record, and its final digest. */
  readonly place: number;
  readonly line: number;
  readonly group: Group;
  readonly kind: RecordKindName;
  /** The writer's local time as seconds since 1970. */
  readonly at?: number | undefined;
  /** 0 TRACE … 5 FATAL. */
  readonly level?: number | undefined;
  readonly state?: string | undefined;
  readonly digest: bigint;
  /** Place of its first piece here among the pieces of its file; the others follow. */
  readonly first: number;
  readonly pieces: readonly NewPiece[];
}

export interface KnownFile {
  /** SHA-256 of the path, as hex. */
  readonly name: string;
  readonly shown: string;
  readonly isRecord: boolean;
  readonly hidden: boolean;
  readonly flags: number;
  readonly state: Uint8Array | undefined;
  readonly version: number;
}

export interface FileWrite extends KnownFile {
  /** Rows of the file that stay; absent: all. */
  readonly keep?: { readonly records: number; readonly pieces: number } | undefined;
  readonly records: readonly NewRecord[];
}

/** Within one transaction. */
export interface RunWriting {
  /** False, and nothing done, when the file's version is not the one the write started from. */
  put(file: FileWrite): Promise<boolean>;
  /** False when its version is another. */
  drop(file: Pick<KnownFile, 'name' | 'version'>): Promise<boolean>;
}

/** A turn's place, resolved: `conversation` is the SHA-256 of its id. */
export interface Turn {
  readonly scope: 'run' | 'episode';
  readonly episode?: number | undefined;
  readonly conversation?: Uint8Array | undefined;
}

/** The groups that a turn may see, and all others; made by `visible`, the only way to read pieces (RUN-39). */
export interface Visible {
  readonly groups: readonly number[];
  readonly others: readonly number[];
}

/** A piece that holds a word of the query. */
export interface DrawnPiece {
  readonly record: number;
  /** Tells the pieces of a record apart, and orders them. */
  readonly place: number;
  readonly line: number;
  readonly column: number;
  /** 1: its line goes on before it, 2: after it. */
  readonly sides: number;
  readonly text: string;
  /** What stands before and after it in a line that was cut; else empty. */
  readonly before: string;
  readonly after: string;
}

export interface RecordDetails {
  readonly line: number;
  readonly kind: RecordKindName;
  /** As decimal digits. */
  readonly digest: string;
  readonly at?: number;
  readonly level?: number;
  readonly state?: string;
  readonly episode?: number;
  readonly conversation?: string;
  readonly file: string;
  /** Tells files of one masked name apart. */
  readonly fileName: string;
}

/** Where a copy of a record stands. */
export type CopyPlace = Omit<RecordDetails, 'kind' | 'digest' | 'level' | 'state'> & { readonly record: number };

export interface DrawOptions {
  /** Told records of one of these digests are the turn itself (RUN-65). */
  readonly echo?: readonly bigint[] | undefined;
  readonly limit: number;
}

/** One snapshot. */
export interface RunReading {
  visible(turn: Turn): Visible;
  /** Counts over what is visible (TXT-41). */
  totals(visible: Visible): { readonly pieces: number; readonly characters: number };
  /** Visible pieces that hold a clause, counted up to `cap`. */
  frequency(visible: Visible, query: ParsedQuery, clause: number, cap: number): number;
  /** The newest visible pieces that hold all these clauses. */
  draw(visible: Visible, query: ParsedQuery, require: readonly number[], options: DrawOptions): DrawnPiece[];
  /** Of records that were drawn. */
  details(records: readonly number[]): ReadonlyMap<number, RecordDetails>;
  /** Visible records of a digest, in no order. */
  copies(visible: Visible, digest: string): CopyPlace[];
  /** Files with records of the turn's episode that no conversation can claim (`no_conversation_field`). */
  unclaimed(turn: Turn): string[];
}

export interface RunIndex {
  /** `file`: kept over restarts. */
  readonly place: 'file' | 'memory';
  /** The index was damaged and is empty now (RUN-30). */
  readonly rebuilt: boolean;
  /** Random, made with the index: keys its digests. */
  readonly salt: Uint8Array;
  /** Moves whenever a process has written. */
  version(): number;
  files(): KnownFile[];
  /**
   * One transaction, in order within this process; `pause` gives others their turn while it is made. `work` may wait in
   * between; a rejection undoes it.
   * Throws `store_busy`, `store_full`, `store_read_only`, `store_damaged`.
   */
  write<T>(work: (writing: RunWriting) => T | Promise<T>, pause: () => void | Promise<void>): Promise<T>;
  /** One snapshot, after what this process does with the index before it. `work` may wait in between. */
  read<T>(work: (reading: RunReading) => T | Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface RunIndexOptions {
  /** Absent: in memory. */
  readonly path?: string;
  readonly busyTimeoutMs: number;
  /** What the index is for, to be found again by `sweep` and by an erase: the run folder's real path. */
  readonly runFolder: string;
  /** Of masker, tokenizer, interpreter …: an index made with another one is made anew (RUN-29). */
  readonly identity: string;
  readonly now: number;
}

/** Opens indexes; given to the retriever from above, so that runs/ names no backend (RUN-26). */
export interface RunIndexOpener {
  open(options: RunIndexOptions): RunIndex;
  /** A file name: 32 hex digits of an HMAC keyed by a salt that is kept in `folder`, made if need be (RUN-29). */
  keyOf(folder: string, parts: readonly string[]): string;
  /** Removes indexes whose run folder is gone or that nobody opened for 30 days, for at most 50 ms (RUN-31). */
  sweep(folder: string, except: string, clock: { now(): number; elapsed(): number }): void;
  /** Removes every index of a run folder below `folder`, or one file; answers how many (RUN-31). */
  eraseOf(folder: string, runFolder: string): number;
  remove(path: string): void;
}
