// What a snapshot of one agent's store answers. The scope is the first argument of every read and is applied in the
// backend's own language, before limits and in counts (SES-73).
import type { Scope } from '../access/scope.ts';
import type { HistoryEntry, Origin, Role, SearchedRole, SessionKind, StoredBlock } from '../model/session.ts';
import type { Clause, ParsedQuery } from '../text/index.ts';
import type { ArchiveReading } from './archive.ts';
import type { Awaitable, EntryState } from './contract.ts';
import type { EraseReading } from './erase.ts';
import type { ExtraReading } from './extra.ts';
import type { HostReading } from './host.ts';
import type { Judging } from './judging.ts';
import type { FileRecord, InstanceRecord } from './writing.ts';

/** Filters of a search that narrow sessions, and then messages. Absent fields do not narrow. */
export interface SessionFilter {
  readonly keys?: readonly string[];
  readonly kinds?: readonly SessionKind[];
  readonly excludeKinds?: readonly SessionKind[];
  readonly source?: string;
  /** Equal, or below: compared as text (SRC-29). Several where an alias names the same folder. */
  readonly projects?: readonly string[];
  readonly nativeKey?: string;
  readonly archived?: 'include' | 'exclude' | 'only';
  readonly spawnedBy?: string;
}
export interface MessageFilter {
  /** `tool` and `thinking` are those of the extra index (SES-45). */
  readonly roles?: readonly SearchedRole[];
  /** Inclusive, ms. */
  readonly since?: number;
  /** Exclusive, ms. */
  readonly until?: number;
  /** Only this window. */
  readonly sessionId?: string;
  /** Only entries written up to this one: later pages of a search do not see what came after the first (SES-80). */
  readonly through?: number;
}

/**
 * Which texts come first when a draw is bounded: the last written (TXT-42), or the newest or oldest by their own time
 * for the sorts of SES-70. Imports may write old messages late, so these differ.
 */
export type DrawOrder = 'written' | 'newest' | 'oldest';

/** One text that may match, with what order, checks and an excerpt need. */
export interface Candidate {
  readonly entry: number;
  readonly sessionNo: number;
  readonly role: SearchedRole;
  readonly at: number;
  readonly text: string;
  /** The masked and sanitized text equals `text`; else the caller masks before it matches. */
  readonly clean: boolean;
  readonly copies: boolean;
}

/** A stretch of a scan, in the order of writing. Documents are those of the index, by their numbers. */
export interface ScanRange {
  readonly direction: 'down' | 'up';
  /** Goes on behind this one. */
  readonly from?: number;
  /** Ends with this one. */
  readonly to?: number;
}

export interface SessionInfo {
  readonly no: number;
  readonly key: string;
  readonly kind: SessionKind;
  readonly title?: string;
  readonly createdAt: number;
  readonly lastAt: number;
  readonly archivedAt?: number;
  readonly spawnedBy?: string;
  readonly parent?: string;
  readonly owner?: string;
  readonly messages: number;
  readonly origin?: Origin;
  /** Session id of the newest window. */
  readonly sessionId: string;
  /** Its index is not as it should be (SES-151). */
  readonly dirty?: true;
}

export interface WindowInfo {
  readonly sessionId: string;
  readonly reason: string;
  readonly from: number;
  readonly to: number;
  readonly entries: number;
}

/** A stored entry as history reads it. */
export interface StoredEntry {
  readonly id: number;
  readonly type: HistoryEntry['type'];
  readonly sessionId: string;
  readonly messageId: string;
  readonly role?: Role;
  readonly at: number;
  readonly atGuessed: boolean;
  readonly state: EntryState;
  readonly blocks: readonly StoredBlock[];
  readonly author?: { readonly id: string; readonly name?: string };
}

/** What pages stand on: as long as as many sessions have not moved since, none was rewound, was deleted or left the scope. */
export interface Standing {
  readonly moved: number;
  readonly sessions: number;
}

