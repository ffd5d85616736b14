// What a write transaction of one agent's store can do. Set-based where a batch asks much, so that a backend over a
// network needs few round trips. Keeps rows, index rows and counters in agreement; decides nothing about branches.
import type { Origin, Role, SessionKind, StoredBlock } from '../model/session.ts';
import type { Masked } from '../redact/masked.ts';
import type { ArchiveWriting } from './archive.ts';
import type { Awaitable, EntryState } from './contract.ts';
import type { EraseWriting } from './erase.ts';
import type { ExtraWriting } from './extra.ts';
import type { HostWriting } from './host.ts';

export interface SessionRecord {
  readonly no: number;
  readonly key: string;
  readonly kind: SessionKind;
  /** Newest window: its row and its session id. */
  readonly window: number;
  readonly sessionId: string;
  readonly title?: string;
  readonly titleRank?: number;
  readonly createdAt: number;
  readonly lastAt: number;
  readonly leaf?: number;
  readonly spawnedBy?: string;
  readonly origin?: Origin;
}

export interface NewSession {
  readonly key: string;
  readonly kind: SessionKind;
  readonly sessionId: string;
  readonly reason: 'initial' | 'imported';
  readonly createdAt: number;
}

/** Fields present are set. */
export interface SessionChange {
  readonly title?: string;
  readonly titleRank?: number;
  readonly createdAt?: number;
  readonly lastAt?: number;
  readonly leaf?: number;
  readonly spawnedBy?: string;
  readonly origin?: Origin;
  readonly archivedAt?: number | null;
  readonly hostGone?: number | null;
  /** Added to the number of messages on the active branch. */
  readonly messagesAdded?: number;
}

export interface NewEntry {
  readonly session: number;
  readonly window: number;
  readonly parent?: number;
  readonly kind: 'message' | 'reset' | 'rewind' | 'compaction';
  readonly role?: Role;
  readonly state: EntryState;
  readonly at: number;
  readonly atGuessed?: boolean;
  /** A prompt: two of them under one parent make a branch (SRC-107). */
  readonly prompt?: boolean;
  /** Kept by the latest reset (SES-50). */
  readonly messageId: string;
  readonly blocks: readonly StoredBlock[];
  /** The entry that already holds the text and its index row (SRC-15). */
  readonly copyOf?: number;
  /** Identity over several files where it is not the message id. */
  readonly copyDigest?: Uint8Array;
}

/** A stored entry as branch rules see it. */
export interface EntryRow {
  readonly id: number;
  readonly parent?: number;
  readonly kind: 'message' | 'reset' | 'rewind' | 'switch' | 'compaction' | 'custom' | 'erased';
  readonly role?: Role;
  readonly prompt: boolean;
  readonly state: EntryState;
  readonly at: number;
  readonly messageId: string;
  readonly copyOf?: number;
}

/** Text ready for the index: masked, sanitized, masked again where that changed it (TXT-2). */
export interface IndexText {
  readonly masked: Masked;
  /** Equal to the stored text. */
  readonly clean: boolean;
}

export interface InstanceRecord {
  readonly no: number;
  readonly source: string;
  readonly root: string;
  readonly lastSync?: number;
}

/** Numbers of the stat at which a file was last looked at; those over 2^53 are bigint. */
export interface FileNumbers {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly settled: boolean;
}

/** What is known of a file that was read, or passed over (SRC-43). */
export interface FileRecord extends FileNumbers {
  readonly no: number;
  readonly path: string;
  readonly reader: number;
  readonly outcome: string;
  readonly tries: number;
  readonly retryAt?: number;
  readonly version: number;
  readonly session?: number;
  /** Of that session, for exclude rules. */
  readonly project?: string;
}

export interface FileChange extends FileNumbers {
  readonly reader: number;
  /** `read`, or the reason it was skipped (SRC-59). */
  readonly outcome: string;
  readonly detail?: string;
  readonly session?: number;
  readonly state?: Uint8Array;
  readonly counts?: Readonly<Record<string, number>>;
  readonly tries?: number;
  readonly retryAt?: number;
}

export interface Writing extends ArchiveWriting, EraseWriting, ExtraWriting, HostWriting {
  session(key: string): Awaitable<SessionRecord | undefined>;
  createSession(session: NewSession): Awaitable<SessionRecord>;
  updateSession(no: number, change: SessionChange): Awaitable<void>;

