import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { Source } from '../../src/sources/contract.ts';
import { instantOf } from '../../src/sources/times.ts';
import { tracedFs } from '../steps/trace-fs.ts';
import { claude, claw, codex, linesOf, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const PAST = new Date('2026-09-01T12:00:00Z');

/** As on a real machine, where most files were last written long ago. */
function settle(world: World): void {
  for (const entry of readdirSync(world.user, { recursive: true, encoding: 'utf8' })) {
    const path = join(world.user, entry);
    if (statSync(path).isFile()) utimesSync(path, PAST, PAST);
  }
}

describe('what a reader touches', () => {
  test('SRC-1 SRC-57: a sync writes nothing and changes nothing in the agents’ folders', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', '$(touch pwned) `touch pwned` ../../pwned')]);
    world.write(codex.path('c-1'), [codex.meta('../../c-1'), codex.item('user', 'x')]);
    world.write(claw.path('s-9'), [claw.session('s-9'), claw.message('e1', null, 'user', 'x')]);
    const state = (): unknown[] =>
      readdirSync(world.user, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => [name, statSync(join(world.user, name)).mtimeMs]);
    const before = state();
    await world.sync();
    await world.search('pwned');
    expect(state()).toEqual(before);
  });

  test('SRC-2: files that hold credentials are never opened, not even looked into', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'zebra')]);
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'zebra')]);
    const secret = [
      '.claude/.credentials.json',
      '.codex/auth.json',
      '.openclaw/agents/main/auth-profiles.json',
      '.codex/sessions/.env',
    ];
    for (const path of secret) world.write(path, ['{"token":"x"}']);
    const calls = await tracedFs(async () => {
      await world.sync();
      await world.backstory.sources.list();
    });
    expect(calls.length).toBeGreaterThan(5);
    for (const path of secret) expect(calls.filter((call) => call.path.endsWith(path))).toEqual([]);
  });

  test('SO-22 SRC-7: a recorded folder is text: no call is made on it', async () => {
    const world = await makeWorld();
    const folders = ['/Volumes/gone/x', 'C:\\x', '//host/share', '/net/host/share'];
    for (const [n, cwd] of folders.entries()) {
      world.write(claude.path(`s-${n}`), [claude.user(`u-${n}`, 'zebra', null, { cwd, sessionId: `s-${n}` })]);
    }
    const calls = await tracedFs(async () => {
      await world.sync();
      for (const project of folders) await world.search('zebra', { project });
      const { sessions } = await world.backstory.sessions.list(operator());
      for (const { sessionKey } of sessions)
        await world.backstory.sessions.describe(operator(), { session: sessionKey });
    });
    for (const folder of folders) expect(calls.filter((call) => call.path.includes(folder))).toEqual([]);
  });

  test('SRC-72 SRC-75: of unchanged files none is opened; of one that grew, that one', async () => {
    const world = await makeWorld();
    for (let n = 0; n < 30; n++) {
      world.write(claude.path(`s-${n}`), [claude.user(`u-${n}`, 'zebra', null, { sessionId: `s-${n}` })]);
    }
    settle(world);
    await world.sync();
    const opened = async (): Promise<string[]> =>
      (await tracedFs(() => world.sync()))
        .filter((call) => call.name === 'openSync' && call.path.startsWith(world.user))
        .map((call) => call.path.replace(/.*\//, ''));
    expect(await opened()).toEqual([]);
    world.append(claude.path('s-7'), `${linesOf([claude.assistant('a-7', 'walrus', 'u-7')])}\n`);
    expect(await opened()).toEqual(['s-7.jsonl']);
    expect(await world.keys('walrus')).toEqual(['agent:claude-code:s-7']);
  });

  test('SRC-22: a pointer is opened only below a root that is configured now', async () => {
    const world = await makeWorld();
    const result = [{ type: 'tool_result', tool_use_id: 't1', content: 'outside output' }];
    const file = world.write(claude.path('s-1'), [claude.user('u-1', 'zebra'), claude.user('u-2', result, 'u-1')]);
    await world.sync();
    rmSync(file);
    world.write('../elsewhere.jsonl', ['x']);
    const { symlinkSync } = await import('node:fs');
    symlinkSync(join(world.folder, 'elsewhere.jsonl'), file);
    const entries = await world.history('agent:claude-code:s-1', { includeTools: true });
    expect(entries.at(-1)?.blocks[0]).toMatchObject({
      type: 'tool_result',
      cut: { reason: expect.stringMatching(/^source_/) },
    });
  });

  test('SRC-50 SRC-59 SO-14: an unreadable folder is named with the system’s code; the rest is read, nothing is erased', async () => {
    const world = await makeWorld({ sources: { onHostDelete: 'erase' } });
    world.write('.claude/projects/-open/s-1.jsonl', [claude.user('u-1', 'open zebra')]);
    world.write('.claude/projects/-shut/s-2.jsonl', [claude.user('u-2', 'shut zebra', null, { sessionId: 's-2' })]);
    await world.sync();
    const shut = join(world.user, '.claude/projects/-shut');
    chmodSync(shut, 0);
    try {
      const report = await world.sync();
      // Root reads everything: there a folder of mode 000 is no obstacle, and the rest of the case still holds.
      if (process.getuid?.() !== 0) {
        expect(report.files.skipped.map((one) => one.reason)).toContain('unreadable (EACCES)');
      }
      expect(await world.search('zebra')).toHaveLength(2);
    } finally {
      chmodSync(shut, 0o700);
    }
  });
});

