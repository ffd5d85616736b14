// cases/sessions.md, Reset, rewind, branch, and History of what a host wrote: through the library and the operations.
import { afterEach, describe, expect, it } from 'vitest';
import { operator } from '../../../src/access/caller.ts';
import { removeWorlds } from '../../steps/world.ts';
import { type Desk, FACES, makeDesk } from './steps.ts';

afterEach(removeWorlds);

type Case = readonly [id: string, what: string, run: (desk: Desk) => Promise<void>];

const CASES: readonly Case[] = [
  [
    'S-30',
    'SES-41, SES-103: what was said before a reset is found, and opens to its closed interval',
    async ({ host, key, say, found, shown, history }) => {
      await say('u before');
      await host.reset({ key, reason: 'daily' });
      await say('u after');
      expect(await found('before')).toEqual(['m1']);
      expect(await shown({ messageId: 'm1' })).toEqual(['m1', 'reset']);
      expect(await history({ messageId: 'm1' })).toMatchObject({
        view: 'interval',
        entries: [{}, { reason: 'daily' }],
      });
      expect(await shown()).toEqual(['reset', 'm2']);
    },
  ],
  [
    'S-31, S-32, S-33',
    'SES-8, SES-10, SES-50, SES-102: kept messages are in view; what was not kept opens to its interval alone',
    async ({ host, key, say, shown, history }) => {
      await say('u one', 'a two', 'u three', 'a four');
      const { kept } = await host.reset({ key, keep: 2 });
      expect(kept.map(({ messageId }) => messageId)).toEqual(['m3', 'm4']);
      await say('u five');
      expect(await shown()).toEqual(['m3', 'm4', 'reset', 'm5']);
      expect(
        (await host.current(key)).entries.map(({ messageId, type }) => (type === 'message' ? messageId : type)),
      ).toEqual(['m3', 'm4', 'reset', 'm5']);
      expect(await shown({ messageId: 'm3' })).toEqual(['m3', 'm4', 'reset', 'm5']);
      expect((await history({ messageId: 'm3' })).view).toBe('current');
      expect(await shown({ messageId: 'm1' })).toEqual(['m1', 'm2', 'm3', 'm4', 'reset']);
      // Kept messages are no part of the next interval (SES-10).
      await host.reset({ key });
      expect(await shown({ messageId: 'm5' })).toEqual(['m5', 'reset']);
    },
  ],
  [
    'S-34',
    'SES-50: a tail without a user message keeps nothing',
    async ({ host, key, say }) => {
      await say('u one', 'a two', 'a three');
      expect((await host.reset({ key, keep: 2 })).kept).toEqual([]);
    },
  ],
  [
    'SES-50',
    'keepFrom keeps from a message of the view on, and says why it cannot',
    async ({ host, key, say, shown }) => {
      await say('u one', 'a two', 'u three');
      await expect(host.reset({ key, keep: 1, keepFrom: 'm1' })).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(host.reset({ key, keepFrom: 'ghost' })).rejects.toMatchObject({ code: 'target_not_on_branch' });
      await expect(host.reset({ key, keep: 51 })).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(host.reset({ key, reason: 'x'.repeat(65) })).rejects.toMatchObject({ code: 'invalid_argument' });
      await host.reset({ key, keepFrom: 'm2' });
      expect(await shown()).toEqual(['m2', 'm3', 'reset']);
      await expect(host.reset({ key, keepFrom: 'm1' })).rejects.toMatchObject({ code: 'target_before_reset' });
      // A message kept once may be kept again.
      await host.reset({ key, keepFrom: 'm3' });
      expect(await shown()).toEqual(['m3', 'reset']);
    },
  ],
  [
    'S-35',
    'SES-9, SES-55: a compaction never moves the boundary of a reset',
    async ({ host, key, say, shown, found }) => {
      await say('u before');
      await host.reset({ key });
      await say('u x');
      await host.compact({ key, summary: 'sum', firstKept: 'm2' });
      expect(await shown()).toEqual(['reset', 'm2', 'compaction']);
      expect(await found('x')).toEqual(['m2']);
    },
  ],
  [
    'S-37, S-39',
    'SES-52, SES-54, SES-104: what was rewound is not found and not opened, at once',
    async ({ host, key, say, search, found, history, shown }) => {
      await say('u red', 'a green');
      expect(await host.rewind({ key, to: 'm1' })).toMatchObject({ abandoned: 1 });
      const { hits, indexing } = await search('green');
      expect([hits, indexing]).toEqual([[], false]);
      expect(await found('red')).toEqual(['m1']);
      expect(await shown()).toEqual(['m1', 'rewind']);
      const page = await history({ messageId: 'm2' });
      expect(page.entries).toEqual([]);
      expect(page.anchor).toEqual({ messageId: 'm2', found: false });
      expect(page.warning).toMatch(/off the active branch/);
    },
  ],
  [
    'S-38',
    'SES-7, SES-5: a rewind may open a window; a message keeps the session id it was written under',
    async ({ host, key, say, search }) => {
      await say('u red', 'a green');
      const [before] = (await search('red')).hits;
      const { sessionId } = await host.rewind({ key, to: 'm1', window: 'new' });
      expect(sessionId).not.toBe(before!.sessionId);
      const { hits } = await search('red');
      expect(hits.map((hit) => hit.sessionId)).toEqual([before!.sessionId]);
      expect(await host.append({ key, message: { role: 'user', content: 'on' } })).toMatchObject({ sessionId });
    },
  ],
  [
    'S-40',
    'SES-9, SES-52: nothing goes back before the latest reset, to kept messages neither; to the reset it does',
    async ({ host, key, say, shown }) => {
      await say('u one', 'u two');
      const { entryId } = await host.reset({ key, keep: 1 });
      await say('u three');
      for (const to of ['m1', 'm2']) {
        await expect(host.rewind({ key, to })).rejects.toMatchObject({ code: 'target_before_reset' });
        await expect(host.switchTo({ key, to })).rejects.toMatchObject({ code: 'target_before_reset' });
      }
      await expect(host.rewind({ key, to: 'ghost' })).rejects.toMatchObject({ code: 'target_not_on_branch' });
      expect(await host.rewind({ key, to: entryId })).toMatchObject({ abandoned: 1 });
      expect(await shown()).toEqual(['m2', 'reset', 'rewind']);
    },
  ],
  [
    'SES-52',
    'rewinding to the leaf writes nothing',
    async ({ host, key, say }) => {
      await say('u one');
      expect(await host.rewind({ key, to: 'm1' })).toMatchObject({ abandoned: 0, entryId: 'm1' });
      expect((await host.current(key)).entries).toHaveLength(1);
    },
  ],
  [
    'S-41',
    'SES-53: switching brings an abandoned branch back, and takes the other away',
    async ({ host, key, say, found, shown }) => {
      await say('u red', 'a green');
      await host.rewind({ key, to: 'm1' });
      await say('a blue');
      await expect(host.rewind({ key, to: 'm2' })).rejects.toMatchObject({ code: 'target_not_on_branch' });
      expect(await host.switchTo({ key, to: 'm2' })).toMatchObject({ abandoned: 2 });
      expect(await found('green')).toEqual(['m2']);
      expect(await found('blue')).toEqual([]);
      expect(await shown()).toEqual(['m1', 'm2', 'switch']);
      await host.switchTo({ key, to: 'm3' });
      expect(await shown()).toEqual(['m1', 'rewind', 'm3', 'switch']);
      expect((await host.current(key)).entries).toHaveLength(4);
    },
  ],
  [
    'S-42',
    'SES-54: a sibling of the last of forty messages leaves nothing stale',
    async ({ host, key, say, search }) => {
      await say(...Array.from({ length: 40 }, (_, n) => `u word${n + 1}`));
      const message = { role: 'user', content: 'sibling', id: 's' } as const;
      await host.append({ key, message, parentId: 'm39', onStaleParent: 'branch' });
      const { hits, indexing } = await search('word1');
      expect(indexing).toBe(false);
      expect(hits[0]).not.toHaveProperty('stale');
      expect((await search('word40')).hits).toEqual([]);
    },
  ],
  [
    'S-44',
    'SES-57: archived sessions stay found; callers filter them',
    async ({ host, key, say, search }) => {
      await say('u zebra');
      expect(await host.archive({ key })).toEqual({ sessionKey: key, archived: true });
      expect((await search('zebra')).hits).toMatchObject([{ archived: true }]);
      expect((await search('zebra', { archived: 'exclude' })).hits).toEqual([]);
      expect((await search('zebra', { archived: 'only' })).hits).toHaveLength(1);
      await host.archive({ key, archived: false });
      expect((await search('zebra', { archived: 'exclude' })).hits).toHaveLength(1);
    },
  ],
  [
    'S-80, S-81',
    'SES-105: entries around an anchor',
    async ({ say, shown }) => {
      await say(...Array.from({ length: 20 }, (_, n) => `u word${n + 1}`));
      const around = (messageId: string, limit: number) => shown({ messageId, limit });
      const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `m${from + n}`);
      expect(await around('m10', 7)).toEqual(ids(7, 13));
      expect(await around('m10', 4)).toEqual(ids(9, 12));
      expect(await around('m10', 2)).toEqual(ids(10, 11));
      expect(await around('m10', 1)).toEqual(ids(10, 10));
      expect(await around('m1', 7)).toEqual(ids(1, 7));
      expect(await around('m20', 7)).toEqual(ids(14, 20));
    },
  ],
  [
    'S-83, S-84',
    'SES-104, SES-107: an unknown anchor shows nothing; a foreign and a random session id read the same',
    async ({ host, say, history }) => {
      await say('u one');
      await host.append({
        key: 'agent:main:other',
        message: { role: 'user', content: 'x' },
        sessionId: 'other-window',
      });
      expect(await history({ messageId: 'ghost' })).toMatchObject({ entries: [], anchor: { found: false } });
      const texts: string[] = [];
      for (const sessionId of ['other-window', 'random-window']) {
        const error = await history({ sessionId }).catch(
          (thrown: unknown) => thrown as { code: string; message: string },
        );
        expect(error).toMatchObject({ code: 'session_id_mismatch' });
        texts.push((error as { message: string }).message.replace(sessionId, ''));
      }
      expect(texts[0]).toBe(texts[1]);
    },
  ],
  [
    'S-85',
    'SES-108: an earlier window is read by its session id, whatever was reset since',
    async ({ host, key, say, shown, history }) => {
      await say('u one', 'a two');
      const old = (await host.current(key)).sessionId;
      const { sessionId } = await host.reset({ key, window: 'new', sessionId: 'second' });
      expect(sessionId).toBe('second');
      await say('u three');
      expect(await shown({ sessionId: old })).toEqual(['m1', 'm2']);
      const { windows, view } = await history({ sessionId: old });
      expect(view).toBe('window');
      expect(windows.map(({ sessionId: id, reason, entries }) => [id, reason, entries])).toEqual([
        ['second', 'reset', 1],
        [old, 'initial', 2],
      ]);
      expect(await shown()).toEqual(['reset', 'm3']);
    },
  ],
  [
    'S-86, S-87',
    'SES-112, SES-113: a long message is read in slices that join to it, and split no pair',
    async ({ say, history }) => {
      const text = `${'x'.repeat(3_999)}😀${'y'.repeat(8_999)}`;
      await say(`u ${text}`);
      let read = '';
      const sizes: number[] = [];
      for (let next: { block: number; from: number } | undefined = { block: 0, from: 0 }; next; ) {
        const { entries } = await history({ messageId: 'm1', ...next });
        const block = entries[0]!.blocks[0]!;
        read += block.text;
        sizes.push(block.text!.length);
        next = block.cut !== undefined && 'next' in block.cut ? block.cut.next : undefined;
      }
      expect(read).toBe(text);
      expect(sizes).toEqual([3_999, 4_000, 4_000, 1_001]);
    },
  ],
  [
    'S-90',
    'SES-100, SES-101: tools are left out and counted; ten messages are ten',
    async ({ host, key, say, history }) => {
      for (let n = 0; n < 10; n++) {
        await say(`u word${n}`);
        for (let tool = 0; tool < 3; tool++) {
          const content = [{ type: 'tool_result', id: `t${tool}`, content: 'out' }];
          await host.append({ key, message: { role: 'tool', content } });
        }
      }
      const page = await history({ limit: 10 });
      expect(page.entries).toHaveLength(10);
      expect(page.omitted.tools).toBe(30);
      const shownTools = await history({ includeTools: true });
      expect(shownTools.entries).toHaveLength(40);
      expect(shownTools.entries[1]?.blocks[0]).toMatchObject({ type: 'tool_result', text: 'out' });
    },
  ],
  [
    'S-92, S-93',
    'SES-116: pages by before give every entry once while others append; an offset beyond the end gives none',
    async ({ say, history }) => {
      await say(...Array.from({ length: 10 }, (_, n) => `u w${n}`));
      const seen: string[] = [];
      for (let before: string | undefined, more = true; more; ) {
        const page = await history({ limit: 3, ...(before === undefined ? {} : { before }) });
        seen.unshift(...page.entries.map(({ messageId }) => messageId));
        before = page.more.before;
        more = page.more.older;
        await say('u newcomer');
      }
      expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => `m${n + 1}`));
      expect(await history({ offset: 1_000 })).toMatchObject({ entries: [], more: { older: false } });
    },
  ],
];

