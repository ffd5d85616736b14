// Runs every benchmark in fresh processes and writes docs/benchmarks.md: npm run bench [-- --only first-sync,queries]
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { multiplyReal, synthetic } from './corpus.mjs';
import { quality } from './quality.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const work = join(here, '.work');
const data = process.env.BACKSTORY_TEST_DATA ?? join(root, '..', 'shared', 'data');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1].split(',') : undefined;
const RUNS = 5;
// 100 000 unless said: --messages 1000000 shows what ten times as many cost.
const MESSAGES = process.argv.includes('--messages')
  ? Number(process.argv[process.argv.indexOf('--messages') + 1])
  : 100_000;

const QUERIES = [
  // label, query, parameters, the same for a plain FTS5 table
  ['one rare word', 'needle#', {}, 'needle7'],
  ['two words, 2 % each', 'alphax betax', {}, 'alphax betax'],
  ['a phrase', '"alphax betax"', { exact: true }, '"alphax betax"'],
  ['a word in 10 %', 'qten', {}, 'qten'],
  ['a word in 97 %', 'qall', {}, 'qall'],
  ['a common and a rare word', 'qall needle#', {}, 'qall needle7'],
  ['a prefix', 'needle1*', {}, 'needle1*'],
  ['a word without another', 'qone -qten', {}, 'qone NOT qten'],
  ['newest first, 97 %', 'qall', { sort: 'newest' }],
  ['one project', 'qten', { project: '/src/project-3' }],
  ['the last two hours', 'qall', { since: '2026-01-02T01:00:00Z' }],
];

const sections = [];
const wants = (name) => only === undefined || only.includes(name);
const say = (text) => process.stderr.write(`${text}\n`);

mkdirSync(work, { recursive: true });
if (wants('first-sync')) firstSync();
if (wants('queries')) queries();
if (wants('start')) start();
if (wants('quality')) await finding();
if (only === undefined || process.argv.includes('--write')) writeSections();
say(page());

function firstSync() {
  if (!existsSync(join(data, 'claude', 'sessions')))
    return say('first-sync: BACKSTORY_TEST_DATA has no claude/sessions; skipped');
  const user = join(work, 'real');
  const corpus = multiplyReal(data, join(user, '.claude'), 300);
  settle(join(user, '.claude'));
  const rows = [];
  const runs = times(RUNS, () => {
    rmSync(join(work, 'home-real'), { recursive: true, force: true });
    return trial('firstSync', { user, home: join(work, 'home-real'), bytes: corpus.bytes });
  });
  rows.push([
    `first sync, ${corpus.files} files, ${mb(corpus.bytes)} MB`,
    `${spread(runs, 'mbPerS')} MB/s`,
    '≥ 200 MB/s',
  ]);
  rows.push(['peak memory meanwhile', `${spread(runs, 'rss')} MiB`, '≤ 250 MiB']);
  const unchanged = times(3, () => trial('unchangedSync', { user, home: join(work, 'home-real') }));
  rows.push([`unchanged sync of ${corpus.files} files`, `${spread(unchanged, 'p50', 1)} ms`, '≤ 40 ms for 1 500']);
  const appended = times(3, () => trial('appendToSearchable', { user, home: join(work, 'home-real') }));
  rows.push(['a record appended, found by the next search', `${spread(appended, 'p50', 1)} ms`, '≤ 50 ms']);
  const sizes = trial('sizes', { store: join(work, 'home-real', 'agents', 'claude-code.sqlite') });
  const limit = 2.5 * sizes.text + 120 * sizes.other;
  rows.push([
    'store on disk',
    `${mb(sizes.file)} MB for ${mb(sizes.text)} MB of text and ${sizes.other} other entries`,
    `≤ ${mb(limit)} MB`,
  ]);
  rows.push(['ripgrep over the same files, one word', ripgrep('quokka', join(user, '.claude')), '']);
  sections.push({ title: 'Reading real Claude Code files', rows });
}

function queries() {
  const user = join(work, 'synthetic');
  rmSync(user, { recursive: true, force: true });
  synthetic(join(user, '.claude'), { sessions: Math.ceil(MESSAGES / 100), messages: 100 });
  settle(join(user, '.claude'));
  const home = join(work, 'home-synthetic');
  rmSync(home, { recursive: true, force: true });
  const bytes = Number(execFileSync('du', ['-sb', join(user, '.claude')], { encoding: 'utf8' }).split('\t')[0]);
  const sync = trial('firstSync', { user, home, bytes });
  const ours = times(3, () => trial('queries', { user, home, queries: QUERIES }));
  const store = join(home, 'agents', 'claude-code.sqlite');
  const rival = trial('rivalFts5', { store, queries: QUERIES });
  const rows = [
    [`first sync of ${mb(bytes)} MB, all of it text`, `${Math.round(sync.entries / (sync.ms / 1000))} messages/s`, ''],
  ];
  for (const label of Object.keys(ours[0])) {
    const p50 = spread(
      ours.map((run) => run[label]),
      'p50',
      2,
    );
    const other = rival[label] ? `plain FTS5 with bm25 and snippet: ${rival[label].p50.toFixed(2)} ms` : '';
    rows.push([
      label,
      `${p50} ms (p95 ${Math.max(...ours.map((run) => run[label].p95)).toFixed(1)})`,
      label.includes('97') ? '≤ 15 ms' : '≤ 5 ms',
      other,
    ]);
  }
  rows.push(['ripgrep over the same files, one rare word', ripgrep('needle7', join(user, '.claude')), '']);
  sections.push({
    title: `Queries, ${MESSAGES.toLocaleString('en').replaceAll(',', ' ')} messages in ${Math.ceil(MESSAGES / 100)
      .toLocaleString('en')
      .replaceAll(',', ' ')} sessions`,
    rows,
  });
}