describe('formats and their entries', () => {
  test('SRC-10 SRC-102: agents by product; a root may be given another, and an older part is named by its first record', async () => {
    const world = await makeWorld();
    world.write('.claude/projects/-p/agent-ab.jsonl', [
      claude.user('u-1', 'old part zebra', null, { sessionId: 's-old', isSidechain: true }),
    ]);
    world.write('other/projects/-p/s-2.jsonl', [claude.user('u-2', 'given zebra', null, { sessionId: 's-2' })]);
    const roots = [{ source: 'claude-code', path: join(world.user, 'other'), agent: 'claude-code-old' }];
    await world.backstory.sources.sync({ roots });
    expect((await world.keys('zebra')).sort()).toEqual([
      'agent:claude-code-old:s-2',
      'agent:claude-code:s-old:agent:ab',
    ]);
  });

  test('SRC-26: blocks in camel and snake case are the same; images are told, never stored', async () => {
    const world = await makeWorld();
    const data = 'A'.repeat(4_000);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    for (const [n, type] of ['toolCall', 'tool_call', 'tool_use'].entries()) {
      world.write(claude.path(`s-${n}`), [
        claude.user('u-1', [{ type: 'text', text: 'look zebra' }, image], null, { sessionId: `s-${n}` }),
        claude.assistant('a-1', [{ type, id: 't1', name: 'Bash', input: { command: 'ls' } }], 'u-1'),
      ]);
    }
    await world.sync();
    for (const n of [0, 1, 2]) {
      const entries = await world.history(`agent:claude-code:s-${n}`, { includeTools: true });
      expect(entries.map((entry) => entry.blocks.map((block) => block.type))).toEqual([
        ['text', 'image'],
        ['tool_call'],
      ]);
      expect(entries[0]?.blocks[1]).toMatchObject({ mediaType: 'image/png', bytes: 3_000 });
    }
    const store = new Database(join(world.home, 'agents', 'claude-code.sqlite'), { readonly: true });
    expect(store.prepare("SELECT count(*) FROM entry WHERE blocks LIKE '%AAAA%'").pluck().get()).toBe(0);
    store.close();
  });

  test('SRC-27: unknown records and blocks are counted by name and fail nothing', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [
      claude.user('u-1', 'before zebra'),
      { type: 'hologram', uuid: 'h-1', parentUuid: 'u-1' },
      claude.assistant('a-1', [{ type: 'smell' }, { type: 'text', text: 'after zebra' }], 'h-1'),
    ]);
    await world.sync();
    expect(await world.search('zebra')).toHaveLength(2);
    const { sources } = await world.backstory.sources.list();
    expect(sources.find((one) => one.source === 'claude-code')?.counts).toMatchObject({
      'type:hologram': 1,
      'block:smell': 1,
    });
  });

  test('SRC-27 MASK-14: a type of any length hides no half of a secret, and a file of new types only has a bounded count', async () => {
    const world = await makeWorld();
    const secret = `gh${'p_'}q7Kx9Zt3${'w8Rb2Yd5'.repeat(4)}`;
    world.write(claude.path('s-1'), [
      claude.user('u-1', 'before zebra'),
      { type: `hologram of ${secret}`, uuid: 'h-1', parentUuid: 'u-1' },
      ...Array.from({ length: 600 }, (_, n) => ({ type: `new-${n}`, uuid: `n-${n}`, parentUuid: 'u-1' })),
      { type: 'user', uuid: 'o-1', message: 'odd' },
    ]);
    await world.sync();
    const { sources } = await world.backstory.sources.list();
    const counts = sources.find((one) => one.source === 'claude-code')?.counts ?? {};
    expect(JSON.stringify(counts)).not.toContain(secret.slice(0, 12));
    expect(counts).toMatchObject({ 'type:over 40 characters': 1 });
    expect(Object.keys(counts).length).toBeLessThan(210);
    expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(601);
  });

  test('SRC-57 COM-2: an id or a folder of any length keeps no other hit from being shown', async () => {
    const world = await makeWorld();
    const long = 'x'.repeat(100_000);
    world.write(claude.path('s-1'), [
      { ...claude.user('u-1', 'zebra first'), cwd: `/${long}` },
      claude.user(long, 'zebra second', 'u-1'),
      claude.assistant('a-1', 'zebra third', long),
      claude.user(`${long}2`, 'zebra fourth', 'a-1'),
    ]);
    await world.sync();
    expect(await world.search('zebra')).toHaveLength(4);
  });

  test('COM-2 SES-81: a hit larger than a page is a page of its own, and the next go on behind it', async () => {
    const world = await makeWorld();
    const long = 'y'.repeat(60_000);
    world.write(codex.path('c-1'), [codex.meta(long), codex.item('user', 'zebra zebra')]);
    world.write(codex.path('c-2'), [codex.meta('c-2'), codex.item('user', 'one zebra among many other words')]);
    await world.sync();
    const found: string[] = [];
    for (let cursor: string | undefined, page = 0; page === 0 || (cursor !== undefined && page < 5); page++) {
      const { hits, coverage } = await world.backstory.sessions.search(operator(), {
        query: 'zebra',
        ...(cursor && { cursor }),
      });
      found.push(...hits.map(({ excerpt }) => excerpt));
      cursor = coverage.cursor;
    }
    expect(found.sort()).toEqual(['one zebra among many other words', 'zebra zebra']);
  });

  test('SRC-32 SRC-33: a parent that is not there hangs under the entry before; what hangs under a left branch is aside', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [
      claude.user('u-1', 'root'),
      claude.assistant('a-1', 'answer', 'u-1'),
      claude.user('p-1', 'left walrus', 'a-1', { timestamp: '2026-09-01T08:01:00.000Z' }),
      claude.user('p-2', 'taken zebra', 'a-1', { timestamp: '2026-09-01T08:02:00.000Z' }),
      claude.assistant('r-1', 'late walrus', 'p-1'),
      claude.assistant('r-2', 'lost zebra', 'nowhere'),
    ]);
    await world.sync();
    expect(await world.keys('walrus')).toEqual([]);
    expect((await world.search('zebra')).map((hit) => hit.messageId).sort()).toEqual(['p-2', 'r-2']);
  });

  test('SRC-104 SRC-105: a part in a file and in progress records is one, marked as automation', async () => {
    const world = await makeWorld();
    const inner = {
      type: 'user',
      uuid: 'n-1',
      timestamp: '2026-09-01T08:11:00.000Z',
      message: { role: 'user', content: 'part zebra' },
    };
    world.write(claude.path('s-1'), [
      claude.user('u-1', 'parent'),
      {
        type: 'progress',
        parentUuid: 'u-1',
        sessionId: 's-1',
        data: { type: 'agent_progress', agentId: 'ab', message: inner },
        uuid: 'p-1',
        timestamp: '2026-09-01T08:11:00.000Z',
      },
    ]);
    world.write('.claude/projects/-src-shop/s-1/subagents/agent-ab.jsonl', [
      claude.user('n-1', 'part zebra', null, { isSidechain: true, agentId: 'ab' }),
      claude.assistant('n-2', 'found zebra', 'n-1', { isSidechain: true, agentId: 'ab' }),
    ]);
    await world.sync();
    expect((await world.search('zebra')).map((hit) => [hit.sessionKey, hit.messageId]).sort()).toEqual([
      ['agent:claude-code:s-1:agent:ab', 'n-1'],
      ['agent:claude-code:s-1:agent:ab', 'n-2'],
    ]);
    const { sessions } = await world.backstory.sessions.list(operator());
    expect(sessions.find((row) => row.sessionKey.endsWith(':ab'))?.origin?.automation).toBe(true);
  });

  test('SRC-106: a record without uuid is nobody’s copy', async () => {
    const world = await makeWorld();
    for (const id of ['A', 'B']) {
      world.write(claude.path(id), [
        { type: 'user', message: { role: 'user', content: 'same zebra' }, timestamp: '2026-09-01T08:00:00Z' },
      ]);
    }
    await world.sync();
    const hits = await world.search('zebra');
    expect(hits).toHaveLength(2);
    expect(hits.every((hit) => hit.alsoIn === undefined)).toBe(true);
  });

  test('SRC-51: the days after which the product deletes are told, and how many sessions go soon', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'zebra')]);
    world.write('.claude/settings.json', ['{"cleanupPeriodDays": 20}']);
    settle(world);
    await world.sync();
    const { sources } = await world.backstory.sources.list();
    expect(sources.find((one) => one.source === 'claude-code')).toMatchObject({ keepsDays: 20, goSoon: 1 });
  });

  test('SRC-122 SRC-126: Codex calls, outputs and reasoning; and lines of the older era without envelope', async () => {
    const world = await makeWorld();
    const at = '2026-09-01T08:00:03.000Z';
    const item = (payload: object): object => ({ timestamp: at, type: 'response_item', payload });
    world.write(codex.path('c-1'), [
      codex.meta('c-1'),
      codex.item('user', 'run zebra'),
      item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Profile first' }], encrypted_content: 'x' }),
      item({ type: 'function_call', name: 'exec', arguments: '{"cmd":"npm test"}', call_id: 'c1' }),
      item({ type: 'function_call_output', call_id: 'c1', output: '42 passed' }),
    ]);
    world.write(codex.path('old-1'), [
      { id: 'old-1', timestamp: '2025-05-01T08:00:00.000Z', instructions: 'x' },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'older zebra' }],
        timestamp: '2025-05-01T08:00:01.000Z',
      },
    ]);
    await world.sync();
    expect((await world.keys('zebra')).sort()).toEqual(['agent:codex:c-1', 'agent:codex:old-1']);
    const entries = await world.history('agent:codex:c-1', { includeTools: true, includeReasoning: true });
    expect(entries.map((entry) => entry.blocks[0])).toMatchObject([
      { type: 'text' },
      { type: 'reasoning', text: expect.stringContaining('Profile first') },
      { type: 'tool_call', name: 'exec' },
      { type: 'tool_result', text: '42 passed' },
    ]);
  });

  test('SRC-146: OpenClaw’s own prompts are injected and mark the session; its name is the title', async () => {
    const world = await makeWorld();
    world.write(claw.path('s-9'), [
      claw.session('s-9'),
      claw.message('e1', null, 'user', '[cron:daily] walrus'),
      { type: 'session_info', id: 'i1', parentId: 'e1', timestamp: '2026-09-01T08:00:02.000Z', name: 'Morning' },
      claw.message('e2', 'i1', 'user', 'typed zebra'),
    ]);
    await world.sync();
    expect(await world.keys('walrus')).toEqual([]);
    expect((await world.search('zebra'))[0]).toMatchObject({ title: 'Morning', messageId: 'e2' });
  });

  test('SO-50 SRC-28: numbers are seconds, milliseconds or microseconds by their size', () => {
    const now = Date.UTC(2026, 11, 1);
    const same = [
      1_788_249_600,
      1_788_249_600_000,
      1_788_249_600_000_000,
      '2026-09-01T08:00:00Z',
      '2026-09-01T10:00:00+02:00',
    ];
    expect(new Set(same.map((value) => instantOf(value, now)))).toEqual(new Set([1_788_249_600_000]));
    for (const bad of [
      undefined,
      null,
      '',
      'soon',
      '1989-01-01T00:00:00Z',
      '2099-01-01T00:00:00Z',
      Number.NaN,
      {},
      -5,
    ]) {
      expect(instantOf(bad, now)).toBeUndefined();
    }
  });
});

