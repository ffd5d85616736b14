// What a caller of files/ sees: sinks, outcomes, counters. Knows nothing of how a file is read.
import type { BigIntStats } from 'node:fs';
import type { Clock } from '../model/clock.ts';
import type { FileState } from './state.ts';
import type { FileSystem } from './system.ts';

export interface FollowerOptions {
  /** Longest line handed over whole, in bytes: 64 KiB to 256 MiB, default 16 MiB (FILE-18). */
  readonly maxLineBytes?: number;
  /** Bytes after which a read commits at the next border, default 4 MiB (FILE-20). */
  readonly commitBytes?: number;
  readonly clock?: Clock;
  /** Replaced in tests to stage races (FILE-26). */
  readonly fs?: FileSystem;
}

export interface ReadOptions {
  /** Aborting rejects with its reason, after `rollback`. */
  readonly signal?: AbortSignal | undefined;
  /** An `lstat` just taken, so that an unchanged settled file costs no system call. */
  readonly stat?: BigIntStats | undefined;
}

/** Byte offset of what is handed over, and the 1-based number of its line. After a byte order mark line 1 is at 3. */
export interface LineAt {
  readonly offset: number;
  readonly number: number;
}

/** Where the next read has to begin: the start of a line or of a segment that was handed over, or 0 (FILE-19). */
export interface Anchor {
  readonly offset: number;
  readonly number: number;
  /** The sink's own, at most 64 KiB. */
  readonly data: string | Uint8Array;
}

/** The anchor given back, or the start of the file with empty data. */
export interface ReadStart extends Anchor {
  /** +1 at each read from the start. */
  readonly generation: number;
}

// biome-ignore lint/suspicious/noConfusingVoidType: most sinks return nothing
export type AfterLine = void | 'commit';

/**
 * Takes what a read finds, in the order of the file. Bytes are views, valid during the call only. What a sink throws is
 * thrown on by `read`, after `rollback`. Do not call the same follower's `read` from within: it waits for this one.
 */
export interface LineSink {
  /** Drop what was made from `at.offset` on (0: everything). May come again within one read, after `rollback`. */
  start(at: ReadStart): void;
  /** A complete line, without its line end. `'commit'` asks for a safe point behind it. */
  line(bytes: Uint8Array, at: LineAt): AfterLine;
  /** A part of a line over `maxLineBytes`, at most 1 MiB, cut between characters; the last one may be empty. */
  segment(bytes: Uint8Array, at: LineAt, last: boolean): AfterLine;
  /** The unfinished last line; replaced by the next read. */
  tail(bytes: Uint8Array, at: LineAt): void;
  /** Asked before each commit that follows a `start`. */
  anchor(): Anchor;
  /**
   * A safe point: store the state and the rows made so far in one transaction. Also called without a `start`, when
   * nothing was read and only the state moved on (times, checks): then there are no rows.
   */
  commit(state: FileState): void | Promise<void>;
  /** Forget everything since the last commit. */
  rollback(): void;
}

export type RestartReason = 'new' | 'shrank' | 'replaced' | 'rewritten';

export type FollowSkipReason = 'binary' | 'utf16' | 'not_regular' | 'outside_root' | 'unreadable' | 'unstable';

/**
 * `state` is the one that was committed last, or the one given. Where there is none (`gone`, `not_regular`, or a first
 * read that failed) nothing of the path is left: the caller drops its rows and its state.
 */
export type FollowOutcome =
  | { readonly kind: 'same' | 'grown'; readonly state: FileState; readonly reason?: undefined }
  | { readonly kind: 'restarted'; readonly state: FileState; readonly reason: RestartReason }
  | { readonly kind: 'gone'; readonly state?: undefined; readonly reason?: undefined }
  | {
      readonly kind: 'skipped';
      readonly reason: FollowSkipReason;
      readonly state?: FileState | undefined;
      /** The system's error code, with `unreadable`. */
      readonly code?: string;
    };

/** FILE-25: a settled, unchanged file adds 1 to `looked` and 0 to all others. */
export interface Counters {
  looked: number;
  opened: number;
  /** Handed to a sink. */
  bytesRead: number;
  /** Read for hashes only. */
  bytesChecked: number;
  /** Reads from the start of a file that had been read before. */
  restarts: number;
  /** Looks that had to be repeated. */
  retries: number;
}

/** What a walk found: a regular file with its `lstat`, or something it passed over, and why (FILE-2). */
export type Found =
  | { readonly kind: 'file'; readonly path: string; readonly absolute: string; readonly stat: BigIntStats }
  | {
      readonly kind: 'passed';
      readonly path: string;
      readonly absolute: string;
      readonly reason: 'symlink' | 'not_regular' | 'unreadable' | 'vanished';
      readonly code?: string;
    };

/** Whether to go into a folder, or to look at a file. Paths are below the root, with `/`. What it declines is not reported. */
export type Accepts = (path: string, kind: 'file' | 'folder') => boolean;
