// Agents' memories of one home as SQLite files: opened when first needed, one writer that waits without blocking, readers.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { BackstoryError } from '../../model/errors.ts';
import { assertAgentId, isAgentId } from '../../model/ids.ts';
import type { Awaitable } from '../contract.ts';
import type { MemoryReading, MemoryStore, MemoryStores, MemoryWriting } from '../memory.ts';
import { memoryArchive } from './archive-memory.ts';
import { makeFolder, openDatabase, storeError, translated } from './database.ts';
import { cleanMemory, fileBytes, finishCleaning, fragmentsIn, isUnclean } from './memory-clean.ts';
import { erasureReading } from './memory-erase.ts';
import { pruneWriting } from './memory-prune.ts';
import { namedReading } from './memory-reading.ts';
import { recallReading } from './memory-recall.ts';
import { runWriting } from './memory-runs.ts';
import { recordWriting } from './memory-writing.ts';
import { MEMORY, migrate, versionOf } from './migrations.ts';

export interface SqliteMemoryOptions {
  /** Folder of the files; absent: everything in memory, gone with the process. */
  readonly folder?: string;
  /** How long a write waits for another process unless it says otherwise, 0–60 000 ms. */
  readonly busyTimeoutMs?: number;
}

const EXTENSION = '.sqlite';
const IDLE_READERS = 2;
// Between two tries for the write lock. (Most writes of others take under 1 ms; a busy handler would stop this process.)
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;

/** The SQLite backend of memory. Opening the set opens no file. */
export function openSqliteMemories(options: SqliteMemoryOptions = {}): MemoryStores {
  const { folder, busyTimeoutMs = 5_000 } = options;
  const open = new Map<string, SqliteMemory>();
  let closed = false;
  return {
    async agents() {
      assertOpen(closed, 'agents');
      if (folder === undefined || !existsSync(folder)) return [...open.keys()].sort();
      const names = readdirSync(folder).filter((name) => name.endsWith(EXTENSION));
      return names
        .map((name) => name.slice(0, -EXTENSION.length))
        .filter(isAgentId)
        .sort();
    },
    async open(agentId, { create = false } = {}) {
      assertOpen(closed, 'open');
      const known = open.get(agentId);
      if (known) return known;
      // It becomes the name of a file: nothing else may be opened or made by it.
      assertAgentId(agentId);
      const path = folder === undefined ? ':memory:' : join(folder, `${agentId}${EXTENSION}`);
      if (!create && (folder === undefined || !existsSync(path))) return undefined;
      if (folder !== undefined) translated(folder, () => makeFolder(folder));
      const store = new SqliteMemory(agentId, path, busyTimeoutMs);
      open.set(agentId, store);
      return store;
    },
    async close() {
      closed = true;
      const stores = [...open.values()];
      open.clear();
      for (const store of stores) await store.close();
    },
  };
}

class SqliteMemory implements MemoryStore {
  readonly agentId: string;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #main: Database.Database;
  readonly #writing: MemoryWriting;
  readonly #readers: { db: Database.Database; reading: MemoryReading }[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Commits of this connection, which its own `data_version` leaves out. */
  #commits = 0;
  /** Erased bytes stand in the log, since a reader held it: the next write takes them away (EPI-133). */
  #unclean = false;

  constructor(agentId: string, path: string, busyTimeoutMs: number) {
    this.agentId = agentId;
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#main = openDatabase(path, { busyTimeoutMs, check: (db) => void versionOf(db, path, MEMORY) });
    try {
      translated(path, () => migrate(this.#main, path, MEMORY));
      // From here on waiting is ours, so that other work of the process goes on meanwhile (EPI-51).
      this.#main.pragma('busy_timeout = 0');
      this.#writing = writingOf(this.#main);
      this.#unclean = isUnclean(this.#main);
    } catch (error) {
      this.#main.close();
      throw error;
    }
  }

  async read<T>(work: (reading: MemoryReading) => Awaitable<T>): Promise<T> {
    assertOpen(this.#closed, 'read');
    // In memory there is one connection only, so a read waits for the writes before it.
    if (this.#path === ':memory:') {
      return this.#inOrder(() => this.#transaction(this.#main, 'BEGIN', () => work(this.#writing)));
    }
    const reader = this.#readers.pop() ?? translated(this.#path, () => this.#newReader());
    try {
      return await this.#transaction(reader.db, 'BEGIN', () => work(reader.reading));
    } finally {
      if (this.#closed || this.#readers.length >= IDLE_READERS) reader.db.close();
      else this.#readers.push(reader);
    }
  }

  write<T>(
    work: (writing: MemoryWriting) => Awaitable<T>,
    { waitMs = this.#busyTimeoutMs }: { readonly waitMs?: number } = {},
  ): Promise<T> {
    assertOpen(this.#closed, 'write');
    return this.#inOrder(async () => {
      await this.#begin(waitMs);
      const result = await this.#transaction(this.#main, undefined, () => work(this.#writing));
      this.#commits++;
      if (this.#unclean) this.#unclean = !finishCleaning(this.#main);
      return result;
    });
  }

  async state(): Promise<string> {
    assertOpen(this.#closed, 'state');
    return translated(this.#path, () => `${this.#main.pragma('data_version', { simple: true })}.${this.#commits}`);
  }

  clean(): Promise<'absent' | 'pending'> {
    assertOpen(this.#closed, 'clean');
    return this.#inOrder(async () => {
      try {
        const state = await cleanMemory(this.#main, () => this.#begin(this.#busyTimeoutMs));
        this.#unclean = state === 'pending';
        return state;
      } catch (error) {
        throw storeError(this.#path, error);
      }
    });
  }

  async fragmentsFound(fragments: readonly string[]): Promise<number> {
    assertOpen(this.#closed, 'fragmentsFound');
    return this.#path === ':memory:' ? 0 : fragmentsIn(this.#path, fragments);
  }

  async bytes(): Promise<number> {
    assertOpen(this.#closed, 'bytes');
    return this.#path === ':memory:' ? 0 : fileBytes(this.#path);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue;
    for (const reader of this.#readers) reader.db.close();
    this.#readers.length = 0;
    this.#main.close();
  }

  #newReader(): { db: Database.Database; reading: MemoryReading } {
    const db = openDatabase(this.#path, { busyTimeoutMs: this.#busyTimeoutMs, reader: true });
    return { db, reading: readingOf(db) };
  }

  // Asks for the write lock until it is there or the time is up; others get their turn between two tries. What is counted
  // is the time it slept, so that a host's own clock may stand still.
  async #begin(waitMs: number): Promise<void> {
    let waited = 0;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        this.#main.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        const ours = storeError(this.#path, error);
        const busy = ours instanceof BackstoryError && ours.code === 'store_busy';
        if (!busy || waited + pause > waitMs) throw ours;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      waited += pause;
    }
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #transaction<T>(db: Database.Database, begin: string | undefined, work: () => Awaitable<T>): Promise<T> {
    try {
      if (begin !== undefined) db.exec(begin);
      const result = await work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw storeError(this.#path, error);
    }
  }
}

function readingOf(db: Database.Database): MemoryReading {
  return { ...namedReading(db), ...recallReading(db), ...erasureReading(db), ...memoryArchive(db) };
}

function writingOf(db: Database.Database): MemoryWriting {
  const records = recordWriting(db);
  const { insert, update, remove } = records;
  return { ...readingOf(db), insert, update, remove, ...pruneWriting(db, records), ...runWriting(db, records) };
}

function assertOpen(closed: boolean, method: string): void {
  if (closed) throw new BackstoryError('closed', `The store was closed before ${method}().`, 'Open the engine again.');
}
