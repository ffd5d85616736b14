// Search over sessions: filters, order, spread, groups, cursors, bounds, copies, masking (sessions.md §5, §8).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BackstoryError } from '../../src/model/errors.ts';
import { Masker } from '../../src/redact/masker.ts';
import { preparerOf } from '../../src/sessions/prepare.ts';
import type { SearchParams } from '../../src/sessions/search.ts';
import { type Desk, makeDesk, START } from './search-steps.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.close());

const times = (count: number, text: string): string[] => new Array<string>(count).fill(text);

describe('parameters (SES-70)', () => {
  test.each([
    [{ limit: 0 }, /1–500/],
    [{ limit: 501 }, /1–500/],
    [{ limit: 1.5 }, /limit/],
    [{ kinds: ['robot'] }, /robot/],
    [{ kinds: ['cron'], excludeKinds: ['cron'] }, /cron/],
    [{ roles: ['tool'] }, /tool/],
    [{ sort: 'random' }, /sort/],
    [{ perSession: 26 }, /1–25/],
    [{ agents: [] }, /agents/],
    [{ include: ['tools'] }, /tools/],
    [{ session: '' }, /session/],
    [{ session: 'current' }, /current/],
  ])('COM-2: %j is invalid_argument and names it', async (params, message) => {
    await desk.say('one', 'zebra');
    const search = desk.search('zebra', params as unknown as SearchParams);
    await expect(search).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringMatching(message) });
  });

  test('S-69 SUR-2: an unknown parameter names the nearest one', async () => {
    const search = desk.search('zebra', { kindz: ['cron'] } as unknown as SearchParams);
    await expect(search).rejects.toMatchObject({ hint: expect.stringContaining('"kinds"') });
  });

  test('S-51: an agent may ask for 25, the library for more', async () => {
    const agent = await makeDesk({ bounds: 'agent' });
    await agent.say('one', 'zebra');
    await expect(agent.search('zebra', { limit: 26 })).rejects.toMatchObject({
      message: expect.stringMatching(/1–25/),
    });
    expect((await agent.search('zebra', { limit: 25 })).hits).toHaveLength(1);
    await agent.close();
  });

  test('S-70 SES-45: include names the setting that would index it', async () => {
    await expect(desk.search('zebra', { include: ['tools'] })).rejects.toMatchObject({
      hint: expect.stringContaining('sessions.index.extra'),
    });
  });

  test('SES-143: no error holds the query', async () => {
    const error = await desk.search(`${'secretword '.repeat(600)}`).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BackstoryError);
    expect(JSON.stringify(error)).not.toContain('secretword');
  });
});

