// cases/sessions.md, Append and index, and Smaller rules: through the library and through the table of operations.
import { afterEach, describe, expect, it } from 'vitest';
import { operator } from '../../../src/access/caller.ts';
import { removeWorlds } from '../../steps/world.ts';
import { bytesOf, type Desk, FACES, KEY, makeDesk, secret, secretLine } from './steps.ts';

afterEach(removeWorlds);

const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more }) as const;

type Case = readonly [id: string, what: string, run: (desk: Desk) => Promise<void>];

const CASES: readonly Case[] = [
  [
    'S-1',
    'SES-20: another engine finds it as soon as the promise resolves',
    async ({ host, world, key }) => {
      await host.append({ key, message: user('zebra', { id: 'm1', at: '2026-03-01T10:00:00Z' }) });
      const other = await world.reopen();
      const { hits } = await other.sessions.search(operator(), { query: 'zebra' });
      expect(hits).toMatchObject([
        { sessionKey: key, messageId: 'm1', role: 'user', timestamp: '2026-03-01T10:00:00.000Z' },
      ]);
    },
  ],
  [
    'S-4',
    'SES-23: the same key with the same message is written once',
    async ({ host, key, shown }) => {
      const sent = { key, message: user('hello'), idempotencyKey: 'k' };
      const first = await host.append(sent);
      expect(first.appended).toBe(true);
      expect(await host.append(sent)).toEqual({ ...first, appended: false });
      expect(await shown()).toHaveLength(1);
    },
  ],
  [
    'S-5',
    'SES-23: the same key with another text, role, author or time is refused, and nothing is written',
    async ({ host, key, shown }) => {
      await host.append({ key, message: user('hello', { at: 5_000 }), idempotencyKey: 'k' });
      for (const message of [
        user('other'),
        { role: 'assistant', content: 'hello' },
        user('hello', { author: { id: 'p' } }),
        user('hello', { at: 6_000 }),
      ] as const) {
        await expect(host.append({ key, message, idempotencyKey: 'k' })).rejects.toMatchObject({
          code: 'idempotency_conflict',
        });
      }
      // Without a time it is the same message.
      expect(await host.append({ key, message: user('hello'), idempotencyKey: 'k' })).toMatchObject({
        appended: false,
      });
      expect(await shown()).toHaveLength(1);
    },
  ],
  [
    'S-7',
    'SES-24: an id that the window has is the same message, or a conflict',
    async ({ host, key, u }) => {
      const first = await u('m1', 'one');
      expect(await u('m1', 'one')).toEqual({ ...(first as object), appended: false });
      await expect(u('m1', 'two')).rejects.toMatchObject({ code: 'message_id_conflict' });
      // Unique in its window only (SES-6).
      await host.reset({ key, window: 'new' });
      expect(await u('m1', 'two')).toMatchObject({ appended: true });
    },
  ],
  [
    'S-8',
    'SES-25: a stale parent is rebased, and all three are on the branch',
    async ({ host, key, say, shown, found }) => {
      await say('u one', 'a two');
      const late = await host.append({
        key,
        message: { role: 'assistant', content: 'late', id: 'm3' },
        parentId: 'm1',
      });
      expect(late.rebasedFrom).toBe('m1');
      expect(await shown()).toEqual(['m1', 'm2', 'm3']);
      expect(await found('one OR two OR late')).toHaveLength(3);
    },
  ],
  [
    'S-9',
    'SES-25: two writers with one parent both stay on the branch',
    async ({ host, key, say, shown }) => {
      await say('u one');
      await Promise.all(['x', 'y'].map((id) => host.append({ key, message: user(id, { id }), parentId: 'm1' })));
      expect((await shown()).sort()).toEqual(['m1', 'x', 'y']);
    },
  ],
  [
    'S-10',
    'SES-25: an unknown parent is named',
    async ({ host, key, say }) => {
      await say('u one');
      const late = host.append({ key, message: user('x'), parentId: 'nope' });
      await expect(late).rejects.toMatchObject({ code: 'parent_not_found', message: expect.stringContaining('nope') });
      await expect(host.append({ key: 'agent:main:new', message: user('x'), parentId: 'nope' })).rejects.toMatchObject({
        code: 'parent_not_found',
      });
    },
  ],
  [
    'SES-25',
    'reject names the leaf; branch makes a sibling the leaf; neither goes above a reset',
    async ({ host, key, say, shown }) => {
      await say('u one', 'a two');
      const at = { key, message: user('x', { id: 'x' }), parentId: 'm1' } as const;
      await expect(host.append({ ...at, onStaleParent: 'reject' })).rejects.toMatchObject({
        code: 'parent_stale',
        message: expect.stringContaining('m2'),
      });
      expect(await host.append({ ...at, onStaleParent: 'branch' })).not.toHaveProperty('rebasedFrom');
      expect(await shown()).toEqual(['m1', 'x']);
      await host.reset({ key });
      await expect(
        host.append({ key, message: user('y'), parentId: 'm1', onStaleParent: 'branch' }),
      ).rejects.toMatchObject({ code: 'target_before_reset' });
      expect(await host.append({ key, message: user('y'), parentId: 'm1' })).toMatchObject({ rebasedFrom: 'm1' });
    },
  ],
  [
    'S-11',
    'SES-26: another leaf than the expected is refused and named; so is another window',
    async ({ host, key, say }) => {
      await say('u one', 'a two');
      await expect(host.append({ key, message: user('x'), expectedLeaf: 'm1' })).rejects.toMatchObject({
        code: 'leaf_conflict',
        message: expect.stringContaining('m2'),
      });
      for (const write of [
        host.reset({ key, expectedLeaf: 'm1' }),
        host.rewind({ key, to: 'm1', expectedLeaf: 'm1' }),
        host.compact({ key, summary: 's', expectedLeaf: 'm1' }),
        host.switchTo({ key, to: 'm1', expectedLeaf: 'm1' }),
      ]) {
        await expect(write).rejects.toMatchObject({ code: 'leaf_conflict' });
      }
      await expect(host.append({ key, message: user('x'), sessionId: 'old' })).rejects.toMatchObject({
        code: 'window_not_current',
      });
      expect(await host.append({ key, message: user('x'), expectedLeaf: 'm2' })).toMatchObject({ appended: true });
    },
  ],
  [
    'S-12',
    'SES-27, SES-22: one bad message of a batch writes none, and is named by its number and value',
    async ({ host, key }) => {
      const messages = [user('a'), { role: 'robot', content: 'b' }, user('c')] as never;
      await expect(host.appendMany({ key, messages })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/messages\[1\].*"robot"/),
      });
      await expect(host.current(key)).rejects.toMatchObject({ code: 'session_not_found' });
    },
  ],
  [
    'S-13',
    'SES-27: 10 001 messages are too many; both numbers are named',
    async ({ host, key }) => {
      const messages = Array.from({ length: 10_001 }, () => user('x'));
      await expect(host.appendMany({ key, messages })).rejects.toMatchObject({
        code: 'batch_too_large',
        message: expect.stringMatching(/10001.*10000/),
      });
      const large = Array.from({ length: 17 }, () => user('x'.repeat(4_000_000)));
      await expect(host.appendMany({ key, messages: large })).rejects.toMatchObject({ code: 'batch_too_large' });
    },
  ],
  [
    'SES-27',
    'messages that are there already are skipped and reported one by one',
    async ({ host, key, shown }) => {
      await host.append({ key, message: user('b', { id: 'b' }), idempotencyKey: 'kb' });
      const { messages } = await host.appendMany({
        key,
        messages: [user('a', { id: 'a' }), user('b', { idempotencyKey: 'kb' }), user('c', { id: 'c' })],
      });
      expect(messages.map(({ appended, messageId }) => [appended, messageId])).toEqual([
        [true, 'a'],
        [false, 'b'],
        [true, 'c'],
      ]);
      expect(await shown()).toEqual(['b', 'a', 'c']);
    },
  ],
  [
    'S-15',
    'SES-40: only the text of a message is searched',
    async ({ host, key, found }) => {
      const content = [
        { type: 'reasoning', text: 'quokka' },
        { type: 'tool_call', id: 't', name: 'wombat', input: { wombat: 1 } },
        { type: 'image', mediaType: 'image/png', ref: 'dingo.png' },
        { type: 'text', text: 'kangaroo' },
      ];
      await host.append({ key, message: { role: 'assistant', content } });
      await host.append({
        key,
        message: { role: 'tool', content: [{ type: 'tool_result', id: 't', content: 'numbat' }] },
      });
      await host.append({ key, message: { role: 'system', content: 'bilby' } });
      for (const word of ['quokka', 'wombat', 'numbat', 'dingo', 'bilby']) expect(await found(word)).toEqual([]);
      expect(await found('kangaroo')).toHaveLength(1);
    },
  ],
  [
    'S-16',
    'SES-11, SES-40: input_text and output_text are text, joined',
    async ({ host, key, search }) => {
      const content = [
        { type: 'input_text', text: 'alpha' },
        { type: 'image', data: 'AAAA' },
        { type: 'output_text', text: 'beta' },
      ];
      await host.append({ key, message: { role: 'user', content } });
      const { hits } = await search('alpha beta');
      expect(hits[0]?.excerpt).toMatch(/alpha\s+beta/);
      expect((await host.current(key)).entries[0]?.content).toEqual(content);
    },
  ],
  [
    'S-17',
    'SES-40, SES-55: a summary is not searched, what it sums up is',
    async ({ host, key, say, found, history }) => {
      await say('u echidna');
      await host.compact({ key, summary: 'platypus', firstKept: 'm1' });
      expect(await found('platypus')).toEqual([]);
      expect(await found('echidna')).toEqual(['m1']);
      expect((await history()).entries.at(-1)).toMatchObject({
        type: 'compaction',
        blocks: [{ type: 'text', text: 'platypus' }],
      });
    },
  ],
  [
    'S-18',
    'SES-22, SES-40: empty and blank texts are stored and shown, and have no index row',
    async ({ say, shown, world }) => {
      await say('u ', 'u    ');
      expect(await shown()).toEqual(['m1', 'm2']);
      expect((await world.backstory.sessions.stats(operator())).total).toMatchObject({ messages: 2, texts: 0 });
    },
  ],
  [
    'S-19',
    'SES-22: NUL is kept, and separates words; a lone surrogate becomes U+FFFD',
    async ({ host, key, say, found }) => {
      await say('u a\u0000b', 'u x\ud800y');
      expect(await found('b')).toEqual(['m1']);
      expect(await found('a\u0000b')).toEqual(['m1']);
      expect((await host.current(key)).entries.map(({ content }) => content)).toEqual(['a\u0000b', 'x\ufffdy']);
    },
  ],
  [
    'S-20',
    'SES-44: the last word of 10 MiB is found',
    async ({ say, search }) => {
      await say(`u ${'lorem ipsum dolor '.repeat(580_000)}okapi`);
      const { hits } = await search('okapi');
      expect(hits).toHaveLength(1);
      expect(hits[0]!.excerpt.length).toBeLessThanOrEqual(300);
    },
  ],
  [
    'SES-22',
    'a message over 16 MiB, an empty list, no time and a time out of range are refused by name',
    async ({ host, key }) => {
      const append = (message: object) => host.append({ key, message: message as never });
      await expect(append(user('x'.repeat(16 * 1024 * 1024)))).rejects.toMatchObject({ code: 'message_too_large' });
      for (const [message, field] of [
        [{ role: 'user', content: [] }, 'message.content'],
        [{ role: 'user' }, 'message.content'],
        [user('x', { at: 'yesterday' }), 'message.at'],
        [user('x', { at: -1 }), 'message.at'],
        [user('x', { at: new Date(Number.NaN) }), 'message.at'],
        [user('x', { id: '' }), 'message.id'],
        [user('x', { author: {} }), 'message.author.id'],
        [{ role: 'user', content: [{ type: 'text' }] }, 'message.content[0].text'],
        [user('x', { contents: 1 }), 'message has no field "contents"'],
      ] as const) {
        await expect(append(message)).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining(field),
        });
      }
    },
  ],
  [
    'S-22',
    'SES-29: aside is on no branch',
    async ({ host, key, say, shown, found }) => {
      await say('u one');
      await host.append({ key, message: user('tapir', { id: 'side' }), aside: true });
      expect(await shown()).toEqual(['m1']);
      expect(await found('tapir')).toEqual([]);
      expect((await host.current(key)).leaf).toBe('m1');
      await expect(host.switchTo({ key, to: 'side' })).rejects.toMatchObject({ code: 'target_not_on_branch' });
      await expect(host.rewind({ key, to: 'side' })).rejects.toMatchObject({ code: 'target_not_on_branch' });
    },
  ],
  [
    'S-23',
    'SES-14: no byte of an incognito session is in the home, and nobody is shown it',
    async ({ host, world, search }) => {
      const key = 'agent:main:secret';
      await host.append({ key: 'agent:main:plain', message: user('meerkat') });
      await host.append({ key, message: user('narwhal'), session: { incognito: true, title: 'narwhal' } });
      await host.append({ key, message: user('narwhal again') });
      await host.reset({ key, keep: 1 });
      await host.compact({ key, summary: 'narwhal' });
      expect(bytesOf(world.home)).not.toMatch(/narwhal/);
      expect(bytesOf(world.home)).not.toMatch(/agent:main:secret/);
      expect((await search('narwhal')).hits).toEqual([]);
      const { sessions } = world.backstory;
      expect((await sessions.list(operator())).sessions.map(({ sessionKey }) => sessionKey)).toEqual([
        'agent:main:plain',
      ]);
      expect((await sessions.stats(operator())).total.sessions).toBe(1);
      await expect(sessions.history(operator(), { session: key })).rejects.toMatchObject({ code: 'session_not_found' });
      expect((await host.current(key)).entries.map(({ type }) => type)).toEqual(['message', 'reset', 'compaction']);
      // SES-58
      await expect(host.archive({ key })).rejects.toMatchObject({ code: 'incognito_required' });
      expect(await host.delete(operator(), { key })).toMatchObject({ deleted: { sessions: 0, entries: 0 } });
      await expect(host.current(key)).rejects.toMatchObject({ code: 'session_not_found' });
    },
  ],
  [
    'S-24',
    'SES-15: a reserved key is incognito whatever its letter case, and cannot be anything else',
    async ({ host, search, world }) => {
      const key = 'agent:main:subagent:INCOGNITO-7';
      await host.append({ key, message: user('narwhal') });
      expect((await search('narwhal')).hits).toEqual([]);
      expect(bytesOf(world.home)).not.toMatch(/narwhal/);
      await expect(host.append({ key, message: user('x'), session: { incognito: false } })).rejects.toMatchObject({
        code: 'incognito_required',
      });
    },
  ],
  [
    'S-25',
    'SES-15: a longer name that looks like one is an ordinary group',
    async ({ host, search }) => {
      await host.append({ key: 'agent:main:telegram:group:incognito-fans', message: user('narwhal') });
      expect((await search('narwhal')).hits).toMatchObject([{ kind: 'group' }]);
    },
  ],
  [
    'S-26',
    'SES-15: a child of an incognito session is incognito',
    async ({ host, search }) => {
      await host.append({ key: 'agent:main:secret', message: user('x'), session: { incognito: true } });
      const key = 'agent:other:child';
      const session = { spawnedBy: 'agent:main:secret' };
      await expect(
        host.append({ key, message: user('narwhal'), session: { ...session, incognito: false } }),
      ).rejects.toMatchObject({ code: 'incognito_required' });
      await host.append({ key, message: user('narwhal'), session });
      expect((await search('narwhal')).hits).toEqual([]);
    },
  ],
  [
    'S-27',
    'SES-4: kind, spawnedBy and incognito are fixed by the first write, and named; the rest may change',
    async ({ host, world }) => {
      const key = 'agent:main:telegram:direct:42';
      await host.append({ key, message: user('x'), session: { people: ['p1'], title: 'one' } });
      for (const [name, session] of [
        ['kind', { kind: 'cron' }],
        ['spawnedBy', { spawnedBy: 'agent:main:main' }],
        ['incognito', { incognito: true }],
      ] as const) {
        await expect(host.append({ key, message: user('y'), session })).rejects.toMatchObject({
          code: 'session_property_fixed',
          message: expect.stringContaining(name),
        });
      }
      await host.append({
        key,
        message: user('z'),
        session: { kind: 'direct', title: 'two', owner: 'agent:main:main' },
      });
      expect((await world.backstory.sessions.list(operator())).sessions).toMatchObject([
        { sessionKey: key, kind: 'direct', title: 'two', messages: 2 },
      ]);
      await expect(host.append({ key, message: user('y'), session: { title: 'x'.repeat(201) } })).rejects.toMatchObject(
        { code: 'invalid_argument' },
      );
    },
  ],
  [
    'S-28',
    'SES-11: a block of an unknown type is stored as it is, shown as its type, and not searched',
    async ({ host, key, found, history }) => {
      const content = [
        { type: 'hologram', text: 'axolotl', depth: { z: 3 } },
        { type: 'text', text: 'seen', cache: true },
      ];
      await host.append({ key, message: { role: 'assistant', content } });
      expect(await found('axolotl')).toEqual([]);
      expect((await history()).entries[0]?.blocks).toEqual([{ type: 'hologram' }, { type: 'text', text: 'seen' }]);
      expect((await host.current(key)).entries[0]?.content).toEqual(content);
    },
  ],
  [
    'S-14',
    'SES-2: a key that breaks the grammar is refused by its segment',
    async ({ host }) => {
      for (const key of [
        'Agent:main:main',
        'agent:Main:main',
        'agent:main:',
        'agent:main:a::b',
        'main',
        `agent:m:${'x'.repeat(256)}`,
      ]) {
        await expect(host.append({ key, message: user('x') })).rejects.toMatchObject({ code: 'key_invalid' });
      }
    },
  ],
  [
    'S-120',
    'SES-3: the key decides the kind, unless the first write gives one',
    async ({ host, world }) => {
      const kinds: Record<string, string> = {
        'agent:main:main': 'main',
        'agent:main:subagent:1:cron:2': 'subagent',
        'agent:main:discord:channel:9:thread:3': 'group',
        'agent:main:matrix:dm:@u:server': 'direct',
        'agent:main:notes': 'other',
        'agent:main:hook:1': 'hook',
        'agent:main:main:2': 'other',
      };
      for (const key of Object.keys(kinds)) await host.append({ key, message: user('x') });
      await host.append({ key: 'agent:main:given', message: user('x'), session: { kind: 'acp' } });
      const { sessions } = await world.backstory.sessions.list(operator(), { limit: 50 });
      expect(Object.fromEntries(sessions.map(({ sessionKey, kind }) => [sessionKey, kind]))).toEqual({
        ...kinds,
        'agent:main:given': 'acp',
      });
      await expect(
        host.append({ key: 'agent:main:i', message: user('x'), session: { kind: 'imported' as never } }),
      ).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  ],
  [
    'S-121',
    'SES-5: a session id is unique within its agent',
    async ({ host }) => {
      await host.append({ key: 'agent:main:a', message: user('x'), sessionId: 'one' });
      await expect(host.append({ key: 'agent:main:b', message: user('x'), sessionId: 'one' })).rejects.toMatchObject({
        code: 'session_id_taken',
        message: expect.stringContaining('"one"'),
      });
      expect(await host.append({ key: 'agent:other:b', message: user('x'), sessionId: 'one' })).toMatchObject({
        sessionId: 'one',
      });
      await expect(host.append({ key: 'agent:main:c', message: user('x'), sessionId: '-no' })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    },
  ],
  [
    'S-124',
    'SES-58: each write of a session that is not there is session_not_found',
    async ({ host, key }) => {
      for (const write of [
        host.reset({ key }),
        host.archive({ key }),
        host.compact({ key, summary: 's' }),
        host.rewind({ key, to: 'm1' }),
        host.switchTo({ key, to: 'm1' }),
        host.current(key),
        host.delete(operator(), { key }),
      ]) {
        await expect(write).rejects.toMatchObject({ code: 'session_not_found' });
      }
    },
  ],
  [
    'SES-4',
    'people are inherited from spawnedBy, else from parent, also of another agent',
    async ({ host, world }) => {
      await host.append({ key: 'agent:main:a', message: user('x'), session: { people: ['p1', 'p2'] } });
      await host.append({ key: 'agent:other:b', message: user('quoll'), session: { spawnedBy: 'agent:main:a' } });
      const receipt = await world.backstory.sessions.erase(operator(), { person: 'p2' }, { dryRun: true });
      expect([...receipt.kept].sort()).toEqual(['agent:main:a', 'agent:other:b']);
    },
  ],
  [
    'SES-6',
    'a custom entry is data of the host, shown only when it says so',
    async ({ host, key, shown, found }) => {
      await host.append({ key, custom: { data: { mood: 'gecko' }, id: 'c1' } });
      await host.append({ key, custom: { data: { note: 'skink' }, display: true, id: 'c2' } });
      expect(await shown()).toEqual(['custom']);
      expect(await found('gecko OR skink')).toEqual([]);
      expect((await host.current(key)).entries.map(({ data }) => data)).toEqual([{ mood: 'gecko' }, { note: 'skink' }]);
      await expect(host.append({ key, custom: { data: 'x'.repeat(65_537) } })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    },
  ],
  [
    'SES-12',
    'order is the order of writing, whatever the times say, and times outside the first are still found by time',
    async ({ host, key, shown, found }) => {
      await host.append({ key, message: user('ibis one', { id: 'm1', at: '2026-05-01T00:00:00Z' }) });
      await host.append({ key, message: user('ibis two', { id: 'm2', at: '2020-01-01T00:00:00Z' }) });
      expect(await shown()).toEqual(['m1', 'm2']);
      expect(await found('ibis', { until: '2021-01-01' })).toEqual(['m2']);
      expect(await found('ibis', { since: '2026-01-01' })).toEqual(['m1']);
    },
  ],
  [
    'SES-30',
    'current gives what the host wrote, unmasked, and only the newest messages when asked',
    async ({ host, key, say, history }) => {
      await say(`u my ${secretLine}`, 'a two', 'u three');
      expect((await host.current(key)).entries[0]?.content).toBe(`my ${secretLine}`);
      expect((await host.current(key, { maxMessages: 2 })).entries.map((entry) => entry.messageId)).toEqual([
        'm2',
        'm3',
      ]);
      expect((await history()).entries[0]?.blocks[0]?.redacted).toBe(true);
      await expect(host.current(key, { maxMessages: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  ],
  [
    'SES-11',
    'an author is kept, and shown beside the message',
    async ({ host, history }) => {
      await host.append({ key: KEY, message: user('x', { author: { id: 'u1', name: 'Ada' } }) });
      expect((await history()).entries[0]?.author).toEqual({ id: 'u1', name: 'Ada' });
      expect((await host.current(KEY)).entries[0]?.author).toEqual({ id: 'u1', name: 'Ada' });
    },
  ],
];

describe.each(FACES)('cases of appending, by the %s', (face) => {
  // Ten mebibytes go through the same code twice.
  const cases = face === 'library' ? CASES : CASES.filter(([id]) => id !== 'S-20');
  it.each(cases)('%s, %s', async (_id, _what, run) => {
    await run(await makeDesk(face));
  });
});

describe('what the settings change', () => {
  it('SES-43: with maskAtRest the masked text is stored, and current returns it', async () => {
    const { host, key, say, world } = await makeDesk('library', { sessions: { maskAtRest: true } });
    await say(`u ${secretLine}`);
    expect(JSON.stringify(await host.current(key))).not.toContain(secret);
    await world.backstory.close();
    expect(bytesOf(world.home)).not.toContain(secret);
  });

  it('SES-42: what is hidden cannot be searched, the words around it can', async () => {
    const { say, found } = await makeDesk();
    await say(`u pangolin ${secretLine}`);
    expect(await found(secret)).toEqual([]);
    expect(await found('pangolin')).toEqual(['m1']);
  });

  it('SES-157, S-103: index later: rows first; the next search says so, and indexes', async () => {
    const { host, key, found, search, history } = await makeDesk();
    const messages = Array.from({ length: 600 }, (_, n) =>
      user(`later ${n === 599 ? 'wallaby' : 'word'}`, { id: `l${n}` }),
    );
    await host.appendMany({ key, messages, index: 'later' });
    expect((await history()).total).toBe(600);
    const early = await search('wallaby', { waitMs: 0 });
    expect(early.hits).toEqual([]);
    expect(early.indexing).toBe(true);
    expect(early.warning).toMatch(/^No match yet/);
    expect(early.coverage).toMatchObject({ complete: false, sessions: { stale: 1 } });
    expect(await found('wallaby', { waitMs: 30_000 })).toEqual(['l599']);
    expect((await search('wallaby')).indexing).toBe(false);
  });

  it('SES-13, S-122: a large block lies apart from its row, and comes back whole', async () => {
    const { host, key, history, found } = await makeDesk();
    const image = { type: 'image', mediaType: 'image/png', data: 'QUJD'.repeat(20_000) };
    const result = { type: 'tool_result', id: 't', content: 'r'.repeat(200_000) };
    await host.append({ key, message: { role: 'user', content: [image, { type: 'text', text: 'caption' }] } });
    await host.append({ key, message: { role: 'tool', content: [result] } });
    const { entries } = await host.current(key);
    expect(entries.map(({ content }) => content)).toEqual([[image, { type: 'text', text: 'caption' }], [result]]);
    expect(await found('caption')).toHaveLength(1);
    const page = await history({ includeTools: true });
    // S-91, S-89
    expect(page.entries[0]?.blocks[0]).toEqual({
      type: 'image',
      mediaType: 'image/png',
      bytes: 60_000,
      cut: { reason: 'binary' },
    });
    expect(page.entries[1]?.blocks[0]).toMatchObject({ cut: { shown: 4_000, total: 200_000 } });
  });
});
