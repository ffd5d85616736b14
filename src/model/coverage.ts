// What an answer did not look at, and why (COM-30). Every search, list, recall and retrieval carries one.

export interface Coverage {
  /** False when something that could have been in the answer was not looked at (COM-31). */
  readonly complete: boolean;
  readonly truncated: false | 'limit' | 'bytes';
  /** Opaque; goes on after this page. */
  readonly cursor?: string;
  /** `complete` is false when a bound of TXT-42 was reached. */
  readonly ranked: { readonly considered: number; readonly complete: boolean };
  readonly query?: {
    readonly dropped: readonly string[];
    readonly relaxed: boolean;
    readonly stage?: 'prefix' | 'words' | 'some';
  };
  /** As resolved, in UTC. */
  readonly window?: { readonly since?: string; readonly until?: string };
  readonly indexing: { readonly done: number; readonly total: number };
  readonly skipped: readonly Skipped[];
  readonly skippedTotal: number;
  /** Sentences for people, with what to do. */
  readonly warnings: readonly string[];
}

export interface Skipped {
  readonly what: string;
  readonly reason: string;
}

/** Why a file was not read (SRC-59, COM-32). */
export type SkipReason =
  | 'binary'
  | 'budget'
  | 'busy'
  | 'duplicate_file'
  | 'empty'
  | 'erased_by_user'
  | 'excluded'
  | 'newer_format'
  | 'not_regular'
  | 'not_this_format'
  | 'outside_root'
  | 'symlink'
  | 'unknown_layout'
  | 'unreadable'
  | 'unstable'
  | 'utf16'
  | 'vanished';
