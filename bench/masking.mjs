// Masking: speed on generated and real text (MASK-70, MASK-71), inputs made to be slow (MASK-72), recall on the secrets of
// the sample data with the misses named by row (MASK-73, MASK-74). Lines changed of real files: bench/masking-report.mjs.
// Needs dist/ (npm run build). Prints no value of a secret, only rule names and row numbers.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const data = process.env.BACKSTORY_TEST_DATA ?? '../shared/data';
const dist = process.env.BACKSTORY_DIST ?? '../dist';

/** Resolves to the figures, and prints them. */
export async function run() {
  const { Masker } = await import(`${dist}/redact/masker.js`);
  const masker = Masker.credentials();
  const outside = Masker.hidingOutside('/data/runs/r1');
  const figures = {
    plain: rate(masker, 'the quick brown fox jumps over a lazy dog and runs along the river while nobody looks. ', 10),
    log: rate(
      masker,
      '2026-08-11 09:30:00,123 INFO dfs.DataNode: Receiving block blk_38865049 src: /10.0.0.1:54106 key=7 ',
      10,
    ),
  };
  console.log(`plain text  ${figures.plain} MB/s\nlog lines   ${figures.log} MB/s`);
  const logs = join(data, 'logs');
  if (existsSync(logs)) {
    const texts = filesOf(logs).map((file) => readFileSync(file, 'utf8'));
    figures.logs = best(texts, masker);
    figures.outside = best(texts, outside);
    figures.records = best(texts.flatMap(recordsOf), outside);
    console.log(`real logs   ${figures.logs} MB/s credentials, ${changedLines(texts, masker)} lines changed`);
    console.log(`            ${figures.outside} MB/s hidingOutside by file, ${figures.records} MB/s by record`);
  } else console.log(`real logs   skipped: ${logs} is not there`);
  figures.slowest = await slowest(outside);
  const secrets = join(data, 'secrets');
  if (!existsSync(secrets)) {
    console.log(`recall      skipped: ${secrets} is not there`);
    return figures;
  }
  const hide = rowsOf(join(secrets, 'must-hide.tsv'));
  const missed = hide.filter(({ text, secret }) =>
    masker
      .mask(text)
      .replace(/\[hidden:[a-z-]+\]/g, '')
      .includes(secret),
  );
  const keep = rowsOf(join(secrets, 'must-keep.tsv'));
  const changed = keep.filter(({ text }) => masker.mask(text) !== text);
  figures.hidden = `${hide.length - missed.length}/${hide.length}`;
  figures.changed = `${changed.length}/${keep.length}`;
  console.log(`hidden      ${figures.hidden}\nchanged     ${figures.changed}`);
  for (const { number, rule } of missed) console.log(`  missed    row ${number} ${rule}`);
  for (const { number, rule } of changed) console.log(`  changed   row ${number} ${rule}`);
  return figures;
}

const SIZE = 262_144;
const filled = (piece) => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);

/** For each rule five inputs of 256 KiB and one of twice the length; prints the slowest, in milliseconds of this process. */
async function slowest(masker) {
  const { PASSES } = await import(`${dist}/redact/passes.js`);
  const rows = [];
  for (const { rule, hints } of PASSES) {
    for (const hint of rule === 'token-shape'
      ? hints.filter((_, index) => index % 8 === 0)
      : [hints[0], hints.at(-1)]) {
      for (const piece of [hint, `${hint}=`, `${hint}: "`, `${hint} `])
        rows.push({ rule, input: piece, text: filled(piece) });
      rows.push({ rule, input: `${hint}…`, text: hint + filled('a1B') });
    }
  }
  for (const piece of ['A', ' ', '/', '\\', '../', 'C:\\', '/a b', '"/a'])
    rows.push({ rule: 'path', input: piece, text: filled(piece) });
  for (const row of rows) row.ms = cpuOf(masker, row.text);
  rows.sort((a, b) => b.ms - a.ms);
  for (const { rule, input, ms, text } of rows.slice(0, 8)) {
    const growth = cpuOf(masker, text + text) / Math.max(1, ms);
    console.log(
      `  slow      ${ms.toFixed(0)} ms ${rule} × ${JSON.stringify(input)}, ${growth.toFixed(1)} × at twice the length`,
    );
  }
  console.log(`made slow   ${rows.filter(({ ms }) => ms > 50).length} of ${rows.length} inputs over 50 ms`);
  return Math.round(rows[0].ms);
}

/** Least of three: other processes take turns on the machine, so it is time of the processor. */
function cpuOf(masker, text) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const started = process.cpuUsage();
    masker.mask(text);
    const { user, system } = process.cpuUsage(started);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** As run files are read: a record begins at a line without indent. */
function recordsOf(text) {
  return text.split(/\n(?! )/);
}

function rate(masker, line, megabytes) {
  const text = line.repeat(Math.ceil((megabytes * 1e6) / line.length));
  return best([text], masker);
}

/** Best of five: the first runs are spent in the compiler. */
function best(texts, masker) {
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    for (const text of texts) masker.mask(text);
    least = Math.min(least, performance.now() - started);
  }
  return Math.round(bytes / 1e3 / least);
}

function changedLines(texts, masker) {
  let changed = 0;
  for (const text of texts) {
    const masked = masker.mask(text).split('\n');
    changed += text.split('\n').filter((line, index) => line !== masked[index]).length;
  }
  return changed;
}

function filesOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function rowsOf(file) {
  const decode = (part) => Buffer.from(part ?? '', 'base64').toString('utf8');
  const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  return lines.map((line, index) => {
    const [rule, text, secret] = line.split('\t');
    return { number: index + 1, rule, text: decode(text), secret: decode(secret) };
  });
}

if (import.meta.url === `file://${process.argv[1]}`) await run();
