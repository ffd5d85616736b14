// A store that cannot be written holds back its own agent's files and nothing else (SES-75, SRC-47).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, codex, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

describe('SES-75: a store that cannot be written', () => {
  test('is named with its root; other agents are read, and the search answers', async () => {
    const world = await makeWorld({ busyTimeoutMs: 0, sources: { syncOnSearch: true } });
    world.write(claude.path('s-1'), [claude.user('u-1', 'the orchard blooms')]);
    world.write(codex.path('0199-aa'), [codex.meta('0199-aa'), codex.item('user', 'the harbour freezes')]);
    await world.sync();
    world.append(claude.path('s-1'), `${JSON.stringify(claude.user('u-2', 'the orchard sleeps', 'u-1'))}\n`);
    world.append(codex.path('0199-aa'), `${JSON.stringify(codex.item('user', 'the harbour thaws'))}\n`);

    const holder = new Database(join(world.home, 'agents', 'claude-code.sqlite'));
    holder.exec('BEGIN IMMEDIATE');
    const result = await world.backstory.sessions.search(operator(), { query: 'orchard OR harbour', waitMs: 10_000 });
    expect(result.hits.map(({ excerpt }) => excerpt).sort()).toEqual([
      'the harbour freezes',
      'the harbour thaws',
      'the orchard blooms',
    ]);
    expect(result.coverage.complete).toBe(false);
    expect(result.coverage.skipped).toEqual([{ what: join(world.user, '.claude'), reason: 'store_busy' }]);

    holder.exec('ROLLBACK');
    holder.close();
    expect(await world.keys('"orchard sleeps"')).toEqual(['agent:claude-code:s-1']);
  });

  test('of a folder that is gone: the next sync makes it anew and loses nothing', async () => {
    const world = await makeWorld({ sources: { syncOnSearch: true } });
    world.write(claude.path('s-1'), [claude.user('u-1', 'the orchard blooms')]);
    await world.sync();
    await world.backstory.close();
    rmSync(join(world.home, 'agents'), { recursive: true });
    const again = await world.reopen();
    const { hits } = await again.sessions.search(operator(), { query: 'orchard', waitMs: 10_000 });
    expect(hits.map(({ messageId }) => messageId)).toEqual(['u-1']);
  });
});
