// The command line over a real engine and the demo's files: what a person does, and that every surface gives the same data.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { Backstory, HistoryResult, ListResult, SearchResult, SyncReport } from '../../src/api/face.ts';
import { execute } from '../../src/api/operation.ts';
import { OPERATIONS, sessionsHistory, sessionsSearch } from '../../src/api/operations.ts';
import { RESULTS } from '../../src/api/results.ts';
import { demoCommands } from '../../src/cli/commands/demo.ts';
import { STORY } from '../../src/cli/demo/story.ts';
import { writeDemo } from '../../src/cli/demo/write-demo.ts';
import type { Io } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';
import { openBackstory } from '../../src/engine/engine.ts';
import { builtInSources } from '../../src/sources/index.ts';
import { keptIo, NOW } from './fake-io.ts';

let folder: string;
let home: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backstory-journey-'));
  home = join(folder, 'kept');
  await writeDemo(join(folder, 'user'), NOW);
  const { code, err } = await backstory(['sync', '--strict']);
  expect([code, err]).toEqual([0, '']);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function backstory(argv: readonly string[], changes: Partial<Io> = {}): Promise<Ended> {
  const io = keptIo({ cwd: folder, env: { BACKSTORY_HOME: home }, userHome: join(folder, 'user'), ...changes });
  const code = await run(argv, io);
  return { code, ...io.kept };
}

async function json<T>(...argv: string[]): Promise<T> {
  const { out, err } = await backstory(['--json', ...argv]);
  expect(err).toBe('');
  return JSON.parse(out) as T;
}

