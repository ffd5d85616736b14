// backstory memory …: what a person types, over the real engine; the library gives the same (EPI-190, EPI-191).
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { type Backstory, type BackstoryOptions, openBackstory } from '../../src/engine/engine.ts';
import { keptIo } from './fake-io.ts';

const NOW = Date.parse('2026-08-10T18:00:00.000Z');
const DAY = 86_400_000;

let folder: string;
let home: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'memory-cli-'));
  home = join(folder, 'home');
  now = NOW;
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project', 'package.json'), '{"name":"app"}');
  setConfig({ writes: 'auto', episodes: { enabled: true, cap: null } });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function setConfig(memory: object, more: object = {}): void {
  writeFileSync(join(folder, 'project', 'backstory.config.json'), JSON.stringify({ memory, ...more }));
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cli(...argv: readonly string[]): Promise<Ran> {
  const io = keptIo({ cwd: join(folder, 'project'), userHome: folder, clock: { now: () => now, elapsed: () => 0 } });
  const code = await run([...argv, '--home', home], io);
  return { code, ...io.kept };
}
const json = async (...argv: readonly string[]): Promise<Record<string, unknown>> => {
  const ran = await cli(...argv, '--json');
  return JSON.parse(ran.out === '' ? ran.err : ran.out) as Record<string, unknown>;
};

/** The library on the same home, with the same settings. */
async function withLibrary<T>(work: (backstory: Backstory) => Promise<T>, more: BackstoryOptions = {}): Promise<T> {
  const config = JSON.parse(readFileSync(join(folder, 'project', 'backstory.config.json'), 'utf8')) as BackstoryOptions;
  const backstory = await openBackstory({
    ...config,
    home,
    project: join(folder, 'project'),
    clock: { now: () => now, elapsed: () => 0 },
    host: { env: {}, home: folder, platform: 'linux' },
    ...more,
  });
  try {
    return await work(backstory);
  } finally {
    await backstory.close();
  }
}

interface Told {
  readonly input: string;
  readonly at?: number;
  readonly failed?: boolean;
  readonly threadId?: string;
  readonly tools?: readonly string[];
}

const record = (runs: readonly Told[], scope: Record<string, string> = {}, route = '/a'): Promise<string[]> =>
  withLibrary(async ({ episodes }) => {
    const memory = await episodes.context({ route, scope });
    const ids: string[] = [];
    for (const { input, at = NOW, failed, threadId, tools = [] } of runs) {
      const handle = memory.recorder.start({
        input,
        startedAt: new Date(at).toISOString(),
        ...(threadId === undefined ? {} : { threadId }),
      });
      for (const tool of tools) handle.tool(tool).ok();
      const result = failed ? await handle.fail(new TypeError('no answer')) : await handle.settle();
      if (!result.recorded) throw new Error(result.reason);
      ids.push(result.id);
    }
    return ids;
  });

describe('backstory memory recall', () => {
  test('EPI-190: words, filters and a window; the library gives the same', async () => {
    await record([
      { input: 'deploy api', failed: true, at: NOW - 3_600_000 },
      { input: 'deploy web', tools: ['ship'], threadId: 't1' },
      { input: 'build', at: NOW - 3 * DAY },
    ]);
    const found = await json('memory', 'recall', 'deploy', '--route', '/a', '--since', '-24h');
    const same = await withLibrary(async ({ episodes }) =>
      (await episodes.context({ route: '/a' })).recall({ query: 'deploy', since: '-24h' }),
    );
    expect(found).toEqual(same);
    expect((found.records as { data: { input: string } }[]).map(({ data }) => data.input)).toEqual([
      'deploy web',
      'deploy api',
    ]);
    const inputs = async (...flags: readonly string[]): Promise<unknown> =>
      ((await json('memory', 'recall', '--route', '/a', ...flags)).records as { data: { input: string } }[]).map(
        ({ data }) => data.input,
      );
    expect(await inputs('--outcome', 'error')).toEqual(['deploy api']);
    expect(await inputs('--tool', 'ship')).toEqual(['deploy web']);
    expect(await inputs('--thread', 't1')).toEqual(['deploy web']);
    expect(await inputs('--period', 'today', '--limit', '1')).toEqual(['deploy web']);
    const first = await json('memory', 'recall', '--route', '/a', '--limit', '1');
    const { cursor } = first.coverage as { cursor: string };
    expect(await inputs('--limit', '1', '--cursor', cursor)).toEqual(['deploy api']);
  });

  test('SUR-23: people see label, time, content and id', async () => {
    const [id] = await record([{ input: 'deploy api', failed: true, tools: ['ship'] }]);
    const { code, out, err } = await cli('memory', 'recall', '--route', '/a');
    expect(out).toBe(
      '  1 run error  2026-08-10 20:00 UTC+02:00 (just now)\n' +
        '    run error: deploy api (1 tool, 0.0s)\n' +
        `    tools: ship · ${id}\n` +
        '    TypeError: no answer\n',
    );
    expect([code, err]).toEqual([0, '']);
  });

  test.each([
    ['nothing yet', [], 1, 'No memory records in this namespace yet.'],
    ['no match', ['zebra'], 1, 'Unknown words: zebra.'],
    ['no record in the window', ['--until', '2020-01-01'], 1, '1 outside it'],
    ['no route', 'none', 4, 'no route'],
    ['a bad time', ['--since', 'soon'], 2, 'soon'],
  ] as const)('EPI-89: %s ends with its exit code and is told on standard error', async (name, flags, exit, text) => {
    if (name !== 'nothing yet') await record([{ input: 'a' }]);
    const ran =
      flags === 'none' ? await cli('memory', 'recall') : await cli('memory', 'recall', '--route', '/a', ...flags);
    expect(ran.code).toBe(exit);
    expect(ran.out).toBe('');
    expect(ran.err).toContain(text);
  });

  test('EPI-190: a namespace whole, or its dimensions; --agent is whose store, --agent-scope the dimension', async () => {
    setConfig({ writes: 'auto', scope: ['workspace', 'route', 'tenant', 'agent'], episodes: { enabled: true } });
    await record([{ input: 'secret of acme' }], { tenant: 'a|b=c%d', agent: 'x' });
    const dimensions = ['--route', '/a', '--tenant', 'a|b=c%d', '--agent-scope', 'x'];
    const found = await json('memory', 'recall', ...dimensions);
    const [{ namespace }] = found.records as { namespace: string }[] as [{ namespace: string }];
    expect(namespace).toBe('workspace=app|route=/a|tenant=a%7Cb%3Dc%25d|agent=x');
    expect(await json('memory', 'recall', '--namespace', namespace)).toEqual(found);
    expect((await cli('memory', 'recall', ...dimensions, '--agent', 'other')).code).toBe(1);
    expect((await cli('memory', 'recall', '--namespace', namespace, '--route', '/a')).code).toBe(2);
    setConfig({ writes: 'auto', episodes: { enabled: true } });
    expect(await json('memory', 'recall', '--namespace', namespace)).toMatchObject({ status: 'found' });
    const refused = await json('memory', 'recall', '--route', '/a', '--tenant', 'acme');
    expect(refused).toMatchObject({
      error: { code: 'invalid_argument', message: expect.stringContaining('--tenant') },
    });
  });

  test('EPI-191: a flag means the same after or before the sub-command', async () => {
    await record([{ input: 'a' }]);
    const after = await json('memory', 'recall', '--route', '/a', '--limit', '1');
    expect(await json('memory', '--route', '/a', '--limit', '1', 'recall')).toEqual(after);
    expect(await json('memory', '--route=/a', 'recall', '--limit', '1')).toEqual(after);
  });

  test('EPI-190: memory without a command, or with one that is not there, names them', async () => {
    expect((await cli('memory')).err).toContain('recall, remember, timeline');
    expect((await cli('memory', 'recal')).err).toContain('did you mean recall?');
  });
});

describe('backstory memory remember', () => {
  test('EPI-190, EPI-105: without a memory.ts it is an event that a person wrote', async () => {
    const ran = await cli(
      'memory',
      'remember',
      'moved',
      'hosts',
      '--route',
      '/a',
      '--tag',
      'ops',
      '--confidence',
      '0.5',
    );
    expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/^Stored memory mem_\S+\.\n$/) });
    const { records } = await json('memory', 'recall', 'hosts', '--route', '/a');
    expect(records).toMatchObject([
      {
        kind: 'episodic',
        content: 'moved hosts',
        data: { event: 'moved hosts' },
        tags: ['ops'],
        confidence: 0.5,
        source: { type: 'user' },
      },
    ]);
  });

  test('EPI-190: kind and schema come from the memory.ts of the route', async () => {
    const route = join(folder, 'project', 'src', 'app', 'a');
    mkdirSync(route, { recursive: true });
    const source = join(process.cwd(), 'src', 'episodes', 'define.ts');
    writeFileSync(
      join(route, 'memory.ts'),
      `import { z } from ${JSON.stringify(join(process.cwd(), 'node_modules', 'zod', 'index.js'))};
       import { defineMemory } from ${JSON.stringify(source)};
       export default defineMemory({ kind: 'semantic', scope: ['workspace', 'route'],
         schema: z.object({ subject: z.string(), predicate: z.string(), object: z.string() }) });`,
    );
    const remember = (object: string): Promise<Ran> =>
      cli(
        'memory',
        'remember',
        `terms ${object}`,
        '--route',
        '/a',
        '--data',
        JSON.stringify({ subject: 'acme', predicate: 'terms', object }),
      );
    expect((await remember('net-30')).out).toMatch(/^Stored memory /);
    expect((await remember('net-60')).out).toMatch(/^Superseded mem_\S+ with mem_\S+\.\n$/);
    const bad = await cli('memory', 'remember', 'x', '--route', '/a', '--data', '{"subject":7}');
    expect(bad.code).toBe(2);
    expect(bad.out).toContain('Rejected:');
  });

  test.each([
    ['--data', '{oops', 2],
    ['--confidence', '7', 2],
    ['--data', '[1]', 2],
  ])('EPI-190: %s %s is refused', async (flag, value, exit) => {
    expect((await cli('memory', 'remember', 'x', '--route', '/a', flag, value)).code).toBe(exit);
  });

  test('EPI-24: writes off refuses with exit code 4', async () => {
    setConfig({ writes: 'off' });
    expect(await cli('memory', 'remember', 'x', '--route', '/a')).toMatchObject({ code: 4 });
  });
});

