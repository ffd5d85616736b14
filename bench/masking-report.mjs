// What masking hides in real files, by rule, as counts: transcripts, logs and files without secrets of the sample data
// (MASK-76). Needs dist/ (npm run build). Prints no value; with --show RULE the masked lines of a rule, to be reviewed.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const data = process.env.BACKSTORY_TEST_DATA ?? '../shared/data';
const dist = process.env.BACKSTORY_DIST ?? '../dist';
/** Files of secrets are measured by bench/masking.mjs. */
const FOLDERS = [
  'claude',
  'codex',
  'openclaw',
  'pi',
  'cline',
  'aider',
  'swe-agent',
  'fixtures',
  'logs',
  'false-positives',
  'unicode',
];
const MAX_BYTES = 30e6;

/** Resolves to the figures by folder, and prints them. */
export async function run({ show, folders = FOLDERS, most = 40 } = {}) {
  const { Masker } = await import(`${dist}/redact/masker.js`);
  const { explainMask } = await import(`${dist}/redact/explain.js`);
  const masker = Masker.credentials();
  const figures = [];
  for (const folder of folders) {
    if (!existsSync(join(data, folder))) {
      console.log(`${folder}: skipped, it is not there`);
      continue;
    }
    const sum = { folder, lines: 0, changed: 0, rules: {} };
    for (const file of filesOf(join(data, folder))) {
      const text = readFileSync(file, 'utf8');
      const { text: masked, hidden } = explainMask(masker, text);
      const [before, after] = [text.split('\n'), masked.split('\n')];
      sum.lines += before.length;
      for (let index = 0; index < before.length; index++) if (before[index] !== after[index]) sum.changed++;
      for (const { rule, line } of hidden) {
        sum.rules[rule] = (sum.rules[rule] ?? 0) + 1;
        if (show === rule || show === 'all') showLine(relative(data, file), line, rule, after[line - 1] ?? '', most);
      }
    }
    const per = sum.changed === 0 ? '0' : ((sum.changed / sum.lines) * 10_000).toFixed(1);
    console.log(`${folder}: ${sum.changed} of ${sum.lines} lines changed (${per} in 10 000)`);
    for (const [rule, count] of Object.entries(sum.rules).sort(([, a], [, b]) => b - a))
      console.log(`  ${count} × ${rule}`);
    figures.push(sum);
  }
  return figures;
}

let shown = 0;

function showLine(file, line, rule, text, most) {
  if (shown++ >= most) return;
  for (const match of text.matchAll(/\[hidden:[a-z-]+\]/g)) {
    console.log(`    ${file}:${line} ${rule}: ${text.slice(Math.max(0, match.index - 60), match.index + 40)}`);
    return;
  }
}

function filesOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.(?:sqlite|db|gz|zst|png|jpg)(?:-\w+)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => statSync(file).size <= MAX_BYTES);
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const flag = process.argv.indexOf('--show');
  await run(flag === -1 ? {} : { show: process.argv[flag + 1] });
}
