// Measures the follower against the targets of FILE-25, each trial in a process of its own: node bench/files.mjs [runs]
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const MB = 1_000_000;
const LINE = `${'x'.repeat(199)}\n`;
const clock = { now: () => Date.now() + 60_000, elapsed: () => performance.now() };

const TRIALS = {
  unchanged: ['10 000 unchanged files, states in memory', '≤ 150 ms', (r) => `${r.ms.toFixed(0)} ms`],
  grown: ['250 MB file grown by one line, up to commit', '≤ 12 ms', (r) => `${r.ms.toFixed(1)} ms`],
  lines: [
    'lines of 200 bytes of a 250 MB file to an empty sink',
    '≥ 300 MB/s',
    (r) => `${(250_000 / r.ms).toFixed(0)} MB/s`,
  ],
  full: ['full check of 250 MB', '≤ 800 ms', (r) => `${r.ms.toFixed(0)} ms`],
  endless: [
    '1 GB without a line feed, 512 MB heap',
    '≤ 200 MB RSS',
    (r) => `${r.rss.toFixed(0)} MB, ${r.ms.toFixed(0)} ms`,
  ],
};

const [name, bundle, folder] = process.argv.slice(2);
if (TRIALS[name]) console.log(JSON.stringify(await trial(name, bundle, folder)));
else measure(Number(name ?? 5));

function measure(runs) {
  const work = mkdtempSync(join(tmpdir(), 'bench-files-'));
  try {
    const built = join(work, 'files.mjs');
    const entry = fileURLToPath(new URL('../src/files/index.ts', import.meta.url));
    buildSync({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile: built });
    writeFileSync(join(work, 'big'), '');
    for (let n = 0; n < 25; n++) appendFileSync(join(work, 'big'), LINE.repeat(50_000));
    mkdirSync(join(work, 'many'));
    for (let n = 0; n < 10_000; n++) writeFileSync(join(work, 'many', `${n}.log`), LINE);
    for (let n = 0; n < 10; n++) appendFileSync(join(work, 'endless'), Buffer.alloc(100 * MB, 120));
    console.log(`${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}, median of ${runs} processes\n`);
    console.log('| what | target | measured |\n|---|---|---|');
    for (const [trialName, [what, target, show]] of Object.entries(TRIALS)) {
      const results = Array.from({ length: runs }, () => inProcess(trialName, built, work)).sort((a, b) => a.ms - b.ms);
      console.log(`| ${what} | ${target} | ${show(results[runs >> 1])} |`);
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}

function inProcess(...args) {
  const script = fileURLToPath(import.meta.url);
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=512', script, ...args], {
    encoding: 'utf8',
  });
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function trial(which, built, work) {
  const { FileFollower } = await import(built);
  const follower = new FileFollower(which === 'unchanged' ? join(work, 'many') : work, { clock });
  const sink = emptySink();
  const big = join(work, 'big');
  if (which === 'lines') return timed(() => follower.read('big', undefined, sink));
  if (which === 'endless') {
    const { ms } = await timed(() => follower.read('endless', undefined, sink));
    return { ms, rss: process.resourceUsage().maxRSS / 1024 };
  }
  if (which === 'unchanged') {
    const states = new Map();
    for await (const { path } of follower.walk()) states.set(path, (await follower.read(path, undefined, sink)).state);
    return timed(async () => {
      for (const [path, state] of states) await follower.read(path, state, sink);
    });
  }
  const { state } = await follower.read('big', undefined, sink);
  if (which === 'full') {
    utimesSync(big, 1, 1);
    return timed(() => follower.read('big', state, sink));
  }
  appendFileSync(big, LINE);
  const result = await timed(() => follower.read('big', state, sink));
  truncateSync(big, 250 * MB);
  return result;
}

// Keeps the end of the last line, as any sink must, and nothing else.
function emptySink() {
  let offset = 0;
  let number = 1;
  return {
    start(at) {
      ({ offset, number } = at);
    },
    line(bytes, at) {
      offset = at.offset + bytes.length + 1;
      number = at.number + 1;
    },
    segment() {},
    tail() {},
    anchor: () => ({ offset, number, data: new Uint8Array(0) }),
    commit() {},
    rollback() {},
  };
}

async function timed(work) {
  const start = performance.now();
  await work();
  return { ms: performance.now() - start };
}
