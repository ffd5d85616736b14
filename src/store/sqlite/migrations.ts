// Brings a store to this release's schema: numbered SQL files, the version read under the write lock, a newer one refused.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Database from 'better-sqlite3';
import { BackstoryError } from '../../model/errors.ts';

interface Migration {
  readonly version: number;
  readonly sql: string;
}

// "BkSt": tells our files from any other SQLite database.
const APPLICATION_ID = 0x426b5374;

let loaded: readonly Migration[] | undefined;

/** The newest schema version this release knows. */
export function newestVersion(): number {
  return migrations().at(-1)?.version ?? 0;
}

/**
 * Applies what is missing, in one transaction. Throws `store_newer` for the schema of a later release, and
 * `store_damaged` for a database that is not one of ours. (The version is read again under the lock: read outside it,
 * 4 of 64 concurrent opens failed; architecture, decision 8.)
 */
export function migrate(db: Database.Database, path: string): void {
  if (versionOf(db, path) === newestVersion()) return;
  db.transaction(() => {
    const current = versionOf(db, path);
    for (const { version, sql } of migrations()) {
      if (version <= current) continue;
      db.exec(sql);
      db.pragma(`user_version = ${version}`);
    }
    db.pragma(`application_id = ${APPLICATION_ID}`);
  }).immediate();
}

/** The schema's version. Throws as `migrate` does, and writes nothing. */
export function versionOf(db: Database.Database, path: string): number {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > newestVersion()) {
    throw new BackstoryError(
      'store_newer',
      `The store ${path} has schema version ${version}; this release knows versions up to ${newestVersion()}.`,
      'Update backstory, or use another home.',
    );
  }
  const owner = db.pragma('application_id', { simple: true }) as number;
  const foreign = owner !== APPLICATION_ID && (version !== 0 || hasTables(db));
  if (foreign) {
    throw new BackstoryError(
      'store_damaged',
      `The file ${path} is an SQLite database, but not one of backstory's.`,
      'Move it away, or use another home.',
    );
  }
  return version;
}

function hasTables(db: Database.Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

function migrations(): readonly Migration[] {
  if (loaded) return loaded;
  const folder = sqlFolder(fileURLToPath(import.meta.url));
  loaded = readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 4)), sql: readFileSync(join(folder, name), 'utf8') }));
  return loaded;
}

// sql/ lies beside src/ and dist/, however deep this module ends up in a bundle.
function sqlFolder(from: string): string {
  for (let folder = dirname(from); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'sql', 'sqlite');
    try {
      readdirSync(candidate);
      return candidate;
    } catch {
      // Not here: one folder up.
    }
  }
  throw new BackstoryError('store_damaged', 'The folder sql/ of this package is missing.', 'Install backstory again.');
}