async function inLibrary<T>(work: (engine: Backstory) => Promise<T>): Promise<T> {
  const engine = await openBackstory({
    home,
    clock: { now: () => NOW, elapsed: () => 0 },
    host: { env: {}, home: join(folder, 'user'), platform: 'linux' },
  });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

describe('search and open', () => {
  it('SUR-22, SUR-23: a search shows numbered hits, and open reopens one at its message', async () => {
    const search = await backstory(['search', 'checkout', 'slow']);
    expect([search.code, search.err]).toEqual([0, '']);
    expect(search.out).toContain('claude-code');
    expect(search.out).toContain('backstory open 1');
    const [hit] = (await json<SearchResult>('search', 'checkout', 'slow')).hits;
    const open = await backstory(['open', '1']);
    expect(open.code).toBe(0);
    expect(open.out).toContain('▶ ');
    expect(open.out).toContain(hit!.excerpt.slice(0, 40));
    const page = await json<HistoryResult>('open', '1', '--around', '1');
    expect(page.entries.length).toBeLessThanOrEqual(3);
    expect(page.entries[page.anchor!.index!]!.messageId).toBe(hit!.messageId);
  });

  it('SUR-22: a word with a dash in front leaves messages out', async () => {
    const all = await json<SearchResult>('search', 'rollback');
    const less = await json<SearchResult>('search', 'rollback', '-draft');
    expect(less.hits.length).toBeGreaterThan(0);
    expect(less.hits.length).toBeLessThan(all.hits.length);
    expect(await json('search', '--no-sync', '--', 'rollback', '-draft')).toEqual(
      await json('search', '--no-sync', 'rollback', '-draft'),
    );
  });

  it('SUR-21: nothing found ends with 1, and says so on standard error only', async () => {
    const { code, out, err } = await backstory(['search', 'zeppelin']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('Nothing found.');
    expect((await backstory(['search', 'zeppelin', '--json'])).code).toBe(1);
  });

  it('SUR-22: filters are flags', async () => {
    const { hits } = await json<SearchResult>('search', 'coupon OR tests', '--agent', 'codex', '--since', '-5d');
    expect(new Set(hits.map(({ agentId }) => agentId))).toEqual(new Set(['codex']));
    const newest = await json<SearchResult>('search', 'checkout', '--sort', 'newest', '--limit', '2');
    expect(newest.hits).toHaveLength(2);
  });

  it('MASK: a key that was typed into a conversation is not shown', async () => {
    const { out } = await backstory(['search', 'sandbox', 'key']);
    expect(out).toContain('sandbox');
    expect(out).not.toContain('4eC39Hq');
  });

  it('SUR-22: the list that open uses holds keys and no text', async () => {
    await backstory(['search', 'checkout']);
    const kept = readFileSync(join(home, 'last-list.json'), 'utf8');
    expect(kept).toContain('agent:claude-code:');
    expect(kept).not.toContain('checkout');
  });

  it('SES-104: a message that is not there ends with 1', async () => {
    await backstory(['search', 'checkout']);
    const { code, err } = await backstory(['open', '1', '--message', 'no-such-message']);
    expect(code).toBe(1);
    expect(err).not.toBe('');
  });

  it('SUR-21: a session that is not there ends with 1', async () => {
    const { code, out, err } = await backstory(['open', 'agent:codex:nowhere', '--json']);
    expect([code, out, (JSON.parse(err) as { error: { code: string } }).error.code]).toEqual([
      1,
      '',
      'session_not_found',
    ]);
  });
});

describe('sessions', () => {
  it('SUR-22: lists, describes and resumes by number or key', async () => {
    const list = await backstory(['sessions']);
    expect(list.code).toBe(0);
    for (const { title } of STORY) expect(list.out).toContain(title);
    const { sessions } = await json<ListResult>('sessions', '--agent', 'claude-code');
    expect((await backstory(['sessions', 'describe', '1'])).out).toContain(sessions[0]!.sessionKey);
    const resume = await backstory(['resume', sessions[0]!.sessionKey]);
    expect(resume.code).toBe(0);
    expect(resume.out).toMatch(/claude .*--resume [0-9a-f-]{36}/);
  });
});

describe('sync and sources', () => {
  it('SRC-81: a sync that finds nothing to do prints nothing', async () => {
    expect(await backstory(['sync'])).toEqual({ code: 0, out: '', err: '' });
  });

  it('SRC-59: the report adds up', async () => {
    const { files } = await json<SyncReport>('sync');
    expect(files.found).toBe(files.imported + files.unchanged + files.skippedTotal + files.failedTotal);
    expect(files.unchanged).toBe(STORY.length);
  });

  it('SRC-54: what was found on this machine', async () => {
    const { code, out } = await backstory(['sources']);
    expect(code).toBe(0);
    for (const name of ['.claude', '.codex', '.openclaw']) expect(out).toContain(join(folder, 'user', name));
  });

  it('SUR-22: --root reads a folder that is given, of a format told by its layout', async () => {
    const other = join(folder, 'by-root');
    const root = ['--home', other, '--root', join(folder, 'user', '.codex')];
    const { hits } = await json<SearchResult>('search', 'rate limit', ...root);
    expect(new Set(hits.map(({ agentId }) => agentId))).toEqual(new Set(['codex']));
    const whole = await json<SyncReport>('sync', '--home', other, '--root', join(folder, 'user'));
    expect(whole.files.imported + whole.files.unchanged).toBe(STORY.length);
  });

  it('SUR-21: a root that is not there, and a format that is not known, are wrong usage', async () => {
    const missing = await backstory(['search', 'x', '--root', join(folder, 'nowhere'), '--json']);
    expect([missing.code, missing.out]).toEqual([2, '']);
    expect(missing.err).toContain('"root_not_found"');
    const unknown = await backstory(['sync', '--root', join(folder, 'user'), '--source', 'cluade-code']);
    expect(unknown.err).toContain('claude-code');
    expect([unknown.code, unknown.err.split('\n')[0]]).toEqual([
      2,
      'backstory: There is no source "cluade-code": did you mean claude-code?',
    ]);
    mkdirSync(join(folder, 'empty'), { recursive: true });
    expect((await backstory(['sync', '--root', join(folder, 'empty')])).code).toBe(2);
  });
});

describe('a machine without history', () => {
  it('SUR-24: says what was looked for and where, and offers the demo', async () => {
    const nobody = join(folder, 'nobody');
    mkdirSync(nobody, { recursive: true });
    const { code, out, err } = await backstory(['search', 'anything', '--home', join(nobody, 'kept')], {
      userHome: nobody,
    });
    expect([code, out]).toEqual([1, '']);
    for (const title of builtInSources.map((source) => source.title)) expect(err).toContain(title);
    mkdirSync(join(nobody, '.codex'));
    const found = await backstory(['search', 'anything', '--home', join(nobody, 'kept')], { userHome: nobody });
    expect(found.err).toContain(join(nobody, '.codex'));
    expect(err).toContain('backstory demo');
  });

  it('SUR-24: the five commands of the demo work', async () => {
    const made = join(folder, 'made');
    expect((await backstory(['demo', '--into', made])).code).toBe(0);
    for (const { command } of demoCommands(made)) {
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]!).slice(1);
      const { code, out, err } = await backstory(words, { env: {}, userHome: join(folder, 'somebody') });
      expect([command, code, err]).toEqual([command, 0, '']);
      expect(out).not.toBe('');
    }
  });
});

