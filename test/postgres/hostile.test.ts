// What hosts and models may give: ids and texts of any length and any code unit, on PostgreSQL as on SQLite.
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Server, startServer } from '../../scripts/postgres-server.mjs';
import type { MemoryConfig } from '../../src/config/index.ts';
import { openPostgresMemories } from '../../src/store/postgres/memory-set.ts';
import { makeSteps, removeSteps } from '../episodes/steps.ts';

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterEach(removeSteps);
afterAll(() => server?.stop());

const GIVEN: readonly (readonly [string, string])[] = [
  ['a plain id', 'plain'],
  ['NUL and its escape', 'a\0b\u0001c\u00010'],
  ['lone surrogates', `x\ud800y\udfffz`],
  ['quotes and backslashes', `it's "\\" $1 \\0 %s; DROP TABLE record; --`],
  ['65 letters', 'k'.repeat(65)],
  ['100 000 letters that repeat', 'k'.repeat(100_000)],
  ['100 000 letters that do not', Array.from({ length: 20_000 }, (_, n) => (n * 7_919 + 13).toString(36)).join('')],
];

/** All that every face says of one id used everywhere an id may stand. */
async function saidOf(given: string, place: MemoryConfig): Promise<unknown> {
  let made = 0;
  const world = await makeSteps(
    { ...place, episodes: { writeTimeoutMs: 10_000 } },
    { newId: () => `id${String(made++).padStart(8, '0')}` },
  );
  const said: unknown[] = [];
  const say = async (work: () => unknown): Promise<void> => {
    said.push(
      await Promise.resolve()
        .then(work)
        .catch((error: unknown) => ({ failed: String(error) })),
    );
  };
  const context = await world.context();
  const contextOf = (more: object) => world.backstory.episodes.context({ agent: 'main', ...more });
  await say(async () => {
    const run = context.recorder.start({ input: `zebra ${given}`, runId: given, threadId: given, parentRunId: given });
    run.tool(given).failed(given);
    return run.settle();
  });
  await say(() => context.recorder.start({ input: 'parked', runId: `p${given}`, threadId: given }).park());
  await say(async () => (await context.recorder.resume({ threadId: given })).resumed);
  await say(async () => {
    const { recorder } = await contextOf({ route: `/${given}` });
    return recorder.start({ input: `zebra of ${given}` }).settle();
  });
  const call = { toolCallId: given };
  await say(() => context.remember({ content: `fact ${given}`, tags: [given.slice(0, 60)] }, call));
  await say(() => context.remember({ content: `fact ${given}`, tags: [given.slice(0, 60)] }, call));
  await say(() => context.recall({ query: 'zebra' }));
  await say(() => context.recall({ query: `"${given.slice(0, 500)}"` }));
  await say(() => context.recall({ threadId: given, tool: given } as object));
  await say(() => context.timeline({ by: 'tool' }));
  await say(() => context.timeline({ by: 'thread' }));
  await say(() => world.backstory.episodes.list({}));
  await say(async () => ({ ...(await world.backstory.episodes.stats()), bytes: 0 }));
  await say(async () => {
    const { verified: _, deleted, ...receipt } = await world.backstory.episodes.erase({ thread: given });
    return { ...receipt, deleted: { ...deleted, bytes: 0 } };
  });
  await say(() => context.recall({ query: 'zebra' }));
  await say(() => context.recorder.start({ input: 'after', runId: 'after' }).settle());
  said.push(context.recorder.health(), world.lines);
  // Half a character in a timeline's key: SQLite's functions of JSON give three signs for it.
  const plain = (text: string): string => text.replace(/\ufffd+|\p{Surrogate}/gu, '\ufffd');
  return JSON.parse(
    JSON.stringify(said, (key, value: unknown) =>
      key === 'cursor' ? '' : typeof value === 'string' ? plain(value) : value,
    ),
  );
}

test.each(GIVEN)(
  'EPI-162: %s as id of run, thread, tool, call, route and tag: PostgreSQL says what SQLite says',
  async (_, given) => {
    const sqlite = await saidOf(given, {});
    const postgres = await saidOf(given, { postgres: server.connection() });
    expect(postgres).toEqual(sqlite);
  },
);

test('EPI-162: a run of 5 million letters is kept and found', async () => {
  const world = await makeSteps({ postgres: server.connection(), episodes: { writeTimeoutMs: 10_000 } });
  const long = Array.from({ length: 700_000 }, (_, n) => `w${n}`).join(' ');
  await world.record(`zebra ${long}`, { runId: 'long' });
  await world.record('short zebra', { runId: 'short' });
  const { records } = await (await world.context()).recall({ query: 'zebra' });
  expect(records.map(({ data }) => data.runId).sort()).toEqual(['long', 'short']);
  expect((await world.backstory.episodes.stats()).records).toBe(2);
});

test('a schema whose name is no plain one is refused before anything is sent', async () => {
  for (const schema of [
    'a"; DROP SCHEMA public; --',
    'A',
    '1a',
    '',
    'é',
    'x'.repeat(64),
    'a b',
    'a.b',
    '__proto__\0',
  ]) {
    const stores = openPostgresMemories({ connection: { ...server.connection(), schema } });
    const failed = await stores.agents().catch((error: unknown) => error);
    expect(inspect(failed)).toContain('config_invalid');
    await stores.close();
  }
});
