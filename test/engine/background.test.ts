// Index work behind the answers: on a worker thread where there is much of it, here where there is not (SES-152).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { wholeScope } from '../../src/access/scope.ts';
import { Background } from '../../src/engine/background.ts';
import { EngineCore } from '../../src/engine/core.ts';
import type { Reconciler } from '../../src/sessions/reconcile.ts';
import type { AgentStore } from '../../src/store/contract.ts';
import { type BuiltWorker, builtWorker } from '../steps/worker.ts';
import { makeWorld, removeWorlds, type World } from '../steps/world.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await builtWorker('background-worker');
});
afterAll(() => worker.remove());
afterEach(removeWorlds);

const KEY = 'agent:main:notes';
const MANY = 1_500;

/** A home with so many messages that are not indexed yet. */
async function unindexed(count: number, options: object = {}): Promise<World> {
  const world = await makeWorld(options);
  for (let from = 0; from < count; from += 500) {
    const messages = Array.from({ length: Math.min(500, count - from) }, (_, n) => ({
      role: 'user' as const,
      content: `zebra ${from + n}`,
    }));
    await world.backstory.sessions.appendMany({ key: KEY, messages, index: 'later' } as never);
  }
  return world;
}

/** What a reconciliation in this thread was asked to do. */
function noted(): { here: Reconciler; asked: AgentStore[] } {
  const asked: AgentStore[] = [];
  const here = { run: async (store: AgentStore) => void asked.push(store), stop: async () => {} };
  return { here: here as unknown as Reconciler, asked };
}

async function coreOn(world: World, options: object = {}): Promise<{ core: EngineCore; store: AgentStore }> {
  const core = new EngineCore({ home: world.home, host: { env: {}, home: world.user, platform: 'linux' }, ...options });
  return { core, store: (await core.stores.open('main'))! };
}

async function found(world: World, query = 'zebra'): Promise<number> {
  const engine = await world.reopen();
  const { coverage } = await engine.sessions.search(operator(), { query, waitMs: 0, exact: true });
  return coverage.ranked.considered;
}

describe('SES-152: index work in the background', () => {
  test('SES-152: much of it is done by a worker thread, and all of it', async () => {
    const world = await unindexed(MANY);
    const { core, store } = await coreOn(world);
    const { here, asked } = noted();
    const background = new Background(core, here, worker.file);
    await background.run(store, wholeScope());
    expect(asked).toEqual([]);
    expect(await store.read((reading) => reading.dirtySessions(wholeScope(), 10))).toEqual([]);
    expect(await found(world)).toBe(MANY);
    await background.close();
    await core.stores.close();
  });

  test('SES-152: an index of other maskers is made anew there, with the settings of the engine', async () => {
    const world = await unindexed(MANY);
    const masking = { values: ['zebra 77'] };
    const { core, store } = await coreOn(world, { masking });
    const { here, asked } = noted();
    const background = new Background(core, here, worker.file);
    await background.run(store, wholeScope());
    expect(asked).toEqual([]);
    expect(await store.read((reading) => reading.meta(wholeScope(), 'index'))).toBe(core.fingerprint);
    const engine = await world.reopen({ masking });
    const { hits } = await engine.sessions.search(operator(), { query: '"zebra 77"', waitMs: 0, exact: true });
    expect(hits).toEqual([]);
    await background.close();
    await core.stores.close();
  });

  test('SES-152: a little of it is done here: no thread is started for it', async () => {
    const world = await unindexed(20);
    const { core, store } = await coreOn(world);
    const { here, asked } = noted();
    // A file that is no module: starting it would fail.
    const background = new Background(core, here, join(worker.folder, 'nowhere.mjs'));
    await background.run(store, wholeScope());
    expect(asked).toEqual([store]);
    await background.close();
    await core.stores.close();
  });

  test('SES-152: nothing to do asks nobody', async () => {
    const world = await makeWorld();
    await world.backstory.sessions.append({ key: KEY, message: { role: 'user', content: 'zebra' } });
    const { core, store } = await coreOn(world);
    const { here, asked } = noted();
    await new Background(core, here, worker.file).run(store, wholeScope());
    expect(asked).toEqual([]);
    await core.stores.close();
  });

  test.each([
    ['a file that is not there', 'nowhere.mjs', undefined],
    ['a thread that fails at once', 'fails.mjs', 'throw new Error("no");'],
    [
      'a thread that ends in the middle',
      'ends.mjs',
      'import("node:worker_threads").then((w) => w.parentPort.on("message", () => process.exit(1)));',
    ],
  ])('SES-152: with %s it is done here', async (_, name, text) => {
    const world = await unindexed(MANY);
    const { core, store } = await coreOn(world);
    if (text !== undefined) writeFileSync(join(worker.folder, name), text);
    const { here, asked } = noted();
    const background = new Background(core, here, join(worker.folder, name));
    await background.run(store, wholeScope());
    expect(asked).toEqual([store]);
    await background.close();
    await core.stores.close();
  });

  test('SES-152: rules with a function of the host cannot be handed over: they are applied here', async () => {
    const world = await unindexed(MANY);
    const masking = { rules: [{ name: 'ours', pattern: /zebra 7\d\d/, keep: () => false }] };
    const { core, store } = await coreOn(world, { masking });
    const { here, asked } = noted();
    await new Background(core, here, worker.file).run(store, wholeScope());
    expect(asked).toEqual([store]);
    await core.stores.close();
  });

  test('SES-152: an engine that is closed in the middle stops between steps; the next goes on', async () => {
    const world = await unindexed(6_000);
    const { core, store } = await coreOn(world);
    const background = new Background(core, noted().here, worker.file);
    void background.run(store, wholeScope());
    await new Promise((resolve) => setTimeout(resolve, 150));
    core.closed = true;
    await background.close();
    await core.stores.close();
    const engine = await world.reopen();
    const { hits, indexing } = await engine.sessions.search(operator(), {
      query: '"zebra 5999"',
      waitMs: 30_000,
      exact: true,
    });
    expect([hits.length, indexing]).toEqual([1, false]);
  });

  test('SES-152: sessions of the search come first, newest activity first', async () => {
    const world = await makeWorld();
    for (const name of ['old', 'mine', 'new']) {
      const messages = [{ role: 'user', content: name }];
      await world.backstory.sessions.appendMany({ key: `agent:main:${name}`, messages, index: 'later' } as never);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const { core, store } = await coreOn(world);
    const { scope } = await core.reading({ agentId: 'main', sessionKey: 'agent:main:mine' }, 'self');
    const names = async (of: typeof scope): Promise<string[]> =>
      (await store.read((reading) => reading.dirtySessions(of, 10))).map(({ key }) => key.split(':')[2]!);
    expect(await names(scope)).toEqual(['mine', 'new', 'old']);
    expect(await names(wholeScope())).toEqual(['new', 'mine', 'old']);
    await core.stores.close();
  });

  test('SES-152: with reconcileOnOpen opening begins it, and a sync does; without, nothing is done', async () => {
    const world = await unindexed(300);
    const without = await world.reopen();
    await without.sessions.list(operator());
    expect((await countOf(world)).dirty).toBe(1);
    await world.reopen({ sessions: { reconcileOnOpen: true } });
    while ((await countOf(world)).dirty > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const other = await unindexed(300);
    await other.sync();
    while ((await countOf(other)).dirty > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await found(other)).toBe(300);
  });
});

async function countOf(world: World): Promise<{ dirty: number }> {
  const { core, store } = await coreOn(world);
  const sessions = await store.read((reading) => reading.dirtySessions(wholeScope(), 10));
  await core.stores.close();
  return { dirty: sessions.length };
}
