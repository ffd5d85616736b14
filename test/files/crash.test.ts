// F-42 and F-27 in processes of their own: killed between two commits, and 1 GB of one line in a small heap.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'follow-crash-'));
const bundle = join(folder, 'files.mjs');
buildSync({ entryPoints: ['src/files/index.ts'], bundle: true, platform: 'node', format: 'esm', outfile: bundle });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, ...args: string[]) {
  const file = join(folder, 'run.mjs');
  writeFileSync(file, `import { FileFollower, FileState } from ${JSON.stringify(bundle)};\n${script}`);
  return spawnSync(process.execPath, ['--max-old-space-size=512', file, ...args], { encoding: 'utf8' });
}

// Rows and state lie in one file that is replaced as a whole: a transaction that SIGKILL cannot split.
const FOLLOW = `
import { readFileSync, renameSync, writeFileSync, existsSync } from 'node:fs';
const [root, store, killAfter] = process.argv.slice(2);
const saved = existsSync(store) ? JSON.parse(readFileSync(store, 'utf8')) : { rows: [], ends: 0 };
let rows = saved.rows, end = { offset: 0, number: 1 }, commits = 0;
const clock = { now: () => 4e12, elapsed: () => performance.now() };
const row = (bytes, at, kind) => rows.push([at.offset, at.number, kind, Buffer.from(bytes).toString('latin1')]);
const follower = new FileFollower(root, { clock, commitBytes: 1_500_000, maxLineBytes: 2_500_000 });
const outcome = await follower.read('a.log', saved.state && Buffer.from(saved.state, 'base64'), {
  start(at) { rows = rows.filter(([offset]) => offset < at.offset); end = { offset: at.offset, number: at.number }; },
  line(bytes, at) { row(bytes, at, 'line'); end = { offset: at.offset + bytes.length + 1, number: at.number + 1 }; },
  segment(bytes, at, last) { row(bytes, at, 'part'); end = last
    ? { offset: at.offset + bytes.length + 1, number: at.number + 1 } : { offset: at.offset + bytes.length, number: at.number }; },
  tail(bytes, at) { row(bytes, at, 'tail'); },
  anchor: () => ({ ...end, data: Buffer.from('x') }),
  commit(state) {
    writeFileSync(store + '.new', JSON.stringify({ rows, state: Buffer.from(FileState.encode(state)).toString('base64') }));
    renameSync(store + '.new', store);
    if (++commits === Number(killAfter)) process.kill(process.pid, 'SIGKILL');
  },
  rollback() {},
});
console.log(outcome.kind, outcome.reason ?? '');
`;

test('F-42, FILE-20: killed after any commit, another process goes on; nothing is doubled, nothing is missing', () => {
  const numbered = Array.from({ length: 60_000 }, (_, n) => `line ${n} of a file that is read in pieces`).join('\n');
  // A long line, so that commits fall on segments that end in blocks before the present one, too.
  writeFileSync(join(folder, 'a.log'), `${numbered}\n${'0123456789'.repeat(600_000)}\nafter\nunfinished`);
  expect(run(FOLLOW, folder, join(folder, 'whole')).stdout).toBe('restarted new\n');
  const whole = rowsIn(join(folder, 'whole'));
  for (const kill of [1, 2, 3]) {
    const store = join(folder, `killed-${kill}`);
    expect(run(FOLLOW, folder, store, String(kill)).signal).toBe('SIGKILL');
    expect(rowsIn(store) === whole).toBe(false);
    expect(run(FOLLOW, folder, store).stdout).toBe('grown \n');
    expect(rowsIn(store) === whole).toBe(true);
  }
});

// As one string: comparing 60 000 rows one by one takes seconds.
function rowsIn(store: string): string {
  return JSON.stringify((JSON.parse(readFileSync(store, 'utf8')) as { rows: unknown }).rows);
}

test('F-27, FILE-23: 1 GB without a line feed is read in a heap of 512 MB and 200 MB of memory', () => {
  fs.writeFileSync(join(folder, 'one-line'), 'x');
  const { stdout, stderr } = run(
    `
import * as fs from 'node:fs';
// A file of 1 GB that needs no disk: its size and bytes are made up.
const size = 1_000_000_000n;
const larger = (stat) => Object.assign(Object.create(Object.getPrototypeOf(stat)), stat, { size });
const made = { ...fs, lstatSync: (...a) => larger(fs.lstatSync(...a)), fstatSync: (...a) => larger(fs.fstatSync(...a)),
  readSync: (fd, buffer, offset, length) => (buffer.fill(120, offset, offset + length), length) };
let bytes = 0;
const clock = { now: () => 4e12, elapsed: () => performance.now() };
const outcome = await new FileFollower(process.argv[2], { clock, fs: made }).read('one-line', undefined, {
  start() {}, line() {}, tail() {}, segment(part) { bytes += part.length; }, rollback() {}, commit() {},
  anchor: () => ({ offset: 0, number: 1, data: new Uint8Array(0) }),
});
console.log(outcome.kind, bytes, process.resourceUsage().maxRSS / 1024 <= 200);
`,
    folder,
  );
  expect(stderr).toBe('');
  expect(stdout).toBe('restarted 1000000000 true\n');
});
