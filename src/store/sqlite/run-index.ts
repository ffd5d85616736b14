// Opens the index of one agent's run files, in a file or in memory, and runs its writes one after another. What a damaged
// or foreign file is replaced by is decided here; when to use memory instead is the caller's to say.
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { BackstoryError, isBackstoryError } from '../../model/errors.ts';
import type { KnownFile, RunIndex, RunIndexOptions, RunReading, RunWriting } from '../run-index.ts';
import { makeFolder, openDatabase, storeError, translated } from './database.ts';
import { migrate, RUNS, versionOf } from './migrations.ts';
import { runReading } from './run-reading.ts';
import { type RunWriter, runWriting } from './run-writing.ts';

const MEMORY = ':memory:';
const RETRY_MS = 10;
// FTS5 writes a segment whenever it holds so much: about what one transaction makes.
const HASH_BYTES = 2 * 1_048_576;

interface FileSql {
  name: Buffer;
  shown: string;
  is_record: number;
  hidden: number;
  flags: number;
  state: Buffer | null;
  version: number;
}

/** Throws `store_read_only`, `store_full`, `store_busy`; a damaged file, or one made for something else, is made anew. */
export function openRunIndex(options: RunIndexOptions): RunIndex {
  const { path = MEMORY } = options;
  if (path === MEMORY) return new SqliteRunIndex(openFile(path, options), options, false);
  makePrivateFolder(path);
  if (translated(path, () => isForeign(path))) throw notOurs(path);
  let rebuilt = false;
  for (let tries = 0; ; tries++) {
    let db: Database.Database | undefined;
    try {
      db = openFile(path, options);
      if (isFor(db, options)) return new SqliteRunIndex(db, options, rebuilt);
      db.close();
    } catch (error) {
      db?.close();
      const ours = storeError(path, error);
      if (!isBackstoryError(ours) || ours.code !== 'store_damaged' || tries > 0) throw ours;
      if (!isRunIndex(path)) throw notOurs(path);
      rebuilt = true;
    }
    removeFiles(path);
  }
}

/** The file with its log, if it is an index. One that is open elsewhere goes when it is closed there. */
export function removeRunIndex(path: string): void {
  if (isRunIndex(path)) removeFiles(path);
}

/** The name of an index in a home. */
export const INDEX_NAME: RegExp = /^[0-9a-f]{32}\.sqlite$/;
const MAGIC = 'SQLite format 3\0';
// Where SQLite keeps the application id.
const MARK_AT = 68;
const HEAD_BYTES = MARK_AT + 4;

// By its name in a home, or by its mark: a file that a host named by mistake is its own, and nothing brings it back.
function isRunIndex(path: string): boolean {
  if (isNamedAsOurs(path)) return true;
  const head = headOf(path);
  return isSqlite(head) && head.length === HEAD_BYTES && head.readUInt32BE(MARK_AT) === RUNS.applicationId;
}

// What is no SQLite file at all is not even opened.
function isForeign(path: string): boolean {
  const head = headOf(path);
  return head.length > 0 && !isSqlite(head) && !isNamedAsOurs(path);
}

function isNamedAsOurs(path: string): boolean {
  return INDEX_NAME.test(basename(path)) && basename(dirname(path)) === 'runs';
}

function isSqlite(head: Buffer): boolean {
  return head.toString('latin1', 0, MAGIC.length) === MAGIC;
}

function headOf(path: string): Buffer {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return Buffer.alloc(0);
  const handle = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(handle, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(handle);
  }
}

function notOurs(path: string): BackstoryError {
  return new BackstoryError(
    'store_read_only',
    `The file ${path} is no index of run files, and is left as it is.`,
    'Name another file for the index, or one that does not exist yet.',
  );
}

function removeFiles(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}

/** Makes the folder of a file, for its owner only. */
export function makePrivateFolder(path: string): void {
  const folder = dirname(path);
  translated(folder, () => makeFolder(folder));
}

