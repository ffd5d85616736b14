// Typed prompts of sessions whose own file is gone, from a product's log of all prompts (SRC-100, SRC-120).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, codex, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

const HISTORY = '.claude/history.jsonl';
const typed = (sessionId: string | undefined, display: string, more: object = {}): object => ({
  display,
  pastedContents: {},
  timestamp: Date.UTC(2026, 7, 1, 8),
  project: '/src/shop',
  ...(sessionId === undefined ? {} : { sessionId }),
  ...more,
});

describe('SRC-100: history.jsonl of Claude Code', () => {
  test('gives the prompts of sessions that have no file, as host gone, with their project', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'the orchard blooms')]);
    world.write(HISTORY, [
      typed('s-1', 'the orchard blooms'),
      typed('s-2', 'the harbour freezes'),
      typed('s-2', 'the harbour freezes'),
      typed('s-2', 'then it thaws', { timestamp: Date.UTC(2026, 7, 1, 9) }),
      typed('s-2', '/compact keep the harbour', { timestamp: Date.UTC(2026, 7, 1, 10) }),
      typed('s-2', '/clear', { timestamp: Date.UTC(2026, 7, 1, 11) }),
      typed(undefined, 'the lighthouse names no session'),
    ]);
    await world.sync();
    expect(await world.keys('orchard')).toEqual(['agent:claude-code:s-1']);
    expect(await world.keys('lighthouse')).toEqual([]);
    expect(await world.texts('agent:claude-code:s-2')).toEqual([
      'the harbour freezes',
      'then it thaws',
      'keep the harbour',
    ]);
    const row = await world.backstory.sessions.describe(operator(), { session: 'agent:claude-code:s-2' });
    expect(row.origin).toMatchObject({ project: '/src/shop', promptsOnly: true });
    expect(row.origin?.hostGone).toBeGreaterThan(0);
    expect(row.title).toBe('the harbour freezes');
  });

  test('gives nothing to a session that was read before its file went', async () => {
    const world = await makeWorld();
    const file = world.write(claude.path('s-1'), [claude.user('u-1', 'the orchard blooms')]);
    world.write(HISTORY, [typed('s-1', 'the orchard blooms')]);
    await world.sync();
    rmSync(file);
    world.append(HISTORY, `${JSON.stringify(typed('s-1', 'the orchard sleeps'))}\n`);
    await world.sync();
    expect(await world.texts('agent:claude-code:s-1')).toEqual(['the orchard blooms']);
  });

  test('makes room for the file when it comes back', async () => {
    const world = await makeWorld();
    world.write(HISTORY, [typed('s-1', 'the orchard blooms')]);
    await world.sync();
    expect(await world.texts('agent:claude-code:s-1')).toEqual(['the orchard blooms']);
    world.write(claude.path('s-1'), [
      claude.user('u-1', 'the orchard blooms'),
      claude.assistant('a-1', 'so it does', 'u-1'),
    ]);
    await world.sync();
    expect(await world.texts('agent:claude-code:s-1')).toEqual(['the orchard blooms', 'so it does']);
    const row = await world.backstory.sessions.describe(operator(), { session: 'agent:claude-code:s-1' });
    expect(row.origin?.promptsOnly).toBeUndefined();
    expect(row.origin?.hostGone).toBeUndefined();
  });

  test('SES-174: gives nothing back of a session that was deleted', async () => {
    const world = await makeWorld();
    const file = world.write(claude.path('s-1'), [claude.user('u-1', 'the orchard blooms')]);
    world.write(HISTORY, [typed('s-1', 'the orchard blooms'), typed('s-2', 'the harbour freezes')]);
    await world.sync();
    for (const id of ['s-1', 's-2']) {
      await world.backstory.sessions.delete(operator(), { key: `agent:claude-code:${id}` });
    }
    rmSync(file);
    world.append(HISTORY, `${JSON.stringify(typed('s-1', 'the orchard sleeps'))}\n`);
    await world.sync();
    world.write(HISTORY, [typed('s-2', 'the harbour freezes')]);
    await world.sync();
    expect(await world.keys('orchard OR harbour')).toEqual([]);
  });

  test('shows what was pasted in its place', async () => {
    const world = await makeWorld();
    const pastedContents = { 1: { id: 1, type: 'text', content: 'ketchup\nmustard' } };
    world.write(HISTORY, [typed('s-1', 'see [Pasted text #1 +1 lines] and [Pasted text #2]', { pastedContents })]);
    await world.sync();
    expect(await world.texts('agent:claude-code:s-1')).toEqual(['see ketchup\nmustard and [Pasted text #2]']);
  });

  test('SRC-52: what a rule excludes stays out, by project, session and the path its file had', async () => {
    for (const rule of [{ project: '/src/**' }, { session: 's-1' }, { path: 'projects/-src-shop/**' }]) {
      const world = await makeWorld({ sources: { exclude: [rule] } });
      world.write(HISTORY, [typed('s-1', 'the orchard blooms'), typed('s-9', 'by the sea', { project: '/srv/sea' })]);
      await world.sync();
      expect(await world.keys('orchard')).toEqual([]);
      if (rule.session !== undefined) expect(await world.keys('sea')).toEqual(['agent:claude-code:s-9']);
    }
  });

  test('SRC-50: nothing is read from it where what the host deletes is erased', async () => {
    const world = await makeWorld({ sources: { onHostDelete: 'erase' } });
    world.write(HISTORY, [typed('s-1', 'the orchard blooms')]);
    const report = await world.sync();
    expect(await world.keys('orchard')).toEqual([]);
    expect(report.files.skipped.map(({ reason }) => reason)).toEqual(['excluded (onHostDelete)']);
  });
});

test('SRC-120: history.jsonl of Codex gives prompts of sessions whose rollout is gone', async () => {
  const world = await makeWorld();
  world.write(codex.path('0199-aa'), [codex.meta('0199-aa'), codex.item('user', 'the harbour freezes')]);
  world.write('.codex/history.jsonl', [
    { session_id: '0199-aa', ts: 1_788_249_601, text: 'the harbour freezes' },
    { session_id: '0199-bb', ts: 1_788_249_602, text: 'the orchard blooms' },
  ]);
  await world.sync();
  expect(await world.keys('harbour')).toEqual(['agent:codex:0199-aa']);
  const [hit] = await world.search('orchard');
  expect([hit?.sessionKey, hit?.timestamp, hit?.role]).toEqual([
    'agent:codex:0199-bb',
    '2026-09-01T08:00:02.000Z',
    'user',
  ]);
  rmSync(join(world.user, '.codex/history.jsonl'));
  await world.sync();
  expect(await world.keys('orchard')).toEqual(['agent:codex:0199-bb']);
});
