// The engine with its memory on a real PostgreSQL server: several processes, the setting, the doctor, erasing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Server, startServer } from '../../scripts/postgres-server.mjs';
import { operator } from '../../src/access/caller.ts';
import { run as runCli } from '../../src/cli/run.ts';
import { openBackstory } from '../../src/engine/engine.ts';
import { keptIo } from '../cli/fake-io.ts';
import { makeSteps, removeSteps } from '../episodes/steps.ts';
import { bundled, removeBundles, start } from '../steps/run-process.ts';

let server: Server;
const homes: string[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterEach(async () => {
  await removeSteps();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});
afterAll(async () => {
  removeBundles();
  await server?.stop();
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'backstory-on-postgres-'));
  homes.push(home);
  return home;
}

test('EPI-160: 4 processes with 150 runs each keep 600 of 600 on PostgreSQL, each found by its own word', async () => {
  const home = newHome();
  const worker = bundled(join(import.meta.dirname, '..', 'episodes', 'processes', 'worker.mjs'));
  const { connectionString } = server.connection();
  const env = { BACKSTORY_MEMORY_POSTGRES: connectionString };
  const at = String(Date.now() + 1_500);
  const names = ['a', 'b', 'c', 'd'];
  const all = await Promise.all(names.map((name) => start(worker, ['record', home, name, '150', at], env).lines));
  for (const lines of all) expect(lines).toHaveLength(151);
  const memory = { workspace: 'app', postgres: connectionString };
  const backstory = await openBackstory({ home: newHome(), memory });
  try {
    const stats = await backstory.episodes.stats();
    expect(stats.records).toBe(600);
    const context = await backstory.episodes.context({ route: '/a' });
    let found = 0;
    for (const name of names) {
      for (let n = 0; n < 150; n++) {
        const { records } = await context.recall({ query: `word${name}x${n}` });
        found += records.length;
      }
    }
    expect(found).toBe(600);
  } finally {
    await backstory.close();
  }
});

test('SUR-41: records that another process writes to PostgreSQL are told as they come, of one namespace or of all', async () => {
  const worker = bundled(join(import.meta.dirname, '..', 'episodes', 'processes', 'worker.mjs'));
  const { connectionString } = server.connection();
  const backstory = await openBackstory({ home: newHome(), memory: { workspace: 'app', postgres: connectionString } });
  try {
    const env = { BACKSTORY_MEMORY_POSTGRES: connectionString };
    await start(worker, ['record', newHome(), 'before', '1', '0'], env).lines;
    const own = { agent: 'main', namespace: 'workspace=app|route=/a' };
    const ended = new AbortController();
    const options = { pollMs: 20, signal: ended.signal };
    const views = await Promise.all(
      [own, 'all' as const, { ...own, namespace: 'workspace=app|route=/b' }].map((of) =>
        backstory.episodes.watch(of, options),
      ),
    );
    const told: string[][] = [[], [], []];
    const telling = views.map(async (view, index) => {
      for await (const { namespace, outcome } of view) told[index]!.push(`${namespace} ${outcome}`);
    });
    await start(worker, ['record', newHome(), 'after', '3', '0'], env).lines;
    await expect.poll(() => told.map((all) => all.length)).toEqual([3, 3, 0]);
    ended.abort();
    await Promise.all(telling);
    expect(new Set(told.flat())).toEqual(new Set([`${own.namespace} ok`]));
  } finally {
    await backstory.close();
  }
});

test('COM-42: postgres for everything is refused and names memory.postgres; no error quotes the connection', async () => {
  const home = newHome();
  const open = (options: object): Promise<unknown> =>
    openBackstory({ home, ...options }).catch((error: unknown) => error);
  expect(await open({ postgres: 'postgres://x' })).toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('sessions stay in SQLite'),
    hint: expect.stringContaining('memory.postgres'),
  });
  const secret = ['some', 'word'].join('-');
  for (const postgres of [
    `mysql://u:${secret}@h/d`,
    { password: secret, prot: 1 },
    { password: secret, port: 0 },
    { password: secret, schema: 'A b' },
  ]) {
    const failed = await open({ memory: { postgres } });
    expect(failed).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('memory.postgres') });
    expect(JSON.stringify(failed) + String(failed)).not.toContain(secret);
  }
});

test('EPI-54: the doctor records and recalls on the server, leaves nothing there, and names a server that is away', async () => {
  const connection = server.connection();
  const world = await makeSteps({ postgres: connection });
  const { findings } = await world.backstory.episodes.doctor({ agent: 'main', route: '/a' });
  expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
  expect(await world.backstory.episodes.agents()).toEqual([]);
  const away = await world.another({ postgres: { ...connection, connectionString: 'postgres://me@127.0.0.1:1/db' } });
  const told = await away.doctor(operator());
  expect(told.findings).toContainEqual(
    expect.objectContaining({ level: 'error', code: 'store_busy', message: expect.stringContaining('127.0.0.1:1') }),
  );
});

test('EPI-133: erasing on PostgreSQL says pending, since a vacuum, the log and backups are the server’s', async () => {
  const { connectionString, schema } = server.connection();
  const world = await makeSteps({ postgres: { connectionString, schema }, episodes: { writeTimeoutMs: 10_000 } });
  const ids: string[] = [];
  for (const runId of ['r1', 'r2', 'r3']) {
    ids.push(await world.record('a sentence that is long enough to be looked for again', { runId }));
  }
  const receipt = await world.backstory.episodes.erase({ run: 'r1' });
  expect(receipt.verified).toEqual({ rows: 0, index: 0, file: 'pending' });
  expect(receipt.deleted.records).toBe(1);
  // A person is told what to do, and the exit code is that of bytes to go (SUR-21).
  writeFileSync(
    join(world.home, 'backstory.config.json'),
    JSON.stringify({ memory: { postgres: { connectionString, schema }, workspace: 'app' } }),
  );
  for (const command of [
    ['memory', 'forget', ids[1]!],
    ['erase', '--run', 'r2', '--yes'],
    ['erase', '--run', 'r3', '--yes'],
  ]) {
    const io = keptIo({ cwd: world.home, userHome: world.home });
    expect(await runCli([...command, '--home', world.home], io)).toBe(3);
    expect(io.kept.out).toContain('on PostgreSQL with a vacuum');
    expect(io.kept.err).toBe('');
  }
  expect((await world.backstory.episodes.stats()).records).toBe(0);
});