describe('filters', () => {
  test('S-56 SES-70: since is inclusive, until exclusive', async () => {
    await desk.say('one', { text: 'zebra', at: START });
    const at = '2026-09-01T08:00:00.000Z';
    expect((await desk.search('zebra', { since: at })).hits).toHaveLength(1);
    expect((await desk.search('zebra', { until: at })).hits).toHaveLength(0);
    expect((await desk.search('zebra', { since: at })).coverage.window).toEqual({ since: at });
  });

  test('S-57: an unreadable time and an empty window are errors', async () => {
    await expect(desk.search('zebra', { since: 'last Tuesdayish' })).rejects.toMatchObject({ code: 'time_invalid' });
    const empty = desk.search('zebra', { since: '2026-03-02', until: '2026-03-01' });
    await expect(empty).rejects.toMatchObject({ code: 'window_empty' });
  });

  test('SES-70: session, window, agents, kinds and roles narrow', async () => {
    await desk.say('one', 'zebra', { text: 'zebra', role: 'assistant' });
    await desk.say('cron:two', 'zebra');
    await desk.say('agent:b:one', 'zebra');
    const keys = async (params: Omit<SearchParams, 'query'>): Promise<string[]> =>
      (await desk.search('zebra', params)).hits.map((hit) => `${hit.sessionKey} ${hit.messageId}`).sort();
    expect(await keys({ session: 'agent:a:one' })).toEqual(['agent:a:one m1', 'agent:a:one m2']);
    expect(await keys({ session: 'a-one' })).toEqual(['agent:a:one m1', 'agent:a:one m2']);
    expect(await keys({ agents: ['b'] })).toEqual(['agent:b:one m1']);
    expect(await keys({ kinds: ['cron'] })).toEqual(['agent:a:cron:two m1']);
    expect(await keys({ excludeKinds: ['imported'] })).toEqual(['agent:a:cron:two m1']);
    expect(await keys({ roles: ['assistant'] })).toEqual(['agent:a:one m2']);
    expect(await keys({ session: 'agent:a:one', roles: ['user'] })).toEqual(['agent:a:one m1']);
  });

  test('S-68 SES-85: an unknown session is session_not_found', async () => {
    for (const session of ['agent:a:ghost', 'ghost', 'not a key']) {
      await expect(desk.search('zebra', { session })).rejects.toMatchObject({ code: 'session_not_found' });
    }
  });

  test('SES-85: an agent without sessions is a warning, no error', async () => {
    await desk.say('one', 'zebra');
    const { hits, coverage } = await desk.search('zebra', { agents: ['a', 'ghost'] });
    expect(hits).toHaveLength(1);
    expect(coverage.warnings).toEqual(['no visible session of agent ghost']);
  });

  test('S-58 SES-73: the only match is found in the least recent of many sessions, whatever the plan', async () => {
    for (let n = 0; n < 60; n++) await desk.say(`s${n}`, { text: n === 0 ? 'zebra crossing' : 'horse', at: START + n });
    expect((await desk.search('zebra')).coverage.sessions.searched).toBe(60);
    expect(await desk.found('zebra', { since: '2026-09-01' })).toEqual(['zebra crossing']);
    expect(await desk.found('zebra', { excludeKinds: ['cron'] })).toEqual(['zebra crossing']);
    expect(await desk.found('zebra', { excludeKinds: ['imported'] })).toEqual([]);
  });

  test('SES-16: a reserved key found in a store is in no answer', async () => {
    await desk.say('subagent:incognito-7', 'zebra');
    await desk.say('INCOGNITO:x', 'zebra');
    await desk.say('telegram:group:incognito-fans', 'zebra');
    expect((await desk.search('zebra')).hits.map((hit) => hit.sessionKey)).toEqual([
      'agent:a:telegram:group:incognito-fans',
    ]);
    expect((await desk.search('zebra')).coverage.sessions.searched).toBe(1);
    expect((await desk.list()).sessions).toHaveLength(1);
    await expect(desk.history('subagent:incognito-7')).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('order, spread and groups', () => {
  test('SES-76: newest and oldest go by the time of the message, not by the order of writing', async () => {
    await desk.say('one', { text: 'zebra late', at: START + 50 }, { text: 'zebra early', at: START + 10 });
    await desk.say('two', { text: 'zebra middle', at: START + 30 });
    expect(await desk.found('zebra', { sort: 'newest' })).toEqual(['zebra late', 'zebra middle', 'zebra early']);
    expect(await desk.found('zebra', { sort: 'oldest' })).toEqual(['zebra early', 'zebra middle', 'zebra late']);
  });

  test('SES-76: the oldest of more texts than are looked at is still first', async () => {
    await desk.say('one', ...times(2_100, 'zebra'), { id: 'oldest', text: 'zebra', at: START - 5 });
    const { hits, coverage } = await desk.search('zebra', { sort: 'oldest', limit: 2 });
    expect(hits.map((hit) => hit.messageId)).toEqual(['oldest', 'm1']);
    expect(coverage.ranked.complete).toBe(false);
  });

  test('S-52 S-53 SES-79: thirty hits of one session do not hide the one of another, and pages join', async () => {
    await desk.say('A', ...times(30, 'rollback rollback'));
    await desk.say('B', 'rollback somewhere in a longer text that says other things as well');
    const first = await desk.search('rollback');
    expect(first.hits.map((hit) => hit.sessionKey)).toContain('agent:a:B');
    expect(first.coverage.truncated).toBe('limit');
    const seen: string[] = [];
    for (let cursor = first.coverage.cursor, page = first; ; ) {
      seen.push(...page.hits.map((hit) => `${hit.sessionKey} ${hit.messageId}`));
      if (cursor === undefined) break;
      page = await desk.search('rollback', { cursor });
      cursor = page.coverage.cursor;
    }
    const whole = await desk.search('rollback', { limit: 500 });
    expect(seen).toEqual(whole.hits.map((hit) => `${hit.sessionKey} ${hit.messageId}`));
    expect(new Set(seen).size).toBe(31);
  });

  test('S-54 SES-78: groups have one hit per session and the number of its matches', async () => {
    await desk.say('A', ...times(30, 'rollback'));
    await desk.say('B', 'rollback somewhere in a longer text');
    const { hits } = await desk.search('rollback', { group: 'session' });
    expect(hits.map((hit) => [hit.sessionKey, hit.matches])).toEqual([
      ['agent:a:A', { count: 30, exact: true }],
      ['agent:a:B', { count: 1, exact: true }],
    ]);
  });

  test('SES-70: perSession bounds the hits of each session', async () => {
    await desk.say('A', ...times(30, 'rollback'));
    await desk.say('B', 'rollback');
    const { hits, coverage } = await desk.search('rollback', { perSession: 2 });
    expect(hits.map((hit) => hit.sessionKey).sort()).toEqual(['agent:a:A', 'agent:a:A', 'agent:a:B']);
    expect(coverage.truncated).toBe(false);
  });

  test('S-55 SES-77: cron sessions score half, unless asked for', async () => {
    for (let n = 0; n < 50; n++) await desk.say(`cron:${n}`, 'status report');
    await desk.say('direct-one', { text: 'status report', at: START - 1_000 });
    const { hits } = await desk.search('status report');
    expect(hits[0]?.sessionKey).toBe('agent:a:direct-one');
    expect(hits[0]!.score).toBeCloseTo(hits[1]!.score * 2, 5);
    const cron = await desk.search('status report', { kinds: ['cron'] });
    expect(new Set(cron.hits.map((hit) => hit.kind))).toEqual(new Set(['cron']));
    expect(cron.hits[0]!.score).toBeCloseTo(hits[0]!.score, 5);
  });
});

describe('several stores (SES-75)', () => {
  test('S-60: the same texts in one store or in eight have the same order and scores', async () => {
    const apart = await makeDesk();
    for (let s = 0; s < 8; s++) {
      for (let n = 0; n < 5; n++) {
        const text = `zebra ${'word '.repeat((s * 5 + n) % 7)}${n % 2 ? 'crossing' : ''}`;
        const at = START + s * 100 + n;
        await desk.say(`s${s}`, { id: `${s}.${n}`, text, at });
        await apart.say(`agent:agent${s}:s${s}`, { id: `${s}.${n}`, text, at });
      }
    }
    for (const query of ['zebra', 'zebra crossing', 'crossing', 'zebra OR word']) {
      const one = await desk.search(query, { limit: 50 });
      const eight = await apart.search(query, { limit: 50 });
      const seen = (hits: typeof one.hits) => hits.map((hit) => [hit.messageId, hit.score]);
      expect(seen(eight.hits)).toEqual(seen(one.hits));
      expect(eight.coverage.sessions).toEqual(one.coverage.sessions);
    }
    await apart.close();
  });

  test('S-61: a store that failed is named, and the rest answers', async () => {
    const broken = await makeDesk({ failed: [{ agentId: 'broken', reason: 'store_damaged' }] });
    await broken.say('one', 'zebra');
    const { hits, coverage } = await broken.search('zebra');
    expect(hits).toHaveLength(1);
    expect(coverage).toMatchObject({
      complete: false,
      skipped: [{ what: 'broken', reason: 'store_damaged' }],
      skippedTotal: 1,
    });
    await broken.close();
  });
});

describe('cursors (SES-80)', () => {
  test('S-63: pages do not see what was appended after the first, and repeat nothing', async () => {
    for (let n = 0; n < 4; n++) await desk.say(`s${n}`, ...times(3, 'zebra'));
    const whole = (await desk.search('zebra', { limit: 500 })).hits.map((hit) => hit.sessionKey + hit.messageId);
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await desk.search('zebra', { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.hits.map((hit) => hit.sessionKey + hit.messageId));
      cursor = page.coverage.cursor;
      if (cursor === undefined) break;
      await desk.say('s1', 'zebra', 'zebra zebra');
    }
    expect(seen).toEqual(whole);
  });

  test('S-64: what was shown and left the branch makes it stale; other parameters make it invalid', async () => {
    const [first] = await desk.say('one', 'zebra one', 'zebra two', 'zebra three');
    const { cursor } = (await desk.search('zebra', { limit: 2, sort: 'oldest' })).coverage;
    const with_ = { limit: 2, sort: 'oldest', cursor: cursor! } as const;
    expect(await desk.found('zebra', with_)).toEqual(['zebra three']);
    await expect(desk.search('horse', with_)).rejects.toMatchObject({ code: 'cursor_invalid' });
    await expect(desk.search('zebra', { ...with_, limit: 3 })).rejects.toMatchObject({ code: 'cursor_invalid' });
    const forged = { ...with_, cursor: `${cursor!.slice(0, -1)}${cursor!.endsWith('A') ? 'B' : 'A'}` };
    await expect(desk.search('zebra', forged)).rejects.toMatchObject({ code: 'cursor_invalid' });
    await desk.move('a', [first!], 'side');
    await expect(desk.search('zebra', with_)).rejects.toMatchObject({ code: 'cursor_stale' });
  });

  test('S-64 SES-80: what leaves the branch makes it stale though it was not shown yet, an append and a reset do not', async () => {
    await desk.say('one', 'zebra one', 'zebra two', 'zebra three');
    const [last] = await desk.say('two', 'nothing of it');
    const { cursor } = (await desk.search('zebra', { limit: 1 })).coverage;
    const with_ = { limit: 1, cursor: cursor! };
    await desk.say('three', 'zebra of a session that begins later');
    await desk.say('one', { kind: 'reset' }, 'zebra four');
    expect(await desk.found('zebra', with_)).toHaveLength(1);
    await desk.move('a', [last!], 'side');
    await expect(desk.search('zebra', with_)).rejects.toMatchObject({ code: 'cursor_stale' });
  });

  test('SES-80: a session that takes the number of a deleted one does not stand for it', async () => {
    await desk.say('one', 'zebra one', 'zebra two');
    await desk.say('last', 'zebra three');
    const { cursor } = (await desk.search('zebra', { limit: 1, sort: 'oldest' })).coverage;
    await desk.write('a', async (writing) => {
      const { no } = (await writing.session('agent:a:last'))!;
      await writing.deleteSessions([no], preparerOf(Masker.off));
    });
    await desk.say('next', 'zebra of another');
    const with_ = { limit: 1, sort: 'oldest', cursor: cursor! } as const;
    await expect(desk.search('zebra', with_)).rejects.toMatchObject({ code: 'cursor_stale' });
  });

  test('SES-81: a cursor over 300 agents keeps the answer within its bytes', async () => {
    for (let n = 0; n < 300; n++) await desk.say(`agent:some-agent-${n}:main`, 'horse');
    await desk.say('one', ...times(40, `zebra ${'会议讨论排期'.repeat(60)}`));
    const page = await desk.search('zebra', { limit: 25 });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(32_768);
    expect(page.coverage.cursor).toBeDefined();
  });

  test('TXT-39: later pages of a relaxed answer are relaxed alike', async () => {
    await desk.say('one', ...times(3, 'deployment rollback done'));
    const query = 'deployment rollback unheard';
    const first = await desk.search(query, { limit: 2 });
    expect(first.coverage.query?.stage).toBe('some');
    const second = await desk.search(query, { limit: 2, cursor: first.coverage.cursor! });
    expect(second.hits).toHaveLength(1);
    expect(second.coverage.query?.stage).toBe('some');
  });
});

describe('hits (SES-71, SES-81, SES-87)', () => {
  test('S-59 SES-81: an answer stays within its bytes, with whole hits', async () => {
    const text = '会议讨论排期'.repeat(60);
    for (let n = 0; n < 25; n++) await desk.say(`s${n}`, { text: `${text} ${n}` });
    const result = await desk.search('会议', { limit: 25 });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(32_768);
    expect(result.coverage.truncated).toBe('bytes');
    expect(result.hits.length).toBeGreaterThan(10);
    const next = await desk.search('会议', { limit: 25, cursor: result.coverage.cursor! });
    expect(result.hits.length + next.hits.length).toBe(25);
  });

  test('SRC-15 SES-87: copies give one hit, of the session that has an older record of its own', async () => {
    const [original] = await desk.say(
      'fork',
      { id: 'm', text: 'shared walrus' },
      { text: 'late own', at: START + 9_000_000 },
    );
    await desk.say(
      'base',
      { id: 'm', text: 'shared walrus', copyOf: original! },
      { text: 'early own', at: START + 5_000 },
    );
    await desk.say('empty', { id: 'm', text: 'shared walrus', copyOf: original! });
    const { hits } = await desk.search('walrus');
    expect(hits.map((hit) => [hit.sessionKey, hit.messageId, hit.alsoIn])).toEqual([
      ['agent:a:base', 'm', { sessionKeys: ['agent:a:fork', 'agent:a:empty'], count: 2 }],
    ]);
  });

  test('SRC-16: a copy in the asked session is the hit, though another one owns the message', async () => {
    const [original] = await desk.say('base', { id: 'm', text: 'shared walrus' }, { text: 'own' });
    await desk.say('copy', { id: 'm', text: 'shared walrus', copyOf: original! });
    const { hits } = await desk.search('walrus', { session: 'agent:a:copy' });
    expect(hits.map((hit) => [hit.sessionKey, hit.alsoIn])).toEqual([
      ['agent:a:copy', { sessionKeys: ['agent:a:base'], count: 1 }],
    ]);
  });

  test('SES-41: what was said before a reset is found, and says that it is not in the current view', async () => {
    const [before] = await desk.say('one', 'zebra before', 'zebra kept', { kind: 'reset' }, 'zebra after');
    await desk.keep('one', [before! + 1]);
    const { hits } = await desk.search('zebra', { sort: 'oldest' });
    expect(hits.map((hit) => [hit.excerpt, hit.inCurrentView])).toEqual([
      ['zebra before', false],
      ['zebra kept', true],
      ['zebra after', true],
    ]);
  });

  test('SES-72: every hit reopens to a page that holds it', async () => {
    await desk.say('one', 'zebra a', { kind: 'reset' }, 'zebra b', { text: 'zebra c', role: 'assistant' });
    for (const hit of (await desk.search('zebra')).hits) {
      const page = await desk.history(hit.sessionKey, { messageId: hit.messageId, sessionId: hit.sessionId });
      expect(page.entries[page.anchor!.index!]?.messageId).toBe(hit.messageId);
    }
  });

  test('explain says how the query was read and what it was ranked by (TXT-38)', async () => {
    await desk.say('one', 'zebra crossing', 'zebra');
    const { explain } = await desk.search('zebra crossing', { explain: true });
    expect(explain).toMatchObject({ texts: 2, averageLength: 9.5, documentFrequency: [2, 1] });
    expect(explain?.query).toContain('zebra');
  });
});

describe('masking (SES-140 … SES-142)', () => {
  const hiding: Masker = { fingerprint: 'test', mask: (text) => text.replaceAll('hunter2', '[hidden:password]') };

  test('SES-42: what is masked cannot be found, and its neighbours show it masked', async () => {
    const masked = await makeDesk({ masker: hiding });
    await masked.say('one', 'the word hunter2 is here', 'clean word');
    expect(await masked.found('hunter2')).toEqual([]);
    const { hits } = await masked.search('word', { sort: 'oldest' });
    expect(hits.map((hit) => [hit.excerpt, hit.redacted])).toEqual([
      ['the word [hidden:password] is here', true],
      ['clean word', undefined],
    ]);
    await masked.close();
  });

  test('S-107 SES-153: texts indexed under another masker are masked again before they count', async () => {
    // The store's index has no fingerprint yet, so it is not the one asked for.
    const stale = await makeDesk({ fingerprint: 'new' });
    await stale.say('one', 'the word hunter2');
    const { hits, indexing, warning, coverage } = await stale.search('word');
    expect(hits[0]?.stale).toBe(true);
    expect([indexing, coverage.complete, coverage.sessions.stale]).toEqual([true, false, 1]);
    expect(warning).toMatch(/1 session/);
    expect((await stale.search('absent')).warning).toMatch(/^No match yet/);
    await stale.close();
  });
});
