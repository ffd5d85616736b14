// What `stats` counts: sessions in scope by agent and kind, memory of the context or all of it (SUR-71, EPI-53, EPI-68).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { Caller, MemoryContext } from '../../src/api/face.ts';
import { execute } from '../../src/api/operation.ts';
import { stats } from '../../src/api/operations.ts';
import { RESULTS } from '../../src/api/results.ts';
import type { StatsAnswer } from '../../src/api/stats.ts';
import { claude, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const MEMORY = { memory: { workspace: 'desk', writes: 'auto' as const, episodes: { enabled: true } } };

async function ask(world: World, caller: Caller, memory?: MemoryContext): Promise<StatsAnswer> {
  const answer = await execute(stats, world.backstory, caller, {}, memory === undefined ? {} : { memory });
  expect(RESULTS.stats!.safeParse(JSON.parse(JSON.stringify(answer))).error).toBeUndefined();
  return answer;
}

async function record(world: World, route: string, agentId = 'main'): Promise<MemoryContext> {
  const memory = await world.backstory.episodes.context({ route, agent: agentId });
  await memory.recorder.start({ input: `look at ${route}` }).settle();
  return memory;
}

describe('SUR-71: stats', () => {
  test('SUR-71: sessions and messages by agent and kind, and when files were last read', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u1', 'one'), claude.assistant('a1', 'two', 'u1')]);
    await world.sync();
    const { sessions } = world.backstory;
    await sessions.append({ key: 'agent:main:main', message: { role: 'user', content: 'x' } });
    await sessions.append({ key: 'agent:main:cron:daily', message: { role: 'user', content: 'y' } });
    const { agents, total } = await ask(world, operator());
    expect(total).toMatchObject({ sessions: 3, messages: 4 });
    expect(agents).toMatchObject([
      { agentId: 'claude-code', kinds: { imported: { sessions: 1, messages: 2 } }, lastSync: expect.any(String) },
      { agentId: 'main', kinds: { cron: { sessions: 1, messages: 1 }, main: { sessions: 1, messages: 1 } } },
    ]);
    expect(agents[1]).not.toHaveProperty('lastSync');
  });

  test('SUR-71, VIS-50: kinds and times of what a caller does not see are not in them', async () => {
    const world = await makeWorld({ visibility: { visibility: 'self' } });
    const { sessions } = world.backstory;
    for (const key of ['agent:main:main', 'agent:main:cron:daily', 'agent:else:main']) {
      await sessions.append({ key, message: { role: 'user', content: 'x' } });
    }
    const { agents } = await ask(world, { agentId: 'main', sessionKey: 'agent:main:main' });
    expect(agents).toEqual([
      {
        agentId: 'main',
        kinds: { main: { sessions: 1, messages: 1 } },
        ...{ sessions: 1, messages: 1, texts: 1, characters: 1 },
      },
    ]);
  });

  test('SUR-71, EPI-53, EPI-68: an operator gets the memory of every agent, with health and deletions', async () => {
    const world = await makeWorld(MEMORY);
    await record(world, '/one');
    await record(world, '/two');
    await record(world, '/one', 'other');
    const { memory } = await ask(world, operator());
    expect(memory!.map(({ agent, records }) => [agent, records])).toEqual([
      ['main', 2],
      ['other', 1],
    ]);
    const main = memory![0]!;
    expect(main.namespaces.map(({ namespace }) => namespace)).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('two'),
    ]);
    expect(main.health).toMatchObject({ recorded: 2, failed: 0 });
    expect(main).toHaveProperty('deletions');
    expect(main.bytes).toBeGreaterThan(0);
  });

  test('SUR-71: a caller gets its own namespace, and without a context nothing of memory', async () => {
    const world = await makeWorld(MEMORY);
    const memory = await record(world, '/one');
    await record(world, '/two');
    const caller = { agentId: 'main', sessionKey: 'agent:main:main' };
    const own = await ask(world, caller, memory);
    expect(own.memory).toMatchObject([{ agent: 'main', records: 1, namespaces: [{ namespace: memory.namespace }] }]);
    expect(JSON.stringify(own.memory)).not.toContain('two');
    expect(own.memory![0]).not.toHaveProperty('health');
    expect(await ask(world, caller)).not.toHaveProperty('memory');
    // An operator that acts for a person sees that person alone.
    expect(await ask(world, { ...operator(), person: 'ann' })).not.toHaveProperty('memory');
  });

  test('SUR-71, SES-75: a memory that cannot be read is named, and the rest is counted', async () => {
    const world = await makeWorld(MEMORY);
    await record(world, '/one');
    writeFileSync(join(world.home, 'memory', 'broken.sqlite'), 'this is no database, and never was one');
    const { memory, skipped } = await ask(world, operator());
    expect(memory!.map(({ agent }) => agent)).toEqual(['main']);
    expect(skipped).toEqual([{ what: 'memory of broken', reason: 'store_damaged' }]);
  });
});
