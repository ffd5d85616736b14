// Following real files with a real engine: nobody calls sync, and what was written is found (SRC-48).
import { type FSWatcher, watch as fsWatch, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { FollowReport } from '../../src/sessions/follow.ts';
import { claude, codex, linesOf, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const NEVER_MS = 3_600_000;
const NO_SYNC = { sources: { syncOnSearch: false } };

describe.each([
  { how: 'a watch per folder', recursive: false },
  { how: 'one watch per root', recursive: true },
])('SRC-48: following with $how, without the safety pass', ({ recursive }) => {
  const only = { recursive, passMs: NEVER_MS };

  test('SRC-48: what was there before is read', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-1', 'zebra before')]);
    await using follow = await world.backstory.sources.follow(only);
    await follow.settled();
    expect(await world.keys('zebra')).toEqual(['agent:claude-code:s-1']);
  });

  test('SRC-48: an appended record is found without a call of sync', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-1', 'first')]);
    await using follow = await world.backstory.sources.follow(only);
    await follow.settled();
    world.append(claude.path('s-1'), `${linesOf([claude.assistant('a-1', 'zebra appended', 'u-1')])}\n`);
    await found(world, 'zebra');
  });

  test('SRC-48: a new session, a new project and a first day of Codex are found, and what is appended to them', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-1', 'first')]);
    mkdirSync(join(world.user, '.codex'));
    await using follow = await world.backstory.sources.follow(only);
    await follow.settled();
    world.write(claude.path('s-2'), [claude.user('u-2', 'zebra session', null, { sessionId: 's-2' })]);
    await found(world, 'zebra');
    world.write(claude.path('s-3', '-src-new'), [claude.user('u-3', 'giraffe project', null, { sessionId: 's-3' })]);
    await found(world, 'giraffe');
    world.append(claude.path('s-3', '-src-new'), `${linesOf([claude.assistant('a-3', 'okapi later', 'u-3')])}\n`);
    await found(world, 'okapi');
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'lemur today')]);
    await found(world, 'lemur');
    world.append(codex.path('c-1'), `${linesOf([codex.item('assistant', 'indri today')])}\n`);
    await found(world, 'indri');
  });

  test('SRC-48: an empty folder of sessions, filled slowly, is followed', async () => {
    const world = await makeWorld(NO_SYNC);
    mkdirSync(join(world.user, '.claude/projects'), { recursive: true });
    const reports: FollowReport[] = [];
    await using follow = await world.backstory.sources.follow({ ...only, onReport: (report) => reports.push(report) });
    await follow.settled();
    const before = reports.length;
    mkdirSync(join(world.user, '.claude/projects/-src-shop'));
    await until(() => reports.length > before);
    world.write(claude.path('s-1'), [claude.user('u-1', 'zebra slow')]);
    await found(world, 'zebra');
  });

  if (recursive && process.platform === 'linux') {
    console.warn('SRC-48: a folder made again is not tested with recursive watches: Node on Linux does not see it');
  }
  // Node's stand-in on Linux is deaf to a folder that was made again under its old name: one reason it is not used there.
  test.skipIf(recursive && process.platform === 'linux')(
    'SRC-48: a project removed, or renamed, and made again is followed',
    async () => {
      const world = await makeWorld(NO_SYNC);
      world.write(claude.path('s-1'), [claude.user('u-1', 'first')]);
      await using follow = await world.backstory.sources.follow(only);
      await follow.settled();
      const project = join(world.user, '.claude/projects/-src-shop');
      rmSync(project, { recursive: true });
      world.write(claude.path('s-2'), [claude.user('u-2', 'zebra again', null, { sessionId: 's-2' })]);
      await found(world, 'zebra');
      renameSync(project, `${project}-old`);
      world.write(claude.path('s-3'), [claude.user('u-3', 'giraffe again', null, { sessionId: 's-3' })]);
      await found(world, 'giraffe');
      world.append(claude.path('s-3'), `${linesOf([claude.assistant('a-3', 'okapi again', 'u-3')])}\n`);
      await found(world, 'okapi');
    },
  );
});