describe.each(FACES)('cases of moving, by the %s', (face) => {
  it.each(CASES)('%s, %s', async (_id, _what, run) => {
    await run(await makeDesk(face));
  });
});

describe('larger and concurrent moves', () => {
  it('S-43, SES-54, SES-151, SES-153: 5 000 rewound entries are not found even before the index follows', async () => {
    const { host, key, search, world, u } = await makeDesk();
    await u('first', 'keepme');
    const messages = Array.from({ length: 5_000 }, (_, n) => ({ role: 'user', content: `thylacine ${n}` }) as const);
    await host.appendMany({ key, messages });
    expect(await host.rewind({ key, to: 'first' })).toMatchObject({ abandoned: 5_000 });
    const early = await search('thylacine', { waitMs: 0 });
    expect(early.hits).toEqual([]);
    expect(early.indexing).toBe(true);
    const kept = await search('keepme', { waitMs: 0 });
    // The index goes on behind the answers, and may have caught up by now.
    expect(kept.hits).toMatchObject([{ messageId: 'first', ...(kept.indexing ? { stale: true } : {}) }]);
    const late = await search('thylacine', { waitMs: 30_000 });
    expect([late.hits, late.indexing]).toEqual([[], false]);
    expect((await world.backstory.sessions.stats(operator())).total).toMatchObject({ messages: 1, texts: 1 });
  });

  it('S-36, SES-51: a message appended beside a reset is in the interval or in the view, and is found', async () => {
    const { host, key, found, world } = await makeDesk();
    const other = await world.reopen();
    await host.append({ key, message: { role: 'user', content: 'begin' } });
    for (let round = 0; round < 40; round++) {
      const id = `r${round}`;
      const [, { entryId }] = await Promise.all([
        host.append({ key, message: { role: 'user', content: `quokka${round}`, id } }),
        other.sessions.reset({ key }),
      ]);
      expect(await found(`quokka${round}`)).toEqual([id]);
      const inView = (await host.current(key)).entries.some(({ messageId }) => messageId === id);
      const interval = await world.backstory.sessions.history(operator(), { session: key, messageId: id });
      const closed = interval.entries.some(({ messageId }) => messageId === entryId);
      expect([inView, closed && interval.view === 'interval']).toContain(true);
    }
  });

  it('S-123, SES-30: current is one whole view while another engine resets', async () => {
    const { host, key, world } = await makeDesk();
    const other = await world.reopen();
    await host.append({ key, message: { role: 'user', content: 'begin' } });
    const resets = (async () => {
      for (let n = 0; n < 30; n++) await other.sessions.reset({ key, keep: 1 });
    })();
    for (let n = 0; n < 60; n++) {
      const { entries } = await host.current(key);
      // The kept message, and one reset at most.
      expect(entries.filter(({ type }) => type === 'message')).toHaveLength(1);
      expect(entries.filter(({ type }) => type === 'reset').length).toBeLessThanOrEqual(1);
    }
    await resets;
  });
});
