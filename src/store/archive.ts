// What a store gives to an archive and takes from one: sessions and entries whole, with numbers of the archive's own
// (SUR-72). What is taken stands aside, where no answer sees it, until all of it is there. Knows no file and no format.
import type { MemoryRecord } from '../model/episode.ts';
import type { Origin, Role, SessionKind, StoredBlock } from '../model/session.ts';
import type { Author } from '../model/session-message.ts';
import type { Awaitable, EntryState } from './contract.ts';
import type { EntryRow, IndexText } from './writing.ts';

/** Instants are milliseconds since 1970; `leaf` and `first` are numbers of entries. */
export interface ArchivedSession {
  readonly key: string;
  readonly kind: SessionKind;
  readonly title?: string;
  readonly titleRank?: number;
  readonly createdAt: number;
  readonly lastAt: number;
  readonly firstAt?: number;
  readonly archivedAt?: number;
  readonly hostGone?: number;
  readonly spawnedBy?: string;
  readonly parent?: string;
  readonly owner?: string;
  readonly people?: readonly string[];
  readonly source?: string;
  readonly project?: string;
  readonly nativeKey?: string;
  readonly origin?: Origin;
  readonly unknown?: Readonly<Record<string, number>>;
  /** On the active branch. */
  readonly messages: number;
  readonly leaf?: number;
  /** Oldest first; `previous` is the session id of another of them. */
  readonly windows: readonly {
    readonly sessionId: string;
    readonly reason: string;
    readonly previous?: string;
    readonly first?: number;
  }[];
}

/** A file of a host that blocks point into. */
export interface ArchivedFile {
  readonly no: number;
  readonly source: string;
  readonly root: string;
  readonly path: string;
  /** Key of its main session. */
  readonly session?: string;
}

export interface ArchivedEntry {
  /** Ascends in the order of writing, over all sessions. */
  readonly no: number;
  readonly session: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly parent?: number;
  readonly kind: EntryRow['kind'];
  readonly role?: Role;
  readonly state: EntryState;
  readonly at: number;
  readonly author?: Author;
  /** Absent: it has none, not even an empty list (an erased one). A copy has its texts as well. */
  readonly blocks?: readonly StoredBlock[];
  /** The content was a list, also where it is one text block. */
  readonly list?: true;
  /** JSON of blocks that are stored apart, by their place. */
  readonly apart?: Readonly<Record<string, string>>;
  /** The entry that holds the same message (SRC-15). */
  readonly copyOf?: number;
  readonly guessed?: true;
  readonly kept?: true;
  readonly prompt?: true;
  readonly gone?: true;
  readonly aside?: true;
  readonly displayed?: true;
}

/** What a host gave so that a repeated write is made once (SES-23). */
export interface ArchivedKey {
  readonly session: string;
  readonly idempotencyKey: string;
  readonly entry: number;
}

/** Identity of a message over several files, hex. */
export interface ArchivedCopy {
  readonly digest: string;
  readonly entry: number;
}

/**
 * All in one snapshot, without a scope: for an operator. Left out are sessions that nobody is shown: incognito by name,
 * being deleted, not to be judged. Each gives one part, and where to go on; no `next`: that was all.
 */
export interface ArchiveReading {
  archivedSessions(after: Place | undefined): Awaitable<Part<ArchivedSession>>;
  archivedFiles(after: Place | undefined): Awaitable<Part<ArchivedFile>>;
  archivedEntries(after: Place | undefined): Awaitable<Part<ArchivedEntry>>;
  archivedKeys(after: Place | undefined): Awaitable<Part<ArchivedKey>>;
  archivedCopies(after: Place | undefined): Awaitable<Part<ArchivedCopy>>;
}

/** Opaque to all but the backend that made it. */
export type Place = readonly unknown[];

export interface Part<T> {
  readonly rows: readonly T[];
  readonly next?: Place;
}

/** `kept`: the key is there already. `erased`: it was deleted here (SES-174). `taken`: another session has its session id. */
export type Staged = 'staged' | 'kept' | 'erased' | 'taken';

/** The number that an entry of the archive has in this store. */
export type Renumber = (no: number) => number;

export interface ArchiveWriting {
  /** The highest number of an entry: those of an archive go above it. */
  lastEntry(): Awaitable<number>;
  /** Puts a session aside, without its entries. */
  stageSession(session: ArchivedSession, now: number): Awaitable<Staged>;
  /** The number of the file here. It is read from its start when it is next found. */
  stageFile(file: ArchivedFile): Awaitable<number>;
  /** The entry's number here; undefined when its session does not stand aside. The caller calls `index` for it. */
  stageEntry(entry: ArchivedEntry, renumber: Renumber): Awaitable<number | undefined>;
  stageKey(key: ArchivedKey, renumber: Renumber): Awaitable<void>;
  stageCopy(copy: ArchivedCopy, renumber: Renumber): Awaitable<void>;
  /** Shows all that stands aside, at once; what came to be meanwhile under the same key stays, and is counted as kept. */
  showStaged(
    renumber: Renumber,
    prepare: (text: string) => IndexText,
  ): Awaitable<{ readonly shown: number; readonly kept: number }>;
  /** Takes away one session that stands aside; false: there is none. */
  dropStaged(prepare: (text: string) => IndexText): Awaitable<boolean>;
}

/** A record of memory; its searched text follows from it. */
export interface ArchivedRecord {
  readonly record: MemoryRecord;
  /** Hex digest of a fact's identity. */
  readonly identity?: string;
  /** Digests by which erasing reaches it, hex. */
  readonly traces: readonly string[];
}

export interface MemoryArchiveReading {
  /** Records of all namespaces, in the order of writing within each. */
  archived(after: Place | undefined): Awaitable<Part<ArchivedRecord>>;
}