  /** Entries and links of a session by native id: an entry, or the nearest stored ancestor of a link (`null`: a root). */
  resolve(
    session: number,
    ids: readonly string[],
  ): Awaitable<ReadonlyMap<string, { readonly entry: EntryRow } | { readonly ancestor: number | null }>>;
  /** For each id the entries of other sessions that carry it and are no copies: by message id, or by copy digest (hex). */
  originals(
    session: number,
    messageIds: readonly string[],
    digests: readonly Uint8Array[],
  ): Awaitable<{
    readonly byId: ReadonlyMap<string, readonly EntryRow[]>;
    readonly byDigest: ReadonlyMap<string, readonly EntryRow[]>;
  }>;
  /** Text blocks, stored blocks and time of an entry, to see whether it changed. */
  content(entry: number): Awaitable<{ readonly blocks: readonly StoredBlock[]; readonly at: number } | undefined>;
  /** Prompts of a session that have this parent and are not aside. */
  promptsUnder(session: number, parent: number): Awaitable<readonly EntryRow[]>;
  /** The latest reset of a session (SES-9). */
  latestReset(session: number): Awaitable<number | undefined>;
  /** Ids of entries that hold text, ascending, after `after`: to index everything anew (SES-158). */
  textEntries(after: number, limit: number): Awaitable<readonly number[]>;
  /** All entries of a session from `from` on, in the order of writing. */
  entriesFrom(session: number, from: number): Awaitable<readonly EntryRow[]>;
  /** The last `limit` prompts of the active branch up to an entry, newest first. */
  lastPrompts(session: number, through: number, limit: number): Awaitable<readonly EntryRow[]>;

  /** Entry ids ascend in the order of calls. Text blocks of a copy are not stored again. */
  insert(entry: NewEntry): Awaitable<number>;
  link(session: number, messageId: string, ancestor: number | null): Awaitable<void>;
  /**
   * New content in place, under the same id (SRC-45). Copies keep what they had. The caller calls `index` for the entry
   * and for those returned.
   */
  replace(entry: number, blocks: readonly StoredBlock[], at: number, copyOf?: number): Awaitable<readonly number[]>;
  /** The caller calls `index` for those that hold text. */
  setState(entries: readonly number[], state: EntryState): Awaitable<void>;
  /** Active entries up to this one become shadowed: a compaction replaced them (sources.md §4). They stay indexed. */
  shadow(session: number, through: number): Awaitable<void>;
  /** No longer in the host's file (SRC-45). */
  markGone(entries: readonly number[]): Awaitable<void>;
  /** Removes an entry with its body, links to it and index rows (a retraction; SRC-101). */
  remove(entry: number): Awaitable<void>;
  /** The same without a look at what hangs on it: for many at once, whose tree goes with them. `keepRow`: only the text goes. */
  discard(entry: number, options?: { readonly keepRow?: boolean }): Awaitable<void>;
  /** Entries whose text the latest reset keeps in the current view. */
  keep(session: number, entries: readonly number[]): Awaitable<void>;

  /**
   * Brings the index rows and counters of these entries' texts to what their state now asks for: written anew when the
   * entry, or a copy of it, is on its active branch, else taken away. A copy shares the row of its original, which then
   * names both sessions (SRC-15). `prepare` masks and sanitizes a stored text (TXT-2).
   */
  index(entries: readonly number[], prepare: (text: string) => IndexText): Awaitable<void>;

  instance(source: string, root: string): Awaitable<InstanceRecord>;
  /** How to go on with a file, and what was counted in it so far. */
  fileState(no: number): Awaitable<{ readonly state?: Uint8Array; readonly counts: Readonly<Record<string, number>> }>;
  file(instance: number, path: string): Awaitable<FileRecord | undefined>;
  /** Makes or changes a file's row; with `expected`, only if its version is that one, else returns undefined (SRC-44). */
  putFile(
    instance: number,
    path: string,
    change: FileChange,
    expected: number | undefined,
  ): Awaitable<FileRecord | undefined>;
  synced(instance: number, at: number): Awaitable<void>;
  /** True when `holder` now has, or still has, the lease of an instance until `until` (SRC-44). Null gives it back. */
  lease(instance: number, holder: string, now: number, until: number | null): Awaitable<boolean>;
  /** A small value of the store itself, such as the fingerprint its index was made with. */
  meta(name: string): Awaitable<string | undefined>;
  setMeta(name: string, value: string): Awaitable<void>;
  /** Removes sessions with all their rows and index entries; returns how many messages went. */
  deleteSessions(sessions: readonly number[], prepare: (text: string) => IndexText): Awaitable<number>;
  /** Forgets files, so that they are read again if they come back. */
  forgetFiles(files: readonly number[]): Awaitable<void>;
  /**
   * Host files that are no longer there: sessions that have no other file are marked (SRC-50), and returned. A row that
   * changed since it was read is left alone.
   */
  goneFiles(files: readonly FileRecord[], at: number): Awaitable<readonly number[]>;
}
