// What a backend must do for one agent's memory: records, parked runs, their index and their counters. No engine is
// named here, and nothing of what a record means. One file (or schema) per agent, apart from its sessions.
import type { DeletionReason, MemoryKind, MemoryRecord, MemoryStatus, SourceType } from '../model/episode.ts';
import type { Masked } from '../redact/masked.ts';
import type { Clause, ParsedQuery } from '../text/index.ts';
import type { MemoryArchiveReading } from './archive.ts';
import type { Awaitable } from './contract.ts';
import type { ErasureReading } from './memory-erasure.ts';
import type { HolderReading, RecordFilter } from './memory-holders.ts';

export type { Holders, RecordFilter, RecordPlace } from './memory-holders.ts';

/** All agents' memories of one home. */
export interface MemoryStores {
  /** Ids of the agents that have one, in byte order. Opens none. */
  agents(): Promise<readonly string[]>;
  /** Opens, and with `create` makes, an agent's memory. Throws `store_newer` and the other codes of stores. */
  open(agentId: string, options?: { readonly create?: boolean }): Promise<MemoryStore | undefined>;
  close(): Promise<void>;
}

export interface MemoryStore {
  readonly agentId: string;
  /** One snapshot for everything `work` reads. Never waits for a write of another process. */
  read<T>(work: (reading: MemoryReading) => Awaitable<T>): Promise<T>;
  /**
   * One write transaction, in order within the process. `waitMs`: how long it waits for other processes and for the
   * writes before it (default: the busy timeout), then `store_busy`; the event loop turns meanwhile. A rejection of
   * `work` undoes it.
   */
  write<T>(work: (writing: MemoryWriting) => Awaitable<T>, options?: { readonly waitMs?: number }): Promise<T>;
  /** Another text after each commit, of whatever process; what it costs grows with nothing that is stored. */
  state(): Promise<string>;
  /**
   * Takes what was deleted out of the file's bytes: merges the index in steps and empties the WAL (SES-172).
   * `pending`: a reader holds the WAL.
   */
  clean(): Promise<'absent' | 'pending'>;
  /** How many of these byte fragments stand in the database file or its WAL. */
  fragmentsFound(fragments: readonly string[]): Promise<number>;
  /** Of the database file and its WAL. */
  bytes(): Promise<number>;
}

/** A record with what the store knows besides. */
export interface StoredRecord {
  /** Its number: ascends with writing within its namespace (the write sequence of EPI-147). Not stable after erasure. */
  readonly no: number;
  readonly namespaceNo: number;
  /** Event time, ms since 1970. */
  readonly at: number;
  readonly expiresAt?: number;
  /** Hex; of facts: the digest of namespace-free identity (EPI-106). */
  readonly identity?: string;
  readonly record: MemoryRecord;
}

export interface NewRecord {
  readonly record: MemoryRecord;
  /** The searched text (EPI-82), masked and sanitized: kept to be scored, indexed while the record is active. */
  readonly text: Masked;
  /** Hex digest of a fact's identity. */
  readonly identity?: string;
  /** Digests of thread and run ids that erasing by thread or run reaches it by (`traceOf`), hex. */
  readonly traces?: readonly string[];
}

/** Fields present are set. Status decides whether it is indexed. */
export interface RecordChange {
  readonly status?: MemoryStatus;
  readonly updatedAt?: number;
  readonly effectiveAt?: number;
  readonly expiresAt?: number | null;
  readonly confidence?: number;
  readonly tags?: readonly string[];
  readonly supersedes?: readonly string[];
  /** With `tags`: the searched text anew. */
  readonly text?: Masked;
}

/** Counters of one namespace, kept and not counted (EPI-178). */
export interface NamespaceInfo {
  readonly no: number;
  readonly name: string;
  /** Episodic records of runs, of every status: what `episodes.cap` counts. */
  readonly runs: number;
  /** Active episodic records that `remember` wrote: what `authored.cap` counts. */
  readonly authored: number;
  /** Active records, expired ones included until they are pruned, and the characters of their searched texts. */
  readonly active: number;
  readonly characters: number;
  readonly candidates: number;
  /** All records of any status; of these semantic ones, and reflections. */
  readonly records: number;
  readonly facts: number;
  readonly insights: number;
  readonly parked: number;
  /** Number of the last record written (0: none), and of the last one reflected on (EPI-147). */
  readonly written: number;
  readonly reflected: number;
  /** When the latest run was recorded. */
  readonly lastAt: number | null;
}

