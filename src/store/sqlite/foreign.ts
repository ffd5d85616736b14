// Reads another product's SQLite database without changing it or leaving anything beside it (SRC-46).
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';

export interface Foreign {
  all(sql: string, ...params: readonly unknown[]): Record<string, unknown>[];
  close(): void;
}

const BUSY_MS = 2_000;

/** Throws the engine's error when the database is locked beyond 2 s, or is none. */
export function openForeign(path: string, scratch: string = tmpdir()): Foreign {
  try {
    return handle(connect(path));
  } catch (error) {
    // A folder that may not be written to, with a log that only its writer could open: a private copy, gone at the end.
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_CANTOPEN') || !existsSync(path)) throw error;
    const folder = mkdtempSync(join(scratch, 'backstory-copy-'));
    const copy = join(folder, basename(path));
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    return handle(connect(copy), () => rmSync(folder, { recursive: true, force: true }));
  }
}

// A read-only connection to a database in WAL mode makes an empty log and cannot remove it again. So where there is no
// log, the connection may write, is told not to, and SQLite takes the empty log away when it closes; where there is
// one, it is left as it was.
function connect(path: string): Database.Database {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const readonly = log !== undefined && log.size > 0;
  const db = new Database(path, { readonly, fileMustExist: true, timeout: BUSY_MS });
  try {
    db.pragma('query_only = ON');
    db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function handle(db: Database.Database, closed: () => void = () => undefined): Foreign {
  return {
    all: (sql, ...params) => db.prepare(sql).all(...params) as Record<string, unknown>[],
    close() {
      db.close();
      closed();
    },
  };
}