function start() {
  const home = join(work, 'home-synthetic');
  const user = join(work, 'synthetic');
  if (!existsSync(home)) return say('start: run queries first');
  const env = { ...process.env, HOME: user, BACKSTORY_HOME: home, NO_COLOR: '1' };
  const main = join(root, 'dist', 'cli', 'main.js');
  const take = (args) => {
    const started = performance.now();
    const result = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    if (result.status !== 0) throw new Error(`${args.join(' ')}: ${result.status} ${result.stderr}`);
    return performance.now() - started;
  };
  take([main, 'search', 'needle7']);
  take([main, 'search', 'needle7']);
  const rows = [];
  for (const [label, args, target] of [
    ['node -e 0', ['-e', '0'], ''],
    ['backstory --version', [main, '--version'], ''],
    ['backstory search needle7, index up to date', [main, 'search', 'needle7'], '≤ 150 ms'],
    ['backstory search qall --json', [main, 'search', 'qall', '--json'], ''],
  ]) {
    const taken = times(15, () => take(args)).sort((a, b) => a - b);
    rows.push([label, `${taken[7].toFixed(0)} ms (${taken[0].toFixed(0)}–${taken[14].toFixed(0)})`, target]);
  }
  rows.push(['ripgrep over the same files, one rare word', ripgrep('needle7', join(user, '.claude')), '']);
  sections.push({ title: 'A whole command, 1 000 sessions on the machine', rows });
}

async function finding() {
  const result = await quality(data);
  if (result === undefined) return say('quality: BACKSTORY_TEST_DATA has no claude/sessions; skipped');
  const shown = ({ hit1, hit5, mrr }) =>
    `first ${hit1.toFixed(2)}, in the first five ${hit5.toFixed(2)}, MRR ${mrr.toFixed(3)}`;
  const rows = result.rows.map(({ what, questions, ours, rival }) => [
    `${what} (${questions})`,
    shown(ours),
    'more than beside it',
    `plain FTS5 with bm25: ${shown(rival)}`,
  ]);
  sections.push({
    title: `Finding one message again, ${result.questions} questions over ${result.messages} real texts`,
    rows,
  });
}

function trial(name, options) {
  const output = execFileSync(process.execPath, [join(here, 'trial.mjs'), name, JSON.stringify(options)], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  say(`${name}: ${output.trim().slice(0, 300)}`);
  return JSON.parse(output);
}

function ripgrep(word, folder) {
  const found = spawnSync('rg', ['--version']);
  if (found.error) return 'not installed';
  const taken = times(5, () => {
    const started = performance.now();
    spawnSync('rg', ['-c', '--hidden', '--no-ignore', word, folder]);
    return performance.now() - started;
  }).sort((a, b) => a - b);
  return `${taken[2].toFixed(0)} ms`;
}

// Files that were written just now are not settled; a history on a real machine is.
function settle(folder) {
  const past = Date.now() / 1000 - 3600;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), past, past);
  }
}

function times(n, work_) {
  return Array.from({ length: n }, work_);
}

function spread(runs, field, digits = 0) {
  const values = runs.map((run) => run[field]).sort((a, b) => a - b);
  const middle = values[Math.floor(values.length / 2)];
  return `${middle.toFixed(digits)} (${values[0].toFixed(digits)}–${values.at(-1).toFixed(digits)})`;
}

function mb(bytes) {
  return (bytes / 1_000_000).toFixed(0);
}

/** Puts the sections of this run in the place of those of the same name; the others stay as they were measured. */
function writeSections() {
  const path = join(root, 'docs', 'benchmarks.md');
  const nameOf = (section) => section.split(/[,\n]/, 1)[0];
  const parts = (text) => text.trimEnd().split(/\n+## /);
  const [head, ...measured] = parts(page());
  const [, ...kept] = parts(readFileSync(path, 'utf8'));
  for (const section of measured) {
    const at = kept.findIndex((one) => nameOf(one) === nameOf(section));
    if (at < 0) kept.push(section);
    else kept[at] = section;
  }
  writeFileSync(path, `${[head, ...kept].join('\n\n## ')}\n`);
}

function page() {
  const machine = `${cpus().length} cores (${cpus()[0].model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const lines = [
    '# Benchmarks',
    '',
    'Written by `npm run bench`; each figure is the median of several fresh processes, with the smallest and the largest. The files are in the page cache. Machines differ and shared ones are noisy: compare ratios within one run.',
    '',
    `Machine: ${machine}.`,
  ];
  for (const { title, rows } of sections) {
    lines.push('', `## ${title}`, '', '| what | measured | target | beside it |', '|---|---|---|---|');
    for (const [what, measured, target, rival = ''] of rows)
      lines.push(`| ${what} | ${measured} | ${target} | ${rival} |`);
  }
  return `${lines.join('\n')}\n`;
}
