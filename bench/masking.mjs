// Masking: speed on generated and real text, recall on the secrets of the sample data with the misses named by row.
// Needs dist/ (npm run build). Prints no value of a secret, only rule names and row numbers.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const data = process.env.BACKSTORY_TEST_DATA ?? '../shared/data';

/** Resolves to the figures, and prints them. */
export async function run() {
  const { Masker } = await import('../dist/redact/masker.js');
  const masker = Masker.credentials();
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
    console.log(`real logs   ${figures.logs} MB/s, ${changedLines(texts, masker)} lines changed`);
  } else console.log(`real logs   skipped: ${logs} is not there`);
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
