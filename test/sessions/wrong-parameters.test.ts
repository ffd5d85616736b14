// Values of a wrong type in the place of single parameters: named, before anything is read, opened or waited for (COM-2, COM-21).
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

const itself: Record<string, unknown> = {};
itself.itself = itself;
const unprintable = {
  toJSON: () => {
    throw new Error('no JSON of this');
  },
};
const WRONG = [null, 7n, Number.NaN, 'x'.repeat(100_000), itself, unprintable, Symbol('x')];

describe('COM-2: a value of a wrong type is named with its parameter, whatever it is', () => {
  test.each([
    ['search', ['session', 'agents', 'kinds', 'source', 'include', 'sort', 'limit', 'cursor', 'waitMs', 'scope']],
    ['list', ['agents', 'kinds', 'spawnedBy', 'source', 'limit', 'cursor', 'scope']],
    ['history', ['session', 'messageId', 'limit', 'offset', 'roles', 'scope']],
    ['describe', ['session', 'scope']],
    ['explain', ['session', 'scope']],
  ] as const)('COM-2: %s', async (name, parameters) => {
    const { sessions } = (await makeWorld()).backstory;
    await sessions.append({ key: 'agent:main:main', message: { role: 'user', content: 'zebra' } });
    const base = {
      search: { query: 'zebra' },
      list: {},
      history: { session: 'agent:main:main' },
      describe: { session: 'agent:main:main' },
      explain: { caller: operator(), session: 'agent:main:main' },
    }[name];
    const call = sessions[name] as (...given: unknown[]) => Promise<unknown>;
    for (const parameter of parameters) {
      for (const value of WRONG) {
        const error = await call(operator(), { ...base, [parameter]: value }).catch((reason: unknown) => reason);
        // A long text may be the text that a parameter takes, and is then looked for.
        if (typeof value === 'string' && !(error instanceof Error)) continue;
        expect(error, parameter).toMatchObject({ name: 'BackstoryError', hint: expect.any(String) });
        expect((error as Error).message.length, parameter).toBeLessThan(1_000);
        if (typeof value !== 'string') expect(error, parameter).toMatchObject({ code: 'invalid_argument' });
      }
    }
  });

  test('SUR-2: a field that a message lacks is named, with the one that was meant', async () => {
    const { sessions } = (await makeWorld()).backstory;
    const given = (message: object) => sessions.append({ key: 'agent:main:main', message } as never);
    await expect(given({ role: 'user', text: 'zebra' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'message has no field "text".',
      hint: expect.stringContaining('Did you mean content?'),
    });
    const author = { id: 'u', nam: 'U' };
    await expect(given({ role: 'user', content: 'zebra', author })).rejects.toMatchObject({
      message: 'message.author has no field "nam".',
      hint: 'Did you mean name? Its fields are id, name.',
    });
  });

  test('COM-2: explain without a session', async () => {
    const { sessions } = (await makeWorld()).backstory;
    const given = { caller: operator() } as never;
    await expect(sessions.explain(operator(), given)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('COM-20: an id that is long does not fill the error', async () => {
    const { sessions } = (await makeWorld()).backstory;
    const message = { role: 'user', content: 'zebra' } as const;
    await sessions.append({ key: 'agent:main:main', message });
    const long = 'x'.repeat(100_000);
    for (const wrong of [
      sessions.append({ key: 'agent:main:main', message, parentId: long }),
      sessions.rewind({ key: 'agent:main:main', to: long }),
    ]) {
      const error = await wrong.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: 'BackstoryError' });
      expect(JSON.stringify(error).length).toBeLessThan(2_000);
    }
  });
});

describe('SUR-41: a live view', () => {
  test('SUR-41: takes no pause that is none, and no signal that is none', async () => {
    const { sessions } = (await makeWorld()).backstory;
    for (const options of [
      { pollMs: 0 },
      { pollMs: Number.NaN },
      { pollMs: 1e308 },
      { pollMs: null },
      { signal: {} },
    ]) {
      await expect(sessions.watch(operator(), options as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  test('SUR-41: tells nothing old of a store that could not be opened when it began', async () => {
    const world = await makeWorld();
    const say = (agent: string, content: string): Promise<unknown> =>
      world.backstory.sessions.append({ key: `agent:${agent}:main`, message: { role: 'user', content } });
    for (const agent of ['one', 'two']) await say(agent, 'old');
    await world.backstory.close();
    const path = join(world.home, 'agents', 'two.sqlite');
    renameSync(path, `${path}.away`);
    writeFileSync(path, 'x'.repeat(8_192));
    const { sessions } = await world.reopen();
    const ended = new AbortController();
    const watched = await sessions.watch(operator(), { signal: ended.signal, pollMs: 5 });
    renameSync(`${path}.away`, path);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { agentId } of watched) seen.push(agentId);
    })();
    await expect.poll(async () => (await sessions.stats(operator())).total.sessions).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await sessions.append({ key: 'agent:one:main', message: { role: 'user', content: 'new' } });
    await expect.poll(() => seen).toContain('one');
    ended.abort();
    await reading;
    expect(seen).toEqual(['one']);
  });
});
