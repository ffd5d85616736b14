import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { fromKeySegment, importedKey } from '../../src/model/ids.ts';
import { claude, linesOf, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

describe('sources cases: identity (SRC-3 … SRC-17)', () => {
  test('SO-20 SRC-14: a subagent file with its parent’s session id is a part, and neither erases the other', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'parent zebra')]);
    const part = '.claude/projects/-src-shop/s-1/subagents/agent-ab.jsonl';
    world.write(part, [claude.user('p-1', 'part quokka', null, { isSidechain: true, agentId: 'ab' })]);
    await world.sync();
    const state = async (): Promise<unknown[]> => [
      await world.texts('agent:claude-code:s-1'),
      await world.texts('agent:claude-code:s-1:agent:ab'),
    ];
    expect(await state()).toEqual([['parent zebra'], ['part quokka']]);
    const { sessions } = await world.backstory.sessions.list(operator());
    const found = sessions.find((row) => row.sessionKey.endsWith(':agent:ab'));
    expect(found?.spawnedBy).toBe('agent:claude-code:s-1');
    world.append(claude.path('s-1'), `${linesOf([claude.assistant('a-1', 'more', 'u-1')])}\n`);
    world.append(
      part,
      `${linesOf([claude.assistant('b-1', 'part more', 'p-1', { isSidechain: true, agentId: 'ab' })])}\n`,
    );
    await world.sync();
    expect(await state()).toEqual([
      ['parent zebra', 'more'],
      ['part quokka', 'part more'],
    ]);
  });

  test('SO-21 SRC-8: one slug with two folders is two projects, each as recorded', async () => {
    const world = await makeWorld();
    world.write('.claude/projects/-a-my-app/x.jsonl', [claude.user('u-1', 'one zebra', null, { cwd: '/a/my-app' })]);
    world.write('.claude/projects/-a-my-app/y.jsonl', [claude.user('u-2', 'two zebra', null, { cwd: '/a/my/app' })]);
    await world.sync();
    expect(await world.keys('zebra', { project: '/a/my-app' })).toEqual(['agent:claude-code:x']);
    expect(await world.keys('zebra', { project: '/a/my/app' })).toEqual(['agent:claude-code:y']);
  });

  const shared = Array.from({ length: 40 }, (_, n) =>
    claude.user(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, `record${n} zebra`, null, {
      sessionId: 'A',
      timestamp: new Date(Date.UTC(2026, 8, 1, 8, n)).toISOString(),
    }),
  );
  const forked = [
    ...shared.map((record) => ({ ...record, sessionId: 'B', sessionKind: 'bg' })),
    ...[1, 2].map((n) =>
      claude.user(`b-${n}`, `own ${n}`, null, { sessionId: 'B', timestamp: '2026-09-01T12:00:00.000Z' }),
    ),
  ];

  test('SO-23 SRC-15 SES-87: a fork’s copies give one hit; the copy with records of its own owns it', async () => {
    const world = await makeWorld();
    world.write(claude.path('A'), shared);
    world.write(claude.path('B'), forked);
    await world.sync();
    const hits = await world.search('record5');
    expect(hits.map((hit) => hit.sessionKey)).toEqual(['agent:claude-code:B']);
    expect(hits[0]?.alsoIn).toEqual({ sessionKeys: ['agent:claude-code:A'], count: 1 });
    for (const key of ['agent:claude-code:A', 'agent:claude-code:B']) {
      expect(await world.texts(key)).toContain('record5 zebra');
    }
  });

  test.each([
    ['A', 'B'],
    ['B', 'A'],
  ])(
    'SO-24 SRC-15: when both went on, the one whose own records are earlier owns, synced %s then %s',
    async (first, second) => {
      const files: Record<string, object[]> = {
        A: [
          ...shared,
          ...[1, 2, 3].map((n) =>
            claude.user(`a-${n}`, `went on ${n}`, null, { timestamp: '2026-09-01T09:00:00.000Z' }),
          ),
        ],
        B: forked,
      };
      const world = await makeWorld();
      for (const name of [first, second]) {
        world.write(claude.path(name), files[name]!);
        await world.sync();
      }
      expect(await world.keys('record5')).toEqual(['agent:claude-code:A']);
    },
  );

  test('SO-26 SRC-12: a session that names itself, or a cycle, is cut; both are listed', async () => {
    const world = await makeWorld();
    const spawned = (id: string, parent: string): object => ({
      timestamp: '2026-09-01T08:00:00.000Z',
      type: 'session_meta',
      payload: { id, cwd: '/src', source: { subagent: { thread_spawn: { parent_thread_id: parent } } } },
    });
    for (const [id, parent] of [
      ['self', 'self'],
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      world.write(`.codex/sessions/2026/09/01/rollout-2026-09-01T08-00-00-${id}.jsonl`, [
        spawned(id, parent),
        {
          timestamp: '2026-09-01T08:00:01.000Z',
          type: 'response_item',
          payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: `zebra ${id}` }] },
        },
      ]);
    }
    await world.sync();
    const { sessions } = await world.backstory.sessions.list(operator());
    const links = new Map(sessions.map((row) => [row.sessionKey, row.spawnedBy]));
    expect(links.size).toBe(3);
    expect(links.get('agent:codex:self')).toBeUndefined();
    expect([...links.values()].filter((parent) => parent !== undefined)).toHaveLength(1);
  });

  test('SO-27 SRC-11: an id with characters that a key cannot hold goes there and back', () => {
    expect(importedKey('x', 'a:b c/ü')).toBe('agent:x:a%3Ab%20c/%C3%BC');
    expect(fromKeySegment('a%3Ab%20c/%C3%BC')).toBe('a:b c/ü');
  });

  test('SO-29 SRC-9: a link to a folder directly below the root is read once; a link inside it is not followed', async () => {
    const world = await makeWorld();
    const outside = join(world.folder, 'outside');
    mkdirSync(outside);
    world.write('../outside/s-1.jsonl', [claude.user('u-1', 'linked zebra')]);
    symlinkSync(join(world.folder), join(outside, 'loop'));
    mkdirSync(join(world.user, '.claude/projects'), { recursive: true });
    symlinkSync(outside, join(world.user, '.claude/projects/x'));
    const report = await world.sync();
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
    expect(report.files.skipped.map((one) => one.reason)).toContain('symlink');
  });

  test('SO-30 SRC-3: a variable names the folder; where it is missing the default is not read in its place', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'default zebra')]);
    world.write('alt/projects/-p/s-2.jsonl', [claude.user('u-2', 'alt zebra', null, { sessionId: 's-2' })]);
    const host = (folder: string) => ({
      env: { CLAUDE_CONFIG_DIR: join(world.user, folder) },
      home: world.user,
      platform: process.platform,
    });
    const missing = await world.reopen({ host: host('nowhere'), home: join(world.folder, 'h1') });
    const report = await missing.sources.sync();
    expect(report.roots.find((root) => root.source === 'claude-code')?.state).toBe('root_not_found');
    expect((await missing.sessions.search(operator(), { query: 'zebra' })).hits).toEqual([]);
    const named = await world.reopen({ host: host('alt'), home: join(world.folder, 'h2') });
    await named.sources.sync();
    const { hits } = await named.sessions.search(operator(), { query: 'zebra' });
    expect(hits.map((hit) => hit.sessionKey)).toEqual(['agent:claude-code:s-2']);
  });
});
