// The engine's faces for run files, the operation and the command: RUN-26, RUN-31, RUN-74 – RUN-77, R-76 – R-78.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execute } from '../../src/api/operation.ts';
import { runsSearch } from '../../src/api/operations.ts';
import { RESULTS } from '../../src/api/results.ts';
import { run as runCommand } from '../../src/cli/run.ts';
import { ChatKnowledgeBinding, openBackstory, operator } from '../../src/index.ts';
import { keptIo } from '../cli/fake-io.ts';
import { h, R, texts, World } from './world.ts';

let world: World;
beforeEach(() => {
  world = new World();
  world.write('episode-3/Alice.log', h('conv-1', 'deploy the service') + h('conv-2', 'deploy of another'));
});
afterEach(() => world.close());

const NOBODY = { env: {}, home: '/nowhere', platform: 'linux' } as const;

describe('the engine', () => {
  test('RUN-32, RUN-35: a chat binds a retriever of the engine and asks its retrieval', async () => {
    await using backstory = await openBackstory({ home: world.home, host: NOBODY });
    const agent = {};
    const retriever = backstory.runs.retriever(world.folder, 'Alice', { logger: { warn: () => undefined } });
    backstory.retrieval.bind(ChatKnowledgeBinding.undeclared(agent, 'Alice', 'agent-files', 5, retriever));
    const [answer] = await backstory.retrieval.retrieve(agent, 'Alice', 'deploy', R(3, 'conv-1', { owner: 'Bob' }));
    expect(answer).toMatchObject({ sourceName: 'agent-files', evidence: [{ text: 'deploy the service' }] });
    expect(readdirSync(join(world.home, 'runs')).some((name) => name.endsWith('.sqlite'))).toBe(true);
    await backstory.close();
    await expect(retriever.retrieve('deploy', R())).rejects.toMatchObject({ code: 'closed' });
    expect(() => backstory.runs.retriever(world.folder, 'Alice')).toThrow(expect.objectContaining({ code: 'closed' }));
  });

  test('RUN-59, RUN-73: a page of words as a turn lets others have theirs, is found all the same, and stops when it is aborted', async () => {
    await using backstory = await openBackstory({ home: world.home, host: NOBODY });
    const retriever = backstory.runs.retriever(world.folder, 'Alice', { logger: { warn: () => undefined } });
    await retriever.refresh();
    const page = Array.from({ length: 12_000 }, (_, n) => `w${n.toString(36)}`).join(' ');
    let turns = 0;
    let waiting = true;
    const others = (): void => {
      turns++;
      if (waiting) setImmediate(others);
    };
    setImmediate(others);
    const { evidence } = await retriever.retrieve(`${page} deploy`, R(3, 'conv-1'));
    waiting = false;
    expect(evidence.map(({ text }) => text)).toEqual(['deploy the service']);
    // Reading the folder takes a few; thousands of words that are looked up in one go would add none.
    expect(turns).toBeGreaterThan(10);
    const stop = new AbortController();
    setImmediate(() => setImmediate(() => stop.abort(new Error('enough'))));
    await expect(retriever.retrieve(page, R(3, 'conv-1'), { signal: stop.signal })).rejects.toThrow('enough');
    expect((await retriever.retrieve('deploy', R(3, 'conv-1'))).evidence).toHaveLength(1);
  });

  test('RUN-31: erasing a run removes every index of its folder, never the folder', async () => {
    await using backstory = await openBackstory({ home: world.home, host: NOBODY });
    mkdirSync(world.outside('other'));
    const other = backstory.runs.retriever(world.outside('other'), 'Alice');
    await other.refresh();
    const one = backstory.runs.retriever(world.folder, 'Alice', { logger: { warn: () => undefined } });
    await one.refresh();
    await backstory.runs.search({ folder: world.folder, agent: 'Alice', query: 'x', mask: true }, { anyFolder: true });
    expect(await backstory.runs.erase(world.folder)).toEqual({ indexes: 2 });
    expect(readdirSync(join(world.home, 'runs')).filter((name) => name.endsWith('.sqlite'))).toHaveLength(1);
    expect(existsSync(world.path('episode-3/Alice.log'))).toBe(true);
    expect(texts(await one.retrieve('deploy', R(3, 'conv-1')))).toEqual(['deploy the service']);
  });

  test('RUN-77: over the operation only run folders below runs.folders are searched, others are not_found, existing or not', async () => {
    const runs = world.outside('runs');
    mkdirSync(runs);
    mkdirSync(join(runs, '42'));
    writeFileSync(join(runs, '42', 'Alice.md'), 'deploy note\n');
    symlinkSync(world.folder, join(runs, 'link'));
    await using backstory = await openBackstory({ home: world.home, host: NOBODY, runs: { folders: [runs] } });
    const ask = (folder: string) =>
      execute(runsSearch, backstory, operator(), { folder, agent: 'Alice', query: 'deploy' });
    const result = await ask(join(runs, '42'));
    expect(texts(result)).toEqual(['deploy note']);
    expect(RESULTS.runs_search!.parse(result)).toEqual(result);
    const messages = new Set<string>();
    for (const folder of [world.folder, join(runs, 'link'), join(runs, '..', 'run'), join(runs, 'none'), '/etc']) {
      const error = await ask(folder).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'not_found', status: 404, exitCode: 1 });
      messages.add(error.message.replace(JSON.stringify(folder), 'X'));
    }
    expect(messages.size).toBe(1);
    await expect(execute(runsSearch, backstory, {}, { folder: runs, agent: 'A', query: 'x' })).rejects.toMatchObject({
      code: 'operator_required',
    });
  });
});