describe('every surface', () => {
  const calls: readonly (readonly [string, readonly string[], Record<string, unknown>])[] = [
    ['sessions_search', ['search', 'checkout', '--no-sync', '--limit', '3'], { query: 'checkout', limit: 3 }],
    [
      'sessions_search',
      ['search', 'cafe', '--no-sync', '--by-session', '--sort', 'oldest'],
      { query: 'cafe', group: 'session', sort: 'oldest' },
    ],
    ['sessions_list', ['sessions', '--agent', 'codex,openclaw-main'], { agents: ['codex', 'openclaw-main'] }],
    ['sources_list', ['sources'], {}],
    ['stats', ['stats'], {}],
  ];

  it.each(calls)(
    'SUR-1: %s gives in the library what the command line prints with --json: %j',
    async (name, argv, input) => {
      const operation = OPERATIONS.find((one) => one.name === name)!;
      const expected = await inLibrary((engine) => execute(operation, engine, operator(), input));
      const printed = await json(...argv);
      expect(RESULTS[name]!.safeParse(printed).error?.issues ?? []).toEqual([]);
      expect(withoutCursor(printed)).toEqual(withoutCursor(JSON.parse(JSON.stringify(expected))));
    },
  );

  it('SUR-1: so do sessions_history, sessions_describe and sync', async () => {
    const { hits } = await json<SearchResult>('search', 'rounding OR cents', '--no-sync');
    const { sessionKey, sessionId, messageId } = hits[0]!;
    const page = await inLibrary((engine) =>
      execute(sessionsHistory, engine, operator(), { session: sessionKey, sessionId, messageId, limit: 5 }),
    );
    expect(await json('open', '1', '--around', '2')).toEqual(JSON.parse(JSON.stringify(page)));
    const described = await inLibrary((engine) => engine.sessions.describe(operator(), { session: sessionKey }));
    expect(RESULTS.sessions_history!.safeParse(page).error?.issues ?? []).toEqual([]);
    expect(RESULTS.sessions_describe!.safeParse(described).error?.issues ?? []).toEqual([]);
    expect(await json('sessions', 'describe', sessionKey)).toEqual(JSON.parse(JSON.stringify(described)));
    const report = await inLibrary((engine) => engine.sources.sync());
    expect(RESULTS.sync!.safeParse(report).error?.issues ?? []).toEqual([]);
    const { durationMs: _, ...printed } = await json<SyncReport>('sync');
    expect({ ...printed, durationMs: 0 }).toEqual({ ...JSON.parse(JSON.stringify(report)), durationMs: 0 });
  });

  it('SUR-4: an error of an operation is the same in the library and on the command line', async () => {
    const { err, code } = await backstory(['search', 'x', '--no-sync', '--since', 'yesteryear', '--json']);
    const thrown = await inLibrary((engine) =>
      execute(sessionsSearch, engine, operator(), { query: 'x', since: 'yesteryear' }).catch((error: unknown) => error),
    );
    expect(code).toBe(2);
    expect(JSON.parse(err)).toEqual(JSON.parse(JSON.stringify({ error: thrown })));
  });

  it('SUR-3: every answer of a search or a list carries coverage', async () => {
    expect((await json<SearchResult>('search', 'checkout')).coverage.complete).toBe(true);
    expect((await json<ListResult>('sessions')).coverage.complete).toBe(true);
  });
});

function withoutCursor(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, one: unknown) => (key === 'cursor' ? 'a cursor' : one));
}
