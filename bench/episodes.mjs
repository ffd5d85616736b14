// Measures memory against the targets of EPI-170 … EPI-179, each trial in a process of its own:
// node bench/episodes.mjs [runs] [--postgres]. On PostgreSQL the server is one of its own on this machine (EPI-162).
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { startServer } from '../scripts/postgres-server.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOW = Date.parse('2026-08-10T18:00:00.000Z');
const MINUTE = 60_000;
const NS = (route) => `workspace=app|route=/${route}`;
const WORDS = ['summarize', 'check', 'refund', 'deploy', 'review', 'invoice', 'order', 'ticket', 'report', 'server'];
let now = NOW;
const clock = { now: () => now, elapsed: () => performance.now() };
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

// id, what, target, the homes it needs, its trial
const TRIALS = [
  ...[500, 10_000, 100_000].map((rows) => [
    'EPI-170',
    `record with its prune, namespace of ${rows} rows`,
    'p50 ≤ 0.3, p99 ≤ 10 ms',
    `one-${rows}`,
    (lib, home) => record(lib, home, 'r0', rows),
    (r) => `p50 ${ms(r.p50)}, p99 ${ms(r.p99)}`,
  ]),
  ...[
    ['EPI-171', 'recall by window, 100 000 rows', '≤ 2 ms', { since: '-6h' }],
    ['EPI-171', 'recall of a rare term', '≤ 2 ms', { query: 'needle77' }],
    ['EPI-172', 'recall of one common term', '≤ 10 ms', { query: 'invoice' }],
    ['EPI-172', 'recall of three common terms', '≤ 10 ms', { query: 'run ok invoice' }],
    ['EPI-172', 'recall of common terms in a window', '≤ 10 ms', { query: 'invoice order', since: '-7d' }],
  ].map(([id, what, target, options]) => [
    id,
    what,
    target,
    'one-100000',
    (lib, home) => recall(lib, home, 'r0', options),
  ]),
  ...[
    ['recall by window', { since: '-6h' }],
    ['recall of a rare term', { query: 'needle77' }],
    ['recall of three common terms', { query: 'run ok invoice' }],
  ].map(([what, options]) => [
    'EPI-173',
    `${what}, 200 × 500 rows`,
    '≤ 1.5 ms',
    'many',
    (lib, home) => recall(lib, home, 'r77', options),
  ]),
  [
    'EPI-174',
    'record, 200 × 500 rows',
    'p50 ≤ 0.3 ms',
    'many',
    (lib, home) => record(lib, home, undefined, 500),
    (r) => `p50 ${ms(r.p50)}, p99 ${ms(r.p99)}`,
  ],
  ['EPI-175', 'prune 100 000 rows to 500', '≤ 400 ms', 'one-100000', prune],
  ['EPI-176', 'timeline of 100 000 rows by day and outcome', '≤ 150 ms', 'one-100000', timeline],
  ['EPI-177', 'file size, index included', '≤ 1 KB a record', 'one-100000', size, (r) => `${r.p50.toFixed(0)} bytes`],
  ['EPI-179', 'erase a namespace of 100 000 rows', '≤ 3 s', 'one-100000', erase],
];

const onServer = process.argv.includes('--postgres');
const [first, bundle, work] = process.argv.slice(2).filter((given) => given !== '--postgres');
// Set in the processes of trials: the server, without a database.
const SERVER = process.env.BENCH_POSTGRES;
if (bundle === undefined) await measure(Number(first ?? 3));
else await inside(first, bundle, work);

async function measure(runs) {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const built = join(cache, `bench-episodes-${process.pid}.mjs`);
  const folder = mkdtempSync(join(tmpdir(), 'bench-episodes-'));
  const server = onServer ? await startServer() : undefined;
  if (server) process.env.BENCH_POSTGRES = server.connection().connectionString.replace(/\/postgres$/, '');
  try {
    build(built);
    const homes = ['many', ...[100_000, 10_000, 500].map((rows) => `one-${rows}`)];
    await Promise.all(homes.map((home) => child(`seed:${home}`, built, folder)));
    const where = server ? ', PostgreSQL beside it, fsync off' : '';
    console.log(
      `${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}${where}, median of ${runs} processes\n`,
    );
    console.log('| | what | target | measured |\n|---|---|---|---|');
    for (const [index, [id, what, target, , , show = (r) => ms(r.p50)]] of TRIALS.entries()) {
      const results = [];
      for (let run = 0; run < runs; run++) results.push(await child(String(index), built, folder));
      results.sort((a, b) => a.p50 - b.p50);
      console.log(`| ${id} | ${what} | ${target} | ${show(results[runs >> 1])} |`);
    }
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(built, { force: true });
  }
}