describe('databases, failures and readers of others', () => {
  test('SRC-46 SO-110: a locked database is busy, other sources are read, and the next sync has it', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'file zebra')]);
    const path = join(world.user, '.openclaw/agents/main/agent/openclaw-agent.sqlite');
    mkdirSync(join(path, '..'), { recursive: true });
    const db = new Database(path);
    db.exec(
      'CREATE TABLE session_windows (session_id TEXT, session_key TEXT, previous_session_id TEXT); CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)',
    );
    db.prepare('INSERT INTO session_windows VALUES (?, ?, NULL)').run('s-9', 'agent:main:x');
    db.prepare('INSERT INTO transcript_events VALUES (?, 1, ?)').run(
      's-9',
      JSON.stringify(claw.message('e1', null, 'user', 'database zebra')),
    );
    db.exec('BEGIN EXCLUSIVE');
    const first = await world.sync();
    expect(first.files.failed.map((one) => one.reason)).toEqual([expect.stringMatching(/^busy/)]);
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
    db.exec('COMMIT');
    db.close();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await world.sync();
    expect(await world.search('zebra')).toHaveLength(2);
  });

  test('SRC-142 SRC-145: new events of a database are read, and a rewritten session is read again', async () => {
    const world = await makeWorld();
    const path = join(world.user, '.openclaw/agents/main/agent/openclaw-agent.sqlite');
    mkdirSync(join(path, '..'), { recursive: true });
    const db = new Database(path);
    db.exec(
      'CREATE TABLE session_windows (session_id TEXT, session_key TEXT, previous_session_id TEXT); CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)',
    );
    db.prepare('INSERT INTO session_windows VALUES (?, ?, NULL)').run('s-9', 'agent:main:x');
    const add = (seq: number, event: object): void => {
      db.prepare('INSERT INTO transcript_events VALUES (?, ?, ?)').run('s-9', seq, JSON.stringify(event));
    };
    add(1, claw.message('e1', null, 'user', 'one zebra'));
    await world.sync();
    add(2, claw.message('e2', 'e1', 'assistant', 'two zebra'));
    await world.sync();
    expect((await world.search('zebra', { nativeKey: 'agent:main:x' })).map((hit) => hit.messageId).sort()).toEqual([
      'e1',
      'e2',
    ]);
    const result = {
      type: 'message',
      id: 'e3',
      parentId: 'e2',
      timestamp: '2026-09-01T08:00:03.000Z',
      message: { role: 'toolResult', toolCallId: 't', content: [{ type: 'text', text: 'row output' }] },
    };
    add(3, result);
    await world.sync();
    const entries = await world.history('agent:openclaw-main:s-9', { includeTools: true });
    expect(entries.at(-1)?.blocks[0]).toMatchObject({ type: 'tool_result', text: 'row output' });
    db.close();
  });

  test('SRC-47 SO-111: a file that could not be read is tried again, and none holds back another', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'good zebra')]);
    const flaky: Source = { ...failing('flaky'), agentId: 'flaky' };
    const engine = await world.reopen({ sources: { readers: [flaky] } });
    const first = await engine.sources.sync();
    expect(first.files.failed).toEqual([{ what: expect.any(String), reason: 'unreadable (EIO)' }]);
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
    const again = await engine.sources.sync();
    expect(again.files.skipped.map((one) => one.reason)).toContain('unreadable (EIO)');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const later = await engine.sources.sync();
    expect(later.files.failed).toHaveLength(1);
  });

  test('SRC-6: a reader of a third party is asked like ours, and its entries are found', async () => {
    const world = await makeWorld();
    const own: Source = {
      ...failing('diary'),
      agentId: 'diary',
      async read(_instance, file, _options, out) {
        const session = { native: file.session.native };
        const pointer = { file: 0, offset: 0, length: 1, path: [], digest: '0000000000000000' };
        out.restart();
        out.entry({ session, id: 'm1', kind: 'prompt', at: PAST.getTime(), text: 'dear diary zebra', pointer });
        await out.commit(new Uint8Array());
        return { kind: 'read' };
      },
    };
    const engine = await world.reopen({ sources: { readers: [own] } });
    await engine.sources.sync({ sources: ['diary'] });
    const { hits } = await engine.sessions.search(operator(), { query: 'zebra' });
    expect(hits.map((hit) => hit.sessionKey)).toEqual(['agent:diary:day']);
  });

  test('SRC-74: of a large file that grew by one record, little more than the record is handed over', async () => {
    const world = await makeWorld();
    const lines = Array.from({ length: 3_000 }, (_, n) => claude.user(`u-${n}`, `line ${n} ${'x'.repeat(1_000)}`));
    const path = world.write(claude.path('s-1'), lines);
    await world.sync();
    appendFileSync(path, `${linesOf([claude.user('u-new', 'last zebra')])}\n`);
    const report = await world.sync();
    expect(report.bytes).toBeLessThanOrEqual(65_536);
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
  });

  test('SRC-81 SRC-80: progress counts bytes and files up to their totals', async () => {
    const world = await makeWorld();
    for (let n = 0; n < 5; n++)
      world.write(claude.path(`s-${n}`), [claude.user(`u-${n}`, 'zebra', null, { sessionId: `s-${n}` })]);
    const seen: { filesDone: number; filesTotal: number; bytesDone: number; bytesTotal: number }[] = [];
    await world.backstory.sources.sync({ onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ filesDone: 5, filesTotal: 5 });
    expect(seen.at(-1)!.bytesDone).toBe(seen.at(-1)!.bytesTotal);
    expect(seen.every((one, n) => n === 0 || one.bytesDone >= seen[n - 1]!.bytesDone)).toBe(true);
  });
});

function failing(name: string): Source {
  return {
    name,
    title: name,
    version: 1,
    agentId: name,
    branches: 'linear',
    discover: async (host) => [{ instance: { source: name, root: host.home, agentId: name, how: 'default' } }],
    plan: async (instance) => {
      const path = join(instance.root, `${name}.txt`);
      if (!existsSync(path)) writeFileSync(path, 'x');
      return {
        files: [
          {
            path: `${name}.txt`,
            absolute: path,
            stat: statSync(path, { bigint: true }),
            session: { native: 'day' },
            layout: 'x',
          },
        ],
        skipped: [],
        whole: true,
      };
    },
    read: () => Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO' })),
    reopen: async () => ({ reason: 'source_gone' }),
  };
}
