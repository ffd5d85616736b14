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

/** A kind of file: its folder below sql/, and what tells it from any other SQLite database. */
export interface SchemaFamily {
  readonly folder: string;
  readonly applicationId: number;
}

/** "BkSt". */
export const SESSIONS: SchemaFamily = { folder: 'sqlite', applicationId: 0x426b5374 };
/** "BkMm". */
export const MEMORY: SchemaFamily = { folder: 'sqlite-memory', applicationId: 0x426b4d6d };
/** "BkRn". */
export const RUNS: SchemaFamily = { folder: 'sqlite-runs', applicationId: 0x426b526e };
/** "BkCt". */
export const CATALOGUE: SchemaFamily = { folder: 'sqlite-catalogue', applicationId: 0x426b4374 };

const loaded = new Map<SchemaFamily, readonly Migration[]>();

/** The newest schema version this release knows. */
export function newestVersion(family: SchemaFamily = SESSIONS): number {
  return migrations(family).at(-1)?.version ?? 0;
}

/**
 * Applies what is missing, in one transaction. Throws `store_newer` for the schema of a later release, and
 * `store_damaged` for a database that is not one of ours. (The version is read again under the lock: read outside it,
 * 4 of 64 concurrent opens failed; architecture, decision 8.)
 */
export function migrate(db: Database.Database, path: string, family: SchemaFamily = SESSIONS): void {
  if (versionOf(db, path, family) === newestVersion(family)) return;
  db.transaction(() => {
    const current = versionOf(db, path, family);
    for (const { version, sql } of migrations(family)) {
      if (version <= current) continue;
      db.exec(sql);
      db.pragma(`user_version = ${version}`);
    }
    db.pragma(`application_id = ${family.applicationId}`);
  }).immediate();
}

/** The schema's version. Throws as `migrate` does, and writes nothing. */
export function versionOf(db: Database.Database, path: string, family: SchemaFamily = SESSIONS): number {
  const { version, owner, tables } = db.prepare<[], Identity>(IDENTITY).get()!;
  // First whose it is: another kind of file has versions of its own.
  const foreign = owner !== family.applicationId && (version !== 0 || tables === 1);
  if (foreign) {
    throw new BackstoryError(
      'store_damaged',
      `The file ${path} is an SQLite database, but not one of backstory's.`,
      'Move it away, or use another home.',
    );
  }
  const newest = newestVersion(family);
  if (version > newest) {
    throw new BackstoryError(
      'store_newer',
      `The store ${path} has schema version ${version}; this release knows versions up to ${newest}.`,
      'Update backstory, or use another home.',
    );
  }
  return version;
}

interface Identity {
  readonly version: number;
  readonly owner: number;
  readonly tables: 0 | 1;
}

// One statement is one snapshot: asked one after another, another process made the store between the second and the third,
// and it was refused as somebody else's (one of eight that open a new store at once, now and then).
const IDENTITY = `
  SELECT v.user_version AS version, a.application_id AS owner, EXISTS (SELECT 1 FROM sqlite_schema) AS tables
  FROM pragma_user_version v, pragma_application_id a`;

function migrations(family: SchemaFamily): readonly Migration[] {
  const known = loaded.get(family);
  if (known) return known;
  const folder = sqlFolder(fileURLToPath(import.meta.url), family.folder);
  const found = readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 4)), sql: readFileSync(join(folder, name), 'utf8') }));
  loaded.set(family, found);
  return found;
}

// sql/ lies beside src/ and dist/, however deep this module ends up in a bundle.
function sqlFolder(from: string, name: string): string {
  for (let folder = dirname(from); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'sql', name);
    try {
      readdirSync(candidate);
      return candidate;
    } catch {
      // Not here: one folder up.
    }
  }
  throw new BackstoryError('store_damaged', 'The folder sql/ of this package is missing.', 'Install backstory again.');
}
