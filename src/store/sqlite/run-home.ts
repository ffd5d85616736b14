// The folder of run indexes in a home: their names, and which of them nobody needs any more (RUN-29, RUN-31).
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { RunIndexOpener } from '../run-index.ts';
import { translated } from './database.ts';
import { INDEX_NAME, makePrivateFolder, openRunIndex, removeRunIndex } from './run-index.ts';

const SALT = 'key.salt';
const SALT_BYTES = 32;
const KEY_DIGITS = 32;
const UNUSED_MS = 30 * 24 * 60 * 60_000;
const SWEEP_MS = 50;

/** The SQLite backend of run indexes. */
export const sqliteRunIndexes: RunIndexOpener = {
  open: openRunIndex,
  keyOf(folder, parts) {
    const salt = translated(folder, () => saltOf(folder));
    return createHmac('sha256', salt).update(JSON.stringify(parts)).digest('hex').slice(0, KEY_DIGITS);
  },
  sweep(folder, except, clock) {
    const start = clock.elapsed();
    for (const path of indexesIn(folder)) {
      if (clock.elapsed() - start >= SWEEP_MS) return;
      if (path === except) continue;
      const known = introducedAs(path);
      if (known === undefined) continue;
      if (!existsSync(known.runFolder) || clock.now() - known.openedAt > UNUSED_MS) removeRunIndex(path);
    }
  },
  eraseOf(folder, runFolder) {
    const own = indexesIn(folder).filter((path) => introducedAs(path)?.runFolder === runFolder);
    for (const path of own) removeRunIndex(path);
    return own.length;
  },
  remove: removeRunIndex,
};

// Random, made once per home: so a name of an index tells nothing of what it is for.
function saltOf(folder: string): Uint8Array {
  const path = join(folder, SALT);
  const known = readSalt(path);
  if (known !== undefined) return known;
  makePrivateFolder(path);
  try {
    writeFileSync(path, randomBytes(SALT_BYTES), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const made = readSalt(path);
  if (made !== undefined) return made;
  // One that is cut off, by a kill or a full disk, is made anew: indexes are then made anew as well.
  rmSync(path, { force: true });
  return saltOf(folder);
}

function readSalt(path: string): Uint8Array | undefined {
  try {
    const salt = readFileSync(path);
    return salt.length === SALT_BYTES ? salt : undefined;
  } catch {
    return undefined;
  }
}

// Those not written for longest first.
function indexesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => INDEX_NAME.test(name));
  } catch {
    return [];
  }
  const timed = names.map((name) => {
    const path = join(folder, name);
    return { path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  return timed.sort((a, b) => a.at - b.at).map(({ path }) => path);
}

function introducedAs(path: string): { runFolder: string; openedAt: number } | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
    const value = db.prepare<[string], unknown>('SELECT value FROM meta WHERE name = ?').pluck();
    const [runFolder, openedAt] = [value.get('run_folder'), value.get('opened_at')];
    return typeof runFolder === 'string' && typeof openedAt === 'number' ? { runFolder, openedAt } : undefined;
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}
