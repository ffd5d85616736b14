// Opens one SQLite file the one way this project does, and turns the engine's errors into ours. Knows no table.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { BackstoryError } from '../../model/errors.ts';

export interface OpenOptions {
  readonly busyTimeoutMs: number;
  /** Only reads: writes through this connection fail. */
  readonly reader?: boolean;
  /** Called before anything is written: throws for a database that is not ours. */
  readonly check?: (db: Database.Database) => void;
}

const CACHE_KIB = 16_384;
const CHECKPOINT_PAGES = 4_000;

/** A connection to `path` (or `:memory:`) with WAL, a busy timeout and zeroed deletions (SES-28, SES-172). */
export function openDatabase(path: string, options: OpenOptions): Database.Database {
  return translated(path, () => {
    if (path !== ':memory:') makePrivate(path);
    const db = new Database(path, { timeout: options.busyTimeoutMs });
    try {
      options.check?.(db);
      if (options.reader) {
        // What only a writer needs is left out, and one call made of the rest: 600 agents have as many readers.
        db.exec(`PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIB}`);
        return db;
      }
      // Only a database without a page can be made to give freed pages back in steps (SES-176).
      if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL');
      if (path !== ':memory:' && db.pragma('journal_mode', { simple: true }) !== 'wal') db.pragma('journal_mode = WAL');
      db.pragma('synchronous = NORMAL');
      // A first sync commits some 30 MB: moving them to the database every 4 MB took a tenth of it.
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma('secure_delete = ON');
      db.pragma('temp_store = MEMORY');
      db.pragma(`cache_size = -${CACHE_KIB}`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Files are 0600 from their first byte on (SUR-10); SQLite gives the same mode to the WAL. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return;
  }
  chmodSync(path, 0o600);
}

/** Makes a folder, step by step from the first that is there: Node's own recursion never ends below /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Runs `work`, and throws the engine's errors as ours, naming the store (COM-21). */
export function translated<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(path, error);
  }
}

/** The error of ours for an error of the engine; any other error as it is. */
export function storeError(path: string, error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') return error;
  const make = (ours: 'store_busy' | 'store_full' | 'store_read_only' | 'store_damaged', what: string, hint: string) =>
    new BackstoryError(ours, `The store ${path} ${what} (${code}).`, hint, { cause: error });
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return make('store_busy', 'is being written by another process', 'Try again, or raise busyTimeoutMs.');
  }
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') {
    return make(
      'store_full',
      'has no room left on its disk',
      'Free some disk space and try again; nothing was written.',
    );
  }
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return make('store_read_only', 'cannot be written', 'Check the owner and mode of the file and its folder.');
  }
  if (
    code.startsWith('SQLITE_CANTOPEN') ||
    code === 'ENOTDIR' ||
    code === 'ENOENT' ||
    code === 'EISDIR' ||
    code === 'ENAMETOOLONG'
  ) {
    return make('store_read_only', 'cannot be opened', 'Check that its folder exists and may be read and written.');
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return make(
      'store_damaged',
      'is damaged',
      'Move the file away; imported sessions come back with the next sync. The rest of the home is not affected.',
    );
  }
  return error;
}
