// What the host face costs (SES-200, SES-201, SES-202, SES-209): node bench/append.mjs [messages]. Needs dist/, or names
// another build in BACKSTORY_INDEX. Each measure runs in a process of its own, on a home of its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SELF = fileURLToPath(import.meta.url);
const INDEX = process.env.BACKSTORY_INDEX ?? join(import.meta.dirname, '..', 'dist', 'index.js');
const SESSIONS = 1_000;
const [first = '100000', trial, home] = process.argv.slice(2);
const MESSAGES = Number(first);

if (trial === undefined) {
  const figures = {};
  for (const [name, target] of [
    ['single', '≥ 5 000 messages/s, p95 ≤ 1 ms, p99 ≤ 5 ms (SES-200); ≤ 90 MB, RSS ≤ 200 MB (SES-202)'],
    ['many', '≥ 25 000 messages/s (SES-201)'],
    ['later', '≥ 100 000 messages/s (SES-201)'],
    ['rewind', '≤ 300 ms (SES-209)'],
    ['delete', '≤ 2 s, others’ p95 ≤ 50 ms (SES-209)'],
  ]) {
    const folder = mkdtempSync(join(tmpdir(), 'backstory-bench-append-'));
    try {
      const out = execFileSync(process.execPath, [SELF, first, name, folder], { encoding: 'utf8' });
      figures[name] = JSON.parse(out);
      console.log(name.padEnd(8), JSON.stringify(figures[name]), ' target', target);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
} else {
  const { openBackstory, operator } = await import(pathToFileURL(INDEX).href);
  const backstory = await openBackstory({ home, host: { env: {}, home, platform: process.platform } });
  const figures = await trials(backstory, operator())[trial]();
  await backstory.close();
  console.log(JSON.stringify(figures));
}

function trials({ sessions }, caller) {
  const words = wordsOf(20_000);
  const random = generator(7);
  // 350 bytes a message: 35 MB for the 100 000 of the specification.
  const content = () => {
    let text = '';
    while (text.length < 340) text += `${words[Math.floor(random() ** 3 * words.length)]} `;
    // One flat string: a text put together of sixty parts is a tree of them until it is read.
    return Buffer.from(text).toString('latin1');
  };
  const message = () => ({ role: random() < 0.5 ? 'user' : 'assistant', content: content() });
  const key = (n) => `agent:main:bench:${n % SESSIONS}`;
  const elapsed = async (work) => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };
  const batches = async (index) => {
    const lists = Array.from({ length: Math.ceil(MESSAGES / 1_000) }, () => Array.from({ length: 1_000 }, message));
    const ms = await elapsed(async () => {
      for (const [n, messages] of lists.entries()) await sessions.appendMany({ key: key(n), messages, index });
    });
    return { messages: MESSAGES, perSecond: Math.round((MESSAGES / ms) * 1_000) };
  };
  const fill = async (name, count) => {
    for (let n = 0; n < count; n += 1_000) {
      const messages = Array.from({ length: Math.min(1_000, count - n) }, message);
      await sessions.appendMany({ key: name, messages });
    }
  };
  return {
    async single() {
      const taken = [];
      let ms = 0;
      // Made a thousand at a time, so that the memory is the store's and not that of 100 000 messages to come.
      for (let n = 0; n < MESSAGES; n += 1_000) {
        const list = Array.from({ length: 1_000 }, message);
        ms += await elapsed(async () => {
          for (const [at, one] of list.entries()) {
            const from = performance.now();
            await sessions.append({ key: key(n + at), message: one });
            taken.push(performance.now() - from);
          }
        });
      }
      taken.sort((a, b) => a - b);
      const at = (share) => round(taken[Math.floor(taken.length * share)]);
      const path = join(home, 'agents', 'main.sqlite');
      const bytes = statSync(path).size + statSync(`${path}-wal`).size;
      return {
        messages: MESSAGES,
        perSecond: Math.round((MESSAGES / ms) * 1_000),
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        max: round(taken.at(-1)),
        megabytes: round(bytes / 1e6),
        rss: round(process.resourceUsage().maxRSS / 1024),
      };
    },
    many: () => batches('now'),
    later: () => batches('later'),
    async rewind() {
      await sessions.append({ key: key(0), message: { id: 'begin', role: 'user', content: 'begin' } });
      await fill(key(0), 4_000);
      return { entries: 4_000, ms: round(await elapsed(() => sessions.rewind({ key: key(0), to: 'begin' }))) };
    },
    async delete() {
      await fill(key(0), 10_000);
      await fill(key(1), 10_000);
      const waits = [];
      let done = false;
      const deleting = elapsed(() => sessions.delete(caller, { key: key(0) })).then((ms) => {
        done = true;
        return ms;
      });
      while (!done) {
        waits.push(await elapsed(() => sessions.append({ key: key(2), message: message() })));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      waits.sort((a, b) => a - b);
      // The longest wait is that for the one transaction.
      return { messages: 10_000, ms: round(await deleting), p95: round(waits[Math.floor((waits.length - 1) * 0.95)]) };
    },
  };
}

function wordsOf(count) {
  const random = generator(11);
  return Array.from({ length: count }, () => {
    const length = 3 + Math.floor(random() * 7);
    return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
  });
}

/** The same numbers every time. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function round(value) {
  return Math.round(value * 100) / 100;
}