export interface Reading extends ArchiveReading, EraseReading, ExtraReading, HostReading, Judging {
  /** Number and summed length of the texts in scope: N and the mean of TXT-43. Filters do not count. */
  totals(scope: Scope): Awaitable<{ readonly texts: number; readonly characters: number; readonly sessions: number }>;
  /** The number of the latest move of a branch in scope, and how many sessions in scope have not moved after `moved` (SES-80). */
  standing(scope: Scope, moved?: number): Awaitable<Standing>;
  /** In how many texts in scope the clause occurs, counted up to `cap` (TXT-41). */
  frequency(scope: Scope, clause: Clause, cap: number): Awaitable<number>;
  /**
   * Texts in scope and filter, in the order of writing, newest first, that may satisfy the query: a superset of the
   * matches, at most `limit`. `require` names the clauses the index must find, best the rarest first (others are only
   * scored). A text that stands in several documents comes once. `more`: the limit was reached.
   */
  draw(
    scope: Scope,
    filter: SessionFilter & MessageFilter,
    query: ParsedQuery,
    require: readonly number[],
    limit: number,
    order?: DrawOrder,
  ): Awaitable<{ readonly candidates: readonly Candidate[]; readonly more: boolean }>;
  /**
   * Texts in scope and filter one after another, in the order of writing, at most `limit` documents; with a clause only
   * those in which the index finds it. A text of several documents may come again in the next stretch. `last`: the
   * last document that was passed, `more`: there may be others behind it.
   */
  scan(
    scope: Scope,
    filter: SessionFilter & MessageFilter,
    clause: Clause | undefined,
    range: ScanRange,
    limit: number,
  ): Awaitable<{
    readonly texts: readonly { readonly document: number; readonly candidate: Candidate }[];
    readonly last: number | undefined;
    readonly more: boolean;
  }>;
  /** Number of sessions in scope that could hold a hit: in the filter, with activity in the window. */
  sessionCount(scope: Scope, filter: SessionFilter & MessageFilter): Awaitable<number>;
  /** Highest entry id of the store, 0 when it is empty: what a first page saw (SES-80). */
  newestEntry(scope: Scope): Awaitable<number>;
  /** Key and kind of sessions by number, for order and grouping. */
  labels(
    scope: Scope,
    sessions: readonly number[],
  ): Awaitable<ReadonlyMap<number, { readonly key: string; readonly kind: SessionKind }>>;
  /** Message id, window and session of entries, and the copies of each that are in scope and filter (SRC-15, SRC-16). */
  locate(scope: Scope, filter: SessionFilter, entries: readonly number[]): Awaitable<ReadonlyMap<number, Located>>;
  session(scope: Scope, key: string): Awaitable<SessionInfo | undefined>;
  /** A session that has a window of this id. */
  sessionOfWindow(scope: Scope, sessionId: string): Awaitable<SessionInfo | undefined>;
  /** Newest activity first, ties by key. `after` continues behind that row. */
  list(
    scope: Scope,
    filter: SessionFilter & { readonly since?: number; readonly until?: number },
    limit: number,
    after?: { readonly lastAt: number; readonly key: string },
  ): Awaitable<readonly SessionInfo[]>;
  /** Those of these keys that are sessions in scope. */
  seen(scope: Scope, keys: readonly string[]): Awaitable<readonly string[]>;
  windows(scope: Scope, sessionNo: number, limit: number): Awaitable<readonly WindowInfo[]>;
  /** The entry with this message id: on the active branch before others, newest window first (SES-108). */
  find(scope: Scope, sessionNo: number, messageId: string, sessionId?: string): Awaitable<StoredEntry | undefined>;
  /** Id of the latest reset on the active branch, and the ids of the messages it kept. */
  boundary(
    scope: Scope,
    sessionNo: number,
  ): Awaitable<{ readonly reset: number; readonly kept: readonly number[] } | undefined>;
  /**
   * Displayed entries of the active branch (active and shadowed) in a range, walking from `from` (exclusive) towards
   * older or newer ones. Newest first when older.
   */
  walk(
    scope: Scope,
    sessionNo: number,
    options: EntryRange &
      Display & {
        readonly direction: 'older' | 'newer';
        readonly from?: number;
        readonly skip?: number;
        readonly limit: number;
      },
  ): Awaitable<readonly StoredEntry[]>;
  /** How many entries of a range are displayed. */
  count(scope: Scope, sessionNo: number, options: EntryRange & Display): Awaitable<number>;
  /** Messages of a range that are not displayed, since all their blocks are left out (SES-101). In no order. */
  leftOut(scope: Scope, sessionNo: number, options: EntryRange & Display): Awaitable<readonly LeftOut[]>;
  /** JSON of a block that is stored apart from its entry (SES-13). */
  apart(scope: Scope, entry: number, place: number): Awaitable<string | undefined>;
  /** The reset that closes the interval after `entry`, and the one before it (SES-10). */
  interval(
    scope: Scope,
    sessionNo: number,
    entry: number,
  ): Awaitable<{ readonly after?: number; readonly through?: number }>;
  /** Absolute path of a pointer's file, and the roots of all instances (SRC-22). */
  file(
    scope: Scope,
    no: number,
  ): Awaitable<{ readonly source: string; readonly root: string; readonly absolute: string } | undefined>;
  stats(scope: Scope): Awaitable<StoreStats>;
  /** What was counted while reading an instance's files, by name, over all of them. */
  sourceCounts(scope: Scope, source: string, root: string): Awaitable<Readonly<Record<string, number>>>;
  /** A small value of the store itself. */
  meta(scope: Scope, name: string): Awaitable<string | undefined>;
  /** What was read of one source instance so far: for sync, whose scope is the whole. */
  sourceFiles(
    scope: Scope,
    source: string,
    root: string,
  ): Awaitable<{ readonly instance: InstanceRecord; readonly files: readonly FileRecord[] } | undefined>;
}

