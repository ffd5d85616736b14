// Files read on another thread while those before them are written: the same store, whatever happens to the thread (SRC-70).
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EngineCore } from '../../src/engine/core.ts';
import { readingAhead } from '../../src/engine/reading-ahead.ts';
import { type SyncContext, type SyncOptions, syncSources } from '../../src/sessions/sync.ts';
import type { Task } from '../../src/sessions/sync-plan.ts';
import type { SyncReport } from '../../src/sessions/sync-report.ts';
import { builtInSources } from '../../src/sources/index.ts';
import { openForeign } from '../../src/store/sqlite/foreign.ts';
import { type BuiltWorker, builtWorker } from '../steps/worker.ts';
import { claude, codex, linesOf, makeWorld, removeWorlds, type World } from '../steps/world.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await builtWorker('read-worker');
});
afterAll(() => worker.remove());
afterEach(removeWorlds);

const PAD = 'x'.repeat(300_000);

/** Some 18 MB in files of two formats: tools' results make most of it, as they do. */
function history(world: World): void {
  for (let n = 0; n < 40; n++) {
    const lines: object[] = [];
    for (let m = 0; m < 6; m++) {
      const id = `${n}-${m}`;
      lines.push(claude.user(`u${id}`, `ask ${id} zebra`, m === 0 ? null : `a${n}-${m - 1}`));
      lines.push(claude.assistant(`c${id}`, [{ type: 'tool_use', id, name: 'Bash', input: { n } }], `u${id}`));
      const content = m === 2 ? PAD : `result ${id}`;
      lines.push(claude.user(`r${id}`, [{ type: 'tool_result', tool_use_id: id, content }], `c${id}`));
      lines.push(claude.assistant(`a${id}`, `answer ${id}`, `r${id}`));
    }
    world.write(claude.path(`s-${n}`, `-src-p${n % 3}`), [...lines, '{"torn', '{}']);
    const turns = [codex.meta(`c-${n}`), codex.turn('t'), codex.item('user', `codex ${n} zebra`)];
    world.write(codex.path(`c-${n}`), [...turns, codex.item('assistant', PAD.slice(0, n === 7 ? 300_000 : 10))]);
  }
  for (let n = 0; n < 6; n++)
    world.write(claude.path(`big-${n}`), [claude.user(`b${n}`, `one ${n}`), `"${'y'.repeat(900_000)}"`]);
}

interface Synced {
  readonly report: SyncReport;
  readonly rows: unknown;
  readonly ahead: number;
}

async function sync(
  world: World,
  home: string,
  worker: string | undefined,
  options: SyncOptions = {},
): Promise<Synced> {
  const host = { env: {}, home: world.user, platform: process.platform };
  const core = new EngineCore({ home: join(world.folder, home), host });
  const ahead: Task[] = [];
  const context: SyncContext = {
    stores: core.stores,
    sources: core.sources,
    disabled: [],
    host,
    clock: core.clock,
    newId: core.newId,
    prepare: core.prepare,
    fingerprint: core.fingerprint,
    parse: 'fast',
    toolInputChars: 2_000,
    onHostDelete: 'keep',
    openDatabase: openForeign,
    readAhead: (tasks) => {
      ahead.push(...tasks);
      return readingAhead(worker, tasks, { parse: 'fast', toolInputChars: 2_000 }, core.clock);
    },
  };
  try {
    const report = await syncSources(context, options);
    return { report, ahead: ahead.length, rows: rowsIn(join(world.folder, home)) };
  } finally {
    await core.stores.close();
  }
}

/** Everything that was read, but for when, and for the numbers of sessions that began in another order. */
function rowsIn(home: string): unknown {
  return ['claude-code', 'codex'].map((agent) => {
    const path = join(home, 'agents', `${agent}.sqlite`);
    if (!existsSync(path)) return [];
    const db = new Database(path, { readonly: true });
    const all = (sql: string): unknown[] => db.prepare(sql).all();
    const rows = [
      all(
        'SELECT s.key, s.title, s.messages, s.texts, s.characters, s.last_at, s.origin FROM session s ORDER BY s.key',
      ),
      all(`SELECT s.key, e.native, e.kind, e.role, e.state, e.at, e.flags, e.blocks, b.text FROM entry e
        JOIN session s ON s.no = e.session LEFT JOIN body b ON b.entry = e.id ORDER BY s.key, e.id`),
      all('SELECT path, outcome, detail, size, entries, counts FROM file ORDER BY path'),
      all('SELECT count(*) FROM doc'),
    ];
    db.close();
    return rows;
  });
}

