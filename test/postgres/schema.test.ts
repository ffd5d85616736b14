// The tables that memory has on PostgreSQL, as the server tells them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Server, startServer } from '../../scripts/postgres-server.mjs';
import { openPostgresMemories } from '../../src/store/postgres/memory-set.ts';

const GOLDEN = join(import.meta.dirname, '..', 'golden', 'postgres-memory-schema.sql');
const COLUMNS = `
  SELECT c.relname AS of, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN l.collname IS NULL OR l.collname = 'default' THEN '' ELSE format(' COLLATE %I', l.collname) END
      || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
      || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  LEFT JOIN pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname, a.attnum`;
// NOT NULL stands with the columns; releases differ in whether it is a constraint as well.
const CONSTRAINTS = `
  SELECT c.relname AS of, pg_get_constraintdef(k.oid) AS line
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE c.relnamespace = $1::regnamespace AND k.contype <> 'n' ORDER BY c.relname, 2`;
const INDEXES = `
  SELECT pg_get_indexdef(i.indexrelid) AS line FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = $1::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY 1`;

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());

test('EPI-162: the schema on PostgreSQL is the golden one: a change of it shows in review (UPDATE_GOLDEN=1 writes it anew)', async () => {
  const connection = server.connection();
  const stores = openPostgresMemories({ connection });
  await stores.open('main', { create: true });
  await stores.close();
  const client = new pg.Client(connection.connectionString);
  await client.connect();
  const lines = async (sql: string): Promise<{ of: string; line: string }[]> =>
    (await client.query<{ of: string; line: string }>(sql, [connection.schema])).rows;
  const [columns, constraints, indexes] = [await lines(COLUMNS), await lines(CONSTRAINTS), await lines(INDEXES)];
  const [{ version }] = (await client.query(`SELECT version FROM ${connection.schema}.backstory`)).rows;
  await client.end();
  const tables = [...new Set(columns.map(({ of }) => of))].map((table) => {
    const parts = [...columns, ...constraints].filter(({ of }) => of === table).map(({ line }) => `  ${line}`);
    return `${table} (\n${parts.join(',\n')}\n);\n`;
  });
  const told = [`-- version ${version}\n`, ...tables, ...indexes.map(({ line }) => `${line};\n`)].join('');
  const schema = told.replaceAll(`${connection.schema}.`, '');
  if (process.env.UPDATE_GOLDEN || !existsSync(GOLDEN)) writeFileSync(GOLDEN, schema);
  expect(schema).toBe(readFileSync(GOLDEN, 'utf8'));
});