/** A run that waits for a person (EPI-40). `state` is the recorder's own, opaque JSON. */
export interface ParkedRun {
  /** Of the record it will become. */
  readonly id: string;
  readonly namespace: string;
  readonly startedAt: number;
  readonly parkedAt: number;
  readonly expiresAt?: number;
  readonly runId?: string;
  readonly threadId?: string;
  readonly state: string;
  /** As in `NewRecord`. */
  readonly traces?: readonly string[];
}

export type TallyBy = 'outcome' | 'tool' | 'kind' | 'tag' | 'thread';

/** Records of all statuses, as an operator lists them (EPI-120). */
export interface ListFilter {
  /** Numbers of namespaces; absent: all. */
  readonly namespaces?: readonly number[];
  readonly status?: MemoryStatus;
  readonly kind?: MemoryKind;
}

export interface MemoryReading extends HolderReading, ErasureReading, MemoryArchiveReading {
  namespace(name: string): Awaitable<NamespaceInfo | undefined>;
  /** In order of name. */
  namespaces(): Awaitable<readonly NamespaceInfo[]>;

  get(id: string): Awaitable<StoredRecord | undefined>;
  /** In the order asked; numbers that are gone are left out. */
  records(numbers: readonly number[]): Awaitable<readonly StoredRecord[]>;
  /** Records that name this one under `supersedes` or `derivedFrom`. */
  linkedFrom(id: string, by: 'supersedes' | 'derivedFrom'): Awaitable<readonly StoredRecord[]>;
  /** The active fact with this identity, expired or not. */
  fact(namespaceNo: number, identity: string): Awaitable<StoredRecord | undefined>;

  /** Active, unexpired records of a namespace: N and the mean length of TXT-43. */
  statistics(namespaceNo: number, now: number): Awaitable<{ readonly total: number; readonly averageLength: number }>;
  /** In how many active, unexpired records a clause stands, counted up to `cap`. */
  frequency(namespaceNo: number, clause: Clause, now: number, cap: number): Awaitable<number>;
  /** By event time descending, then id; `after` is the last one of the page before. */
  walk(
    namespaceNo: number,
    filter: RecordFilter,
    limit: number,
    after?: { readonly at: number; readonly id: string },
  ): Awaitable<readonly StoredRecord[]>;
  /** Counted up to `cap`, where one is given. */
  count(namespaceNo: number, filter: RecordFilter, cap?: number): Awaitable<number>;
  /** How many hold every clause of the query, exactly. */
  countMatches(namespaceNo: number, filter: RecordFilter, query: ParsedQuery): Awaitable<number>;
  /** Event time next to an instant, before and at or after it, of records the filter keeps. */
  nearest(
    namespaceNo: number,
    filter: RecordFilter,
    at: number,
  ): Awaitable<{ readonly before?: number; readonly after?: number }>;
  /**
   * Event time and key of every record the filter keeps and that holds every clause of the query, exactly; a record with
   * two tools or tags comes twice. Key is undefined where a record has none. In no order.
   */
  tally(
    namespaceNo: number,
    filter: RecordFilter,
    by: TallyBy | undefined,
    query?: ParsedQuery,
  ): Awaitable<readonly (readonly [at: number, key: string | undefined, no: number])[]>;

