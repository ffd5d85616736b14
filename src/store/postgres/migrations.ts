// Brings a schema to this release's tables: numbered SQL files, the version read under a lock, a newer one refused.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BackstoryError } from '../../model/errors.ts';
import type { Connection, Sql } from './connection.ts';

interface Migration {
  readonly version: number;
  readonly sql: string;
}

const FOLDER = 'postgres-memory';
const LOCK_MS = 60_000;
/** Which kind of store the schema is, and its version. */
const TABLE = `
  CREATE TABLE backstory (
    kind text NOT NULL,
    version integer NOT NULL,
    one boolean PRIMARY KEY DEFAULT true CHECK (one)
  )`;

/**
 * The schema's version; 0: there is none yet. Throws `store_newer` for one of a later release, and `store_damaged` for a
 * schema that is not one of ours. Writes nothing.
 */
export async function versionOf(sql: Sql, schema: string): Promise<number> {
  const { ours, tables } = (await sql.row<{ ours: boolean; tables: boolean }>(
    `SELECT to_regclass(format('%I.backstory', $1::text)) IS NOT NULL AS ours,
       EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = $1::text AND c.relkind IN ('r', 'p', 'v', 'm')) AS tables`,
    [schema],
  ))!;
  const row = ours
    ? await sql.row<{ kind: string; version: number }>('SELECT kind, version FROM backstory')
    : undefined;
  if (row === undefined ? tables : row.kind !== 'memory') {
    throw new BackstoryError(
      'store_damaged',
      `The PostgreSQL schema ${schema} has tables that are not those of backstory's memory.`,
      'Name another schema in memory.postgres.schema.',
    );
  }
  const version = row?.version ?? 0;
  const newest = migrations().at(-1)?.version ?? 0;
  if (version > newest) {
    throw new BackstoryError(
      'store_newer',
      `The PostgreSQL schema ${schema} has version ${version}; this release knows versions up to ${newest}.`,
      'Update backstory, or name another schema.',
    );
  }
  return version;
}

/** Applies what is missing, in one transaction; any number of processes may at once. */
export async function migrate(connection: Connection): Promise<void> {
  const { schema } = connection;
  const newest = migrations().at(-1)?.version ?? 0;
  // Without writing, so that a user who may only use the tables can.
  if ((await connection.read((sql) => versionOf(sql, schema))) === newest) return;
  await connection.write(`${schema} schema`, LOCK_MS, async (sql) => {
    const encoding = await sql.row<{ server_encoding: string }>('SHOW server_encoding');
    if (encoding?.server_encoding !== 'UTF8') {
      throw new BackstoryError(
        'config_invalid',
        `The database of memory.postgres has the encoding ${encoding?.server_encoding}, which cannot hold every text.`,
        'Use a database with the encoding UTF8.',
      );
    }
    const current = await versionOf(sql, schema);
    if (current === 0) await sql.run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    for (const migration of migrations()) {
      if (migration.version > current) await sql.run(migration.sql);
    }
    if (current === 0) {
      await sql.run(TABLE);
      await sql.run("INSERT INTO backstory (kind, version) VALUES ('memory', $1)", [newest]);
    } else if (current < newest) await sql.run('UPDATE backstory SET version = $1', [newest]);
  });
}

let loaded: readonly Migration[] | undefined;

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
    const candidate = join(folder, 'sql', FOLDER);
    try {
      readdirSync(candidate);
      return candidate;
    } catch {
      // Not here: one folder up.
    }
  }
  throw new BackstoryError('store_damaged', 'The folder sql/ of this package is missing.', 'Install backstory again.');
}
