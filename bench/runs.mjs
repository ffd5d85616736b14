// Measures run files against the targets of run-files.md §15, each trial in a process of its own, ripgrep beside them when
// it is there: node bench/runs.mjs [name …]
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const MB = 1_000_000;
const OLD = new Date(Date.now() - 3_600_000);
const WORDS = vocabulary(20_000);
const QUERIES = [
  'why did the deploy fail',
  `${WORDS[19_000]}`,
  `${WORDS[3]} ${WORDS[500]}`,
  `${WORDS[0]}`,
  `${WORDS[0]} ${WORDS[1]} ${WORDS[2]}`,
  `"${WORDS[10]} ${WORDS[11]}" ${WORDS[15_000]}`,
  `what happened with ${WORDS[12_000]} and ${WORDS[7_000]} on the second host`,
];

const TRIALS = {
  unchanged: [
    'refresh, 10 000 files, none changed',
    '≤ 150 ms, 0 bytes read',
    ({ ms, first, bytesRead }) =>
      `${ms.toFixed(0)} ms, ${bytesRead} bytes (first in a process: ${first.toFixed(0)} ms)`,
  ],
  grown: ['250 MB file grown by one line, until searchable', '≤ 20 ms', ({ ms }) => `${ms.toFixed(1)} ms`],
  first: [
    '100 MB of log text first indexed, `hidingOutside` on',
    '≥ 15 MB/s, RSS ≤ 200 MB',
    ({ ms, rss, bytes, held }) =>
      `${(bytes / ms / 1000).toFixed(1)} MB/s, ${rss.toFixed(0)} MB; event loop held ${held.toFixed(0)} ms at most`,
  ],
  plain: [
    'the same without a masker',
    '',
    ({ ms, rss, bytes, held, size }) =>
      `${(bytes / ms / 1000).toFixed(1)} MB/s, ${rss.toFixed(0)} MB; held ${held.toFixed(0)} ms; index ${(size / bytes).toFixed(2)} × the files`,
  ],
  query: [
    'query over 100 MB, refresh not counted',
    'p50 ≤ 10 ms, p95 ≤ 50 ms',
    ({ p50, p95, each, rg }) =>
      `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (medians: ${each.map((ms) => ms.toFixed(1)).join(', ')})${rg ? `; rg of one word ${rg.toFixed(0)} ms` : ''}`,
  ],
  endless: [
    '1 GB line without line feed, 512 MB heap',
    'first and last words found',
    ({ ms, rss, found }) => `${found ? 'found' : 'NOT FOUND'}, ${(ms / 1000).toFixed(0)} s, ${rss.toFixed(0)} MB`,
  ],
};

const [name, bundle, work] = process.argv.slice(2);
if (bundle?.endsWith('.mjs') && TRIALS[name]) console.log(JSON.stringify(await trial(name, bundle, work)));
else measure(process.argv.slice(2));

