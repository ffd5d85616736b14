// Reading alone: how fast each format's reader turns real files into entries, with nothing behind it. Needs dist/.
// node bench/sources.mjs [MB per format]; a process of its own per format and path would only add noise to ratios.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const data = process.env.BACKSTORY_TEST_DATA ?? join(import.meta.dirname, '..', '..', 'shared', 'data');
const FORMATS = {
  'claude-code': ['claude/sessions', (n) => `projects/-p/s-${n}.jsonl`, '≤ 5 ms/MB'],
  codex: ['codex', (n) => `sessions/rollout-2026-01-01T00-00-00-${n}.jsonl`, '≤ 10 ms/MB'],
  openclaw: ['openclaw', (n) => `sessions/${n}.jsonl`, '≤ 10 ms/MB'],
};
const ROUNDS = 5;

/** Resolves to the figures, and prints them: the best of five rounds, lines, hashes of blocks and of pointers included. */
export async function run(megabytes = 30) {
  const { builtInSources } = await import('../dist/sources/index.js');
  const figures = {};
  for (const [name, [folder, pathOf, target]] of Object.entries(FORMATS)) {
    if (!existsSync(join(data, folder))) {
      console.log(`${name.padEnd(12)} skipped: ${folder} is not in BACKSTORY_TEST_DATA`);
      continue;
    }
    const root = mkdtempSync(join(tmpdir(), 'backstory-bench-sources-'));
    try {
      const bytes = fill(root, join(data, folder), pathOf, megabytes * 1_000_000);
      const source = builtInSources.find((one) => one.name === name);
      for (const parse of ['fast', 'full']) {
        const ms = await best(source, root, parse);
        const perMb = ms / (bytes / 1e6);
        figures[`${name} ${parse}`] = perMb;
        const rate = `${(1_000 / perMb).toFixed(0)} MB/s`;
        console.log(
          `${name.padEnd(12)} ${parse}  ${perMb.toFixed(2)} ms/MB  ${rate.padStart(8)}  ${parse === 'fast' ? target : ''}`,
        );
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  return figures;
}

function fill(root, folder, pathOf, wanted) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.jsonl') && statSync(join(folder, name)).isFile())
    .map((name) => readFileSync(join(folder, name)));
  let bytes = 0;
  for (let n = 0; bytes < wanted; n++) {
    const content = files[n % files.length];
    mkdirSync(dirname(join(root, pathOf(n))), { recursive: true });
    writeFileSync(join(root, pathOf(n)), content);
    bytes += content.length;
  }
  return bytes;
}

async function best(source, root, parse) {
  const instance = { source: source.name, root, agentId: source.name, how: 'given' };
  const { files } = await source.plan(instance);
  const options = {
    state: undefined,
    parse,
    toolInputChars: 2_000,
    clock: { now: () => Date.now() + 60_000, elapsed: () => performance.now() },
    openDatabase: () => {
      throw new Error('no database here');
    },
  };
  const nothing = () => {};
  const out = { entry: nothing, link: nothing, mark: nothing, facts: nothing, retract: nothing, count: nothing };
  const sink = { ...out, restart: nothing, commit: nothing, rollback: nothing };
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    for (const file of files) {
      await source.read(instance, { ...file, stat: lstatSync(file.absolute, { bigint: true }) }, options, sink);
    }
    ms = Math.min(ms, performance.now() - from);
  }
  return ms;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(Number(process.argv[2] ?? 30));
