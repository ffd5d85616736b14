// Memory on a real PostgreSQL server: the contract of every backend, and the same answers as SQLite to the last bit.
import { inspect } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Server, startServer } from '../../scripts/postgres-server.mjs';
import type { MemoryStores } from '../../src/store/memory.ts';
import { openPostgresMemories } from '../../src/store/postgres/memory-set.ts';
import { openSqliteMemories } from '../../src/store/sqlite/memory-set.ts';
import { memoryAnswers, memoryContract } from '../../src/testing/index.ts';
import { NS, newRecord, T } from '../../src/testing/memory-contract.ts';
import { parseQuery } from '../../src/text/index.ts';

let server: Server;
const open: MemoryStores[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterEach(async () => {
  for (const stores of open.splice(0)) await stores.close();
});
afterAll(() => server?.stop());

function fresh(): MemoryStores {
  const stores = openPostgresMemories({ connection: server.connection() });
  open.push(stores);
  return stores;
}

describe('the contract of memory, on PostgreSQL', () => {
  test.each(memoryContract().map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await one.run(fresh());
  });
});

test.each([1, 2])(
  'EPI-162: of history %i every answer is the same on SQLite and on PostgreSQL: records, order and counts',
  async (seed) => {
    const sqlite = openSqliteMemories();
    open.push(sqlite);
    const [first, second] = await Promise.all([memoryAnswers(sqlite, seed), memoryAnswers(fresh(), seed)]);
    expect(second).toEqual(first);
  },
);

test('EPI-162: words side by side are told alike where a tsvector forgets positions: over 255 of one, over 16 383 in all', async () => {
  const texts = [
    `${'echo '.repeat(300)}order refund`,
    `${'echo '.repeat(300)}order then refund`,
    `${Array.from({ length: 17_000 }, (_, n) => `w${n}`).join(' ')} order refund`,
    `${Array.from({ length: 17_000 }, (_, n) => `w${n}`).join(' ')} refund order`,
    'order refund',
    'refund order',
    "it's a back\\slash 'quoted' c++ [hidden:private-key] 认证系统 getUserById",
  ];
  const queries = [
    '"order refund"',
    'order refund',
    '"echo order"',
    'refund -"order refund"',
    "it's",
    'c++',
    '认证',
    'id',
    'quot*',
  ];
  const answers = await Promise.all(
    [openSqliteMemories(), fresh()].map(async (stores) => {
      open.push(stores);
      const store = (await stores.open('main', { create: true }))!;
      await store.write(async (writing) => {
        for (const [n, text] of texts.entries()) await writing.insert(newRecord(`r${n}`, text));
      });
      return store.read(async (reading) => {
        const { no } = (await reading.namespace(NS))!;
        const found: unknown[] = [];
        for (const mode of ['any', 'all'] as const) {
          for (const typed of queries) {
            const query = parseQuery(typed, { mode });
            const all = query.clauses.map((_, index) => index);
            const { numbers, more, decided } = await reading.holders(no, { now: T }, query, all, 10);
            const places = new Map((await reading.places(numbers)).map((place) => [place.no, place.id]));
            const texts = await reading.texts(numbers);
            found.push([typed, mode, numbers.map((n) => places.get(n)), more]);
            found.push(
              decided,
              numbers.map((n) => texts.get(n)),
            );
            found.push(await reading.countMatches(no, { now: T }, query));
            for (const clause of query.clauses) found.push(await reading.frequency(no, clause, T, 100));
          }
        }
        return found;
      });
    }),
  );
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]![0]).toEqual(['"order refund"', 'any', ['r4', 'r2', 'r0'], false]);
});

test('SUR-71: bytes are an agent’s share of the tables, from counters, without a look at its records', async () => {
  const connection = server.connection();
  const stores = openPostgresMemories({ connection });
  open.push(stores);
  const [small, large] = [
    (await stores.open('small', { create: true }))!,
    (await stores.open('large', { create: true }))!,
  ];
  expect([await small.bytes(), await large.bytes()]).toEqual([0, 0]);
  await small.write((writing) => writing.insert(newRecord('r', 'order')));
  await large.write(async (writing) => {
    for (let n = 0; n < 9; n++) await writing.insert(newRecord(`r${n}`, `order ${n}`));
  });
  const [one, nine] = [await small.bytes(), await large.bytes()];
  expect(one).toBeGreaterThan(0);
  expect(nine / one).toBeCloseTo(9, 2);
});