function measure(names) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-runs-'));
  const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const built = join(cache, `bench-runs-${process.pid}.mjs`);
  try {
    const source = (path) => JSON.stringify(fileURLToPath(new URL(`../src/${path}`, import.meta.url)));
    const contents = `export { IncrementalTextFilesRetriever } from ${source('engine/runs.ts')};
      export { ChatRetrievalContext } from ${source('model/retrieval.ts')};
      export { Masker } from ${source('redact/masker.ts')};`;
    buildSync({
      stdin: { contents, resolveDir: folder, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['better-sqlite3', 're2js', 'fzstd'],
      outfile: built,
    });
    console.log(`${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}\n`);
    console.log('| what | target | measured |\n|---|---|---|');
    for (const [trialName, [what, target, show]] of Object.entries(TRIALS)) {
      if (names.length > 0 && !names.includes(trialName)) continue;
      const own = join(folder, trialName);
      prepare(trialName, own, built);
      console.log(`| ${what} | ${target} | ${show(inProcess(trialName, built, own))} |`);
      rmSync(own, { recursive: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(built, { force: true });
  }
}

function prepare(trialName, own, built) {
  mkdirSync(join(own, 'run', 'episode-1'), { recursive: true });
  if (trialName === 'unchanged') {
    for (let n = 0; n < 10_000; n++) {
      const path = join(own, 'run', `Alice.${n}.md`);
      writeFileSync(path, `${WORDS[n]} ${WORDS[n + 1]}\n`);
      utimesSync(path, OLD, OLD);
    }
    inProcess('unchanged', built, own);
  } else if (trialName === 'grown') writeLog(join(own, 'run', 'episode-1', 'Alice.log'), 250 * MB);
  else if (trialName === 'endless') {
    const path = join(own, 'run', 'Alice.md');
    writeFileSync(path, 'firstword ');
    for (let n = 0; n < 10; n++)
      appendFileSync(path, Buffer.from('some words of a line '.repeat(5_000_000)).subarray(0, 100 * MB));
    appendFileSync(path, ' lastword');
    utimesSync(path, OLD, OLD);
  } else writeLog(join(own, 'run', 'episode-1', 'Alice.log'), 100 * MB);
}

function inProcess(...args) {
  const script = fileURLToPath(import.meta.url);
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=512', script, ...args], {
    encoding: 'utf8',
  });
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function trial(trialName, built, own) {
  const { IncrementalTextFilesRetriever, ChatRetrievalContext, Masker } = await import(pathToFileURL(built).href);
  const folder = join(own, 'run');
  const home = join(own, 'home');
  const context = new ChatRetrievalContext({
    ownerId: 'Alice',
    conversationId: 'conv-1',
    metadataFilters: { 'current-episode': 'episode-3' },
  });
  const retriever = new IncrementalTextFilesRetriever(folder, 'Alice', {
    home,
    logger: { warn: () => undefined },
    ...(trialName === 'first' ? { masker: Masker.hidingOutside(folder) } : {}),
  });
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const start = performance.now();
  await retriever.refresh();
  const first = performance.now() - start;
  loop.disable();
  const rss = process.resourceUsage().maxRSS / 1024;
  const result = { ms: first, rss, held: loop.max / 1e6 };
  if (trialName === 'unchanged') {
    const before = retriever.counters.bytesRead;
    const taken = await times(9, () => retriever.refresh());
    return { ...result, first, ms: taken[4], bytesRead: retriever.counters.bytesRead - before };
  }
  if (trialName === 'grown') {
    await retriever.refresh();
    const log = join(folder, 'episode-1', 'Alice.log');
    let n = 0;
    const taken = await times(9, async () => {
      appendFileSync(log, line(n++, 'needle'));
      await retriever.refresh();
    });
    return { ms: taken[4] };
  }
  if (trialName === 'endless') {
    const one = await retriever.retrieve('firstword', context);
    const two = await retriever.retrieve('lastword', context);
    return { ...result, found: one.evidence.length === 1 && two.evidence.length === 1 };
  }
  if (trialName === 'query') {
    const all = [];
    const each = [];
    for (const query of QUERIES) {
      const refreshing = await times(5, () => retriever.refresh());
      const taken = await times(15, () => retriever.retrieve(query, context));
      for (const ms of taken) all.push(Math.max(0, ms - refreshing[2]));
      each.push(Math.max(0, taken[7] - refreshing[2]));
    }
    all.sort((a, b) => a - b);
    const rg = ripgrep(folder);
    return { p50: all[all.length >> 1], p95: all[Math.floor(all.length * 0.95)], each, rg };
  }
  const bytes = statSync(join(folder, 'episode-1', 'Alice.log')).size;
  await retriever.close();
  return { ...result, bytes, size: sizeOf(join(home, 'runs')) };
}

function sizeOf(folder) {
  const { stdout } = spawnSync('du', ['-sb', folder], { encoding: 'utf8' });
  return Number(stdout.split('\t')[0]);
}

function ripgrep(folder) {
  if (spawnSync('rg', ['--version']).error) return undefined;
  const taken = Array.from({ length: 5 }, () => {
    const start = performance.now();
    spawnSync('rg', ['-c', '-i', '-w', WORDS[500], folder]);
    return performance.now() - start;
  });
  return taken.sort((a, b) => a - b)[2];
}

async function times(count, work) {
  const taken = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await work();
    taken.push(performance.now() - start);
  }
  return taken.sort((a, b) => a - b);
}

function writeLog(path, bytes) {
  let block = '';
  let n = 0;
  for (let written = 0; written < bytes; ) {
    block += line(n++);
    if (block.length < MB) continue;
    appendFileSync(path, block);
    written += block.length;
    block = '';
  }
  utimesSync(path, OLD, OLD);
}

// A log line of about 140 bytes: words by Zipf's law, numbers, a path, an identifier.
function line(n, extra = '') {
  const time = new Date(Date.UTC(2026, 0, 1) + n * 300).toISOString();
  const words = Array.from({ length: 9 }, (_, at) => WORDS[Math.floor(WORDS.length ** random(n * 16 + at)) - 1]).join(
    ' ',
  );
  const level = n % 17 === 0 ? 'WARN ' : 'INFO ';
  return `${time.slice(0, 10)} ${time.slice(11, 19)} ${level} [running] [conv-${n % 10}] Alice ${words} requestId=${n} took ${n % 997} ms ${extra}\n`;
}

function random(seed) {
  let x = (seed + 1) * 0x9e3779b1;
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

function vocabulary(count) {
  const parts = [
    'de',
    'ploy',
    'ser',
    'vice',
    'con',
    'nect',
    'time',
    'out',
    're',
    'try',
    'que',
    'ue',
    'work',
    'er',
    'plan',
    'node',
  ];
  return Array.from({ length: count }, (_, n) => {
    let word = '';
    for (let rest = n + 16; rest > 0; rest = Math.floor(rest / 16)) word += parts[rest % 16];
    return word;
  });
}