describe('SRC-48: what following costs, and how it ends', () => {
  test('SRC-48: a burst of appends leads to few syncs', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-0', 'first')]);
    const reports: FollowReport[] = [];
    await using follow = await world.backstory.sources.follow({
      passMs: NEVER_MS,
      onReport: (report) => reports.push(report),
    });
    await follow.settled();
    const before = reports.length;
    for (let i = 1; i <= 100; i++) {
      world.append(claude.path('s-1'), `${linesOf([claude.user(`u-${i}`, `zebra ${i}`, `u-${i - 1}`)])}\n`);
    }
    await until(async () => (await world.texts('agent:claude-code:s-1')).length === 101);
    expect(reports.length - before).toBeLessThan(10);
  });

  test('SRC-48: an idle machine costs nothing, and a change of one format plans no other', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-1', 'first')]);
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'other')]);
    const reports: FollowReport[] = [];
    await using follow = await world.backstory.sources.follow({
      passMs: NEVER_MS,
      onReport: (report) => reports.push(report),
    });
    await follow.settled();
    await pause(300);
    expect(reports).toHaveLength(1);
    world.append(claude.path('s-1'), `${linesOf([claude.assistant('a-1', 'zebra', 'u-1')])}\n`);
    await found(world, 'zebra');
    await follow.settled();
    const sources = reports.slice(1).flatMap((report) => (report.type === 'synced' ? report.report.roots : []));
    expect(new Set(sources.map(({ source }) => source))).toEqual(new Set(['claude-code']));
  });

  test('SRC-48: files of an agent that are none of ours, changed where they are, lead to no sync', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-1', 'first')]);
    world.write('.claude/notes.jsonl', ['{}']);
    world.write('.claude/debug/log.txt', ['x']);
    const reports: FollowReport[] = [];
    await using follow = await world.backstory.sources.follow({
      passMs: NEVER_MS,
      onReport: (report) => reports.push(report),
    });
    await follow.settled();
    world.append('.claude/notes.jsonl', '{}\n');
    world.append('.claude/debug/log.txt', 'x\n');
    await pause(300);
    expect(reports).toHaveLength(1);
  });

  test('SRC-48: nothing happens after close, nor after the engine is closed', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-1', 'first')]);
    const reports: FollowReport[] = [];
    const onReport = (report: FollowReport): number => reports.push(report);
    const follow = await world.backstory.sources.follow({ passMs: 50, onReport });
    const other = await world.reopen();
    const second = await other.sources.follow({ passMs: 50, onReport });
    await follow.settled();
    await follow.close();
    await other.close();
    const after = reports.length;
    world.append(claude.path('s-1'), `${linesOf([claude.assistant('a-1', 'zebra', 'u-1')])}\n`);
    await pause(300);
    expect(reports).toHaveLength(after);
    expect(await world.keys('zebra')).toEqual([]);
    expect([follow.watching.folders, second.watching.folders]).toEqual([0, 0]);
    await follow.close();
    await second.settled();
    await expect(other.sources.follow()).rejects.toMatchObject({ code: 'closed' });
  });

  test('SRC-48: closing while the first sync runs stops it between two batches', async () => {
    const world = await makeWorld(NO_SYNC);
    for (let i = 0; i < 50; i++) {
      world.write(claude.path(`s-${i}`), [claude.user(`u-${i}`, 'zebra', null, { sessionId: `s-${i}` })]);
    }
    const follow = await world.backstory.sources.follow();
    await world.backstory.close();
    expect(follow.error).toBeUndefined();
    const again = await world.reopen();
    const report = await again.sources.sync();
    expect(report.files.imported + report.files.unchanged).toBe(50);
  });
});

