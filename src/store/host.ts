// What a store does for the host face: sessions as their host writes them, with whole content. In the same transactions
// and snapshots as the rest; without a scope, since the host has none. Decides nothing: rules are those of sessions/.
import type { Scope } from '../access/scope.ts';
import type { Role, SessionKind, StoredBlock } from '../model/session.ts';
import type { Author, JsonBlock } from '../model/session-message.ts';
import type { Awaitable, EntryState } from './contract.ts';
import type { MessageFilter, SessionFilter } from './reading.ts';
import type { EntryRow } from './writing.ts';

/** A session as its host's writes see it. */
export interface HostSession {
  readonly no: number;
  readonly key: string;
  readonly kind: SessionKind;
  /** The current window: its row and its session id. */
  readonly window: number;
  readonly sessionId: string;
  readonly createdAt: number;
  /** Time of the oldest and of the newest message. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly leaf?: { readonly id: number; readonly messageId: string };
  readonly spawnedBy?: string;
  readonly parent?: string;
  readonly owner?: string;
  readonly people?: readonly string[];
  readonly title?: string;
  readonly archivedAt?: number;
  /** Blocks of types that are not known, by type (SES-46). */
  readonly unknown?: Readonly<Record<string, number>>;
}

export interface NewHostSession {
  readonly key: string;
  readonly kind: SessionKind;
  readonly sessionId: string;
  readonly createdAt: number;
  readonly spawnedBy?: string;
}

/** Fields present are set; null clears. */
export interface HostChange {
  readonly leaf?: number;
  readonly lastAt?: number;
  readonly firstAt?: number;
  readonly parent?: string | null;
  readonly owner?: string | null;
  readonly people?: readonly string[] | null;
  readonly title?: string | null;
  readonly archivedAt?: number | null;
  readonly unknown?: Readonly<Record<string, number>>;
  /** Added to the number of messages on the active branch. */
  readonly messagesAdded?: number;
}

export interface HostEntry {
  readonly session: number;
  readonly window: number;
  readonly parent?: number;
  readonly kind: EntryRow['kind'];
  readonly role?: Role;
  readonly state: EntryState;
  readonly at: number;
  readonly messageId: string;
  readonly blocks: readonly StoredBlock[];
  /** The content was a list, also where it is one text block. */
  readonly list?: boolean;
  /** JSON of blocks that are stored apart (SES-13), by their place. */
  readonly apart?: ReadonlyMap<number, string>;
  readonly author?: Author;
  /** On no branch (SES-29). */
  readonly aside?: boolean;
  /** A custom entry that history shows. */
  readonly displayed?: boolean;
}

/** An entry that a host names by its id. */
export interface NamedEntry {
  readonly id: number;
  readonly kind: EntryRow['kind'];
  readonly role?: Role;
  readonly state: EntryState;
  readonly aside: boolean;
  readonly sessionId: string;
  readonly messageId: string;
}

/** An entry as its host wrote it. */
export interface WholeEntry extends NamedEntry {
  readonly parentId?: string;
  readonly at: number;
  readonly content: string | readonly JsonBlock[];
  readonly author?: Author;
  /** What a marker holds: reason, summary, data. */
  readonly data?: unknown;
}

/** Entries that left the active branch, or came back to it. */
export interface Moved {
  readonly entries: number;
  readonly messages: number;
  /** Those that hold text, ascending, and the bytes of it: what the index must follow. */
  readonly texts: readonly number[];
  readonly bytes: number;
}

export interface HostWriting {
  hostSession(key: string): Awaitable<HostSession | undefined>;
  hostCreate(session: NewHostSession): Awaitable<HostSession>;
  hostUpdate(no: number, change: HostChange): Awaitable<void>;
  /** The session that has a window of this id. */
  windowOwner(sessionId: string): Awaitable<number | undefined>;
  openWindow(session: number, sessionId: string, previous: number, reason: 'reset' | 'rewind'): Awaitable<number>;

  /** Whether the id is of a session that was deleted not long ago (SES-174). */
  isGone(sessionId: string, now: number): Awaitable<boolean>;

  /** Entry ids ascend in the order of calls. */
  hostInsert(entry: HostEntry): Awaitable<number>;
  /** By its id: on the active branch before others, newest window first. */
  entryNamed(session: number, messageId: string): Awaitable<NamedEntry | undefined>;
  entryInWindow(window: number, messageId: string): Awaitable<number | undefined>;
  wholeEntry(entry: number): Awaitable<WholeEntry | undefined>;
  idempotent(session: number, key: string): Awaitable<number | undefined>;
  setIdempotent(session: number, key: string, entry: number): Awaitable<void>;
  /** Ids of the user and assistant messages of the current view, ascending, and the latest reset (SES-8). */
  viewMessages(session: number): Awaitable<readonly NamedEntry[]>;

  /** Where the path from an entry to the root meets the active branch: 0 when it does not. */
  meetsBranch(entry: number): Awaitable<number>;
  /** Puts everything of the active branch after an entry aside. */
  leaveBranch(session: number, after: number): Awaitable<Moved>;
  /** Puts the path from an entry up to the active branch on it. */
  joinBranch(entry: number): Awaitable<Moved>;
  /** The index rows of these entries are to be looked at again (SES-151). */
  markDirty(session: number, from: number, through: number): Awaitable<void>;
  /** The next texts of a dirty session to index, and that they are done; none are left: it is clean (SES-154). */
  nextDirty(session: number, maxEntries: number, maxBytes: number): Awaitable<readonly number[]>;
  dirtyDone(session: number, through: number | undefined): Awaitable<void>;
}

export interface DirtySession {
  readonly no: number;
  readonly key: string;
  /** At most so many of its entries are to be indexed: others' stand between them. */
  readonly entries: number;
}

export interface HostReading {
  /** Without a scope: for the host itself. */
  hostSession(key: string): Awaitable<HostSession | undefined>;
  /** The current view, oldest first; with `maxMessages` from its newest messages on (SES-30). */
  currentView(session: number, maxMessages?: number): Awaitable<readonly WholeEntry[]>;
  /**
   * Sessions in scope and filter whose index is not as it should be, and their messages that it must follow (SES-83).
   * `unindexed`: of them, or with `all` of any, those of which nothing is indexed yet (SES-84).
   */
  dirty(
    scope: Scope,
    filter: SessionFilter & MessageFilter,
    all?: boolean,
  ): Awaitable<{ readonly sessions: number; readonly messages: number; readonly unindexed: number }>;
  /** All sessions whose index is not as it should be, those in scope first, newest activity first (SES-152). */
  dirtySessions(scope: Scope, limit: number): Awaitable<readonly DirtySession[]>;
}
