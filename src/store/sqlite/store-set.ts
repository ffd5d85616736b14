// The agents' stores of one home: one file each, opened when first needed, with one writer and a few readers.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { type Descendants, type Entry, wholeScope } from '../../access/scope.ts';
import { BackstoryError, isBackstoryError } from '../../model/errors.ts';
import { isAgentId } from '../../model/ids.ts';
import type { AgentStore, Awaitable, StoreSet, WriteOptions } from '../contract.ts';
import type { Reading } from '../reading.ts';
import type { Writing } from '../writing.ts';
import { Catalogue } from './catalogue.ts';
import { CatalogueLinks } from './catalogue-links.ts';
import { makeFolder, openDatabase, storeError, translated } from './database.ts';
import { fragmentsIn, truncateWal } from './erase-bytes.ts';
import { migrate, versionOf } from './migrations.ts';
import { readingOf } from './reading.ts';
import { reachOf } from './scope-reach.ts';
import { writingOf } from './writing.ts';

export interface SqliteOptions {
  /** Folder of the stores; absent: everything in memory, gone with the process. */
  readonly folder?: string;
  /** File of the catalogue (SES-211); default: `catalogue.db` among the stores. */
  readonly catalogue?: string;
  /** How long a write waits for another process, 0–60 000 ms. */
  readonly busyTimeoutMs?: number;
}

const EXTENSION = '.sqlite';
const IDLE_READERS = 2;
const GROUP_MS = 50;
const GROUP_WRITES = 1_024;

/** Engines of one process on one home share a store: each would wait for the other's lock in its own event loop (SUR-10). */
const shared = new Map<string, { readonly store: SqliteStore; users: number }>();

/** The SQLite backend. Opening the set opens no file (SUR-10). */
export function openSqliteStores(options: SqliteOptions = {}): StoreSet {
  const { folder, busyTimeoutMs = 5_000 } = options;
  const file = folder === undefined ? ':memory:' : (options.catalogue ?? join(folder, 'catalogue.db'));
  const catalogue = new Catalogue(file, busyTimeoutMs);
  // A store may outlive the set that opened it: several sets share it.
  const ownCatalogue = (): Catalogue => (folder === undefined ? catalogue : new Catalogue(file, busyTimeoutMs));
  const open = new Map<string, SqliteStore>();
  let closed = false;
  const pathOf = (agentId: string): string =>
    folder === undefined ? ':memory:' : join(folder, `${agentId}${EXTENSION}`);
  const set: StoreSet = {
    async agents() {
      assertOpen(closed, 'agents');
      if (folder === undefined || !existsSync(folder)) return [...open.keys()].sort();
      return readdirSync(folder)
        .filter((name) => name.endsWith(EXTENSION) && isAgentId(name.slice(0, -EXTENSION.length)))
        .map((name) => name.slice(0, -EXTENSION.length))
        .sort();
    },
    async open(agentId, { create = false } = {}) {
      assertOpen(closed, 'open');
      const known = open.get(agentId);
      if (known) return known;
      const path = pathOf(agentId);
      if (!create && (folder === undefined || !existsSync(path))) return undefined;
      if (folder !== undefined) translated(folder, () => makeFolder(folder));
      const name = folder === undefined ? undefined : join(realpathSync(folder), agentId);
      const other = name === undefined ? undefined : shared.get(name);
      const store = other?.store ?? new SqliteStore(agentId, path, busyTimeoutMs, ownCatalogue());
      if (other) other.users++;
      else if (name !== undefined) shared.set(name, { store, users: 1 });
      open.set(agentId, store);
      return store;
    },
    async reach(from) {
      assertOpen(closed, 'reach');
      if (from.length === 0 || !(await completed())) return [];
      const descend = async (part: Descendants, agentId: string, entries: readonly Entry[], among: readonly string[]) =>
        (await set.open(agentId))?.read((reading) => reading.descend(WHOLE, part, entries, among)) ?? [];
      const below = catalogue.below.bind(catalogue);
      return Promise.all(from.map((part) => reachOf(part, { below, descend: descend.bind(undefined, part) })));
    },
    async close() {
      closed = true;
      const stores = [...open.values()];
      open.clear();
      for (const store of stores) await closeShared(store);
      catalogue.close();
    },
  };
  return set;

  // Once for a home without a catalogue, and for stores that came or went by other means. False: there is no store.
  async function completed(): Promise<boolean> {
    // Nothing is made in a home without stores. Known first: who comes in between is looked at, and not forgotten.
    const known = existsSync(file) || (await set.agents()).length > 0 ? catalogue.known() : new Set<string>();
    const agents = new Set(await set.agents());
    if (agents.size === 0) return false;
    for (const agentId of known) if (!agents.has(agentId)) catalogue.forget(agentId);
    for (const agentId of agents) {
      if (known.has(agentId)) continue;
      try {
        const store = await set.open(agentId);
        if (store) catalogue.scanned(agentId, await store.read((reading) => reading.crossings(WHOLE)));
      } catch (error) {
        // A store that cannot be read shows nothing anyway, and is asked again the next time.
        if (!isBackstoryError(error)) throw error;
      }
    }
    return true;
  }
}

const WHOLE = wholeScope();

async function closeShared(store: SqliteStore): Promise<void> {
  for (const [name, entry] of shared) {
    if (entry.store !== store) continue;
    if (--entry.users > 0) return;
    shared.delete(name);
  }
  await store.close();
}

