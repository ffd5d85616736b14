// A server that is away, slow, or at the other end of a line that breaks: no record is lost, made twice, or told wrongly.
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Server, startServer } from '../../scripts/postgres-server.mjs';
import { operator } from '../../src/access/caller.ts';
import type { MemoryConfig } from '../../src/config/index.ts';
import { openPostgresMemories } from '../../src/store/postgres/memory-set.ts';
import { newRecord } from '../../src/testing/memory-contract.ts';
import { makeSteps, removeSteps } from '../episodes/steps.ts';
import { type Way, wayTo } from './way.ts';

let server: Server;
let way: Way;
beforeAll(async () => {
  server = await startServer();
});
afterEach(async () => {
  await removeSteps();
  await way?.close();
});
afterAll(() => server?.stop());

/** Settings of a schema that no test used, through a new way. */
async function place(more: object = {}): Promise<MemoryConfig & { readonly postgres: object }> {
  const { connectionString, schema } = server.connection();
  way = await wayTo(server.port);
  return { postgres: { connectionString: way.through(connectionString), schema, ...more } };
}

test('EPI-51: runs that end while the server is away are queued, and recorded once each when it is there', async () => {
  const world = await makeSteps(await place());
  await way.close();
  const { recorder } = await world.context();
  for (const runId of ['r1', 'r2', 'r3']) {
    expect(await recorder.start({ input: `zebra ${runId}`, runId }).settle()).toMatchObject({ reason: 'queued' });
  }
  expect(recorder.health()).toMatchObject({ recorded: 0, queued: 3, lastFailure: { code: 'store_busy' } });
  await way.open();
  await recorder.flush();
  expect(recorder.health()).toMatchObject({ recorded: 3, queued: 0, lost: 0, duplicates: 0 });
  const { records } = await (await world.context()).recall({ query: 'zebra' });
  expect(records.map(({ data }) => data.runId).sort()).toEqual(['r1', 'r2', 'r3']);
});

test('EPI-51: the first run of a process, which connects and makes the schema, is kept however short its wait', async () => {
  const world = await makeSteps({ ...(await place()), episodes: { writeTimeoutMs: 0 } });
  const { recorder } = await world.context();
  expect(await recorder.start({ input: 'zebra' }).settle()).toMatchObject({ reason: 'queued' });
  await recorder.flush();
  expect(recorder.health()).toMatchObject({ recorded: 1, queued: 0, lost: 0, failed: 0 });
  expect((await (await world.context()).recall({ query: 'zebra' })).records).toHaveLength(1);
});

test('EPI-51: a line that breaks after the commit makes no second record, and loses none', async () => {
  const world = await makeSteps({ ...(await place()), episodes: { writeTimeoutMs: 10_000 } });
  await world.record('first');
  const { recorder } = await world.context();
  way.cutAt('COMMIT');
  expect(await recorder.start({ input: 'second', runId: 'r2' }).settle()).toMatchObject({ reason: 'queued' });
  await recorder.flush();
  expect(recorder.health()).toMatchObject({ queued: 0, lost: 0 });
  expect((await world.backstory.episodes.stats()).records).toBe(2);
});

test('EPI-51: closing ends though the server never answers again; what was not written is counted as lost', async () => {
  const world = await makeSteps(await place());
  const { recorder } = await world.context();
  await world.recordResult('first');
  // The first write also connects, and may have been queued.
  await recorder.flush();
  way.silence();
  expect(await recorder.start({ input: 'second' }).settle()).toMatchObject({ reason: 'queued' });
  await world.backstory.close();
  expect(recorder.health()).toMatchObject({ recorded: 1, lost: 1 });
});

test('closing during a write lets it end; a later one is refused', async () => {
  const { postgres } = await place();
  const stores = openPostgresMemories({ connection: postgres });
  const store = (await stores.open('main', { create: true }))!;
  let closing: Promise<void> | undefined;
  await store.write(async (writing) => {
    closing = stores.close();
    await writing.insert(newRecord('a', 'kept'));
  });
  await closing;
  await expect(store.read(() => 0)).rejects.toMatchObject({ code: 'closed' });
  const again = openPostgresMemories({ connection: postgres });
  const kept = await (await again.open('main'))!.read((reading) => reading.get('a'));
  expect(kept?.record.id).toBe('a');
  await again.close();
});