const numbers = ({ files, entries, left, bytes }: SyncReport): unknown => ({ files, entries, left, bytes });

describe('SRC-70: reading ahead', () => {
  test('SRC-70: what is read on another thread is stored and told as what is read here', async () => {
    const world = await makeWorld();
    history(world);
    const here = await sync(world, 'here', undefined);
    const there = await sync(world, 'there', worker.file);
    expect(there.ahead).toBe(86);
    expect(there.rows).toEqual(here.rows);
    expect(numbers(there.report)).toEqual(numbers(here.report));
    // What is not new is read here.
    world.append(claude.path('s-1', '-src-p1'), `${linesOf([claude.user('later', 'later zebra', 'a1-5')])}\n`);
    const again = await sync(world, 'there', worker.file);
    expect([again.ahead, again.report.entries.added]).toEqual([0, 1]);
  });

  test('SRC-70: what the thread hands over leaves others their turn of the event loop', async () => {
    const world = await makeWorld();
    const content = 'x'.repeat(60_000);
    for (let n = 0; n < 300; n++) {
      const lines: object[] = [
        claude.user(`r${n}`, [{ type: 'tool_result', tool_use_id: 't', content }]),
        ...Array.from({ length: 12 }, (_, m) => claude.user(`u${n}-${m}`, `${m} ${'zebra crossing '.repeat(20)}`)),
      ];
      world.write(claude.path(`s-${n}`, `-src-p${n % 3}`), lines);
    }
    let inOneTurn = 0;
    let most = 0;
    const timer = setInterval(() => {
      inOneTurn = 0;
    }, 1);
    const onProgress = (): void => {
      most = Math.max(most, ++inOneTurn);
    };
    const { ahead } = await sync(world, 'home', worker.file, { onProgress });
    clearInterval(timer);
    expect(ahead).toBe(300);
    expect(most).toBeLessThan(300);
  });

  test('SRC-70: little is read here', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u1', 'zebra')]);
    expect((await sync(world, 'home', worker.file)).ahead).toBe(0);
  });

  test.each([
    ['is not there', 'nowhere.mjs', undefined],
    ['fails at once', 'fails.mjs', 'throw new Error("no");'],
    ['ends in the middle', 'ends.mjs', 'await import(WORKER); setTimeout(() => process.exit(1), 60);'],
  ])('SRC-44: a thread that %s costs nothing', async (_, name, text) => {
    const world = await makeWorld();
    history(world);
    if (text !== undefined)
      writeFileSync(join(worker.folder, name), text.replace('WORKER', JSON.stringify(worker.file)));
    const here = await sync(world, 'here', undefined);
    const there = await sync(world, 'there', join(worker.folder, name));
    expect(there.rows).toEqual(here.rows);
    expect(there.report.files).toMatchObject({ skippedTotal: here.report.files.skippedTotal, failedTotal: 0 });
  });

  test('SRC-41: a budget ends it between batches, and calls go on until all is read', async () => {
    const world = await makeWorld();
    history(world);
    let calls = 0;
    for (let left = 1; left > 0 && calls < 200; calls++) {
      left = (await sync(world, 'there', worker.file, { budgetMs: 40 })).report.left;
    }
    expect(calls).toBeGreaterThan(1);
    expect((await sync(world, 'there', worker.file)).rows).toEqual((await sync(world, 'here', undefined)).rows);
  });

  test('SRC-42: an abort ends it at once, and the next sync goes on', async () => {
    const world = await makeWorld();
    history(world);
    const abort = new AbortController();
    const onProgress: SyncOptions['onProgress'] = ({ filesDone }) => {
      if (filesDone >= 20) abort.abort();
    };
    await expect(sync(world, 'there', worker.file, { signal: abort.signal, onProgress })).rejects.toMatchObject({
      code: 'sync_aborted',
    });
    expect((await sync(world, 'there', worker.file)).rows).toEqual((await sync(world, 'here', undefined)).rows);
  });

  test('SRC-44: two at once read each file once', async () => {
    const world = await makeWorld();
    history(world);
    await Promise.all([sync(world, 'there', worker.file), sync(world, 'there', worker.file)]);
    const [there, here] = [await sync(world, 'there', worker.file), await sync(world, 'here', undefined)];
    expect(there.rows).toEqual(here.rows);
  });

  test('SRC-70: the readers of the thread are those that are built in', () => {
    expect(builtInSources.map(({ name }) => name)).toContain('claude-code');
  });
});