class SqliteStore implements AgentStore {
  readonly agentId: string;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #catalogue: Catalogue;
  readonly #links: CatalogueLinks;
  readonly #main: Database.Database;
  readonly #writing: ReturnType<typeof writingOf>;
  readonly #readers: { db: Database.Database; reading: Reading }[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** A reader held the log when it was to be emptied. */
  #untruncated = false;
  #group: NodeJS.Timeout | undefined;
  #groupWrites = 0;
  /** Why a group could not be committed, until it is told. */
  #lost: unknown;

  constructor(agentId: string, path: string, busyTimeoutMs: number, catalogue: Catalogue) {
    this.agentId = agentId;
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#main = openDatabase(path, { busyTimeoutMs, check: (db) => void versionOf(db, path) });
    try {
      translated(path, () => migrate(this.#main, path));
    } catch (error) {
      this.#main.close();
      throw error;
    }
    this.#writing = writingOf(this.#main);
    this.#catalogue = catalogue;
    this.#links = new CatalogueLinks(this.#main, catalogue);
  }

  async read<T>(work: (reading: Reading) => Awaitable<T>): Promise<T> {
    assertOpen(this.#closed, 'read');
    // A store in memory has one connection only, so a read waits for the writes before it.
    if (this.#path === ':memory:') {
      return this.#inOrder(() =>
        this.#transaction(this.#main, 'BEGIN', () => work(this.#readerOf(this.#main).reading)),
      );
    }
    if (this.#group !== undefined) await this.#inOrder(async () => this.#endGroup());
    const reader = this.#readers.pop() ?? translated(this.#path, () => this.#newReader());
    try {
      return await this.#transaction(reader.db, 'BEGIN', () => work(reader.reading));
    } finally {
      if (this.#closed || this.#readers.length >= IDLE_READERS) reader.db.close();
      else this.#readers.push(reader);
    }
  }

  write<T>(work: (writing: Writing) => Awaitable<T>, { grouped = false }: WriteOptions = {}): Promise<T> {
    assertOpen(this.#closed, 'write');
    return this.#inOrder(async () => {
      if (this.#lost !== undefined) {
        const lost = this.#lost;
        this.#lost = undefined;
        throw lost;
      }
      if (grouped) return this.#inGroup(work);
      this.#endGroup();
      return this.#transaction(this.#main, 'BEGIN IMMEDIATE', () => this.#work(work));
    });
  }

  async truncate(): Promise<boolean> {
    await this.#inOrder(async () => {
      this.#endGroup();
      this.#untruncated = !truncateWal(this.#main);
    });
    return !this.#untruncated;
  }

  fragmentsIn(fragments: readonly Uint8Array[]): Promise<readonly number[]> {
    return fragmentsIn(this.#path, fragments);
  }

  // One transaction for several writes, each in a savepoint of its own: it ends with the time, a read, or another write.
  async #inGroup<T>(work: (writing: Writing) => Awaitable<T>): Promise<T> {
    const db = this.#main;
    try {
      if (this.#group === undefined) {
        db.exec('BEGIN IMMEDIATE');
        this.#group = setTimeout(
          () =>
            void this.#inOrder(async () => this.#endGroup()).catch((error: unknown) => {
              // Writes that had been acknowledged are gone: whoever writes next is told.
              this.#lost = error;
            }),
          GROUP_MS,
        );
        this.#groupWrites = 0;
      }
      db.exec('SAVEPOINT one');
      const result = await this.#work(work);
      db.exec('RELEASE one');
      if (++this.#groupWrites >= GROUP_WRITES) this.#endGroup();
      return result;
    } catch (error) {
      if (db.inTransaction && this.#group !== undefined) db.exec('ROLLBACK TO one; RELEASE one');
      else this.#forgetGroup();
      throw storeError(this.#path, error);
    }
  }

  #work<T>(work: (writing: Writing) => Awaitable<T>): Awaitable<T> {
    this.#writing.begin();
    return work(this.#writing.writing);
  }

  #endGroup(): void {
    if (this.#group === undefined) return;
    this.#forgetGroup();
    try {
      this.#links.beforeCommit();
      this.#main.exec('COMMIT');
    } catch (error) {
      if (this.#main.inTransaction) this.#main.exec('ROLLBACK');
      throw storeError(this.#path, error);
    }
    this.#links.afterCommit();
  }

  #forgetGroup(): void {
    clearTimeout(this.#group);
    this.#group = undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#inOrder(async () => this.#endGroup());
    } finally {
      for (const reader of this.#readers) reader.db.close();
      this.#readers.length = 0;
      this.#main.close();
      this.#catalogue.close();
    }
  }

  #memoryReader: { db: Database.Database; reading: Reading } | undefined;
  #readerOf(db: Database.Database): { db: Database.Database; reading: Reading } {
    this.#memoryReader ??= { db, reading: readingOf(db, this.agentId) };
    return this.#memoryReader;
  }

  #newReader(): { db: Database.Database; reading: Reading } {
    const db = openDatabase(this.#path, { busyTimeoutMs: this.#busyTimeoutMs, reader: true });
    return { db, reading: readingOf(db, this.agentId) };
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #transaction<T>(db: Database.Database, begin: string, work: () => Awaitable<T>): Promise<T> {
    try {
      db.exec(begin);
      const result = await work();
      const writes = begin === 'BEGIN IMMEDIATE';
      if (writes) this.#links.beforeCommit();
      db.exec('COMMIT');
      if (writes) this.#links.afterCommit();
      if (writes && this.#untruncated) this.#untruncated = !truncateWal(db);
      return result;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw storeError(this.#path, error);
    }
  }
}

function assertOpen(closed: boolean, method: string): void {
  if (closed) throw new BackstoryError('closed', `The store was closed before ${method}().`, 'Open the engine again.');
}