describe('SRC-48: the net below the watches', () => {
  test('SRC-48: a root made after the start is picked up by the pass, and then watched', async () => {
    const world = await makeWorld(NO_SYNC);
    await using follow = await world.backstory.sources.follow({ passMs: 100 });
    await follow.settled();
    expect(follow.watching.folders).toBe(0);
    world.write(claude.path('s-1'), [claude.user('u-1', 'zebra later')]);
    await found(world, 'zebra');
    expect(follow.watching).toEqual({ folders: 3, polled: 0 });
    rmSync(join(world.user, '.claude'), { recursive: true });
    await until(() => follow.watching.folders === 0);
    world.write(claude.path('s-2'), [claude.user('u-2', 'giraffe back', null, { sessionId: 's-2' })]);
    await found(world, 'giraffe');
  });

  test('SRC-48: a root of the settings that is not there yet is waited for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'backstory-root-'));
    try {
      const root = join(folder, 'later');
      const world = await makeWorld({
        sources: { syncOnSearch: false, roots: [{ source: 'claude-code', path: root }] },
      });
      world.write(claude.path('s-1'), [claude.user('u-1', 'zebra here')]);
      await using follow = await world.backstory.sources.follow({ passMs: 100 });
      await found(world, 'zebra');
      expect(follow.error).toBeUndefined();
      const elsewhere = world.write('x.jsonl', [claude.user('u-2', 'giraffe there', null, { sessionId: 's-2' })]);
      mkdirSync(join(root, 'projects/-a'), { recursive: true });
      renameSync(elsewhere, join(root, 'projects/-a/s-2.jsonl'));
      await found(world, 'giraffe');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('SRC-9 SRC-48: a linked project is followed where it really is', async () => {
    const world = await makeWorld(NO_SYNC);
    world.write('elsewhere/s-1.jsonl', [claude.user('u-1', 'first')]);
    mkdirSync(join(world.user, '.claude/projects'), { recursive: true });
    symlinkSync(join(world.user, 'elsewhere'), join(world.user, '.claude/projects/-linked'));
    await using follow = await world.backstory.sources.follow({ passMs: NEVER_MS });
    await follow.settled();
    world.append('elsewhere/s-1.jsonl', `${linesOf([claude.assistant('a-1', 'zebra linked', 'u-1')])}\n`);
    await found(world, 'zebra');
  });

  // The watch of the whole machine cannot be used up for a test: here the system's answer is given in its place.
  test.each(['ENOSPC', 'EMFILE'])('SRC-48: out of watches (%s) is said once, and polling goes on', async (code) => {
    const world = await makeWorld(NO_SYNC);
    world.write(claude.path('s-1'), [claude.user('u-1', 'first')]);
    world.write(claude.path('s-2', '-src-other'), [claude.user('u-2', 'other', null, { sessionId: 's-2' })]);
    const reports: FollowReport[] = [];
    let left = 1;
    const watch = (folder: string, options: { readonly recursive: boolean }): FSWatcher => {
      if (left-- > 0) return fsWatch(folder, options);
      throw Object.assign(new Error('no more watches'), { code });
    };
    await using follow = await world.backstory.sources.follow({
      watch,
      recursive: false,
      passMs: NEVER_MS,
      onReport: (report) => reports.push(report),
    });
    await follow.settled();
    expect(follow.watching).toEqual({ folders: 4, polled: 3 });
    world.append(claude.path('s-1'), `${linesOf([claude.assistant('a-1', 'zebra polled', 'u-1')])}\n`);
    await found(world, 'zebra');
    world.write(claude.path('s-3', '-src-new'), [claude.user('u-3', 'giraffe new', null, { sessionId: 's-3' })]);
    await found(world, 'giraffe');
    expect(reports.filter(({ type }) => type === 'watch_limited')).toMatchObject([{ code }]);
    expect(reports.filter(({ type }) => type === 'failed')).toEqual([]);
  });

  test('SRC-48: a sync that fails is told and kept, tried again, and holds back no other format', async () => {
    const world = await makeWorld(NO_SYNC);
    mkdirSync(world.home, { recursive: true });
    world.write('given.txt', ['no folder']);
    world.write(codex.path('c-1'), [codex.meta('c-1'), codex.item('user', 'lemur today')]);
    const reports: FollowReport[] = [];
    const given = join(world.user, 'given.txt');
    await using follow = await world.backstory.sources.follow({
      roots: [{ source: 'claude-code', path: given }],
      passMs: NEVER_MS,
      onReport: (report) => {
        reports.push(report);
        if (report.type === 'failed') throw new Error('a callback that throws ends nothing');
      },
    });
    await found(world, 'lemur');
    await until(() => reports.some(({ type }) => type === 'failed'));
    expect(follow.error).toBeDefined();
    rmSync(given);
    world.write('given.txt/projects/-a/s-1.jsonl', [claude.user('u-1', 'zebra mended')]);
    await found(world, 'zebra');
    await follow.settled();
    expect(follow.error).toBeUndefined();
  });

  test('SRC-48: an unknown format is refused', async () => {
    const world = await makeWorld(NO_SYNC);
    await expect(world.backstory.sources.follow({ sources: ['claud-code'] })).rejects.toMatchObject({
      code: 'source_unknown',
    });
  });
});

async function found(world: World, word: string): Promise<void> {
  await until(async () => (await world.keys(word)).length > 0);
}

// The limit is generous: it is no measurement, only the end of hope.
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2_000; i++) {
    if (await isSo()) return;
    await pause(10);
  }
  expect.fail('it did not come');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