describe('backstory memory timeline', () => {
  test('E-155, EPI-190: 3 of 12, and by day; the library gives the same', async () => {
    await record(
      Array.from({ length: 12 }, (_, index) => ({
        input: `deploy ${index}`,
        failed: index < 3,
        at: NOW - 5 * DAY + index * 1000,
      })),
    );
    const flags = ['deploy', '--route', '/a', '--outcome', 'error', '--period', 'last week'];
    expect((await cli('memory', 'timeline', ...flags)).out).toBe('3 of 12 records\n');
    const options = { query: 'deploy', period: 'last week', bucket: 'day', by: 'outcome' } as const;
    const found = await json(
      'memory',
      'timeline',
      'deploy',
      '--route',
      '/a',
      '--period',
      'last week',
      '--bucket',
      'day',
      '--by',
      'outcome',
    );
    const same = await withLibrary(async ({ episodes }) => (await episodes.context({ route: '/a' })).timeline(options));
    expect(found).toEqual(same);
    expect((await cli('memory', 'timeline', 'zebra', '--route', '/a')).code).toBe(1);
    const { out } = await cli(
      'memory',
      'timeline',
      '--route',
      '/a',
      '--period',
      'last week',
      '--bucket',
      'day',
      '--by',
      'outcome',
    );
    expect(out).toContain('12 records\n  ok                       9\n  error                    3\n');
    expect(out.match(/▇/g)).toHaveLength(24);
  });
});