test('a text of a host that holds NUL is found again, though PostgreSQL cannot store it', async () => {
  const store = (await fresh().open('main', { create: true }))!;
  await store.write(async (writing) => {
    await writing.insert(newRecord('r', 'x', { data: { input: 'a\0b', outcome: 'ok', toolsUsed: ['t\0'] } }));
    const { no } = (await writing.namespace(NS))!;
    await writing.setCall(no, 'c\0\u0001', 'r', 'done\0');
    await writing.park({ id: 'p', namespace: NS, startedAt: T, parkedAt: T, threadId: 't\0', state: '{}' });
  });
  await store.read(async (reading) => {
    const { no } = (await reading.namespace(NS))!;
    expect(await reading.call(no, 'c\0\u0001')).toBe('done\0');
    expect((await reading.get('r'))!.record.data.input).toBe('a\0b');
    expect((await reading.parkedRuns({ threadId: 't\0' }))[0]!.threadId).toBe('t\0');
    expect(await reading.get('r\0')).toBeUndefined();
    expect((await reading.tally(no, { now: T }, 'tool'))[0]![1]).toBe('t\0');
  });
});

describe('the server', () => {
  test('COM-21: one that cannot be reached is store_busy, which names host and port and never the password', async () => {
    const password = ['not', 'to', 'be', 'seen'].join('-');
    const stores = openPostgresMemories({ connection: `postgres://me:${password}@127.0.0.1:1/db` });
    open.push(stores);
    const failed = await stores.open('main', { create: true }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'store_busy', message: expect.stringContaining('127.0.0.1:1') });
    expect(inspect(failed, { depth: 9 })).not.toContain(password);
  });

  test('a wrong password is refused with a message that does not hold it', async () => {
    const { connectionString, schema } = server.connection();
    const wrong = ['wrong', 'one'].join('-');
    const stores = openPostgresMemories({
      connection: { connectionString: connectionString.replace(/:[^:@]+@/, `:${wrong}@`), schema },
    });
    open.push(stores);
    const failed = await stores.agents().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'store_read_only', hint: expect.stringContaining('memory.postgres') });
    expect(inspect(failed, { depth: 9 })).not.toContain(wrong);
  });

  test('EPI-161: a connection that breaks in a write undoes it with a clear error, and the next write goes through', async () => {
    const store = (await fresh().open('main', { create: true }))!;
    const broken = store.write(async (writing) => {
      await writing.insert(newRecord('a', 'lost'));
      await server.restart();
      await writing.insert(newRecord('b', 'lost'));
    });
    await expect(broken).rejects.toMatchObject({ code: 'store_busy' });
    await store.write((writing) => writing.insert(newRecord('c', 'kept')));
    const listed = await store.read((reading) => reading.list({}, 10));
    expect(listed.map(({ record }) => record.id)).toEqual(['c']);
  });

  test('store_busy: a write waits for another process no longer than it may', async () => {
    const connection = server.connection();
    const [one, two] = [openPostgresMemories({ connection }), openPostgresMemories({ connection })];
    open.push(one, two);
    const first = (await one.open('main', { create: true }))!;
    const second = (await two.open('main', { create: true }))!;
    await first.write(async () => {
      const waiting = second.write(async () => undefined, { waitMs: 20 });
      await expect(waiting).rejects.toMatchObject({ code: 'store_busy' });
    });
    await second.write((writing) => writing.insert(newRecord('a', 'x')), { waitMs: 0 });
  });

  test('EPI-160: eight sets that open a new schema at once make it once; another schema of the database is another store', async () => {
    const connection = server.connection();
    const sets = Array.from({ length: 8 }, () => openPostgresMemories({ connection }));
    open.push(...sets);
    await Promise.all(sets.map((set, n) => set.open(`agent-${n % 3}`, { create: true })));
    expect(await sets[0]!.agents()).toEqual(['agent-0', 'agent-1', 'agent-2']);
    expect(await fresh().agents()).toEqual([]);
    expect(await fresh().open('main')).toBeUndefined();
  });

  test('store_newer: the schema of a later release is refused; a schema of somebody else is store_damaged', async () => {
    const connection = server.connection();
    await fresh().agents();
    const stores = openPostgresMemories({ connection });
    open.push(stores);
    await stores.open('main', { create: true });
    const client = new pg.Client(connection.connectionString);
    await client.connect();
    await client.query(`UPDATE ${connection.schema}.backstory SET version = 99`);
    const later = openPostgresMemories({ connection });
    open.push(later);
    await expect(later.open('main')).rejects.toMatchObject({ code: 'store_newer' });
    await client.query(`DROP TABLE ${connection.schema}.backstory`);
    await expect(later.open('main')).rejects.toMatchObject({ code: 'store_damaged' });
    await client.end();
  });
});
