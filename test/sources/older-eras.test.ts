// What products keep besides their plain files: documents, databases of titles, archives inside a database.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, claw, codex, makeWorld, removeWorlds, type World } from '../steps/world.ts';
import { zstdOf } from './compress.ts';

afterEach(removeWorlds);

describe('SRC-126: a session of Codex as one document', () => {
  const items = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'why does the harbour freeze' }] },
    { type: 'local_shell_call', call_id: 'c1', action: { command: ['ls'] } },
    { type: 'local_shell_call_output', call_id: 'c1', output: 'ice.txt' },
    'no item',
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'because of the orchard' }] },
  ];
  const session = { id: '0199-cc', timestamp: '2025-05-01T08:00:00.000Z', instructions: '' };

  test('is read with its tools, and its values are reopened', async () => {
    const world = await makeWorld();
    world.write('.codex/sessions/rollout-2025-05-01-0199-cc.json', [JSON.stringify({ session, items }, null, 2)]);
    const report = await world.sync();
    expect(report.files.imported).toBe(1);
    expect(await world.texts('agent:codex:0199-cc')).toEqual(['why does the harbour freeze', 'because of the orchard']);
    const entries = await world.history('agent:codex:0199-cc', { includeTools: true });
    expect(entries.flatMap(({ blocks }) => blocks.map(({ type, text }) => [type, text]))).toContainEqual([
      'tool_result',
      'ice.txt',
    ]);
    expect((await world.sync()).files.unchanged).toBe(1);
  });

  test('that is something else is passed over', async () => {
    const world = await makeWorld();
    world.write('.codex/sessions/rollout-2025-05-01-x.json', ['{"items": "none"}']);
    expect((await world.sync()).files.skipped.map(({ reason }) => reason)).toEqual(['unknown_layout']);
  });

  test('gives way to the lines of the same session', async () => {
    const world = await makeWorld();
    world.write('.codex/sessions/rollout-2026-09-01T08-00-00-0199-cc.json', [JSON.stringify({ session, items })]);
    world.write(codex.path('0199-cc'), [codex.meta('0199-cc'), codex.item('user', 'the lighthouse')]);
    await world.sync();
    expect(await world.texts('agent:codex:0199-cc')).toEqual(['the lighthouse']);
  });
});

describe('SRC-120: titles of Codex', () => {
  test('come from its database of threads where its index names none', async () => {
    const world = await makeWorld();
    for (const id of ['0199-aa', '0199-bb']) {
      world.write(codex.path(id), [codex.meta(id), codex.item('user', `the prompt of ${id}`)]);
    }
    world.write('.codex/session_index.jsonl', [{ id: '0199-aa', thread_name: 'Of the index' }]);
    for (const [name, title] of [
      ['state_2.sqlite', 'An old title'],
      ['state_10.sqlite', 'Of the threads'],
    ] as const) {
      const db = new Database(join(world.user, '.codex', name));
      db.exec('CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT, archived INTEGER, rollout_path TEXT)');
      for (const id of ['0199-aa', '0199-bb']) db.prepare('INSERT INTO threads VALUES (?, ?, 0, ?)').run(id, title, '');
      db.close();
    }
    world.write('.codex/state_11.sqlite', ['no database']);
    await world.sync();
    const titles = await world.backstory.sessions.list(operator(), {});
    expect(titles.sessions.map(({ title }) => title).sort()).toEqual(['Of the index', 'the prompt of 0199-bb']);
  });

  test('of the newest database that can be read', async () => {
    const world = await makeWorld();
    world.write(codex.path('0199-bb'), [codex.meta('0199-bb'), codex.item('user', 'the prompt')]);
    const db = new Database(join(world.user, '.codex/state_10.sqlite'));
    db.exec("CREATE TABLE threads (id TEXT, title TEXT); INSERT INTO threads VALUES ('0199-bb', 'Of the threads')");
    db.close();
    await world.sync();
    const { title } = await world.backstory.sessions.describe(operator(), { session: 'agent:codex:0199-bb' });
    expect(title).toBe('Of the threads');
  });
});

