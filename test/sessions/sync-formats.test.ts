import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, claw, codex, linesOf, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

describe('sources cases: formats (SRC-120 … SRC-147)', () => {
  test('SO-80 SRC-121: an event and the item that repeats it are one prompt, in any order of sync', async () => {
    const lines = [
      codex.meta('c-1'),
      codex.turn('t-1'),
      codex.event('user_message', 'one zebra'),
      codex.item('user', 'one zebra'),
    ];
    const world = await makeWorld();
    world.write(codex.path('c-1'), lines);
    await world.sync();
    expect(await world.search('zebra')).toHaveLength(1);
    const grown = await makeWorld();
    grown.write(codex.path('c-1'), lines.slice(0, 3));
    await grown.sync();
    expect(await grown.search('zebra')).toHaveLength(1);
    grown.append(codex.path('c-1'), `${linesOf(lines.slice(3))}\n`);
    await grown.sync();
    expect(await grown.search('zebra')).toEqual(await world.search('zebra'));
  });

  test('SO-81 SRC-124: 75 KB of instructions before the prompt are no prompt and no title', async () => {
    const world = await makeWorld();
    const instructions = `# AGENTS.md instructions for /src\n${'walrus '.repeat(11_000)}`;
    world.write(codex.path('c-1'), [
      codex.meta('c-1'),
      codex.item('user', instructions),
      codex.item('user', 'real zebra prompt'),
    ]);
    await world.sync();
    const [hit] = await world.search('zebra');
    expect(hit?.title).toBe('real zebra prompt');
    expect(await world.keys('walrus')).toEqual([]);
  });

  const turns = (from: number, to: number, word: string): object[] =>
    Array.from({ length: to - from }, (_, n) => [
      codex.turn(`turn-${from + n}`),
      codex.item('user', `${word} ask ${from + n}`),
      codex.item('assistant', `${word} answer ${from + n}`),
    ]).flat();

  test.each([['parent first'], ['child first']])(
    'SO-82 SRC-125: turns re-stamped from a parent are found once, %s',
    async (order) => {
      const world = await makeWorld();
      const parent = (): string => world.write(codex.path('par'), [codex.meta('par'), ...turns(0, 3, 'zebra')]);
      const child = (): string =>
        world.write(codex.path('chi'), [
          codex.meta('chi', { forked_from_id: 'par' }),
          ...turns(0, 3, 'zebra'),
          ...turns(3, 4, 'quokka'),
        ]);
      for (const make of order === 'parent first' ? [parent, child] : [child, parent]) {
        make();
        await world.sync();
      }
      expect(await world.search('zebra')).toHaveLength(6);
      expect((await world.search('quokka')).map((hit) => hit.sessionKey)).toEqual([
        'agent:codex:chi',
        'agent:codex:chi',
      ]);
    },
  );

  test('SO-83 SRC-17: the plain file wins over its compressed twin, which is duplicate_file', async () => {
    const world = await makeWorld();
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'plain zebra')]);
    world.write(`${codex.path('c-1')}.zst`, ['not read']);
    const report = await world.sync();
    expect(await world.keys('zebra')).toEqual(['agent:codex:c-1']);
    expect(report.files.skipped.map((one) => one.reason)).toEqual([expect.stringMatching(/^duplicate_file/)]);
  });

  test('SO-84 SRC-4: only a database: its sessions are read, and nothing is left beside it', async () => {
    const world = await makeWorld();
    const path = openclawDatabase(world, [['s-9', [claw.message('e1', null, 'user', 'database zebra')]]]);
    await world.sync();
    expect(await world.keys('zebra')).toEqual(['agent:openclaw-main:s-9']);
    const { existsSync } = await import('node:fs');
    expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
  });

  test('SO-85 SRC-142 SRC-143: a move from file to database keeps key and ids, and doubles nothing', async () => {
    const world = await makeWorld();
    const events = [
      claw.message('e1', null, 'user', 'moving zebra'),
      claw.message('e2', 'e1', 'assistant', 'moved zebra'),
    ];
    const file = world.write(claw.path('s-9'), [claw.session('s-9'), ...events]);
    await world.sync();
    const before = await world.search('zebra');
    expect(before).toHaveLength(2);
    openclawDatabase(world, [['s-9', events]]);
    await world.sync();
    expect(await world.search('zebra')).toEqual(before);
    rmSync(file);
    await world.sync();
    expect(await world.search('zebra')).toEqual(before);
  });

  test('SO-86 SRC-140: a reset file alone is read, archived', async () => {
    const world = await makeWorld();
    world.write(`${claw.path('s-9')}.reset.2026-09-02T08-00-00.000Z`, [
      claw.session('s-9'),
      claw.message('e1', null, 'user', 'archived zebra'),
    ]);
    await world.sync();
    const [hit] = await world.search('zebra');
    expect(hit).toMatchObject({ sessionKey: 'agent:openclaw-main:s-9', archived: true });
  });

  test('SO-108 SRC-61: a message inside a progress record belongs to the part, not to the parent', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [
      claude.user('u-1', 'parent zebra'),
      {
        type: 'progress',
        parentUuid: 'u-1',
        sessionId: 's-1',
        data: {
          type: 'agent_progress',
          agentId: 'ab12',
          prompt: 'Find',
          message: {
            type: 'user',
            uuid: 'n-1',
            timestamp: '2026-09-01T08:11:00.000Z',
            message: { role: 'user', content: 'decoy walrus' },
          },
          normalizedMessages: [],
        },
        uuid: 'p-2',
        timestamp: '2026-09-01T08:11:00.000Z',
      },
    ]);
    await world.sync();
    expect(await world.keys('decoy')).toEqual(['agent:claude-code:s-1:agent:ab12']);
    expect(await world.texts('agent:claude-code:s-1')).toEqual(['parent zebra']);
  });
});

