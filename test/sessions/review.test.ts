import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, codex, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

// Each was a defect that a reviewer reproduced.
describe('what a review found', () => {
  test('SES-158 MASK-16: an index made with another tokenizer or masker is made anew, once, and ends', async () => {
    const world = await makeWorld();
    for (let n = 0; n < 3; n++) {
      world.write(claude.path(`s-${n}`), [claude.user(`u-${n}`, `zebra ${n}`, null, { sessionId: `s-${n}` })]);
    }
    await world.sync();
    await world.backstory.close();
    const path = join(world.home, 'agents', 'claude-code.sqlite');
    const db = new Database(path);
    const meta = db.prepare("SELECT value FROM meta WHERE name = 'index'").pluck();
    const current = meta.get();
    db.prepare("UPDATE meta SET value = 'another one' WHERE name = 'index'").run();
    db.exec('DELETE FROM doc; DELETE FROM fts');
    const engine = await world.reopen();
    await engine.sources.sync();
    expect((await engine.sessions.search(operator(), { query: 'zebra' })).hits).toHaveLength(3);
    expect(meta.get()).toBe(current);
    db.close();
  });

  test('SUR-10: two engines on one home in one process read at once, and none waits for the other’s lock', async () => {
    const world = await makeWorld();
    for (let n = 0; n < 50; n++) {
      world.write(claude.path(`s-${n}`), [claude.user(`u-${n}`, 'zebra', null, { sessionId: `s-${n}` })]);
    }
    const other = await world.reopen();
    const reports = await Promise.all([world.sync(), other.sources.sync()]);
    for (const report of reports) expect(report.files.failedTotal).toBe(0);
    await other.close();
    expect(await world.search('zebra')).toHaveLength(50);
  });

  test('SRC-50 SRC-17: a session whose file only moved is not erased', async () => {
    const world = await makeWorld({ sources: { onHostDelete: 'erase' } });
    const from = world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'moved zebra')]);
    world.write(codex.path('c-2'), [codex.meta('c-2'), codex.item('user', 'other')]);
    await world.sync();
    mkdirSync(join(world.user, '.codex/archived_sessions'));
    renameSync(from, join(world.user, '.codex/archived_sessions', from.split('/').at(-1)!));
    await world.sync();
    expect(await world.keys('zebra')).toEqual(['agent:codex:c-1']);
  });

  test('SRC-50: what lay behind a link whose disk is away is not erased', async () => {
    const world = await makeWorld({ sources: { onHostDelete: 'erase' } });
    world.write('../disk/s-1.jsonl', [claude.user('u-1', 'mounted zebra')]);
    world.write('.claude/projects/-p/keep.jsonl', [claude.user('k-1', 'other', null, { sessionId: 'keep' })]);
    symlinkSync(join(world.folder, 'disk'), join(world.user, '.claude/projects/linked'));
    await world.sync();
    renameSync(join(world.folder, 'disk'), join(world.folder, 'away'));
    expect(existsSync(join(world.user, '.claude/projects/linked'))).toBe(false);
    await world.sync();
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
    rmSync(join(world.folder, 'away'), { recursive: true });
  });

  test('MASK-14 MASK-15: a title, a tool’s arguments and a project are masked whole before they are cut', async () => {
    const secret = `ghp_${'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2'}`;
    const world = await makeWorld();
    const long = `${'x '.repeat(30)}${secret} and more`;
    const command = `${'y '.repeat(985)}${secret}`;
    world.write(claude.path('s-1'), [
      claude.user('u-1', long, null, { cwd: `/src/${secret}`, gitBranch: secret }),
      claude.assistant('a-1', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }], 'u-1'),
      { type: secret, uuid: 'x-1' },
    ]);
    await world.sync();
    const everything = JSON.stringify([
      await world.search('and more'),
      await world.backstory.sessions.list(operator()),
      await world.history('agent:claude-code:s-1', { includeTools: true }),
      await world.backstory.sources.list(),
    ]);
    expect(everything).toContain('[hidden:credential]');
    expect(everything).not.toContain(secret.slice(0, 12));
  });

  test('SRC-52: an exclude rule takes the subagents that stand in the excluded file as well', async () => {
    const world = await makeWorld();
    world.write('.claude/projects/-p/a1.jsonl', [
      claude.user('u-1', 'main zebra', null, { sessionId: 'a1' }),
      claude.user('u-2', 'part zebra', null, { sessionId: 'a1', isSidechain: true, agentId: 'sub1' }),
    ]);
    await world.sync();
    expect(await world.search('zebra')).toHaveLength(2);
    await world.backstory.sources.sync({ exclude: [{ path: 'projects/-p/**' }] });
    expect(await world.search('zebra')).toEqual([]);
  });
});