test('one connection is enough: forty reads and twenty runs at once wait for it', async () => {
  const world = await makeSteps({ ...(await place({ max: 1 })), episodes: { writeTimeoutMs: 10_000 } });
  await world.record('zebra');
  const context = await world.context();
  const runs = Array.from({ length: 20 }, (_, n) => context.recorder.start({ input: `zebra ${n}` }).settle());
  const reads = Array.from({ length: 40 }, () => context.recall({ query: 'zebra' }));
  expect((await Promise.all(runs)).filter(({ recorded }) => !recorded)).toEqual([]);
  for (const { records } of await Promise.all(reads)) expect(records.length).toBeGreaterThan(0);
});

test('store_busy: a server that takes no more connections is told as that, and a later call goes through', async () => {
  const { postgres } = await place();
  const limited = openPostgresMemories({ connection: { ...postgres, max: 200 } });
  const store = (await limited.open('main', { create: true }))!;
  let go: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const reads = Array.from({ length: 150 }, () => store.read(() => held).catch((error: unknown) => error));
  const first = await Promise.race(reads);
  expect(first).toMatchObject({ code: 'store_busy', message: expect.stringContaining('takes no more connections') });
  go!();
  await Promise.all(reads);
  await store.write((writing) => writing.insert(newRecord('a', 'kept')));
  await limited.close();
});

test('EPI-62: two machines that write one namespace at its cap keep exactly so many, the newest', async () => {
  const memory = { ...(await place()), episodes: { cap: 5, writeTimeoutMs: 10_000 } };
  const world = await makeSteps(memory);
  const other = await world.another(memory);
  const contexts = [await world.context(), await other.episodes.context({ agent: 'main', route: '/a' })];
  for (let n = 0; n < 12; n++) {
    await Promise.all(
      contexts.map(({ recorder }, who) => recorder.start({ input: `run ${n}`, runId: `${who}-${n}` }).settle()),
    );
    world.pass(1_000);
  }
  const { records } = await contexts[0]!.recall({ limit: 100 });
  expect(records).toHaveLength(5);
  expect(records.slice(0, 4).map(({ data }) => data.input)).toEqual(['run 11', 'run 11', 'run 10', 'run 10']);
  expect((await world.backstory.episodes.stats()).records).toBe(5);
});

test('COM-21: the password stands in no error, log line, failure, finding or count', async () => {
  const secret = ['never', 'to', 'be', 'told'].join('-');
  const failures: unknown[] = [];
  const told: unknown[] = [];
  for (const postgres of [
    `postgres://me:${secret}@127.0.0.1:1/db`,
    `postgres://me:${secret}@no-such-host.invalid/db`,
    `postgres://me:${secret}@127.0.0.1:${server.port}/db`,
    { host: '127.0.0.1', port: server.port, user: 'me', password: secret },
    `postgres://me:${secret}@[::bad/db`,
    `postgres://me@127.0.0.1:99999/${secret}?password=${secret}`,
    { connectionString: `postgres://127.0.0.1:1/db?sslcert=/${secret}` },
  ]) {
    const world = await makeSteps({ postgres, onError: (failure) => void failures.push(failure) });
    const { recorder, recall, remember } = await world.context();
    told.push(await recorder.start({ input: 'x' }).settle());
    const { episodes } = world.backstory;
    const calls = [
      recall,
      () => remember({ content: 'x' }),
      episodes.stats,
      episodes.agents,
      () => episodes.doctor({ route: '/a' }),
      () => world.backstory.doctor(operator()),
    ];
    for (const call of calls) told.push(await (call as () => Promise<unknown>)().catch((error: unknown) => error));
    told.push(recorder.health(), world.lines);
    await removeSteps();
  }
  expect(failures.length).toBeGreaterThan(0);
  expect(
    inspect([failures, told], { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null }),
  ).not.toContain(secret);
});