describe('sources cases: sync (SRC-40 … SRC-54)', () => {
  test('SO-102 SRC-52: an exclude rule deletes what had been imported, rows and index, and counts it', async () => {
    const world = await makeWorld();
    world.write('.claude/projects/-secret-x/s-1.jsonl', [
      claude.user('u-1', 'secret zebra', null, { cwd: '/secret/x' }),
    ]);
    world.write('.claude/projects/-open/s-2.jsonl', [
      claude.user('u-2', 'open zebra', null, { cwd: '/open', sessionId: 's-2' }),
    ]);
    await world.sync();
    const rules = { exclude: [{ project: '/secret/**' }] };
    const report = await world.backstory.sources.sync(rules);
    expect(report.excluded).toBe(1);
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-2']);
    await expect(world.history('agent:claude-code:s-1')).rejects.toMatchObject({ code: 'session_not_found' });
    await world.sync();
    expect((await world.keys('zebra')).sort()).toEqual(['agent:claude-code:s-1', 'agent:claude-code:s-2']);
  });

  test('SO-103 SRC-50: a file that the host deleted stays found, marked', async () => {
    const world = await makeWorld();
    world.write(claude.path('keep'), [claude.user('k-1', 'other', null, { sessionId: 'keep' })]);
    const path = world.write(claude.path('s-1'), [claude.user('u-1', 'kept zebra')]);
    await world.sync();
    rmSync(path);
    await world.sync();
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
    const { sessions } = await world.backstory.sessions.list(operator());
    expect(sessions.find((row) => row.sessionKey.endsWith(':s-1'))?.origin?.hostGone).toEqual(expect.any(Number));
    expect(sessions.find((row) => row.sessionKey.endsWith(':keep'))?.origin?.hostGone).toBeUndefined();
  });

  test('SO-104 SRC-50: an emptied root erases nothing, even with onHostDelete erase', async () => {
    const world = await makeWorld({ sources: { onHostDelete: 'erase' } });
    const path = world.write(claude.path('s-1'), [claude.user('u-1', 'mounted zebra')]);
    await world.sync();
    rmSync(dirname(path), { recursive: true });
    await world.sync();
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
  });

  test('SRC-50: with onHostDelete erase a deleted file’s session goes', async () => {
    const world = await makeWorld({ sources: { onHostDelete: 'erase' } });
    world.write(claude.path('keep'), [claude.user('k-1', 'other', null, { sessionId: 'keep' })]);
    const path = world.write(claude.path('s-1'), [claude.user('u-1', 'going zebra')]);
    await world.sync();
    rmSync(path);
    const report = await world.sync();
    expect(report.entries.erased).toBe(1);
    expect(await world.keys('zebra')).toEqual([]);
  });

  test('SO-109 SRC-41: a budget leaves files over, says how many, newest first, and repeated calls finish', async () => {
    const world = await makeWorld();
    for (let n = 0; n < 60; n++) {
      world.write(claude.path(`s-${n}`), [claude.user(`u-${n}`, `budget zebra ${n}`, null, { sessionId: `s-${n}` })]);
    }
    let report = await world.backstory.sources.sync({ budgetMs: 1 });
    expect(report.left).toBeGreaterThan(0);
    expect(report.files.skipped.filter((one) => one.reason === 'budget')).toHaveLength(report.left);
    for (let calls = 0; report.left > 0 && calls < 200; calls++) {
      report = await world.backstory.sources.sync({ budgetMs: 5 });
    }
    expect(report.left).toBe(0);
    expect(await world.search('zebra')).toHaveLength(60);
  });

  test('SRC-41 SRC-42: a file that was left in the middle is gone on with, though it did not change', async () => {
    const world = await makeWorld();
    const lines = Array.from({ length: 40 }, (_, n) => claude.user(`u-${n}`, `zebra ${n} ${'x'.repeat(400_000)}`));
    world.write(claude.path('s-1'), lines);
    // Past the first safe point (FILE-20, 4 MiB) the time is up.
    const first = await world.backstory.sources.sync({ budgetMs: 1 });
    expect(first.left).toBe(1);
    const part = (await world.search('zebra')).length;
    expect(part).toBeGreaterThan(0);
    expect(part).toBeLessThan(40);
    await world.sync();
    expect(await world.search('zebra')).toHaveLength(40);
  });

  test('SO-14 SRC-59: found files are imported, unchanged, skipped or failed, and add up', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'zebra')]);
    world.write(claude.path('empty'), [], { end: '' });
    writeFileSync(join(world.user, claude.path('binary')), Buffer.alloc(9000));
    for (const report of [await world.sync(), await world.sync()]) {
      const { found, imported, unchanged, skippedTotal, failedTotal } = report.files;
      expect(found).toBe(imported + unchanged + skippedTotal + failedTotal);
      expect(report.files.skipped.map((one) => one.reason).sort()).toEqual(['binary', 'empty']);
    }
  });

  test('SRC-41: an unknown source, a missing root and a bad rule are errors that name what is wrong', async () => {
    const world = await makeWorld();
    const sync = world.backstory.sources.sync;
    await expect(sync({ sources: ['claude-cod'] })).rejects.toMatchObject({
      code: 'source_unknown',
      hint: expect.stringContaining('claude-code'),
    });
    const gone = join(world.folder, 'gone');
    await expect(sync({ roots: [{ source: 'codex', path: gone }] })).rejects.toMatchObject({
      code: 'root_not_found',
      message: expect.stringContaining(gone),
    });
    await expect(sync({ exclude: [{}] })).rejects.toMatchObject({
      code: 'exclude_invalid',
      message: expect.stringContaining('1'),
    });
    await expect(sync({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'sync_aborted' });
  });
});

function openclawDatabase(world: World, sessions: readonly (readonly [string, readonly object[]])[]): string {
  const path = join(world.user, '.openclaw/agents/main/agent/openclaw-agent.sqlite');
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.exec(`
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT, spawned_by TEXT, archived_at INTEGER);
    CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT);
    CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB, PRIMARY KEY (session_id, seq));
  `);
  for (const [id, events] of sessions) {
    db.prepare('INSERT INTO session_nodes VALUES (?, ?, ?, NULL, NULL)').run(`agent:main:${id}`, id, '{}');
    db.prepare('INSERT INTO session_windows VALUES (?, ?, NULL, ?)').run(id, `agent:main:${id}`, 'initial');
    const header = {
      type: 'session',
      version: 4,
      id,
      timestamp: '2026-09-01T08:00:00.000Z',
      cwd: '/srv/claw/workspace',
    };
    for (const [seq, event] of [header, ...events].entries()) {
      db.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, NULL)').run(id, seq, JSON.stringify(event));
    }
  }
  db.close();
  return path;
}
