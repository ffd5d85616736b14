// Cost follows the namespace, not the file: what the server really reads for operations on one namespace (EPI-178).
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Server, startServer } from '../../scripts/postgres-server.mjs';
import type { MemoryReading, MemoryWriting } from '../../src/store/memory.ts';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { pruneWriting } from '../../src/store/postgres/memory-prune.ts';
import { namedReading } from '../../src/store/postgres/memory-reading.ts';
import { recallReading } from '../../src/store/postgres/memory-recall.ts';
import { runWriting } from '../../src/store/postgres/memory-runs.ts';
import { openPostgresMemories } from '../../src/store/postgres/memory-set.ts';
import { recordWriting } from '../../src/store/postgres/memory-writing.ts';
import { newRecord, T } from '../../src/testing/memory-contract.ts';
import { parseQuery } from '../../src/text/index.ts';

const NAMESPACES = 20;
const ROWS = 150;
const NS = 'workspace=app|route=/r7';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

let server: Server;
let client: pg.Client;
let connection: { connectionString: string; schema: string };
beforeAll(async () => {
  server = await startServer();
  connection = server.connection();
  const stores = openPostgresMemories({ connection });
  const store = (await stores.open('main', { create: true }))!;
  await store.write(async (writing) => {
    for (let n = 0; n < NAMESPACES * ROWS; n++) {
      const at = new Date(T - n * 1_000).toISOString();
      await writing.insert(
        newRecord(`r${n}`, `order refund w${n} ${n % 2 ? 'paid' : 'open'}`, {
          namespace: `workspace=app|route=/r${n % NAMESPACES}`,
          source: { type: n % 3 ? 'run' : 'tool', id: `r${n}` },
          data: { outcome: n % 2 ? 'ok' : 'error', toolsUsed: ['x'], threadId: `t${n % 9}` },
          tags: ['keep'],
          effectiveAt: at,
          ...(n % 5 ? {} : { expiresAt: new Date(T + n * 1_000).toISOString() }),
        }),
      );
    }
  });
  await stores.close();
  client = new pg.Client(connection.connectionString);
  await client.connect();
  await client.query(`SET search_path = "${connection.schema}"; SET jit = off`);
  client.setTypeParser(20, Number);
}, 120_000);
afterAll(async () => {
  await client?.end();
  await server?.stop();
});

/** Rows of `record` that a plan read, wanted or not. */
function rowsRead(plan: Plan): number {
  const own =
    plan['Relation Name'] === 'record' && / Scan$/.test(plan['Node Type'])
      ? plan['Actual Loops'] *
        (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0))
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), 0);
}

describe.each(['as it is after writing', 'after ANALYZE'])('EPI-178: %s', (when) => {
  test('no operation on one namespace reads rows of another', async () => {
    if (when === 'after ANALYZE') await client.query('ANALYZE');
    const asked: { readonly rows: number; readonly text: string }[] = [];
    // Every statement runs twice: told by the server what it reads, undone, and then for its answer.
    const ask = async (text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> => {
      await client.query('SAVEPOINT told');
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
      await client.query('ROLLBACK TO told');
      asked.push({ rows: rowsRead(rows[0]['QUERY PLAN'][0].Plan), text: text.replace(/\s+/g, ' ').trim() });
      return client.query(text, [...values]);
    };
    const sql = {
      rows: async (text, values) => (await ask(text, values)).rows,
      row: async (text, values) => (await ask(text, values)).rows[0],
      run: async (text, values) => (await ask(text, values)).rowCount ?? 0,
    } as Sql;
    const records = recordWriting(sql, 'main');
    const reading = { ...namedReading(sql, 'main'), ...recallReading(sql, 'main') } as MemoryReading;
    const writing = {
      ...reading,
      ...records,
      ...pruneWriting(sql, 'main', records),
      ...runWriting(sql, 'main', records),
    } as unknown as MemoryWriting;
    await client.query('BEGIN');
    const { no } = (await reading.namespace(NS))!;
    const query = parseQuery('order "refund w7" paid', { mode: 'any' });
    const filters = [
      { now: T },
      { now: T, since: T - 900_000, until: T - 300_000 },
      { now: T, tags: ['keep'], tool: 'x', threadId: 't7', outcome: 'ok' as const, kind: 'episodic' as const },
    ];
    for (const filter of filters) {
      await reading.walk(no, filter, 8);
      await reading.walk(no, filter, 8, { at: T - 500_000, id: 'b' });
      await reading.count(no, filter);
      await reading.nearest(no, filter, T - 500_000);
      await reading.holders(no, filter, query, [0], 10);
      await reading.holders(no, filter, query, [0, 1, 2], 10);
      await reading.countMatches(no, filter, query);
      for (const by of ['outcome', 'tool', 'thread', undefined] as const) {
        await reading.tally(no, filter, by);
        await reading.tally(no, filter, by, query);
      }
    }
    const { numbers } = await reading.holders(no, { now: T }, query, [0], 50);
    expect(numbers).toHaveLength(50);
    await reading.places(numbers);
    await reading.texts(numbers);
    for (const clause of query.clauses) await reading.frequency(no, clause, T, 100);
    await reading.statistics(no, T);
    await reading.fact(no, '00'.repeat(16));
    await reading.records(numbers);
    await reading.get('r7');
    await reading.linkedFrom('r7', 'derivedFrom');
    await reading.writtenAfter(no, numbers.at(-1)!, { now: T, kinds: ['episodic'] }, 5);
    await reading.consolidable(no, { now: T, until: T - 500_000 }, 20);
    await reading.consolidable(no, { now: T, until: T }, 20, { at: T - 900_000, id: 'b' });
    await reading.list({ namespaces: [no], status: 'active' }, 5);
    await reading.numbersOf(no);
    await writing.insert(newRecord('new', 'order', { namespace: NS }));
    await writing.update(numbers[0]!, { status: 'superseded' });
    await writing.prune(no, { now: T + 200_000, cap: 50, authoredCap: 10 });
    await writing.removeOlder(no, T - 900_000, { kind: 'episodic' }, T);
    await writing.remove(numbers.slice(0, 3), 'forgotten', T);
    await writing.removeNamespace(no, T);
    await client.query('ROLLBACK');

    expect(asked.length).toBeGreaterThan(60);
    // A row may be looked at twice where one statement finds and then reads it.
    const others = asked.filter(({ rows }) => rows > 2 * (ROWS + 1));
    expect(others).toEqual([]);
    // The measure sees what it should: words of this namespace are read, all of them.
    expect(Math.max(...asked.map(({ rows }) => rows))).toBeGreaterThanOrEqual(ROWS);
  });
});
