// Measures reading and writing record lines, each trial in a process of its own: node bench/runs-parse.mjs [runs]
// The whole way of a 100 MB log into the index has a target of 15 MB/s (RUN §15). Parsing may take a fifth of that time,
// with the follower a quarter: 75 and 60 MB/s.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const MB = 1_000_000;
// Processor time, of this process alone: others on the machine change wall time, not this.
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const clock = { now: () => Date.now() + 60_000, elapsed: () => performance.now() };

const rate = ({ ms, bytes }) => `${(bytes / MB / (ms / 1000)).toFixed(0)} MB/s`;
const each = ({ ms, count }) => `${((ms * 1000) / count).toFixed(1)} µs each`;
const TRIALS = {
  headers: ['records of one line, 100 MB in memory', '≥ 75 MB/s', rate],
  traces: ['records with stack traces at column 0, 100 MB in memory', '≥ 75 MB/s', rate],
  file: ['records of one line, a 100 MB file through the follower', '≥ 60 MB/s', rate],
  endless: ['one record of 100 MB, given in parts', '≤ 150 MB RSS', (r) => `${rate(r)}, ${r.rss.toFixed(0)} MB RSS`],
  format: ['a record formatted', '≤ 5 µs', each],
  append: ['a record appended to its file', '≤ 100 µs', each],
};

const [name, bundle, folder] = process.argv.slice(2);
if (TRIALS[name]) console.log(JSON.stringify(await trial(name, bundle, folder)));
else measure(Number(name ?? 5));

function measure(runs) {
  const work = mkdtempSync(join(tmpdir(), 'bench-runs-'));
  try {
    const built = join(work, 'runs.mjs');
    const names = ['runs/parser.ts', 'runs/format.ts', 'runs/writer.ts', 'files/index.ts'];
    const contents = names.map((name) => `export * from ${JSON.stringify(`./src/${name}`)};`).join('\n');
    const resolveDir = fileURLToPath(new URL('..', import.meta.url));
    buildSync({ stdin: { contents, resolveDir }, bundle: true, platform: 'node', format: 'esm', outfile: built });
    writeFileSync(join(work, 'Alice.log'), '');
    const part = `${lines(10 * MB, false).join('\n')}\n`;
    for (let n = 0; n < 10; n++) appendFileSync(join(work, 'Alice.log'), part);
    console.log(
      `${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}, processor time, median of ${runs} processes\n`,
    );
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
  const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    encoding: 'utf8',
  });
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function trial(which, built, work) {
  const library = await import(built);
  if (which === 'file') return throughFollower(library, work);
  if (which === 'endless') return endless(library);
  if (which === 'format' || which === 'append') return written(library, which, work);
  const given = lines(10 * MB, which === 'traces');
  const parser = new library.RecordParser('Alice');
  const start = cpuMs();
  let number = 0;
  let records = 0;
  for (let round = 0; round < 10; round++) for (const line of given) records += parser.push(line, ++number).length;
  const ms = cpuMs() - start;
  if (records === 0) throw new Error('no records');
  return { ms, bytes: 100 * MB };
}

async function throughFollower({ FileFollower, RecordParser, decodeLine }, work) {
  const parser = new RecordParser('Alice');
  const sink = {
    start() {},
    line(bytes, at) {
      parser.push(decodeLine(bytes), at.number, at.offset);
    },
    segment() {},
    tail() {},
    anchor: () => ({ offset: 0, number: 1, data: new Uint8Array(0) }),
    commit() {},
    rollback() {},
  };
  const start = cpuMs();
  await new FileFollower(work, { clock }).read('Alice.log', undefined, sink);
  return { ms: cpuMs() - start, bytes: 100 * MB };
}

function endless({ RecordParser }) {
  const parser = new RecordParser('Alice');
  parser.push('2026-10-21 18:00:00 INFO  [running] [conv-1] Alice begins', 1);
  const line = `  ${'x'.repeat(197)}`;
  const start = cpuMs();
  let number = 1;
  for (let bytes = 0; bytes < 100 * MB; bytes += 200) {
    parser.push(line, ++number);
    if (parser.held > 4_000_000) parser.drain();
  }
  return { ms: cpuMs() - start, bytes: 100 * MB, rss: process.resourceUsage().maxRSS / 1024 };
}

function written({ AgentRecordFormat, AgentRecordWriter }, which, work) {
  const message = `${'deploy the staging server, then look at its log '.repeat(3)}\nand a second line`;
  const count = which === 'format' ? 200_000 : 20_000;
  const writer = AgentRecordWriter.open(work, 'Bob').in({ state: 'running', conversation: 'conv-1' });
  const start = cpuMs();
  for (let n = 0; n < count; n++) {
    if (which === 'append') writer.log('INFO', message);
    else
      AgentRecordFormat.logLine({
        time: 1_792_598_400_000,
        agent: 'Alice',
        level: 'INFO',
        message,
        conversation: 'conv-1',
      });
  }
  return { ms: cpuMs() - start, count };
}

// Record lines of 120 to 250 bytes; with `traces` every tenth has an exception with 30 frames at column 0.
function lines(bytes, traces) {
  const made = [];
  for (let size = 0, n = 0; size < bytes; n++) {
    const header = `2026-10-21 18:${two(n % 60)}:${two((n * 7) % 60)} INFO  [running] [conv-${n % 20}] Alice `;
    const group = [`${header}request ${n} took ${n % 977} ms, ${'path/to/some file and words '.repeat(2 + (n % 4))}`];
    if (traces && n % 10 === 0) {
      group.push('java.lang.IllegalStateException: the pool is empty');
      for (let frame = 0; frame < 30; frame++) group.push(`\tat org.example.app.Service.call(Service.java:${frame})`);
    }
    for (const line of group) size += line.length + 1;
    made.push(...group);
  }
  return made;
}

function two(value) {
  return String(value).padStart(2, '0');
}