describe('review and upkeep', () => {
  beforeEach(() => setConfig({ writes: 'candidate', episodes: { enabled: true, cap: null } }));
  const candidates = async (...texts: readonly string[]): Promise<string[]> => {
    const ids: string[] = [];
    for (const text of texts) {
      now++;
      const { out } = await cli('memory', 'remember', text, '--route', '/a');
      ids.push(/mem_[^.,\s]+/.exec(out)![0]);
    }
    return ids;
  };

  test('EPI-120, EPI-121: list, inspect, approve, recall', async () => {
    const [one, two] = await candidates('first', 'second');
    const list = await json('memory', 'list');
    expect((list.records as { id: string }[]).map(({ id }) => id)).toEqual([two, one]);
    const shown = await cli('memory', 'list', '--query', 'first', '--route', '/a');
    expect(shown.out).toContain(one);
    expect(shown.out).not.toContain(two);
    const inspected = await cli('memory', 'inspect', one!);
    expect(inspected.out).toContain('"event": "first"');
    expect(inspected.out).toContain('Recall does not show it: it waits for review.');
    expect((await cli('memory', 'approve', one!)).out).toBe(`${one} is active.\n`);
    expect((await json('memory', 'inspect', one!)).recalled).toBe(true);
    expect((await cli('memory', 'recall', 'first', '--route', '/a')).code).toBe(0);
    expect((await cli('memory', 'list', '--namespace', 'workspace=none')).code).toBe(1);
    expect(await withLibrary(({ episodes }) => episodes.list())).toEqual(await json('memory', 'list'));
  });

  test('EPI-191: each of several ids is a line of its own, and the exit code that of the first that failed', async () => {
    const [one, two, three] = await candidates('first', 'second', 'third');
    const ran = await cli('memory', 'reject', one!, 'mem_none', two!);
    expect(ran.out).toBe(`${one} is deleted.\n${two} is deleted.\n`);
    expect(ran.err).toContain('mem_none');
    expect(ran.code).toBe(1);
    await cli('memory', 'approve', three!);
    const again = await cli('memory', 'reject', three!, 'mem_none');
    expect(again.code).toBe(4);
    const lines = (await cli('memory', 'forget', three!, '--json')).out;
    expect(JSON.parse(lines)).toEqual({ id: three, records: 1, parked: 0, derived: 0, revived: 0, file: 'absent' });
  });

  test('EPI-15, E-83: an id of another namespace and a random one get equal answers', async () => {
    const [one] = await candidates('first');
    const refuse = async (id: string): Promise<unknown> =>
      JSON.parse((await cli('memory', 'inspect', id, '--route', '/b', '--json')).err.replaceAll(id, 'ID'));
    expect(await refuse(one!)).toEqual(await refuse('mem_none'));
    expect((await cli('memory', 'inspect', one!, '--route', '/a')).code).toBe(0);
  });

  test('EPI-66, E-100: prune counts in a dry run what it then deletes', async () => {
    await record([{ input: 'a', at: NOW - 20 * DAY }, { input: 'b' }, { input: 'c' }]);
    const dry = await json('memory', 'prune', '--cap', '2', '--dry-run');
    expect(dry).toMatchObject({ overCap: 1, dryRun: true });
    expect(await json('memory', 'prune', '--cap', '2')).toEqual({ ...dry, dryRun: false });
    expect((await cli('memory', 'prune', '--cap', '2')).out).toBe(
      'Deleted in 1 namespace: 0 expired, 0 over budget, 0 older, 0 parked runs.\n',
    );
    expect((await cli('memory', 'prune', '--older-than', '90d')).code).toBe(2);
    expect(await json('memory', 'prune', '--older-than', '0d', '--source', 'run', '--dry-run')).toMatchObject({
      older: 0,
    });
  });

  test('EPI-140: consolidate and reflect, a dry run first; a batch that fails ends with exit code 5', async () => {
    await record(
      Array.from({ length: 10 }, (_, index) => ({
        input: 'deploy api',
        failed: index < 6,
        at: NOW - 9 * DAY + index * 60_000,
      })),
    );
    const dry = await cli('memory', 'consolidate', '--dry-run');
    expect(dry.out).toContain(
      'planned  2026-07-27..2026-08-02  10 records  workspace=app|route=/a\n    10 runs 2026-07-27..2026-08-02',
    );
    const reflected = await json('memory', 'reflect');
    expect(reflected).toMatchObject({ written: 1, failed: 0 });
    expect((await cli('memory', 'list')).out).toContain(
      '"deploy api": 6 of 10 runs failed, last TypeError: "no answer".',
    );
    expect((await cli('memory', 'reflect')).out).toBe('Nothing to do.\n');
    // The project's own config file is code here, and its function is called (COM-41).
    rmSync(join(folder, 'project', 'backstory.config.json'));
    const code = (body: string): void =>
      writeFileSync(
        join(folder, 'project', 'backstory.config.mjs'),
        `export default { memory: { writes: 'auto', distill: { summarize: () => { ${body} } } } };`,
      );
    code("throw new Error('no')");
    const failed = await cli('memory', 'consolidate');
    expect(failed.code).toBe(5);
    expect(failed.out).toContain('failed (the function threw)');
    const { out } = await cli('memory', 'consolidate', '--max-batches', '0');
    expect(out).toBe('');
  });
});