  /** Any status, newest `createdAt` first, then id. */
  list(
    filter: ListFilter,
    limit: number,
    after?: { readonly createdAt: number; readonly id: string },
  ): Awaitable<readonly (StoredRecord & { readonly text: string })[]>;
  /** Active, unexpired records of a namespace written after a number, in the order of writing (EPI-147). */
  writtenAfter(
    namespaceNo: number,
    after: number,
    filter: { readonly now: number; readonly kinds: readonly MemoryKind[] },
    limit: number,
  ): Awaitable<readonly StoredRecord[]>;
  /**
   * Active, unexpired episodic records that are no summaries, event time before `until`, oldest first, then by id
   * (EPI-143); `after` is the last one of the page before.
   */
  consolidable(
    namespaceNo: number,
    window: { readonly now: number; readonly until: number },
    limit: number,
    after?: { readonly at: number; readonly id: string },
  ): Awaitable<readonly StoredRecord[]>;

  parked(id: string): Awaitable<ParkedRun | undefined>;
  /** Newest `parkedAt` first. */
  parkedRuns(filter: {
    readonly namespaces?: readonly number[];
    readonly runId?: string;
    readonly threadId?: string;
  }): Awaitable<readonly ParkedRun[]>;

  /** The answer that a call id got before in this namespace (EPI-104). */
  call(namespaceNo: number, callId: string): Awaitable<string | undefined>;
  /** The latest barrier among these digests, which are not made while there is none (EPI-135). */
  barrier(digests: readonly string[] | (() => readonly string[])): Awaitable<number | undefined>;
  /** Numbers of records, and ids of parked runs, that carry one of these traces, in all namespaces. */
  traced(
    traces: readonly string[],
  ): Awaitable<{ readonly records: readonly number[]; readonly parked: readonly string[] }>;
  /** Numbers of all records of a namespace. */
  numbersOf(namespaceNo: number): Awaitable<readonly number[]>;
  /** Deletions by namespace, day (`YYYY-MM-DD`) and reason (EPI-68). */
  deletions(): Awaitable<
    readonly {
      readonly namespace: string;
      readonly day: string;
      readonly reason: DeletionReason;
      readonly count: number;
    }[]
  >;
  /** Counters of recorders, added up over processes (EPI-53). */
  counters(): Awaitable<Readonly<Record<string, number>>>;
  meta(name: string): Awaitable<string | undefined>;
}

export interface PruneLimits {
  readonly now: number;
  /** Absent: no budget. */
  readonly cap?: number;
  readonly authoredCap?: number;
}

export interface Pruned {
  readonly expired: number;
  readonly overCap: number;
  readonly parkedExpired: number;
}

export interface MemoryWriting extends MemoryReading {
  /** False, and nothing is written, when the id is taken. Makes the namespace when it is new. */
  insert(record: NewRecord): Awaitable<boolean>;
  update(no: number, change: RecordChange): Awaitable<void>;
  /** Removes rows with their index entries, links, traces and call keys, and counts them (EPI-68). Returns how many. */
  remove(numbers: readonly number[], reason: DeletionReason, now: number): Awaitable<number>;
  /** Rows of one namespace that are expired, then those beyond its budgets, then parked runs alike (EPI-60, EPI-62). */
  prune(namespaceNo: number, limits: PruneLimits): Awaitable<Pruned>;
  /** Rows by event time before `before`; counted as `older` (EPI-66). */
  removeOlder(
    namespaceNo: number,
    before: number,
    of: { readonly sources?: readonly SourceType[]; readonly kind?: MemoryKind },
    now: number,
  ): Awaitable<number>;
  /** A namespace with everything it holds, its name and its counts; returns what went. */
  removeNamespace(
    namespaceNo: number,
    now: number,
  ): Awaitable<{ readonly records: number; readonly candidates: number; readonly parked: number }>;

  /** Makes or replaces. */
  park(run: ParkedRun): Awaitable<void>;
  unpark(id: string): Awaitable<boolean>;

  setCall(namespaceNo: number, callId: string, recordId: string, reply: string): Awaitable<void>;
  setReflected(namespaceNo: number, no: number): Awaitable<void>;
  setBarrier(digest: string, at: number): Awaitable<void>;
  /** Takes barriers made before an instant away. */
  forgetBarriers(before: number): Awaitable<void>;
  addCounters(added: Readonly<Record<string, number>>): Awaitable<void>;
  setMeta(name: string, value: string): Awaitable<void>;
}
