// What a reader of a growing file is given, and what it must answer (FILE-14 – FILE-20).
import type { Anchor, FileState } from './state.ts';

/** Byte offset in the file (a byte order mark is before the first line) and 1-based number of the line. */
export interface LineAt {
  readonly offset: number;
  readonly number: number;
}

/** Where a reading begins: the stored anchor, or offset 0, line 1 and no data. */
export type ReadStart = Anchor;

/** Bytes are views, valid during the call. Between `start` and `commit` nothing is safe; `rollback` forgets it. */
export interface LineSink {
  /** Drop what was made from `at.offset` on; 0: everything. */
  start(at: ReadStart): void;
  /** A complete line without its line end. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most sinks return nothing.
  line(bytes: Uint8Array, at: LineAt): void | 'commit';
  /** A part of a line over `maxLineBytes`; `last` only on the final part of a complete one. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most sinks return nothing.
  segment(bytes: Uint8Array, at: LineAt, last: boolean): void | 'commit';
  /** The unfinished last line; the next reading begins at or before it and replaces it. */
  tail(bytes: Uint8Array, at: LineAt): void;
  /** Start of a line or segment already handed over, or the end of the last one. Asked for before each commit. */
  anchor(): Anchor;
  /** Stores the state in one transaction with the rows made since the last commit. */
  commit(state: FileState): void | Promise<void>;
  /** Forget everything since the last commit. */
  rollback(): void;
}