describe('backstory erase', () => {
  test('EPI-191, EPI-190: needs --yes where nobody can be asked; a dry run changes nothing', async () => {
    await record([
      { input: 'a', threadId: 't1' },
      { input: 'b', threadId: 't2' },
    ]);
    const refused = await cli('erase', '--thread', 't1');
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--yes') });
    const dry = await cli('erase', '--thread', 't1', '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/^Would erase 1 record \(\d+ B\)\.\n$/) });
    const receipt = await json('erase', '--thread', 't1', '--yes');
    expect(receipt).toMatchObject({
      deleted: { records: 1, sessions: 0 },
      verified: { rows: 0, index: 0, file: 'absent' },
    });
    const { records } = await json('memory', 'recall', '--route', '/a');
    expect((records as { data: { input: string } }[]).map(({ data }) => data.input)).toEqual(['b']);
  });

  test('EPI-191: asks on a terminal, and erases only for a yes', async () => {
    await record([{ input: 'a' }]);
    const asked = async (reply: string): Promise<Ran> => {
      const kept = keptIo({
        cwd: join(folder, 'project'),
        userHome: folder,
        clock: { now: () => now, elapsed: () => 0 },
        ask: async () => reply,
      });
      const code = await run(['erase', '--namespace', 'workspace=app|route=/a', '--home', home], kept);
      return { code, ...kept.kept };
    };
    expect(await asked('')).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringContaining('This would erase 1 record'),
    });
    expect((await cli('memory', 'recall', '--route', '/a')).code).toBe(0);
    expect(await asked('yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing is left in rows, index or files'),
    });
    expect((await cli('memory', 'recall', '--route', '/a')).code).toBe(1);
  });

  test.each([
    [[]],
    [['--thread', 't1', '--run', 'r1']],
    [['--tenant', 'x', '--namespace', 'workspace=app']],
    [['--namespace', '']],
  ])('E-185, EPI-130: %j is refused', async (flags) => {
    await record([{ input: 'a' }]);
    expect((await cli('erase', ...flags, '--yes')).code).toBe(2);
    expect((await cli('memory', 'recall', '--route', '/a')).code).toBe(0);
  });

  test('SUR-73: an agent alone is all of its memory and its sessions; beside a selector it narrows', async () => {
    await record([{ input: 'a', threadId: 't1' }]);
    expect((await json('erase', '--thread', 't1', '--agent', 'other', '--yes')).deleted).toMatchObject({ records: 0 });
    expect((await json('erase', '--agent', 'main', '--dry-run')).deleted).toMatchObject({ records: 1 });
    expect((await json('erase', '--agent', 'main', '--yes')).deleted).toMatchObject({ records: 1 });
    expect((await cli('memory', 'recall', '--route', '/a')).code).toBe(1);
  });
});