function build(outfile) {
  const exports = [
    ['openBackstory', './src/index.ts'],
    ['openSqliteMemories', './src/store/sqlite/memory-set.ts'],
    ['openPostgresMemories', './src/store/postgres/memory-set.ts'],
    ['searchedText', './src/episodes/record-text.ts'],
    ['Masker', './src/redact/masker.ts'],
  ];
  const contents = exports.map(([name, path]) => `export { ${name} } from '${path}';`).join('\n');
  const stdin = { contents, resolveDir: ROOT, loader: 'ts' };
  buildSync({ stdin, bundle: true, platform: 'node', target: 'node20', format: 'esm', packages: 'external', outfile });
}

async function child(name, built, folder) {
  const trial = spawn(process.execPath, [fileURLToPath(import.meta.url), name, built, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  trial.stdout.on('data', (data) => {
    told += data;
  });
  const code = await new Promise((resolve) => trial.once('close', resolve));
  if (code !== 0) throw new Error(`${name} failed`);
  return JSON.parse(told.trim().split('\n').at(-1));
}

async function inside(name, built, folder) {
  const lib = await import(pathToFileURL(built).href);
  if (name.startsWith('seed:')) {
    const home = name.slice(5);
    if (SERVER !== undefined) await ask('postgres', `CREATE DATABASE "${home}"`);
    await seed(lib, join(folder, home), home);
    // As the server's own autovacuum does in time.
    if (SERVER !== undefined) await ask(home, 'VACUUM ANALYZE');
    console.log('{}');
    return;
  }
  const [, , , home, trial] = TRIALS[Number(name)];
  // On a copy: a trial that writes leaves the next one the same store.
  const own = join(folder, `run-${process.pid}`);
  if (SERVER === undefined) cpSync(join(folder, home), own, { recursive: true });
  else await ask('postgres', `CREATE DATABASE "${databaseOf(own)}" TEMPLATE "${home}" STRATEGY file_copy`);
  try {
    console.log(JSON.stringify(await trial(lib, own)));
  } finally {
    if (SERVER !== undefined) await ask('postgres', `DROP DATABASE "${databaseOf(own)}" WITH (FORCE)`);
    rmSync(own, { recursive: true, force: true });
  }
}

/** Each home has a database of its name. */
function databaseOf(home) {
  return basename(home);
}

async function ask(database, text) {
  const client = new pg.Client(`${SERVER}/${database}`);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** One namespace of so many rows, or 200 of 500: runs a minute apart, about 60 characters of input. */
async function seed(lib, home, name) {
  const [spaces, rows] = name === 'many' ? [200, 500] : [1, Number(name.slice(4))];
  const stores =
    SERVER === undefined
      ? lib.openSqliteMemories({ folder: join(home, 'memory') })
      : lib.openPostgresMemories({ connection: `${SERVER}/${databaseOf(home)}` });
  const store = await stores.open('main', { create: true });
  const masker = lib.Masker.off;
  // Interleaved, as they would come.
  const all = Array.from({ length: spaces * rows }, (_, n) => ({ n: Math.floor(n / spaces), space: n % spaces }));
  for (let from = 0; from < all.length; from += 2_000) {
    await store.write(async (writing) => {
      for (const { n, space } of all.slice(from, from + 2_000)) {
        const record = recordOf(n, rows, NS(`r${space}`), `${space}-${n}`);
        await writing.insert({ record, text: lib.searchedText(record, masker), traces: [] });
      }
    });
  }
  await stores.close();
}

function recordOf(n, rows, namespace, id) {
  const at = new Date(NOW - (rows - n) * MINUTE).toISOString();
  const word = (k) => WORDS[(n * 7 + k * 3 + (n >> 3)) % WORDS.length];
  const needle = n % 250 === 77 ? ` needle${n % 10_000}` : '';
  const input = `${word(0)} invoice ${n % 5_000} of order ${word(1)} ${word(2)} for customer ${n % 300}${needle}`;
  const outcome = n % 9 === 0 ? 'error' : 'ok';
  const toolsUsed = ['readFile', WORDS[n % 10]];
  return {
    id: `ep_${id.padStart(32, '0')}`,
    namespace,
    kind: 'episodic',
    status: 'active',
    content: `run ${outcome}: ${input} (2 tools, 1.4s)`,
    data: { input, outcome, toolsUsed, durationMs: 1_400, threadId: `thread-${n % 100}`, runId: `run-${id}` },
    source: { type: 'run', id: `run-${id}` },
    confidence: 1,
    tags: [],
    createdAt: at,
    updatedAt: at,
    effectiveAt: at,
    expiresAt: new Date(NOW + 30 * 86_400_000 + n).toISOString(),
  };
}

function open(lib, home, cap = null) {
  const postgres = SERVER === undefined ? {} : { postgres: `${SERVER}/${databaseOf(home)}` };
  // Longer than any write here, the first one's connection included: each counts.
  const memory = {
    workspace: 'app',
    writes: 'auto',
    ...postgres,
    episodes: { enabled: true, cap, writeTimeoutMs: 10_000 },
  };
  return lib.openBackstory({ home, clock, memory });
}

async function record(lib, home, route, cap) {
  const backstory = await open(lib, home, cap);
  const contexts = await Promise.all(
    Array.from({ length: route === undefined ? 200 : 1 }, (_, n) =>
      backstory.episodes.context({ route: `/${route ?? `r${n}`}` }),
    ),
  );
  const taken = [];
  for (let n = 0; n < 2_000; n++) {
    const { recorder } = contexts[n % contexts.length];
    const run = recorder.start({
      input: `summarize invoice ${n} of order refund for customer ${n % 300}`,
      runId: `new-${n}`,
      threadId: 't',
    });
    now += 1_000;
    run.tool('readFile').ok();
    run.tool('lookupInvoice').ok();
    const start = performance.now();
    const { recorded } = await run.settle();
    taken.push(performance.now() - start);
    if (!recorded) throw new Error('not recorded');
  }
  await backstory.close();
  return summary(taken);
}

async function recall(lib, home, route, options) {
  const backstory = await open(lib, home);
  const context = await backstory.episodes.context({ route: `/${route}` });
  const taken = [];
  for (let n = 0; n < 50; n++) {
    const start = performance.now();
    const { records } = await context.recall(options);
    taken.push(performance.now() - start);
    if (records.length === 0) throw new Error('nothing recalled');
  }
  await backstory.close();
  return summary(taken);
}

async function prune(lib, home) {
  const backstory = await open(lib, home);
  return once(backstory, async () => (await backstory.episodes.prune({ cap: 500 })).overCap === 99_500);
}

async function timeline(lib, home) {
  const backstory = await open(lib, home);
  const context = await backstory.episodes.context({ route: '/r0' });
  const taken = [];
  for (let n = 0; n < 7; n++) {
    const start = performance.now();
    await context.timeline({ bucket: 'day', by: 'outcome' });
    taken.push(performance.now() - start);
  }
  await backstory.close();
  return summary(taken);
}

async function size(_lib, home) {
  if (SERVER !== undefined) {
    const [{ bytes }] = await ask(databaseOf(home), "SELECT pg_total_relation_size('backstory.record') AS bytes");
    return { p50: Number(bytes) / 100_000 };
  }
  return { p50: statSync(join(home, 'memory', 'main.sqlite')).size / 100_000 };
}

async function erase(lib, home) {
  const backstory = await open(lib, home);
  return once(
    backstory,
    async () => (await backstory.episodes.erase({ namespace: NS('r0') })).deleted.records === 100_000,
  );
}

async function once(backstory, work) {
  const start = performance.now();
  const right = await work();
  const taken = performance.now() - start;
  if (!right) throw new Error('it did something else');
  await backstory.close();
  return { p50: taken };
}

function summary(taken) {
  const sorted = taken.sort((a, b) => a - b);
  return { p50: sorted[sorted.length >> 1], p99: sorted[Math.floor(sorted.length * 0.99)] };
}
