// What an answer says of transcripts that are not read, and of sessions that are not indexed (SES-84).
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/access/caller.ts';
import { operator } from '../../src/access/caller.ts';
import { claude, codex, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const SYNCING = { sources: { syncOnSearch: true } };

async function coverageOf(world: World, caller: Caller, params: object = {}) {
  return (await world.backstory.sessions.search(caller, { query: 'zebra', waitMs: 0, ...params })).coverage;
}

describe('SES-84: coverage of sources', () => {
  test('SES-84, SRC-59: files that were left or passed over, by root and reason', async () => {
    const world = await makeWorld(SYNCING);
    for (let n = 0; n < 5; n++) world.write(claude.path(`s-${n}`), [claude.user(`u${n}`, 'zebra')]);
    world.write(claude.path('empty'), [], { end: '' });
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'zebra')]);
    // No time: one file at least is read, the others wait.
    const first = await coverageOf(world, operator());
    expect(first.notImported).toBeGreaterThanOrEqual(5);
    expect(first.complete).toBe(false);
    const reasons = Object.fromEntries(
      first.sources.map(({ source, unread, reasons }) => [source, { unread, reasons }]),
    );
    expect(reasons['claude-code']?.reasons).toMatchObject({ empty: 1, budget: expect.any(Number) });
    const all = await coverageOf(world, operator(), { waitMs: 30_000 });
    expect(all).toMatchObject({ notImported: 0, complete: true });
    expect(all.sources).toMatchObject([{ source: 'claude-code', unread: 1, reasons: { empty: 1 } }]);
  });

  test('SES-84: only of agents of which the caller may see every ordinary session', async () => {
    const world = await makeWorld(SYNCING);
    for (let n = 0; n < 3; n++) world.write(claude.path(`s-${n}`), [claude.user(`u${n}`, 'zebra')]);
    for (let n = 0; n < 3; n++) world.write(codex.path(`c-${n}`), [codex.meta(`c-${n}`), codex.item('user', 'zebra')]);
    const of = (agentId: string): Caller => ({ agentId, sessionKey: `agent:${agentId}:main` });
    world.backstory.setVisibility({ visibility: 'agent' });
    const codexs = await coverageOf(world, of('codex'));
    expect(codexs.sources.map(({ source }) => source)).not.toContain('claude-code');
    const own = await coverageOf(world, of('claude-code'));
    expect(own.sources.map(({ source }) => source)).not.toContain('codex');
    expect(codexs.notImported + own.notImported).toBeGreaterThan(0);
    world.backstory.setVisibility({ visibility: 'self' });
    expect(await coverageOf(world, of('codex'))).toMatchObject({ sources: [], notImported: 0 });
    world.backstory.setVisibility({ visibility: 'all' });
    expect((await coverageOf(world, of('desk'))).notImported).toBeGreaterThanOrEqual(0);
  });

  test('SES-84: skipped names stores that were left out, by agent and error code', async () => {
    const world = await makeWorld();
    await world.backstory.sessions.append({ key: 'agent:main:x', message: { role: 'user', content: 'zebra' } });
    mkdirSync(join(world.home, 'agents'), { recursive: true });
    writeFileSync(join(world.home, 'agents', 'broken.sqlite'), 'no database at all');
    chmodSync(join(world.home, 'agents', 'broken.sqlite'), 0o600);
    const { skipped, complete } = await coverageOf(world, operator());
    expect([skipped, complete]).toEqual([[{ what: 'broken', reason: 'store_damaged' }], false]);
  });
});

describe('SES-84: sessions that are searched, stale, and not indexed at all', () => {
  const KEY = 'agent:main:later';
  const messages = [{ role: 'user', content: 'zebra one' }] as const;

  test('SES-84: appended to be indexed later: unindexed, until it is; then appended to: stale alone', async () => {
    const world = await makeWorld({ sources: { syncOnSearch: false } });
    const { sessions } = world.backstory;
    await sessions.append({ key: 'agent:main:now', message: { role: 'user', content: 'zebra' } });
    await sessions.appendMany({ key: KEY, index: 'later', messages });
    const before = await coverageOf(world, operator());
    expect(before.sessions).toEqual({ searched: 2, stale: 1, unindexed: 1 });
    expect(before.indexing).toEqual({ done: 1, total: 2 });
    expect((await coverageOf(world, operator(), { waitMs: 10_000 })).sessions).toEqual({
      ...{ searched: 2, stale: 0, unindexed: 0 },
    });
    await sessions.appendMany({ key: KEY, index: 'later', messages });
    expect((await coverageOf(world, operator())).sessions).toEqual({ searched: 2, stale: 1, unindexed: 0 });
  });

  test('SES-84, SES-74: of hidden sessions nothing is counted', async () => {
    const world = await makeWorld({ visibility: { visibility: 'self' } });
    const { sessions } = world.backstory;
    await sessions.append({ key: 'agent:main:main', message: { role: 'user', content: 'zebra' } });
    await sessions.appendMany({ key: KEY, index: 'later', messages });
    const caller = { agentId: 'main', sessionKey: 'agent:main:main' };
    expect((await coverageOf(world, caller)).sessions).toEqual({ searched: 1, stale: 0, unindexed: 0 });
  });

  test('SES-84, SES-158: of an index that was dropped all sessions are unindexed', async () => {
    const world = await makeWorld();
    await world.backstory.sessions.append({ key: KEY, message: messages[0] });
    await world.backstory.close();
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(join(world.home, 'agents', 'main.sqlite'));
    const { dropIndex } = await import('../../src/store/sqlite/check.ts');
    dropIndex(db);
    db.close();
    const engine = await world.reopen();
    const { coverage } = await engine.sessions.search(operator(), { query: 'zebra', waitMs: 0 });
    expect(coverage.sessions).toEqual({ searched: 1, stale: 1, unindexed: 1 });
  });
});

test('SRC-53, SES-174: a transcript whose session was deleted is skipped as erased_by_user, however often it grows', async () => {
  const world = await makeWorld();
  world.write(claude.path('s-1'), [claude.user('u1', 'zebra')]);
  await world.sync();
  await world.backstory.sessions.delete(operator(), { key: 'agent:claude-code:s-1' });
  world.append(claude.path('s-1'), `${JSON.stringify(claude.assistant('a1', 'zebra again', 'u1'))}\n`);
  for (let n = 0; n < 2; n++) {
    const { files } = await world.sync();
    expect(files).toMatchObject({ found: 1, imported: 0, skipped: [{ reason: 'erased_by_user' }], skippedTotal: 1 });
    expect(await world.search('zebra')).toEqual([]);
  }
  await world.backstory.sources.sync({ again: true });
  expect(await world.search('zebra')).toHaveLength(2);
});
