// History: views, anchors, paging, cuts, bounds, masking (sessions.md §6, §8).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Masker } from '../../src/redact/masker.ts';
import type { HistoryParams, HistoryResult } from '../../src/sessions/history.ts';
import { type Desk, makeDesk, type Said, START } from './search-steps.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.close());

type Params = Omit<HistoryParams, 'session'>;
const ids = (page: HistoryResult): string[] => page.entries.map((entry) => entry.messageId);
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `m${from + index}`);
const sayMany = (count: number): Promise<number[]> =>
  desk.say('one', ...Array.from({ length: count }, (_, index) => `message ${index + 1}`));
const tool = (text: string): Said => ({ role: 'tool', blocks: [{ type: 'tool_result', id: 't', text }] });

describe('parameters (SES-100, SES-106)', () => {
  test.each([
    [{ messageId: 'm1', offset: 0 }, 'offset_with_anchor'],
    [{ messageId: 'm1', before: 'm2' }, 'invalid_argument'],
    [{ offset: 0, after: 'm2' }, 'invalid_argument'],
    [{ messageId: 'm1', roles: ['user'] }, 'invalid_argument'],
    [{ messageId: 'm1', since: 'now' }, 'invalid_argument'],
    [{ block: 0 }, 'invalid_argument'],
    [{ messageId: 'm1', from: 3 }, 'invalid_argument'],
    [{ limit: 0 }, 'invalid_argument'],
    [{ limit: 1_001 }, 'invalid_argument'],
    [{ maxBlockChars: 1_000_001 }, 'invalid_argument'],
    [{ messageid: 'm1' }, 'invalid_argument'],
    [{ since: '24h' }, 'time_invalid'],
    [{ before: 'ghost' }, 'invalid_argument'],
  ])('S-82: %j is %s', async (params, code) => {
    await sayMany(2);
    await expect(desk.history('one', params as Params)).rejects.toMatchObject({ code });
  });

  test('S-128 SES-140: raw is for operators', async () => {
    const agent = await makeDesk({ caller: { agentId: 'a', sessionKey: 'agent:a:one' } });
    await agent.say('one', 'text');
    await expect(agent.history('one', { raw: true })).rejects.toMatchObject({ code: 'operator_required' });
    expect(ids(await agent.history('=current'))).toEqual(['m1']);
    await agent.close();
  });

  test('S-84 SES-107: a session id of another session, or of none, is one error; the session comes first', async () => {
    await sayMany(1);
    await desk.say('two', 'x');
    const text = async (sessionId: string): Promise<unknown> =>
      desk.history('one', { sessionId }).catch((error: Error) => error.message.replace(sessionId, '…'));
    expect(await text('a-two')).toBe(await text('ghost'));
    await expect(desk.history('one', { sessionId: 'a-two' })).rejects.toMatchObject({ code: 'session_id_mismatch' });
    const ghost = desk.history('ghost', { sessionId: 'a-two' });
    await expect(ghost).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('around an anchor (SES-102 … SES-105)', () => {
  test.each([
    [10, 7, 7, 13],
    [10, 4, 9, 12],
    [10, 2, 10, 11],
    [10, 1, 10, 10],
    [1, 7, 1, 7],
    [20, 7, 14, 20],
  ])('S-80 S-81 SES-105: of 20, around m%i with limit %i: m%i … m%i', async (anchor, limit, from, to) => {
    await sayMany(20);
    const page = await desk.history('one', { messageId: `m${anchor}`, limit });
    expect(ids(page)).toEqual(numbers(from, to));
    expect(page.anchor).toEqual({ messageId: `m${anchor}`, found: true, index: anchor - from });
    expect([page.view, page.total]).toEqual(['current', 20]);
    expect(page.more).toEqual({
      older: from > 1,
      newer: to < 20,
      ...(from > 1 ? { before: `m${from}` } : {}),
      ...(to < 20 ? { after: `m${to}` } : {}),
    });
  });

  test('S-30 SES-103: a message before a reset opens with its interval only', async () => {
    await desk.say('one', 'before', { kind: 'reset' }, 'after');
    const page = await desk.history('one', { messageId: 'm1' });
    expect(page.view).toBe('interval');
    expect(page.entries.map((entry) => entry.type)).toEqual(['message', 'reset']);
    expect([page.total, page.more.newer]).toEqual([2, false]);
  });

  test('S-31 S-32 S-33 SES-8: kept messages belong to the current view, the rest to the closed interval', async () => {
    const entries = await desk.say('one', 'm', { text: 'm', role: 'assistant' }, 'm', { text: 'm', role: 'assistant' });
    await desk.say('one', { kind: 'reset' }, 'm');
    await desk.keep('one', entries.slice(2));
    expect(ids(await desk.history('one'))).toEqual(['m3', 'm4', 'm5', 'm6']);
    expect(ids(await desk.history('one', { messageId: 'm3' }))).toEqual(['m3', 'm4', 'm5', 'm6']);
    expect(ids(await desk.history('one', { messageId: 'm1' }))).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    const reset = await desk.history('one', { messageId: 'm5' });
    expect([reset.view, ids(reset)]).toEqual(['current', ['m3', 'm4', 'm5', 'm6']]);
  });

  test('SES-10: an interval begins after the reset before it', async () => {
    await desk.say('one', 'a', { kind: 'reset' }, 'b', 'c', { kind: 'reset' }, 'd');
    const page = await desk.history('one', { messageId: 'm3' });
    expect([page.view, ids(page)]).toEqual(['interval', ['m3', 'm4', 'm5']]);
    expect(ids(await desk.history('one', { messageId: 'm2' }))).toEqual(['m1', 'm2']);
  });

  test('S-83 S-39 SES-104: an anchor that is missing or off the branch gives nothing in its place', async () => {
    const entries = await sayMany(3);
    await desk.move('a', [entries[1]!], 'side');
    for (const messageId of ['ghost', 'm2']) {
      const page = await desk.history('one', { messageId });
      expect([page.entries, page.anchor]).toEqual([[], { messageId, found: false }]);
      expect(page.warning).toBeDefined();
    }
    expect(ids(await desk.history('one'))).toEqual(['m1', 'm3']);
  });

  test('SES-104: an anchor that is a tool message says how to see it', async () => {
    await desk.say('one', 'a', tool('b'));
    const page = await desk.history('one', { messageId: 'm2' });
    expect([page.entries, page.anchor?.found]).toEqual([[], false]);
    expect(page.warning).toContain('includeTools');
    expect(ids(await desk.history('one', { messageId: 'm2', includeTools: true }))).toEqual(['m1', 'm2']);
  });
});

describe('the newest end and paging (SES-101, SES-116)', () => {
  test('SES-101 S-35: markers are displayed, oldest first; nothing from before the reset', async () => {
    await desk.say('one', 'old', { kind: 'reset' }, 'x', { kind: 'compaction' });
    const page = await desk.history('one');
    expect(page.entries.map((entry) => entry.type)).toEqual(['reset', 'message', 'compaction']);
  });

  test('S-90 SES-100: limit counts what is displayed, and what is left out is counted', async () => {
    for (let n = 0; n < 10; n++) await desk.say('one', `u${n}`, ...(n < 9 ? [tool('a'), tool('b'), tool('c')] : []));
    await desk.say('one', { role: 'assistant', blocks: [{ type: 'reasoning', text: 'hm' }] });
    const page = await desk.history('one', { limit: 10 });
    expect(page.entries).toHaveLength(10);
    expect([page.total, page.omitted]).toEqual([10, { tools: 27, reasoning: 1 }]);
    const halves = [await desk.history('one', { limit: 5 })];
    halves.push(await desk.history('one', { limit: 5, before: halves[0]!.more.before! }));
    expect(halves.map((half) => half.omitted.tools).reduce((sum, n) => sum + n)).toBe(27);
    expect((await desk.history('one', { includeTools: true, includeReasoning: true })).total).toBe(38);
  });

  test('S-93 SES-116: pages by offset give every entry once, and beyond the end none', async () => {
    await sayMany(23);
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: HistoryResult = await desk.history('one', { offset, limit: 5 });
      seen.unshift(...ids(page));
      offset = page.nextOffset;
    }
    expect(seen).toEqual(numbers(1, 23));
    const beyond = await desk.history('one', { offset: 23 });
    expect([beyond.entries, beyond.more]).toEqual([[], { older: false, newer: true }]);
  });

  test('S-92 SES-116: pages by before give every entry once while messages are appended', async () => {
    await sayMany(12);
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const page: HistoryResult = await desk.history('one', { limit: 5, ...(before === undefined ? {} : { before }) });
      seen.unshift(...ids(page));
      before = page.more.before;
      if (before === undefined) break;
      await desk.say('one', 'newcomer');
    }
    expect(seen).toEqual(numbers(1, 12));
  });

  test('SES-100: after pages towards the newer end; roles and times filter before the limit', async () => {
    await desk.say('one', ...numbers(1, 9).map((text, n): Said => ({ text, role: n % 3 ? 'assistant' : 'user' })));
    expect(ids(await desk.history('one', { after: 'm2', limit: 3 }))).toEqual(['m3', 'm4', 'm5']);
    expect(ids(await desk.history('one', { after: 'm2', before: 'm5' }))).toEqual(['m3', 'm4']);
    const users = await desk.history('one', { roles: ['user'], limit: 2 });
    expect([ids(users), users.total]).toEqual([['m4', 'm7'], 3]);
    const since = new Date(START + 8_000).toISOString();
    expect(ids(await desk.history('one', { since }))).toEqual(['m8', 'm9']);
  });

  test('SES-108: a window is read at its newest end, whatever was reset since', async () => {
    await desk.say('one', 'a', { kind: 'reset' }, 'b');
    const page = await desk.history('one', { sessionId: 'a-one' });
    expect([page.view, ids(page), page.sessionId]).toEqual(['window', ['m1', 'm2', 'm3'], 'a-one']);
    expect(page.windows).toEqual([
      {
        sessionId: 'a-one',
        reason: 'imported',
        from: '2026-09-01T08:00:00.000Z',
        to: '2026-09-01T08:00:03.000Z',
        entries: 2,
      },
    ]);
    expect(ids(await desk.history('=a-one'))).toEqual(['m1', 'm2', 'm3']);
  });
});

describe('cuts and bounds (SES-111 … SES-114)', () => {
  test.each(['x', '😀', 'ab😀'])('S-86 S-87 SES-113: slices of %s joined are the block', async (unit) => {
    const text = unit
      .repeat(Math.ceil(13_000 / unit.length))
      .slice(0, 13_000)
      .toWellFormed();
    await desk.say('one', 'first', text);
    const first = await desk.history('one');
    const block = first.entries[1]!.blocks[0]!;
    let joined = block.text!;
    expect(joined.length).toBeLessThanOrEqual(4_000);
    for (let cut = block.cut; cut !== undefined && 'next' in cut && cut.next !== undefined; ) {
      expect(cut.total).toBe(13_000);
      const page = await desk.history('one', { messageId: 'm2', ...cut.next });
      expect(page.entries).toHaveLength(1);
      const slice = page.entries[0]!.blocks[0]!;
      expect(slice.text!.isWellFormed()).toBe(true);
      joined += slice.text;
      cut = slice.cut;
    }
    expect(joined).toBe(text);
  });

  test('S-86: 13 000 characters are slices of 4 000, 4 000, 4 000 and 1 000', async () => {
    await desk.say('one', 'x'.repeat(13_000));
    const cutAt = async (from: number): Promise<unknown> =>
      (await desk.history('one', { messageId: 'm1', block: 0, from })).entries[0]!.blocks[0]!.cut;
    expect(await cutAt(0)).toEqual({ shown: 4_000, total: 13_000, next: { block: 0, from: 4_000 } });
    expect(await cutAt(12_000)).toEqual({ shown: 1_000, total: 13_000 });
    const beyond = await desk.history('one', { messageId: 'm1', block: 0, from: 14_000 });
    expect(beyond.entries[0]!.blocks[0]).toMatchObject({ text: '', cut: { shown: 0, total: 13_000 } });
    const unknown = desk.history('one', { messageId: 'm1', block: 1 });
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('S-88 SES-114: one very long message among ten is there, cut and marked', async () => {
    await desk.say('one', ...numbers(1, 5), 'y'.repeat(200_000), ...numbers(7, 10));
    const page = await desk.history('one');
    expect(page.entries).toHaveLength(10);
    expect(page.entries[5]!.blocks[0]!.cut).toEqual({ shown: 4_000, total: 200_000, next: { block: 0, from: 4_000 } });
  });

  test('SES-111: a page over its bytes drops whole entries from the oldest end, and goes on there', async () => {
    await desk.say('one', ...new Array<string>(40).fill('会'.repeat(1_500)));
    const page = await desk.history('one');
    expect(page.bytes).toBe(Buffer.byteLength(JSON.stringify(page)));
    expect(page.bytes).toBeLessThanOrEqual(81_920);
    expect([page.truncated, page.more.older, ids(page).at(-1)]).toEqual(['bytes', true, 'm40']);
    const rest = await desk.history('one', { before: page.more.before! });
    expect(ids(rest).at(-1)).toBe(`m${40 - page.entries.length}`);
  });

  test('SES-111: around an anchor the farther end is dropped; the anchor stays, shortened if it must', async () => {
    await desk.say('one', ...new Array<string>(40).fill('会'.repeat(1_500)));
    const page = await desk.history('one', { messageId: 'm10', limit: 40 });
    expect(page.anchor?.found).toBe(true);
    expect(page.entries[page.anchor!.index!]!.messageId).toBe('m10');
    expect(page.more.newer).toBe(true);
    const tiny = await desk.history('one', { messageId: 'm10', limit: 40, maxBytes: 4_096 });
    expect(ids(tiny)).toEqual(['m10']);
    expect(tiny.bytes).toBeLessThanOrEqual(4_096);
    expect(tiny.entries[0]!.blocks[0]!.cut).toMatchObject({ total: 1_500 });
  });

  test('S-91 SES-112: an image shows type, media type and bytes; unknown blocks their type', async () => {
    await desk.say('one', {
      blocks: [
        { type: 'image', mediaType: 'image/png', bytes: 48_213 },
        { type: 'other', name: 'hologram' },
      ],
    });
    expect((await desk.history('one')).entries[0]!.blocks).toEqual([
      { type: 'image', mediaType: 'image/png', bytes: 48_213, cut: { reason: 'binary' } },
      { type: 'hologram' },
    ]);
  });

  test('S-89 SRC-21: tools are reopened, cut with their own sizes, and say when the source is gone', async () => {
    const pointer = { file: 1, offset: 0, length: 9, path: ['x'], digest: '0123456789abcdef' };
    const gone = { ...pointer, file: 2 };
    const with_ = await makeDesk({
      reopen:
        () =>
        async ({ file }) =>
          file === 1 ? { value: 'z'.repeat(200_000) } : { reason: 'source_gone' },
    });
    await with_.say('one', {
      role: 'assistant',
      blocks: [
        { type: 'tool_call', id: 't', name: 'run', input: '{"a":1}' },
        { type: 'tool_result', id: 't', pointer },
        { type: 'tool_result', id: 'u', pointer: gone },
        { type: 'text', text: 'said' },
      ],
    });
    expect((await with_.history('one')).entries[0]!.blocks.map((block) => block.type)).toEqual(['text']);
    const [call, result, lost, text] = (await with_.history('one', { includeTools: true })).entries[0]!.blocks;
    expect(call).toEqual({ type: 'tool_call', id: 't', name: 'run', text: '{"a":1}' });
    expect(result!.cut).toEqual({ shown: 4_000, total: 200_000, next: { block: 1, from: 4_000 } });
    expect(lost).toEqual({ type: 'tool_result', id: 'u', cut: { reason: 'source_gone' } });
    expect(text).toEqual({ type: 'text', text: 'said' });
    await with_.close();
  });
});

describe('masking and marks', () => {
  const hiding: Masker = { fingerprint: 'test', mask: (text) => text.replaceAll('hunter2', '[hidden:password]') };

  test('S-102 SES-141: the whole block is masked before it is cut; raw shows what was written', async () => {
    const masked = await makeDesk({ masker: hiding });
    await masked.say('one', `${'x'.repeat(3_997)}hunter2 end`);
    const [entry] = (await masked.history('one')).entries;
    expect(entry!.blocks[0]).toMatchObject({ redacted: true, cut: { total: 4_018 } });
    const rest = await masked.history('one', { messageId: 'm1', block: 0, from: 4_000 });
    expect(rest.entries[0]!.blocks[0]!.text).toBe('dden:password] end');
    const raw = await masked.history('one', { raw: true });
    expect(raw.entries[0]!.blocks[0]!.text!.slice(3_997)).toBe('hun');
    expect(raw.entries[0]!.blocks[0]!.redacted).toBeUndefined();
    await masked.close();
  });

  test('SRC-30: entries before a compaction are shadowed, guessed times are marked', async () => {
    await desk.say('one', { text: 'a', state: 'shadowed' }, { kind: 'compaction' }, { text: 'b', atGuessed: true });
    const [a, , b] = (await desk.history('one')).entries;
    expect([a!.shadowed, a!.atGuessed, b!.shadowed, b!.atGuessed]).toEqual([true, undefined, undefined, true]);
  });
});
