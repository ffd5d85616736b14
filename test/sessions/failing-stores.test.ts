// One store that fails, or a call that is given nothing, holds nothing else back (SES-75, COM-2).
import { openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const say = (world: World, agent: string, content: string): Promise<unknown> =>
  world.backstory.sessions.append({ key: `agent:${agent}:main`, message: { role: 'user', content } });

/** An engine that has opened both stores; then the pages of one, behind its first, are overwritten. */
async function broken(): Promise<World> {
  const world = await makeWorld();
  for (const agent of ['one', 'two', 'zoo']) await say(world, agent, 'zebra');
  await world.backstory.close();
  const path = join(world.home, 'agents', 'two.sqlite');
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size - 4_096, 7), 0, undefined, 4_096);
  return world;
}

describe('SES-75: a store that fails is left out and named, the rest answers', () => {
  test('SES-75: in stats', async () => {
    const world = await broken();
    const engine = await world.reopen();
    const { agents, skipped, total } = await engine.sessions.stats(operator());
    expect(agents.map(({ agentId }) => agentId)).toEqual(['one', 'zoo']);
    expect(skipped).toEqual([{ what: 'two', reason: 'store_damaged' }]);
    expect(total.messages).toBe(2);
  });

  test('SES-75: in search, list and history by a session id', async () => {
    const world = await broken();
    const engine = await world.reopen();
    const { hits, coverage } = await engine.sessions.search(operator(), { query: 'zebra' });
    expect(hits.map(({ agentId }) => agentId).sort()).toEqual(['one', 'zoo']);
    expect(coverage.skipped).toMatchObject([{ what: 'two', reason: 'store_damaged' }]);
    expect((await engine.sessions.list(operator())).sessions).toHaveLength(2);
    const { sessionId } = hits.find(({ agentId }) => agentId === 'zoo')!;
    const page = await engine.sessions.history(operator(), { session: sessionId });
    expect(page.sessionKey).toBe('agent:zoo:main');
    expect((await engine.sessions.describe(operator(), { session: sessionId })).sessionKey).toBe('agent:zoo:main');
  });

  test('SES-75: in a live view, which goes on with the others', async () => {
    const world = await broken();
    const engine = await world.reopen();
    const ended = new AbortController();
    const messages = await engine.sessions.watch(operator(), { signal: ended.signal, pollMs: 5 });
    await engine.sessions.append({ key: 'agent:zoo:main', message: { role: 'user', content: 'later' } });
    for await (const { agentId } of messages) {
      expect(agentId).toBe('zoo');
      ended.abort();
    }
  });
});

test('SUR-41: a live view keeps up with a thousand messages between two looks', async () => {
  const world = await makeWorld();
  const { sessions } = world.backstory;
  await say(world, 'main', 'before');
  const ended = new AbortController();
  const watched = await sessions.watch(operator(), { signal: ended.signal, pollMs: 600_000 });
  const messages = Array.from({ length: 1_000 }, (_, n) => ({ role: 'user' as const, content: `zebra ${n}` }));
  for (let from = 0; from < 1_000; from += 250) {
    await sessions.appendMany({ key: 'agent:main:main', messages: messages.slice(from, from + 250) });
  }
  let seen = 0;
  // All of them at the first look: the next would come in ten minutes.
  for await (const _ of watched) if (++seen === 1_000) ended.abort();
  expect(seen).toBe(1_000);
});

describe('COM-2: what is no object of parameters', () => {
  const NOTHINGS = [undefined, null, 7, 'x', [], () => 1, Symbol('x')];
  test.each([
    ['append', (world: World, given: never) => world.backstory.sessions.append(given)],
    ['appendMany', (world: World, given: never) => world.backstory.sessions.appendMany(given)],
    ['reset', (world: World, given: never) => world.backstory.sessions.reset(given)],
    ['rewind', (world: World, given: never) => world.backstory.sessions.rewind(given)],
    ['delete', (world: World, given: never) => world.backstory.sessions.delete(operator(), given)],
    ['erase', (world: World, given: never) => world.backstory.sessions.erase(operator(), given)],
    ['search', (world: World, given: never) => world.backstory.sessions.search(operator(), given)],
    ['history', (world: World, given: never) => world.backstory.sessions.history(operator(), given)],
    ['describe', (world: World, given: never) => world.backstory.sessions.describe(operator(), given)],
    ['explain', (world: World, given: never) => world.backstory.sessions.explain(operator(), given)],
    ['search of everything', (world: World, given: never) => world.backstory.search(operator(), given)],
    ['importTranscript', (world: World, given: never) => world.backstory.sources.importTranscript(given)],
    ['importArchive', (world: World, given: never) => world.backstory.importArchive(operator(), given)],
  ])('COM-2: %s names it', async (_, call) => {
    const world = await makeWorld();
    for (const given of NOTHINGS) {
      await expect(call(world, given as never)).rejects.toMatchObject({
        code: 'invalid_argument',
        hint: expect.any(String),
      });
    }
  });

  test.each([
    ['list', (world: World, given: never) => world.backstory.sessions.list(operator(), given)],
    ['stats', (world: World, given: never) => world.backstory.sessions.stats(operator(), given)],
    ['watch', (world: World, given: never) => world.backstory.sessions.watch(operator(), given)],
    ['sync', (world: World, given: never) => world.backstory.sources.sync(given)],
    ['follow', (world: World, given: never) => world.backstory.sources.follow(given)],
    ['doctor', (world: World, given: never) => world.backstory.doctor(operator(), given)],
  ])('COM-2: %s, which needs none, names what is none', async (_, call) => {
    const world = await makeWorld();
    for (const given of [null, 7, [], 'x']) {
      await expect(call(world, given as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  test('COM-2: a block that holds itself or a BigInt is said to, and not to be missing', async () => {
    const { sessions } = (await makeWorld()).backstory;
    const itself: Record<string, unknown> = { type: 'tool_call', id: 't', name: 'x' };
    itself.input = itself;
    const nested: Record<string, unknown> = { type: 'tool_result', id: 't' };
    nested.content = [nested];
    for (const block of [itself, nested, { type: 'tool_call', id: 't', name: 'x', input: 1n }]) {
      const given = { key: 'agent:main:x', message: { role: 'assistant', content: [block] } };
      await expect(sessions.append(given as never)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/holds itself, a BigInt/),
      });
    }
  });
});
