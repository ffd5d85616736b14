// One question over sessions, episodes and run files (SUR-60), in the library and on the command line.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { Found } from '../../src/api/face.ts';
import { execute } from '../../src/api/operation.ts';
import { search } from '../../src/api/operations.ts';
import { RESULTS } from '../../src/api/results.ts';
import { run as runCli } from '../../src/cli/run.ts';
import { keptIo } from '../cli/fake-io.ts';
import { claude, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const FOLDER = 'run-7';
const kindsOf = (results: readonly Found[]): string[] => results.map(({ kind }) => kind);

async function full(): Promise<World> {
  const world = await makeWorld({ memory: { workspace: 'shop', writes: 'auto' }, visibility: { visibility: 'agent' } });
  world.write(claude.path('s-1'), [
    claude.user('u-1', 'the orchard of the harbour'),
    claude.assistant('a-1', 'only the orchard', 'u-1'),
  ]);
  await world.sync();
  const folder = join(world.folder, FOLDER);
  mkdirSync(folder);
  writeFileSync(join(folder, 'Alice.notes.md'), 'the harbour has an orchard\n');
  return world;
}

describe('SUR-60: search over everything', () => {
  test('labels each result by its kind, every word in each, and carries what reopens it', async () => {
    const world = await full();
    const memory = await world.backstory.episodes.context({ route: '/garden' });
    await memory.remember({ data: { event: 'an orchard was planted at the harbour' } } as never);
    const run = { folder: join(world.folder, FOLDER), agent: 'Alice' };
    const options = { memory, anyRunFolder: true as const };
    const result = await execute(search, world.backstory, operator(), { query: 'orchard harbour', run }, options);
    RESULTS.search!.parse(JSON.parse(JSON.stringify(result)));
    expect(new Set(kindsOf(result.results))).toEqual(new Set(['session', 'episode', 'run']));
    for (const found of result.results) {
      const text = JSON.stringify(found);
      expect(text).toContain('orchard');
      expect(text).toContain('harbour');
      if (found.kind === 'session') expect(found.hit).toMatchObject({ sessionId: 's-1', messageId: 'u-1' });
      if (found.kind === 'episode') expect(found.record.id).toMatch(/\w/);
      if (found.kind === 'run') expect(found.evidence.file).toMatch(/Alice/);
    }
    expect(result.coverage.complete).toBe(true);
  });

  test('asks no memory without a context, and no run without a name; a caller sees what it may', async () => {
    const world = await full();
    const own = await world.backstory.search({ agentId: 'claude-code' }, { query: 'orchard harbour' });
    expect(kindsOf(own.results)).toEqual(['session']);
    const other = await world.backstory.search({ agentId: 'desk' }, { query: 'orchard harbour' });
    expect(other.results).toEqual([]);
    await expect(
      execute(search, world.backstory, { agentId: 'desk' }, { query: 'x', run: { folder: '/', agent: 'A' } }),
    ).rejects.toMatchObject({ code: 'operator_required' });
  });

  test('a kind that fails leaves the rest and is named', async () => {
    const world = await full();
    const run = { folder: '/nowhere/allowed', agent: 'Alice' };
    const result = await world.backstory.search(operator(), { query: 'orchard harbour', run });
    expect(kindsOf(result.results)).toEqual(['session']);
    expect(result.coverage).toMatchObject({ complete: false, skipped: [{ what: 'run', reason: 'not_found' }] });
  });

  test('what is wrong with the question is wrong for all', async () => {
    const world = await full();
    const { search: ask } = world.backstory;
    await expect(ask(operator(), { query: '""' })).rejects.toMatchObject({ code: 'query_empty' });
    await expect(ask(operator(), { query: 'x', since: 'never' })).rejects.toMatchObject({ code: 'time_invalid' });
    await expect(
      ask(operator(), { query: 'x', run: { folder: '/', agent: 'A', who: 1 } as never }),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  test('nothing with every word: sessions loosen it, and say so', async () => {
    const world = await full();
    const result = await world.backstory.search(operator(), { query: 'orchard harbour zeppelin' });
    expect(kindsOf(result.results)).toEqual(['session']);
    expect(result.coverage.query?.relaxed).toBe(true);
  });

  test('SUR-22: --everything on the command line, and what does not go with it', async () => {
    const world = await full();
    await world.backstory.close();
    const backstory = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
      const io = keptIo({ cwd: world.folder, env: { BACKSTORY_HOME: world.home }, userHome: world.user });
      return { code: await runCli(argv, io), ...io.kept };
    };
    const shown = await backstory('search', 'orchard', 'harbour', '--everything');
    expect([shown.code, shown.out.includes('backstory open 1')]).toEqual([0, true]);
    const json = await backstory('search', 'orchard', 'harbour', '--everything', '--json');
    expect(kindsOf((JSON.parse(json.out) as { results: Found[] }).results)).toContain('session');
    const refused = await backstory('search', 'orchard', '--everything', '--sort', 'newest');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('sort does not go with --everything')]);
  });
});