function openFile(path: string, { busyTimeoutMs }: RunIndexOptions): Database.Database {
  const db = openDatabase(path, { busyTimeoutMs, check: (opened) => void versionOf(opened, path, RUNS) });
  try {
    translated(path, () => migrate(db, path, RUNS));
    // A few pages are enough to find a file whose middle is gone.
    db.prepare('SELECT count(*) FROM file').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

// A file that a host named may have been made with another masker: nothing of it is used (RUN-29).
function isFor(db: Database.Database, { identity }: RunIndexOptions): boolean {
  const known = db.prepare("SELECT value FROM meta WHERE name = 'identity'").pluck().get();
  return known === undefined || known === identity;
}

class SqliteRunIndex implements RunIndex {
  readonly place: 'file' | 'memory';
  readonly rebuilt: boolean;
  readonly salt: Uint8Array;
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #reading: RunReading;
  readonly #writer: RunWriter;
  readonly #version: Database.Statement<[], number>;
  readonly #raise: Database.Statement;
  #pause: () => void | Promise<void> = () => undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(db: Database.Database, options: RunIndexOptions, rebuilt: boolean) {
    this.#db = db;
    this.#path = options.path ?? MEMORY;
    this.place = options.path === undefined ? 'memory' : 'file';
    this.rebuilt = rebuilt;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.salt = translated(this.#path, () => introduce(db, options));
    // Waiting for another process must not hold the event loop: from here on `write` waits by itself.
    db.pragma('busy_timeout = 0');
    this.#reading = runReading(db);
    this.#writer = runWriting(db, () => this.#pause());
    this.#version = db.prepare<[], number>("SELECT value FROM meta WHERE name = 'version'").pluck();
    this.#raise = db.prepare("UPDATE meta SET value = value + 1 WHERE name = 'version'");
  }

  version(): number {
    return translated(this.#path, () => this.#version.get() ?? 0);
  }

  files(): KnownFile[] {
    const rows = translated(this.#path, () => this.#db.prepare<[], FileSql>('SELECT * FROM file').all());
    return rows.map(({ name, state, is_record, hidden, ...row }) => ({
      name: name.toString('hex'),
      shown: row.shown,
      isRecord: is_record === 1,
      hidden: hidden === 1,
      flags: row.flags,
      state: state ?? undefined,
      version: row.version,
    }));
  }

  write<T>(work: (writing: RunWriting) => T | Promise<T>, pause: () => void | Promise<void>): Promise<T> {
    return this.#alone(async () => {
      await this.#begin();
      this.#pause = pause;
      try {
        const result = await work(this.#writer);
        await this.#writer.flush();
        this.#raise.run();
        this.#db.exec('COMMIT');
        return result;
      } catch (error) {
        this.#writer.forget();
        if (this.#db.open && this.#db.inTransaction) this.#db.exec('ROLLBACK');
        throw storeError(this.#path, error);
      }
    });
  }

  read<T>(work: (reading: RunReading) => T | Promise<T>): Promise<T> {
    return this.#alone(async () => {
      try {
        this.#db.exec('BEGIN');
        return await work(this.#reading);
      } catch (error) {
        throw storeError(this.#path, error);
      } finally {
        if (this.#db.open && this.#db.inTransaction) this.#db.exec('ROLLBACK');
      }
    });
  }

  async close(): Promise<void> {
    await this.#queue.catch(() => undefined);
    if (this.#closed) return;
    this.#closed = true;
    this.#db.close();
  }

  // One connection, one thing at a time: a read never sees half a write of its own process.
  #alone<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #begin(): Promise<void> {
    for (let waited = 0; ; waited += RETRY_MS) {
      try {
        this.#db.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        const ours = storeError(this.#path, error);
        const busy = ours instanceof BackstoryError && ours.code === 'store_busy';
        if (!busy || waited >= this.#busyTimeoutMs) throw ours;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}

// What the file is for, and that it is in use (RUN-31).
function introduce(db: Database.Database, { identity, runFolder, now }: RunIndexOptions): Uint8Array {
  return db
    .transaction(() => {
      const add = db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING');
      add.run('salt', randomBytes(16));
      add.run('identity', identity);
      add.run('run_folder', runFolder);
      add.run('version', 0);
      db.prepare("INSERT INTO meta VALUES ('opened_at', ?) ON CONFLICT DO UPDATE SET value = excluded.value").run(now);
      db.exec(`INSERT INTO fts (fts, rank) VALUES ('hashsize', ${HASH_BYTES})`);
      return db.prepare("SELECT value FROM meta WHERE name = 'salt'").pluck().get() as Uint8Array;
    })
    .immediate();
}
