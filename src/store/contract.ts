// What a backend must do for one agent's history, and for the set of them. No engine is named here.
import type { Descendants, Reach } from '../access/scope.ts';
import type { StoreCheck } from './check.ts';
import type { Reading } from './reading.ts';
import type { Writing } from './writing.ts';

/** A value now (embedded) or soon (over a network). Callers always await it. */
export type Awaitable<T> = T | Promise<T>;

/** One agent's store: its sessions, their index, and what was read from files for it (SES-1). */
export interface AgentStore {
  readonly agentId: string;
  /** One snapshot for everything `work` reads (SES-86). Never blocks a write. */
  read<T>(work: (reading: Reading) => Awaitable<T>): Promise<T>;
  /**
   * One write transaction, in order within the process, waiting for other processes up to the busy timeout (SES-28).
   * A rejection of `work` undoes it. Throws `store_busy`, `store_full`, `store_read_only`, `store_damaged`.
   */
  write<T>(work: (writing: Writing) => Awaitable<T>, options?: WriteOptions): Promise<T>;
  /** Empties the write-ahead log (SES-172). False: a reader holds it; the next write of this process tries again. */
  truncate(): Promise<boolean>;
  /** Looks at the health of rows and index (SUR-70). Reads all of the file. */
  check(): Promise<StoreCheck>;
  /** Takes the index away; it is made anew from the rows, which are never touched, when the store is next used (SES-150). */
  dropIndex(): Promise<void>;
  /** Which of these stand in the bytes of the store's files (SES-173). */
  fragmentsIn(fragments: readonly Uint8Array[]): Promise<readonly number[]>;
}

export interface WriteOptions {
  /**
   * May share one transaction with the writes around it, for at most 50 ms: what can be read again, such as files, need
   * not be safe at once. Each still happens whole or not at all, and every read of this process sees it. (1 380 files of
   * real transcripts: 3 s of 15 s were commits without it.)
   */
  readonly grouped?: boolean;
}

/** All agents' stores of one home. */
export interface StoreSet {
  /** Ids of the agents that have a store, in byte order. Opens none of them. */
  agents(): Promise<readonly string[]>;
  /** Opens, and with `create` makes, an agent's store. Throws `store_newer` for a schema of a later release. */
  open(agentId: string, options?: { readonly create?: boolean }): Promise<AgentStore | undefined>;
  /** Where descendants are in other agents' stores: along the catalogue, opening only what lies on the way (SES-211). */
  reach(from: readonly Descendants[]): Promise<readonly Reach[]>;
  close(): Promise<void>;
}

/** Numbers of the `kind`, `role` and `state` columns: public only to backends and their callers. */
export const ENTRY_KINDS = ['message', 'reset', 'rewind', 'switch', 'compaction', 'custom', 'erased'] as const;
export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;
export const STATES = ['active', 'shadowed', 'side'] as const;
export type EntryState = (typeof STATES)[number];