describe('backstory runs search', () => {
  const run = async (...args: string[]) => {
    const io = keptIo({ cwd: world.outside('.') });
    const code = await runCommand(['runs', 'search', ...args, '--home', world.home], io);
    return { code, ...io.kept };
  };

  test('R-76, RUN-76: logs only and no episode: no evidence found, the line naming both flags, exit 1', async () => {
    const { code, out, err } = await run('run', 'Alice', 'deploy');
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toContain('no evidence found\n');
    expect(err).toContain('record files were not searched: give --episode and --conversation\n');
    expect((await run('run', 'Alice', 'deploy', '--strict')).code).toBe(3);
  });

  test('R-77, RUN-75: with both, one block per item; --json is the library’s result', async () => {
    const flags = ['--episode', '3', '--conversation', 'conv-1'];
    const shown = await run('run', 'Alice', 'deploy', 'service', ...flags);
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toBe('episode-3/Alice.log:1  episode 3  conv-1  2026-10-21 18:00:00\n  deploy the service\n');
    const json = await run('run', 'Alice', 'deploy', ...flags, '--json');
    const library = await world.retriever({ topK: 10 }).retrieve('deploy', R(3, 'conv-1', { topK: 10 }));
    expect(JSON.parse(json.out)).toEqual(library);
  });

  test('RUN-75: copies are counted, and control characters cannot reach the terminal', async () => {
    world.write('Alice.md', 'evil \x1b[31mred\x1b[0m \x07words\n');
    world.write('Alice.b.md', 'evil red  words\n'.replace('  ', ' \x07'));
    const { out } = await run('run', 'Alice', 'evil');
    expect(out).toContain('(+1 copy)');
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  });

  test('RUN-74: --mask hides what lies outside the run folder and credentials', async () => {
    const token = `ghp_${'A1b2C3d4E5f6G7h8I9'}${'j0K1l2M3n4O5p6Q7r8'}`;
    world.write('Alice.md', `evil ${token}\n`);
    expect((await run('run', 'Alice', 'evil')).out).toContain(token);
    expect((await run('run', 'Alice', 'evil', '--mask')).out).toContain('evil [hidden:credential]');
  });

  test.each([
    ['--episode', 'three'],
    ['--scope', 'all'],
    ['--top', 'x'],
    ['--top', '-1'],
    ['--episode', 'episode-3'],
  ])('R-78: %s %s is wrong usage, exit 2, the value named', async (flag, value) => {
    const { code, err } = await run('run', 'Alice', 'deploy', `${flag}=${value}`);
    expect(code).toBe(2);
    expect(err).toContain(value);
  });
});
