// What searches cost while one session of 100 000 messages is being indexed (SES-210): node bench/rebuild.mjs [messages].
// Needs dist/ (npm run build). The index work runs on the engine's worker thread.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackstory, operator } from '../dist/index.js';

const MESSAGES = Number(process.argv[2] ?? 100_000);
const home = mkdtempSync(join(tmpdir(), 'backstory-bench-rebuild-'));
const backstory = await openBackstory({ home, host: { env: {}, home, platform: process.platform } });
const { sessions } = backstory;

try {
  // A hundred sessions that are searched, and the one that is rebuilt meanwhile.
  for (let n = 0; n < 100; n++) {
    const messages = Array.from({ length: 100 }, (_, m) => message(`needle${(n * 100 + m) % 500} quiet`));
    await sessions.appendMany({ key: `agent:main:quiet:${n}`, messages });
  }
  const search = (n) => sessions.search(operator(), { query: `needle${n % 500}`, waitMs: 0, exact: true });
  const quiet = await sampled(search, () => true, 200);
  for (let n = 0; n < MESSAGES; n += 500) {
    const messages = Array.from({ length: 500 }, (_, m) => message(`rebuilt ${n + m}`));
    await sessions.appendMany({ key: 'agent:main:large', messages, index: 'later' });
  }
  let indexing = true;
  const from = performance.now();
  const busy = await sampled(
    async (n) => {
      indexing = (await search(n)).indexing;
    },
    () => indexing,
    100_000,
  );
  const seconds = (performance.now() - from) / 1_000;
  console.log(JSON.stringify({ messages: MESSAGES, quiet, busy, seconds: Math.round(seconds) }));
} finally {
  await backstory.close();
  rmSync(home, { recursive: true, force: true });
}

function message(text) {
  return { role: 'user', content: `${text} ${'lease of the harbour office '.repeat(12)}` };
}

async function sampled(work, goesOn, most) {
  const taken = [];
  for (let n = 0; n < most && (n === 0 || goesOn()); n++) {
    const start = performance.now();
    await work(n);
    taken.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  taken.sort((a, b) => a - b);
  const at = (share) => Number(taken[Math.floor(taken.length * share)].toFixed(2));
  return { searches: taken.length, p50: at(0.5), p95: at(0.95) };
}
