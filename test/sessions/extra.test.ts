// Tool results and reasoning that a setting has indexed, searched when a call includes them (SES-45, SRC-23).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { Backstory } from '../../src/engine/engine.ts';
import { claude, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const BOTH = { sessions: { index: { extra: ['tools', 'thinking'] as const } } };
const KEY = 'agent:main:notes';
const SECRET = `sk-ant-${'a1B2c3D4'.repeat(12)}`;

const call = (id: string, name = 'Bash'): object => ({ type: 'tool_use', id, name, input: { command: 'ls' } });
const result = (id: string, content: unknown): object => ({ type: 'tool_result', tool_use_id: id, content });
const thought = (thinking: string): object => ({ type: 'thinking', thinking, signature: 'x' });

function conversation(tool: string, thinking: string): object[] {
  return [
    claude.user('u1', 'please look'),
    claude.assistant('a1', [thought(thinking), { type: 'text', text: 'I look.' }, call('t1')], 'u1'),
    claude.user('u2', [result('t1', tool)], 'a1'),
    claude.assistant('a2', 'Done.', 'u2'),
  ];
}

async function hitsIn(engine: Backstory, query: string, params: object = {}) {
  return (await engine.sessions.search(operator(), { query, waitMs: 5_000, limit: 100, ...params })).hits;
}

async function host(more: object = {}): Promise<World> {
  const world = await makeWorld({ ...BOTH, ...more });
  const say = (id: string, role: 'user' | 'assistant' | 'tool', content: unknown): Promise<unknown> =>
    world.backstory.sessions.append({ key: KEY, message: { id, role, content } as never });
  await say('m1', 'user', 'what is in the file');
  await say('m2', 'assistant', [
    { type: 'reasoning', text: 'I wonder about wombats' },
    { type: 'text', text: 'I read it.' },
    { type: 'tool_call', id: 't', name: 'read', input: { path: 'x' } },
  ]);
  await say('m3', 'tool', [{ type: 'tool_result', id: 't', content: 'the file says quokka' }]);
  return world;
}

describe('SES-45, SRC-23: texts of tools and reasoning', () => {
  test('SRC-23 SES-45: are stored and indexed at import, found only when they are included, and reopen (SES-72)', async () => {
    const world = await makeWorld(BOTH);
    world.write(claude.path('s-1'), conversation('total 4\nquokka.txt', 'perhaps a wombat'));
    await world.sync();
    expect(await world.search('quokka')).toEqual([]);
    expect(await world.search('wombat')).toEqual([]);
    const [tool] = await world.search('quokka', { include: ['tools'], waitMs: 0 });
    expect(tool).toMatchObject({
      role: 'tool',
      messageId: 'u2',
      excerpt: 'total 4 quokka.txt',
      source: 'claude-code',
    });
    expect(await world.search('quokka', { include: ['thinking'] })).toEqual([]);
    const [thinking] = await world.search('wombat', { include: ['tools', 'thinking'] });
    expect(thinking).toMatchObject({ role: 'thinking', messageId: 'a1' });
    for (const [hit, shows] of [
      [tool!, { includeTools: true }],
      [thinking!, { includeReasoning: true }],
    ] as const) {
      const { sessionKey: session, sessionId, messageId } = hit;
      const page = await world.backstory.sessions.history(operator(), { session, sessionId, messageId, ...shows });
      expect(page.anchor).toMatchObject({ messageId, found: true });
      expect(JSON.stringify(page.entries)).toContain(hit === tool ? 'quokka' : 'wombat');
    }
  });

  test('SES-20 SES-45: what a host appends is found by another engine as soon as it is appended', async () => {
    const world = await host();
    const other = await world.reopen();
    expect(await hitsIn(other, 'quokka', { include: ['tools'], waitMs: 0 })).toMatchObject([
      { sessionKey: KEY, messageId: 'm3', role: 'tool' },
    ]);
    expect(await hitsIn(other, 'wombats', { include: ['thinking'], waitMs: 0 })).toMatchObject([
      { messageId: 'm2', role: 'thinking' },
    ]);
    expect(await hitsIn(other, 'quokka OR wombats')).toEqual([]);
  });

  test('SES-70: roles narrow to what is included, and name nothing that is not', async () => {
    const world = await host();
    const all = { include: ['tools', 'thinking'] };
    const query = 'quokka OR wombats OR file';
    const ids = async (params: object): Promise<string[]> =>
      (await world.search(query, params)).map(({ messageId }) => messageId).sort();
    expect(await ids(all)).toEqual(['m1', 'm2', 'm3']);
    expect(await ids({ ...all, roles: ['tool'] })).toEqual(['m3']);
    expect(await ids({ ...all, roles: ['user', 'thinking'] })).toEqual(['m1', 'm2']);
    expect(await ids({ ...all, roles: ['user'] })).toEqual(['m1']);
    await expect(world.search(query, { roles: ['tool'] })).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: 'Add include: ["tools"].',
    });
  });

  test('SES-70 SES-45: what the setting does not index is refused, and the hint gives the setting', async () => {
    const world = await makeWorld({ sessions: { index: { extra: ['tools'] } } });
    await expect(world.search('x', { include: ['thinking'] })).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('sessions.index.extra'),
    });
    expect(await world.search('x', { include: ['tools'] })).toEqual([]);
  });

  test('SES-45: at most the first 16 KiB of each block, whole characters, each block by itself', async () => {
    const world = await makeWorld(BOTH);
    const long = (word: string): string =>
      `first${word} ${'ß'.repeat(8_150)} inside${word} ${'ß'.repeat(100)} outside${word}`;
    const content = ['one', 'two'].map((word) => result(word, long(word)));
    world.write(claude.path('s-1'), [claude.user('u1', 'go'), claude.user('u2', content, 'u1')]);
    await world.sync();
    const found = async (query: string): Promise<number> => (await world.search(query, { include: ['tools'] })).length;
    for (const word of ['one', 'two']) {
      expect([word, await found(`first${word}`), await found(`inside${word}`)]).toEqual([word, 1, 1]);
      expect([word, await found(`outside${word}`)]).toEqual([word, 0]);
    }
  });

  test('SES-42 SES-141: they are masked whole before they are cut and stored', async () => {
    const world = await makeWorld(BOTH);
    const padding = 'x '.repeat(8_180);
    world.write(
      claude.path('s-1'),
      conversation(`${padding}${SECRET} quokka`, `the key is ${SECRET}, says the wombat`),
    );
    await world.sync();
    const [hit] = await world.search('wombat', { include: ['thinking'] });
    expect(hit!.excerpt).toContain('[hidden:');
    expect(await world.search(`"${SECRET}"`, { include: ['tools', 'thinking'] })).toEqual([]);
    const bytes = readdirSync(join(world.home, 'agents'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(world.home, 'agents', name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, 'latin1'))
      .join();
    expect(bytes).not.toContain(SECRET.slice(7, 40));
  });

  test('SRC-23: a setting that comes later reads affected files again, and coverage says how far that is', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), conversation('quokka', 'wombat'));
    await world.sync();
    const later = await world.reopen({ ...BOTH, sources: { syncOnSearch: false } });
    const params = { query: 'quokka', include: ['tools'] as const };
    const first = await later.sessions.search(operator(), { ...params, waitMs: 0 });
    expect(first).toMatchObject({ hits: [], indexing: true, warning: expect.stringMatching(/^No match yet/) });
    expect(first.coverage.indexing.done).toBeLessThan(first.coverage.indexing.total);
    const second = await later.sessions.search(operator(), { ...params, waitMs: 10_000 });
    expect(second).toMatchObject({ hits: [{ messageId: 'u2' }], indexing: false });
    expect(second.coverage.indexing.done).toBe(second.coverage.indexing.total);
    // One that does not ask for them is never told of them (SES-83).
    expect(await later.sessions.search(operator(), { query: 'nothing' })).toMatchObject({ indexing: false });
  });

  test('SES-45: a setting that goes takes the texts out of the index and out of the file', async () => {
    const world = await makeWorld(BOTH);
    world.write(claude.path('s-1'), conversation('quokkaquokkaquokkaquokkaquokka', 'wombat'));
    await world.sync();
    const store = join(world.home, 'agents', readdirSync(join(world.home, 'agents'))[0]!);
    const path = statSync(store).isDirectory() ? join(store, readdirSync(store)[0]!) : store;
    const bytes = (): string => readFileSync(path, 'latin1') + readFileSync(`${path}-wal`, 'latin1');
    expect(bytes()).toContain('quokkaquokkaquokkaquokkaquokka');
    const later = await world.reopen({ sessions: { index: { extra: ['thinking'] } } });
    expect(await hitsIn(later, 'wombat', { include: ['thinking'] })).toHaveLength(1);
    const last = await world.reopen({ sessions: { index: { extra: [] } } });
    await hitsIn(last, 'nothing', { waitMs: 10_000 });
    await last.close();
    await later.close();
    await world.backstory.close();
    expect(readFileSync(path, 'latin1')).not.toContain('quokkaquokkaquokkaquokkaquokka');
  });

  test('SES-52 SES-53: what is rewound is not found, and found again on its branch', async () => {
    const world = await host();
    const { sessions } = world.backstory;
    await sessions.rewind({ key: KEY, to: 'm1' });
    expect(await world.search('quokka', { include: ['tools'] })).toEqual([]);
    await sessions.switchTo({ key: KEY, to: 'm3' });
    expect(await world.search('quokka', { include: ['tools'] })).toHaveLength(1);
  });

  test('SES-172: what is deleted leaves the extra index and the bytes', async () => {
    const world = await host();
    const receipt = await world.backstory.sessions.delete(operator(), { key: KEY });
    expect(receipt.verified).toMatchObject({ rows: 0, index: 0 });
    expect(await world.search('quokka', { include: ['tools'] })).toEqual([]);
    await world.backstory.close();
    const folder = join(world.home, 'agents');
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, 'latin1'));
    expect(all.join()).not.toMatch(/quokka|wombat/);
  });

  test('SES-171, SES-172: of a message that is erased, before anything else was indexed, nothing stays', async () => {
    const world = await makeWorld(BOTH);
    const { sessions } = world.backstory;
    let sessionId = '';
    for (const id of ['m1', 'm2']) {
      const content = [{ type: 'tool_result', id: 't', content: `quokka${id}` }];
      ({ sessionId } = await sessions.append({ key: KEY, message: { id, role: 'tool', content } as never }));
    }
    await sessions.erase(operator(), { message: { session: KEY, sessionId, messageId: 'm1' } });
    expect(await world.search('quokkam1', { include: ['tools'] })).toEqual([]);
    expect(await world.search('quokkam2', { include: ['tools'] })).toHaveLength(1);
    await world.backstory.close();
    const folder = join(world.home, 'agents');
    const all = readdirSync(folder, { encoding: 'utf8' }).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(all.join()).not.toContain('quokkam1');
  });

  test('SRC-45: content that a host replaced is found in its new form only', async () => {
    const world = await makeWorld(BOTH);
    const path = claude.path('s-1');
    world.write(path, conversation('quokka', 'wombat'));
    await world.sync();
    world.write(path, conversation('numbat here', 'wombat'));
    await world.sync();
    expect(await world.search('quokka', { include: ['tools'] })).toEqual([]);
    expect(await world.search('numbat', { include: ['tools'] })).toHaveLength(1);
    expect(await world.search('wombat', { include: ['thinking'] })).toHaveLength(1);
  });

  test('SES-87: a message whose text and whose reasoning match is one hit', async () => {
    const world = await makeWorld(BOTH);
    await world.backstory.sessions.append({
      key: KEY,
      message: {
        id: 'm1',
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'zebra zebra' },
          { type: 'text', text: 'zebra' },
        ],
      },
    });
    const hits = await world.search('zebra', { include: ['thinking'] });
    expect(hits.map(({ messageId }) => messageId)).toEqual(['m1']);
  });

  test('SES-74: hidden sessions change nothing of an answer that includes them, statistics and coverage too', async () => {
    const answer = async (hidden: number): Promise<unknown> => {
      let made = 0;
      const clock = { now: () => 1_760_000_000_000, elapsed: () => 0 };
      const newId = (): string => `00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`;
      const world = await host({ visibility: { visibility: 'self' }, clock, newId });
      for (let n = 0; n < hidden; n++) {
        await world.backstory.sessions.append({
          key: `agent:main:other${n}`,
          message: { role: 'tool', content: [{ type: 'tool_result', id: 't', content: `quokka ${n} file` }] } as never,
          index: n % 2 === 0 ? 'now' : 'later',
        });
      }
      const caller = { agentId: 'main', sessionKey: KEY };
      const include = ['tools', 'thinking'] as const;
      return world.backstory.sessions.search(caller, { query: 'quokka', include, explain: true, waitMs: 0 });
    };
    expect(await answer(7)).toEqual(await answer(0));
  });

  test('SES-80: pages with extra texts, joined, are one large page; a regular expression finds them too', async () => {
    const world = await makeWorld(BOTH);
    for (let n = 0; n < 12; n++) {
      await world.backstory.sessions.append({
        key: `agent:main:s${n % 5}`,
        message: {
          id: `m${n}`,
          role: 'assistant',
          content: [
            { type: 'reasoning', text: `zebra ${'z '.repeat(n)}` },
            { type: 'text', text: n % 2 === 0 ? 'zebra said' : 'other' },
          ],
        },
      });
    }
    for (const params of [{}, { sort: 'oldest' }, { regex: true }, { perSession: 2 }] as const) {
      const asked = { query: 'zebra', include: ['thinking'] as const, ...params };
      const whole = await world.backstory.sessions.search(operator(), { ...asked, limit: 100 });
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await world.backstory.sessions.search(operator(), {
          ...asked,
          limit: 5,
          ...(cursor ? { cursor } : {}),
        });
        ids.push(...page.hits.map(({ messageId }) => messageId));
        cursor = page.coverage.cursor;
      } while (cursor !== undefined);
      expect(ids).toEqual(whole.hits.map(({ messageId }) => messageId));
      expect(new Set(ids).size).toBe('perSession' in params ? 10 : 12);
    }
  });

  test('SES-150: an index that was dropped is made anew with its extra texts', async () => {
    const world = await host();
    await world.backstory.close();
    const other = await world.reopen();
    const report = await other.doctor(operator(), { fix: true } as never).catch(() => undefined);
    expect(report).toBeDefined();
    expect(await hitsIn(other, 'quokka', { include: ['tools'] })).toHaveLength(1);
  });
});