export interface Located {
  /** Candidates to stand for the message, in scope and filter: the first is the owner (SRC-15). */
  readonly places: readonly {
    readonly session: SessionInfo;
    readonly sessionId: string;
    /** A copy may have another id than its original (SRC-125). */
    readonly messageId: string;
    readonly entry: number;
    readonly inCurrentView: boolean;
  }[];
  /** Keys of sessions in scope, but not in the filter, that hold a copy. */
  readonly elsewhere: readonly string[];
}

/** A part of a session's active branch: entry ids, both ends inclusive. */
export interface EntryRange {
  readonly low?: number;
  readonly high?: number;
  /** Only entries after this one, whatever `low` and `kept` say. */
  readonly above?: number;
  /** Also what the latest reset kept from before `low`: the current view (SES-8). */
  readonly kept?: true;
  /** Only this window. */
  readonly sessionId?: string;
}

/** What of a range is shown (SES-101). */
export interface Display {
  readonly tools: boolean;
  readonly reasoning: boolean;
  readonly roles?: readonly Role[];
  readonly since?: number;
  readonly until?: number;
}

export interface LeftOut {
  readonly entry: number;
  readonly because: 'tools' | 'reasoning';
}

export interface StoreStats {
  readonly sessions: number;
  readonly messages: number;
  readonly texts: number;
  readonly characters: number;
  /** Of the database file and its WAL; only where all of the store is in scope, since files hold the rest too. */
  readonly bytes?: number;
  readonly kinds: Readonly<Partial<Record<SessionKind, { readonly sessions: number; readonly messages: number }>>>;
  /** When files were last read into it, ms; only where all of the store is in scope. */
  readonly lastSync?: number;
  /** Blocks of types that are not known, by type (SES-46). */
  readonly unknownBlocks?: Readonly<Record<string, number>>;
}
