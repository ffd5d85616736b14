// Archives in processes of their own: killed half way, of 100 MB, and on the command line (SUR-72).
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { run } from '../../src/cli/run.ts';
import { lineOf, NO_LINES } from '../../src/sessions/archive-format.ts';
import { keptIo } from '../cli/fake-io.ts';
import { makeWorld, removeWorlds } from '../steps/world.ts';
import { exported, saved } from './steps.ts';

const caller = operator();
// Below the project, so that the bundle finds sql/ and its packages.
const OUT = join(process.cwd(), 'node_modules', '.cache', `import-child-${process.pid}`);
const CHILD = join(OUT, 'child.mjs');

beforeAll(async () => {
  mkdirSync(OUT, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'import-child.ts')],
    outfile: CHILD,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
});
afterEach(removeWorlds);
afterAll(() => rmSync(OUT, { recursive: true, force: true }));

/** Runs the import; killed when `until` says so of how far it is, 0 to 1. Resolves with the last line it wrote. */
function imported(home: string, file: string, until?: (fraction: number) => boolean): Promise<string> {
  const child = spawn(process.execPath, [CHILD, home, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    last = text.trimEnd().split('\n').at(-1) ?? '';
    if (until?.(Number(last))) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.on('close', () => resolve(last)));
}

test('SUR-72: killed half way nothing of it shows; run again it goes on, and nothing is there twice', async () => {
  const world = await makeWorld();
  for (const name of ['a', 'b']) {
    const messages = Array.from({ length: 3_000 }, (_, n) => ({
      role: 'user' as const,
      content: `the orchard ${name} ${n}`,
    }));
    await world.backstory.sessions.appendMany({ key: `agent:main:group:${name}`, messages });
  }
  const archive = await exported(world.backstory);
  const other = await makeWorld();
  const file = saved(other.folder, archive);
  for (const point of [0.6, 0.8]) {
    expect(await imported(other.home, file, (fraction) => fraction > point)).not.toContain('done');
    expect((await other.backstory.sessions.list(caller, {})).sessions).toEqual([]);
    expect(await other.search('orchard')).toEqual([]);
  }
  expect(await exported(other.backstory)).not.toContain('orchard');
  expect(await imported(other.home, file)).toContain('done');
  expect(await exported(other.backstory)).toBe(archive);
  const { findings } = await other.backstory.doctor(caller);
  expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
}, 60_000);

test('SUR-72: an import left half way goes when another archive comes, and writes go on beside it', async () => {
  const world = await makeWorld();
  const messages = Array.from({ length: 3_000 }, (_, n) => ({ role: 'user' as const, content: `the orchard ${n}` }));
  await world.backstory.sessions.appendMany({ key: 'agent:main:main', messages });
  const big = await exported(world.backstory);
  const small = await makeWorld();
  await small.backstory.sessions.append({ key: 'agent:main:cron:c', message: { role: 'user', content: 'a harbour' } });
  const other = await makeWorld();
  await imported(other.home, saved(other.folder, big, 'big.jsonl'), (fraction) => fraction > 0.7);
  await other.backstory.sessions.append({
    key: 'agent:main:hook:h',
    message: { role: 'user', content: 'written in between' },
  });
  const file = saved(other.folder, await exported(small.backstory));
  expect(await other.backstory.importArchive(caller, { file })).toMatchObject({
    sessions: { imported: 1 },
    entries: 1,
  });
  expect(await other.keys('orchard')).toEqual([]);
  expect(await other.keys('harbour')).toEqual(['agent:main:cron:c']);
  expect(await other.backstory.importArchive(caller, { file: join(other.folder, 'big.jsonl') })).toMatchObject({
    entries: 3_000,
  });
  expect(await other.texts('agent:main:hook:h')).toEqual(['written in between']);
}, 60_000);

test('SUR-72: an archive of 100 MB is written and taken over in bounded memory, and others get their turn', async () => {
  const world = await makeWorld();
  const file = join(world.folder, 'big.jsonl');
  const key = 'agent:main:main';
  const entries = 2_500;
  const handle = openSync(file, 'w');
  const hash = createHash('sha256');
  const write = (line: string): void => {
    hash.update(line);
    writeSync(handle, line);
  };
  const at = 1_788_249_600_000;
  write(lineOf('head', { format: 'backstory-archive', version: 1, agent: 'main', raw: true }));
  const windows = [{ sessionId: 'w-1', reason: 'initial' }];
  write(lineOf('session', { key, kind: 'main', createdAt: at, lastAt: at, messages: entries, leaf: entries, windows }));
  const json = JSON.stringify({ type: 'tool_result', id: 't', content: 'x'.repeat(40_000) });
  for (let no = 1; no <= entries; no++) {
    write(
      lineOf('entry', {
        no,
        session: key,
        sessionId: 'w-1',
        messageId: `m-${no}`,
        ...(no === 1 ? {} : { parent: no - 1 }),
        kind: 'message',
        role: 'tool',
        state: 'active',
        at,
        blocks: [{ type: 'tool_result', id: 't', host: 0 }],
        apart: { 0: json },
      }),
    );
  }
  writeSync(handle, lineOf('end', { counts: { ...NO_LINES, sessions: 1, entries }, sha256: hash.digest('hex') }));
  closeSync(handle);
  expect(statSync(file).size).toBeGreaterThan(100_000_000);

  const [, told] = (await imported(world.home, file)).split('done ');
  const { most, turns } = JSON.parse(told!) as { most: number; turns: number };
  expect(most).toBeLessThan(320 * 1_048_576);
  expect(turns).toBeGreaterThan(100);

  let bytes = 0;
  let longest = 0;
  const output = (text: string): void => {
    bytes += Buffer.byteLength(text);
    longest = Math.max(longest, text.length);
  };
  await world.backstory.export(caller, { raw: true }, { output });
  expect(bytes).toBe(statSync(file).size);
  expect(longest).toBeLessThan(1_048_576);
}, 60_000);

test('SUR-72, SUR-22: backstory export writes to standard output or a file, backstory import-archive takes it', async () => {
  const world = await makeWorld();
  await world.backstory.sessions.append({ key: 'agent:main:main', message: { role: 'user', content: 'the orchard' } });
  const io = (home: string) => keptIo({ cwd: world.folder, env: { BACKSTORY_HOME: home } });
  const piped = io(world.home);
  expect(await run(['export', '--raw'], piped)).toBe(0);
  expect(piped.kept.out).toBe(await exported(world.backstory));
  expect(piped.kept.err).toContain('1 session');
  const filed = io(world.home);
  expect(await run(['export', '--agent', 'main', '--out', 'main.jsonl', '--json'], filed)).toBe(0);
  expect(JSON.parse(filed.kept.out)).toMatchObject({ raw: false, counts: { sessions: 1, entries: 1 } });
  const other = join(world.folder, 'home-2');
  const taken = io(other);
  expect(await run(['import-archive', 'main.jsonl'], taken)).toBe(0);
  expect(taken.kept.out).toContain('1 session with 1 entries');
  const found = io(other);
  expect(await run(['search', 'orchard', '--no-sync', '--json'], found)).toBe(0);
  expect(found.kept.out).toContain('agent:main:main');
  const broken = io(other);
  saved(world.folder, readFileSync(join(world.folder, 'main.jsonl'), 'utf8').slice(0, -9), 'cut.jsonl');
  expect(await run(['import-archive', 'cut.jsonl'], broken)).toBe(5);
  expect(broken.kept.err).toContain('cut off or was changed');
}, 30_000);
