// Lists and descriptions of sessions (SES-130, SES-131).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { scopeFor } from '../../src/access/scope.ts';
import { systemClock } from '../../src/model/clock.ts';
import { Masker } from '../../src/redact/masker.ts';
import { describeSession, type ListParams } from '../../src/sessions/list.ts';
import { type Desk, makeDesk, START } from './search-steps.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.close());

const keys = async (params: ListParams = {}): Promise<string[]> =>
  (await desk.list(params)).sessions.map((session) => session.sessionKey);

describe('sessions_list', () => {
  test('SES-130: newest activity first, ties by key, over all agents', async () => {
    await desk.say('b', { text: 'x', at: START + 5 });
    await desk.say('agent:z:a', { text: 'x', at: START + 9 });
    await desk.say('a', { text: 'x', at: START + 5 }, { text: 'y', role: 'assistant', at: START + 5 });
    const { sessions, coverage } = await desk.list();
    expect(sessions.map((session) => session.sessionKey)).toEqual(['agent:z:a', 'agent:a:a', 'agent:a:b']);
    expect(sessions[1]).toEqual({
      sessionKey: 'agent:a:a',
      sessionId: 'a-a',
      agentId: 'a',
      kind: 'imported',
      createdAt: '2026-09-01T08:00:00.000Z',
      lastAt: '2026-09-01T08:00:00.005Z',
      messages: 2,
      archived: false,
      stale: false,
    });
    expect(coverage).toMatchObject({ complete: true, truncated: false, sessions: { searched: 3 } });
  });

  test('S-126: pages give every session once, ties by key', async () => {
    for (let n = 0; n < 45; n++) await desk.say(`s${String(n).padStart(2, '0')}`, { text: 'x', at: START });
    await desk.say('agent:b:last', { text: 'x', at: START });
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await desk.list({ limit: 10, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.sessions.map((session) => session.sessionKey));
      cursor = page.coverage.cursor;
      expect(page.coverage.truncated).toBe(cursor === undefined ? false : 'limit');
      if (cursor === undefined) break;
    }
    expect(seen).toEqual([...seen].sort());
    expect(new Set(seen).size).toBe(46);
  });

  test('COM-2: a page stays within 32 KiB, and goes on where it was cut', async () => {
    const name = 'x'.repeat(200);
    for (let n = 0; n < 120; n++) await desk.say(`${name}${n}`, { text: 'x', at: START + n });
    const page = await desk.list({ limit: 200 });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(32_768);
    expect(page.coverage.truncated).toBe('bytes');
    const next = await desk.list({ limit: 200, cursor: page.coverage.cursor! });
    expect(next.sessions[0]!.sessionKey).toBe(`agent:a:${name}${119 - page.sessions.length}`);
  });

  test('SES-130: filters', async () => {
    await desk.say('cron:x', { text: 'x', at: START + 1 });
    await desk.say('shop', { text: 'x', at: START + 2 });
    await desk.say('below', { text: 'x', at: START + 3 });
    await desk.say('beside', { text: 'x', at: START + 4 });
    const origin = (project: string) => ({ source: 'codex', project, nativeKey: 'k' });
    await desk.write('a', async (writing) => {
      const set = async (name: string, change: object): Promise<void> =>
        writing.updateSession((await writing.session(`agent:a:${name}`))!.no, change);
      await set('shop', { origin: origin('/src/shop'), archivedAt: START });
      await set('below', { origin: origin('/src/shop/web') });
      await set('beside', { origin: { source: 'pi', project: '/src/shop-old' }, spawnedBy: 'agent:a:shop' });
    });
    expect(await keys({ kinds: ['cron'] })).toEqual(['agent:a:cron:x']);
    expect(await keys({ source: 'codex' })).toEqual(['agent:a:below', 'agent:a:shop']);
    expect(await keys({ project: '/src/shop' })).toEqual(['agent:a:below', 'agent:a:shop']);
    expect(await keys({ project: '/src/shop/' })).toEqual(['agent:a:below', 'agent:a:shop']);
    expect(await keys({ project: '/' })).toEqual(['agent:a:beside', 'agent:a:below', 'agent:a:shop']);
    expect(await keys({ nativeKey: 'k' })).toEqual(['agent:a:below', 'agent:a:shop']);
    expect(await keys({ archived: 'only' })).toEqual(['agent:a:shop']);
    expect(await keys({ archived: 'exclude', source: 'codex' })).toEqual(['agent:a:below']);
    expect(await keys({ spawnedBy: 'agent:a:shop' })).toEqual(['agent:a:beside']);
    const since = new Date(START + 3).toISOString();
    expect(await keys({ since })).toEqual(['agent:a:beside', 'agent:a:below']);
    expect(await keys({ until: since })).toEqual(['agent:a:shop', 'agent:a:cron:x']);
    expect(await keys({ agents: ['b'] })).toEqual([]);
  });

  test('SES-80: a cursor of other parameters is invalid', async () => {
    await desk.say('a', 'x');
    await desk.say('b', 'x');
    const { cursor } = (await desk.list({ limit: 1 })).coverage;
    const other = desk.list({ limit: 1, kinds: ['cron'], cursor: cursor! });
    await expect(other).rejects.toMatchObject({ code: 'cursor_invalid' });
    await expect(desk.list({ cursor: 'nonsense' })).rejects.toMatchObject({ code: 'cursor_invalid' });
    await expect(desk.list({ limit: 201 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('sessions_describe', () => {
  const describeOne = async (session: string, resume?: readonly string[], masker = Masker.off) =>
    describeSession(
      {
        stores: await Promise.all((await desk.stores.agents()).map(async (id) => (await desk.stores.open(id))!)),
        failed: [],
        scope: scopeFor(operator()),
        caller: operator(),
        masker,
        clock: systemClock,
        timeZone: 'UTC',
        ...(resume === undefined ? {} : { sources: [{ name: 'codex', resume: () => resume } as never] }),
      },
      { session },
    );

  test('MASK-15 SRC-58: the command that resumes it goes to no folder that masking hides', async () => {
    await desk.say('hid', 'x');
    const secret = `gh${'p_'}q7Kx9Zt3${'w8Rb2Yd5'.repeat(4)}`;
    for (const [project, resume] of [
      ['/src/shop', 'cd /src/shop && codex resume n-1'],
      [`/src/${secret}`, 'codex resume n-1'],
    ]) {
      const origin = { source: 'codex', nativeId: 'n-1', project: project! };
      await desk.write('a', async (writing) =>
        writing.updateSession((await writing.session('agent:a:hid'))!.no, { origin }),
      );
      const row = await describeOne('agent:a:hid', ['codex', 'resume', 'n-1'], Masker.credentials());
      expect(row.resume).toBe(resume);
      expect(JSON.stringify(row)).not.toContain(secret.slice(4, 12));
    }
  });

  test('SES-131: one row with its windows and, where there is one, the command that resumes it', async () => {
    await desk.say('one', 'x');
    const plain = await describeOne('agent:a:one');
    expect(plain.windows.map((window) => window.sessionId)).toEqual(['a-one']);
    expect(plain.resume).toBeUndefined();
    expect(await describeOne('a-one')).toEqual(plain);
    await desk.write('a', async (writing) =>
      writing.updateSession((await writing.session('agent:a:one'))!.no, {
        origin: { source: 'codex', nativeId: "it's" },
      }),
    );
    expect((await describeOne('agent:a:one', ['codex', 'resume', "it's\x1b[31m"])).resume).toBe(
      "codex resume 'it'\\''s[31m'",
    );
  });

  test('SES-131: unknown is session_not_found', async () => {
    await expect(describeOne('agent:a:ghost')).rejects.toMatchObject({ code: 'session_not_found' });
  });
});
