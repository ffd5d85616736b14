// An archive of one agent: what leaves, what stays, what is refused, and that everything comes back (SUR-72).

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, makeWorld, removeWorlds, type World } from '../steps/world.ts';
import { answersOf, codeOf, exported, linesIn, saved } from './steps.ts';

afterEach(removeWorlds);

const caller = operator();
const KEY = 'agent:main:main';
const ID = '00000000-0000-4000-8000-000000000001';
const ROUTE = '/garden';
const SECRET = `sk-ant-api03-${'a1B2c3D4'.repeat(11)}AA`;

async function written(): Promise<World> {
  const world = await makeWorld();
  const { sessions } = world.backstory;
  const say = (role: 'user' | 'assistant', content: string, more: object = {}): Promise<unknown> =>
    sessions.append({ key: KEY, message: { role, content, ...more } } as never);
  await say('user', `the orchard blooms with ${SECRET}`, { id: 'm-1' });
  await say('assistant', 'and the harbour sleeps', { id: 'm-2' });
  await sessions.append({
    key: 'agent:main:direct:ann',
    session: { people: ['ann'] },
    message: { role: 'user', content: 'good evening' },
  } as never);
  return world;
}

describe('what leaves', () => {
  test('SUR-72: a head, a line per session and entry, and a last line with counts and a checksum of all before it', async () => {
    const { backstory } = await written();
    const archive = await exported(backstory);
    const lines = linesIn(archive);
    expect(lines[0]).toEqual({ type: 'head', format: 'backstory-archive', version: 1, agent: 'main', raw: true });
    expect(lines.map(({ type }) => type)).toEqual(['head', 'session', 'session', 'entry', 'entry', 'entry', 'end']);
    expect(lines[3]).toMatchObject({ session: KEY, messageId: 'm-1', kind: 'message', role: 'user', state: 'active' });
    const last = archive.trimEnd().lastIndexOf('\n') + 1;
    expect(lines.at(-1)).toEqual({
      type: 'end',
      counts: { sessions: 2, files: 0, entries: 3, keys: 0, copies: 0, records: 0 },
      sha256: createHash('sha256').update(archive.slice(0, last)).digest('hex'),
    });
  });

  test('SUR-72: texts are masked, and with raw they are what was stored', async () => {
    const { backstory } = await written();
    const masked = await exported(backstory, { raw: false });
    expect(masked).not.toContain(SECRET);
    expect(masked).toContain('the orchard blooms');
    expect(linesIn(masked)[0]).toMatchObject({ raw: false });
    expect(await exported(backstory)).toContain(SECRET);
  });

  test('SUR-72: arguments and results of tools, data of markers, titles and names are masked as well', async () => {
    const { backstory } = await makeWorld();
    const block = { type: 'tool_call', id: 't-1', name: 'shell', input: { line: `curl -H ${SECRET}`, note: 'kept' } };
    const long = { type: 'tool_result', id: 't-1', content: `${'x'.repeat(40_000)} ${SECRET}` };
    await backstory.sessions.append({
      key: KEY,
      session: { title: `of ${SECRET}` },
      message: { role: 'assistant', content: [block], author: { id: 'a', name: SECRET } },
    } as never);
    await backstory.sessions.append({ key: KEY, message: { role: 'tool', content: [long] } } as never);
    await backstory.sessions.reset({ key: KEY, reason: `since ${SECRET}` } as never).catch(() => undefined);
    const masked = await exported(backstory, { raw: false });
    expect(masked).not.toContain(SECRET);
    expect(masked).toContain('kept');
    expect(masked).toContain('"apart"');
  });

  test('SUR-72: incognito sessions never leave', async () => {
    const { backstory } = await written();
    await backstory.sessions.append({
      key: 'agent:main:incognito:x',
      session: { incognito: true },
      message: { role: 'user', content: 'whisper' },
    } as never);
    await backstory.sessions.append({
      key: 'agent:main:other:x',
      session: { incognito: true },
      message: { role: 'user', content: 'whisper' },
    } as never);
    const archive = await exported(backstory);
    expect(archive).not.toContain('whisper');
    expect(archive).not.toContain('incognito');
  });

  test('SUR-72: a deleted session is in no archive', async () => {
    const { backstory } = await written();
    await backstory.sessions.delete(caller, { key: KEY });
    expect(await exported(backstory)).not.toContain('orchard');
  });

  test('SUR-72: a file is there only when it is whole, and its owner alone reads it', async () => {
    const { backstory, folder } = await written();
    const out = join(folder, 'main.jsonl');
    const result = await backstory.export(caller, { raw: true, out });
    expect(readFileSync(out, 'utf8')).toBe(await exported(backstory));
    expect([statSync(out).size, statSync(out).mode & 0o777]).toEqual([result.bytes, 0o600]);
    expect(await codeOf(backstory.export(caller, { out: join(folder, 'not', 'there') }))).toBe('invalid_argument');
    expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test('SUR-72, COM-50: only an operator exports and imports', async () => {
    const { backstory, folder } = await written();
    const file = saved(folder, await exported(backstory));
    const other = { agentId: 'main' };
    expect(await codeOf(backstory.export(other, {}, { output: () => {} }))).toBe('operator_required');
    expect(await codeOf(backstory.importArchive(other, { file }))).toBe('operator_required');
    expect(await codeOf(backstory.export(caller, {}))).toBe('invalid_argument');
    expect(await codeOf(backstory.export(caller, { agent: 'nobody' }, { output: () => {} }))).toBe('not_found');
  });
});

describe('what comes back', () => {
  test('SUR-72: a new home answers as the old one, and exports the same bytes', async () => {
    const world = await written();
    const { sessions } = world.backstory;
    await sessions.append({
      key: KEY,
      idempotencyKey: 'once',
      message: { role: 'user', content: 'and again' },
    } as never);
    const archive = await exported(world.backstory);
    const other = await makeWorld();
    const result = await other.backstory.importArchive(caller, { file: saved(other.folder, archive) });
    expect(result).toMatchObject({ sessions: { imported: 2, kept: 0, erased: 0, taken: 0 }, entries: 4 });
    expect(await exported(other.backstory)).toBe(archive);
    const words = ['orchard', 'harbour', 'evening', 'again'];
    expect(await answersOf(other.backstory, words)).toEqual(await answersOf(world.backstory, words));
    expect((await other.backstory.doctor(caller)).findings.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('SUR-72: a second import changes nothing', async () => {
    const { backstory, folder } = await written();
    const archive = await exported(backstory);
    const file = saved(folder, archive);
    const again = await backstory.importArchive(caller, { file });
    expect(again).toMatchObject({ sessions: { imported: 0, kept: 2 }, entries: 0 });
    expect(await exported(backstory)).toBe(archive);
  });

  test('SUR-72: transcripts of other agents come back with their origins, copies and pointers, and a sync finds nothing new', async () => {
    const world = await makeWorld();
    const call = { type: 'tool_use', id: 't-1', name: 'Bash', input: { command: 'ls orchard' } };
    world.write(claude.path('s-1'), [
      claude.user(ID, 'the orchard blooms'),
      claude.assistant('a-1', [call], ID),
      claude.user('u-2', [{ type: 'tool_result', tool_use_id: 't-1', content: 'apples' }], 'a-1'),
      claude.assistant('a-2', 'it has apples', 'u-2'),
      claude.user('u-3', 'the other way', ID),
    ]);
    world.write(claude.path('s-2'), [
      claude.user(ID, 'the orchard blooms', null, { sessionId: 's-2' }),
      claude.assistant('a-9', 'a fork of it', ID, { sessionId: 's-2' }),
    ]);
    await world.sync();
    const archive = await exported(world.backstory, { agent: 'claude-code' });
    const home = join(world.folder, 'home-2');
    const other = await world.reopen({ home });
    await other.importArchive(caller, { file: saved(world.folder, archive) });
    expect(await exported(other, { agent: 'claude-code' })).toBe(archive);
    const words = ['orchard', 'apples', 'fork'];
    const before = await answersOf(world.backstory, words);
    expect(JSON.stringify(before)).toContain('ls orchard');
    expect(JSON.stringify(before)).toContain('alsoIn');
    expect(await answersOf(other, words)).toEqual(before);
    await other.sources.sync();
    expect(await answersOf(other, words)).toEqual(before);
  });

  test('SUR-72: memory comes back, and what was there stays', async () => {
    const world = await makeWorld({ memory: { workspace: 'shop', writes: 'auto' } } as never);
    const memory = await world.backstory.episodes.context({ route: ROUTE });
    await memory.remember({ data: { event: 'the orchard was planted' } });
    const archive = await exported(world.backstory, { agent: 'main' });
    expect(linesIn(archive).filter(({ type }) => type === 'record')).toHaveLength(1);
    const other = await makeWorld({ memory: { workspace: 'shop', writes: 'auto' } } as never);
    const file = saved(other.folder, archive);
    expect(await other.backstory.importArchive(caller, { file })).toMatchObject({ records: { imported: 1, kept: 0 } });
    expect(await exported(other.backstory)).toBe(archive);
    const found = await (await other.backstory.episodes.context({ route: ROUTE })).recall({
      query: 'orchard',
    } as never);
    expect(JSON.stringify(found)).toContain('planted');
    expect(await other.backstory.importArchive(caller, { file })).toMatchObject({ records: { imported: 0, kept: 1 } });
  });

  test('SUR-72, SES-174: what was deleted here stays away', async () => {
    const { backstory, folder } = await written();
    const file = saved(folder, await exported(backstory));
    await backstory.sessions.delete(caller, { key: KEY });
    expect(await backstory.importArchive(caller, { file })).toMatchObject({
      sessions: { imported: 0, kept: 1, erased: 1 },
    });
    expect((await backstory.sessions.search(caller, { query: 'orchard' })).hits).toEqual([]);
  });

  test('SUR-72: beside sessions of its own a store takes an archive over, and appends go on in both', async () => {
    const world = await written();
    const archive = await exported(world.backstory);
    const other = await makeWorld();
    const own = 'agent:main:group:g';
    await other.backstory.sessions.append({ key: own, message: { role: 'user', content: 'a harbour of its own' } });
    await other.backstory.importArchive(caller, { file: saved(other.folder, archive) });
    await other.backstory.sessions.append({ key: KEY, message: { role: 'user', content: 'going on' } });
    await other.backstory.sessions.append({ key: own, message: { role: 'user', content: 'going on here' } });
    expect(await other.texts(KEY)).toEqual([expect.stringContaining('orchard'), 'and the harbour sleeps', 'going on']);
    expect(await other.texts(own)).toEqual(['a harbour of its own', 'going on here']);
    expect((await other.keys('harbour')).sort()).toEqual([own, KEY].sort());
  });
});

describe('what is refused', () => {
  const changes: readonly (readonly [string, (archive: string) => string, string])[] = [
    [
      'an archive without its last line',
      (a) => `${a.trimEnd().split('\n').slice(0, -1).join('\n')}\n`,
      'archive_invalid',
    ],
    ['one cut inside a line', (a) => a.slice(0, a.length - 200), 'archive_invalid'],
    ['one without its last line feed', (a) => a.trimEnd(), 'archive_invalid'],
    ['one with another word in it', (a) => a.replace('harbour', 'Harbour'), 'archive_invalid'],
    [
      'one with a line left out',
      (a) =>
        a
          .split('\n')
          .filter((_, at) => at !== 3)
          .join('\n'),
      'archive_invalid',
    ],
    ['one with something after its end', (a) => `${a}{"type":"session"}\n`, 'archive_invalid'],
    ['another file', () => 'hello\n', 'archive_invalid'],
    ['an empty file', () => '', 'archive_invalid'],
    ['one of a later version', (a) => a.replace('"version":1', '"version":2'), 'archive_newer'],
    ['one of another agent', (a) => resealed(a.replace('"agent":"main"', '"agent":"other"')), 'archive_invalid'],
    ['one with a bad field', (a) => resealed(a.replace('"state":"active"', '"state":"asleep"')), 'archive_invalid'],
    [
      'one with an incognito session',
      (a) => resealed(a.replaceAll('main:direct:ann', 'main:incognito:ann')),
      'archive_invalid',
    ],
  ];

  test.each(changes)('SUR-72: %s is refused before anything of it counts', async (_, change, code) => {
    const world = await written();
    const archive = change(await exported(world.backstory));
    const other = await makeWorld();
    expect(await codeOf(other.backstory.importArchive(caller, { file: saved(other.folder, archive) }))).toBe(code);
    expect((await other.backstory.sessions.list(caller, {})).sessions).toEqual([]);
    expect(await codeOf(other.backstory.export(caller, {}, { output: () => {} }))).toBe('not_found');
  });

  test('SUR-72: a file that is not there, or is none', async () => {
    const { backstory, folder } = await written();
    expect(await codeOf(backstory.importArchive(caller, { file: join(folder, 'gone') }))).toBe('not_found');
    expect(await codeOf(backstory.importArchive(caller, { file: folder }))).toBe('archive_invalid');
  });
});

/** With a checksum that is right again, as a forger would make it. */
function resealed(archive: string): string {
  const last = archive.trimEnd().lastIndexOf('\n') + 1;
  const end = JSON.parse(archive.slice(last)) as object;
  const sha256 = createHash('sha256').update(archive.slice(0, last)).digest('hex');
  return `${archive.slice(0, last)}${JSON.stringify({ ...end, sha256 })}\n`;
}