describe('SRC-144: archives inside OpenClaw’s database', () => {
  const lines = (id: string, text: string): string =>
    [claw.session(id), claw.message(`${id}-1`, null, 'user', text)].map((line) => JSON.stringify(line)).join('\n');

  function database(world: World): Database.Database {
    const path = join(world.user, '.openclaw/agents/main/agent/openclaw-agent.sqlite');
    mkdirSync(dirname(path), { recursive: true });
    const db = new Database(path);
    db.exec(`
      CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT);
      CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);
      CREATE TABLE session_transcript_archives (session_id TEXT PRIMARY KEY, encoding TEXT, blob BLOB);
      CREATE TABLE session_transcript_cold_archives (session_id TEXT PRIMARY KEY, encoding TEXT, blob BLOB);`);
    return db;
  }

  test('are read as archived sessions, plain and packed; a live one wins', async () => {
    const world = await makeWorld();
    const db = database(world);
    const put = (table: string, id: string, encoding: string, blob: Uint8Array): unknown =>
      db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`).run(id, encoding, blob);
    put('session_transcript_archives', 's-1', 'jsonl', Buffer.from(lines('s-1', 'the harbour freezes')));
    put(
      'session_transcript_cold_archives',
      's-2',
      'jsonl+zstd',
      zstdOf(Buffer.from(lines('s-2', 'an orchard blooms'))),
    );
    put('session_transcript_cold_archives', 's-3', 'zstd', Buffer.from('no Zstandard at all'));
    put('session_transcript_archives', 's-4', 'jsonl', Buffer.from(lines('s-4', 'an old lighthouse')));
    db.prepare("INSERT INTO session_windows VALUES ('s-4', 'agent:main:main', NULL)").run();
    const event = JSON.stringify(claw.message('e-1', null, 'user', 'a new lighthouse'));
    db.prepare("INSERT INTO transcript_events VALUES ('s-4', 1, ?, NULL)").run(event);
    const report = await world.sync();
    expect(report.files.failedTotal).toBe(0);
    expect(await world.keys('harbour OR orchard')).toHaveLength(2);
    expect((await world.search('lighthouse')).map(({ excerpt }) => excerpt)).toEqual(['a new lighthouse']);
    const row = await world.backstory.sessions.describe(operator(), { session: 'agent:openclaw-main:s-2' });
    expect(row.archived).toBe(true);

    put('session_transcript_archives', 's-5', 'jsonl', Buffer.from(lines('s-5', 'the archive that came later')));
    db.close();
    await world.sync();
    expect(await world.keys('archive later')).toEqual(['agent:openclaw-main:s-5']);
    expect(await world.keys('harbour OR orchard')).toHaveLength(2);
  });
});

test('SRC-13: a message of OpenClaw without an id gets one from what it says, in full and in parts', async () => {
  const world = await makeWorld();
  const nameless = (text: string): object => ({ ...claw.message('x', null, 'user', text), id: undefined });
  world.write(claw.path('s-1'), [claw.session('s-1'), nameless('the orchard'), nameless('the orchard')]);
  await world.sync();
  world.append(claw.path('s-1'), `${JSON.stringify(nameless('the orchard'))}\n`);
  await world.sync();
  expect(await world.texts('agent:openclaw-main:s-1')).toEqual(['the orchard', 'the orchard', 'the orchard']);
});

test('SRC-100: what a subagent was started for names its part, until it has a title of its own', async () => {
  const world = await makeWorld();
  const below = '.claude/projects/-src-shop/s-1/subagents';
  const part = (uuid: string): object =>
    claude.user(uuid, 'find callers', null, { isSidechain: true, agentId: uuid, sessionId: 's-1' });
  for (const id of ['a1', 'a2', 'a3']) world.write(`${below}/agent-${id}.jsonl`, [part(id)]);
  world.write(`${below}/agent-a1.meta.json`, [{ agentType: 'Explore', description: 'Find the callers of f' }]);
  world.write(`${below}/agent-a2.meta.json`, ['no json']);
  world.append(
    `${below}/agent-a3.jsonl`,
    `${JSON.stringify({ type: 'summary', summary: 'Callers', leafUuid: 'a3' })}\n`,
  );
  world.write(`${below}/agent-a3.meta.json`, [{ agentType: 'Explore', spawnDepth: 1 }]);
  await world.sync();
  const { sessions } = await world.backstory.sessions.list(operator(), {});
  const titles = sessions.filter(({ sessionKey }) => sessionKey.includes(':a')).map(({ title }) => title);
  expect(titles.sort()).toEqual(['Callers', 'Explore: Find the callers of f', 'find callers']);
});

test('SRC-25: what an editor puts before a prompt of Codex is not what was typed', async () => {
  const world = await makeWorld();
  const context = '# Context from my IDE setup:\n\n## Active file: src/harbour.ts\n';
  const whole = `${context}\n## My request for Codex:\nfreeze the orchard\n`;
  const lines = [codex.meta('0199-aa'), codex.event('user_message', whole), codex.item('user', whole)];
  world.write(codex.path('0199-aa'), [...lines, codex.item('user', `${context}and no request`)]);
  await world.sync();
  expect((await world.search('orchard')).map(({ excerpt, title }) => [excerpt, title])).toEqual([
    ['freeze the orchard', 'freeze the orchard'],
  ]);
  expect(await world.keys('harbour')).toEqual(['agent:codex:0199-aa']);
});
