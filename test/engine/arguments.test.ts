// What a host in plain JavaScript may get wrong: each is an error of its own, and none a raw TypeError (COM-2, COM-21).
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

type Call = (backstory: World['backstory']) => Promise<unknown>;
const any = (value: unknown): never => value as never;

describe('COM-2: a parameter of another type', () => {
  test.each<[string, Call, string]>([
    ['agents of a search', ({ sessions }) => sessions.search(operator(), any({ query: 'x', agents: 5 })), 'agents'],
    ['agents of a list', ({ sessions }) => sessions.list(operator(), any({ agents: 5 })), 'agents'],
    ['source of a search', ({ sessions }) => sessions.search(operator(), any({ query: 'x', source: 5 })), 'source'],
    ['a BigInt', ({ sessions }) => sessions.search(operator(), any({ query: 'x', limit: 5n })), 'limit'],
    ['pollMs of a live view', ({ sessions }) => sessions.watch(operator(), { pollMs: -5 }), 'pollMs'],
    ['run of a search', (backstory) => backstory.search(operator(), any({ query: 'x', run: null })), 'run'],
    ['no folder', ({ runs }) => runs.search(any({})), 'folder'],
    ['no parameters', ({ runs }) => runs.search(any(null)), 'params'],
    ['a run folder', ({ runs }) => runs.erase(any(5)), 'runFolder'],
    ['sources of a sync', ({ sources }) => sources.sync(any({ sources: 'codex' })), 'sources'],
    ['roots of a sync', ({ sources }) => sources.sync(any({ roots: 5 })), 'roots'],
    ['a root of a sync', ({ sources }) => sources.sync(any({ roots: [null] })), 'roots'],
  ])('COM-2: %s is named', async (_what, call, parameter) => {
    const { backstory } = await makeWorld();
    await backstory.sessions.append({ key: 'agent:a:main', message: { role: 'user', content: 'x' } });
    await expect(call(backstory)).rejects.toMatchObject({ code: 'invalid_argument', details: { parameter } });
  });

  test('COM-10: an age that cannot be read names olderThan', async () => {
    const { backstory } = await makeWorld();
    const pruned = backstory.episodes.prune({ olderThan: 'yesterda', source: 'run' });
    await expect(pruned).rejects.toMatchObject({ code: 'time_invalid', details: { option: 'olderThan' } });
  });
});

describe('SUR-10: close', () => {
  test('SUR-10: whoever closes again waits for the same end, and COM-21: what is called then is named', async () => {
    const { backstory } = await makeWorld();
    await backstory.sessions.append({ key: 'agent:a:main', message: { role: 'user', content: 'x' } });
    const ends: string[] = [];
    const first = backstory.close().then(() => ends.push('first'));
    const second = backstory.close().then(() => ends.push('second'));
    await Promise.all([first, second]);
    expect(ends).toEqual(['first', 'second']);
    await expect(backstory.episodes.agents()).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('episodes.agents'),
    });
  });
});
