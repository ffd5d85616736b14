// One agent's store on SQLite: one writer and a few readers, writes in order, reads each in a snapshot of its own.
import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { BackstoryError } from '../../model/errors.ts';
import type { StoreCheck } from '../check.ts';
import type { AgentStore, Awaitable, WriteOptions } from '../contract.ts';
import type { Reading } from '../reading.ts';
import type { Writing } from '../writing.ts';
import type { Catalogue } from './catalogue.ts';
import { CatalogueLinks } from './catalogue-links.ts';
import { checkStore, dropIndex } from './check.ts';
import { openDatabase, storeError, translated } from './database.ts';
import { fragmentsIn, truncateWal } from './erase-bytes.ts';
import { migrate, newestVersion, versionOf } from './migrations.ts';
import { readingOf } from './reading.ts';
import { writingOf } from './writing.ts';

const IDLE_READERS = 2;
const GROUP_MS = 50;
const GROUP_WRITES = 1_024;

interface Writer {
  readonly db: Database.Database;
  readonly writing: ReturnType<typeof writingOf>;
  readonly links: CatalogueLinks;
}

/** Opened for reading; a writer comes with the first write, or when the file has to be made or brought up to date. */
export class SqliteStore implements AgentStore {
  readonly agentId: string;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #catalogue: Catalogue;
  #writer: Writer | undefined;
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
    this.#catalogue = catalogue;
    if (path === ':memory:' || !existsSync(path)) this.#writer = this.#newWriter();
    else this.#firstReader();
  }

  async read<T>(work: (reading: Reading) => Awaitable<T>): Promise<T> {
    assertOpen(this.#closed, 'read');
    // A store in memory has one connection only, so a read waits for the writes before it.
    if (this.#path === ':memory:') {
      return this.#inOrder(() =>
        this.#transaction(this.#main.db, 'BEGIN', () => work(this.#readerOf(this.#main.db).reading)),
      );
    }
    if (this.#group !== undefined) await this.#inOrder(async () => this.#endGroup());
    const reader = this.#readers.pop() ?? translated(this.#path, () => this.#newReader());
    try {
      reader.db.exec('BEGIN');
      const made = work(reader.reading);
      // What is answered at once frees its connection at once: the next read needs no second one (1.4 s for 600 agents).
      const result = made instanceof Promise ? await made : made;
      reader.db.exec('COMMIT');
      return result;
    } catch (error) {
      if (reader.db.inTransaction) reader.db.exec('ROLLBACK');
      throw storeError(this.#path, error);
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
      return this.#transaction(this.#main.db, 'BEGIN IMMEDIATE', () => this.#work(work));
    });
  }

  async truncate(): Promise<boolean> {
    await this.#inOrder(async () => {
      this.#endGroup();
      this.#untruncated = !truncateWal(this.#main.db);
    });
    return !this.#untruncated;
  }

  fragmentsIn(fragments: readonly Uint8Array[]): Promise<readonly number[]> {
    return fragmentsIn(this.#path, fragments);
  }

  check(): Promise<StoreCheck> {
    return this.#inOrder(async () => {
      this.#endGroup();
      return translated(this.#path, () => checkStore(this.#main.db, this.#path));
    });
  }

  dropIndex(): Promise<void> {
    return this.#inOrder(async () => {
      this.#endGroup();
      translated(this.#path, () => dropIndex(this.#main.db));
    });
  }

  // One transaction for several writes, each in a savepoint of its own: it ends with the time, a read, or another write.
  async #inGroup<T>(work: (writing: Writing) => Awaitable<T>): Promise<T> {
    const { db } = this.#main;
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
    const { begin, writing } = this.#main.writing;
    begin();
    return work(writing);
  }

  #endGroup(): void {
    if (this.#group === undefined) return;
    this.#forgetGroup();
    const { db, links } = this.#main;
    try {
      links.beforeCommit();
      db.exec('COMMIT');
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw storeError(this.#path, error);
    }
    links.afterCommit();
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
      this.#writer?.db.close();
      this.#catalogue.close();
    }
  }

  #memoryReader: { db: Database.Database; reading: Reading } | undefined;
  #readerOf(db: Database.Database): { db: Database.Database; reading: Reading } {
    this.#memoryReader ??= { db, reading: readingOf(db, this.agentId) };
    return this.#memoryReader;
  }

  get #main(): Writer {
    this.#writer ??= this.#newWriter();
    return this.#writer;
  }

  #newWriter(): Writer {
    const [path, busyTimeoutMs] = [this.#path, this.#busyTimeoutMs];
    const db = openDatabase(path, { busyTimeoutMs, check: (opened) => void versionOf(opened, path) });
    try {
      translated(path, () => migrate(db, path));
      return { db, writing: writingOf(db), links: new CatalogueLinks(db, this.#catalogue) };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  // Most stores are only read (600 agents: half of the time of opening them went into writers). A file of an older schema
  // needs the writer first.
  #firstReader(): void {
    const [path, busyTimeoutMs] = [this.#path, this.#busyTimeoutMs];
    let version = 0;
    const db = openDatabase(path, {
      busyTimeoutMs,
      reader: true,
      check: (opened) => (version = versionOf(opened, path)),
    });
    if (version === newestVersion()) {
      this.#readers.push({ db, reading: translated(path, () => readingOf(db, this.agentId)) });
      return;
    }
    db.close();
    this.#writer = this.#newWriter();
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
      if (writes) this.#main.links.beforeCommit();
      db.exec('COMMIT');
      if (writes) this.#main.links.afterCommit();
      if (writes && this.#untruncated) this.#untruncated = !truncateWal(db);
      return result;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw storeError(this.#path, error);
    }
  }
}

/** Throws `closed`, naming the method. */
export function assertOpen(closed: boolean, method: string): void {
  if (closed) throw new BackstoryError('closed', `The store was closed before ${method}().`, 'Open the engine again.');
}
