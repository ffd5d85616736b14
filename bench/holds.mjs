// How long each kind of request, import and rebuild holds the event loop at most, since a server may not stand still for
// others: node bench/holds.mjs [NAME …]. Of each pause between two turns the smaller of wall time and CPU time counts: what
// other programs take is not ours. Needs the history of `node bench/run.mjs --only queries`, and a build.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChatRetrievalContext, openBackstory, operator } from '../dist/index.js';

const here = dirname(fileURLToPath(import.meta.url));
const synthetic = join(here, '.work', 'home-synthetic');
const files = join(here, '.work', 'synthetic');
if (!existsSync(synthetic)) throw new Error('no synthetic history: node bench/run.mjs --only queries');

const NOW = Date.parse('2026-08-10T18:00:00.000Z');
const ROWS = 30_000;
const work = mkdtempSync(join(tmpdir(), 'bench-holds-'));
const asked = process.argv.slice(2);
const host = { env: {}, home: join(work, 'nowhere'), platform: 'linux' };
const logger = { warn: () => undefined };
const memory = { workspace: 'app', writes: 'auto', episodes: { enabled: true, cap: null } };
const caller = operator();
const words = (count, of = 5_000) =>
  Array.from({ length: count }, (_, n) => `w${((n * 7919) % of).toString(36)}`).join(' ');

const rows = [];
async function hold(name, run) {
  if (asked.length > 0 && !asked.some((one) => name.includes(one))) return;
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  await new Promise((resolve) => setTimeout(resolve, 20));
  let [wall, used, worst] = [performance.now(), cpu(), 0];
  const start = wall;
  const look = () => {
    const [nextWall, nextUsed] = [performance.now(), cpu()];
    worst = Math.max(worst, Math.min(nextWall - wall, nextUsed - used));
    [wall, used] = [nextWall, nextUsed];
  };
  const timer = setInterval(look, 1);
  let said = '';
  try {
    await run();
  } catch (error) {
    said = ` (${error.code ?? error.message})`;
  }
  look();
  clearInterval(timer);
  rows.push({ name, worst, whole: performance.now() - start, said });
  console.error(`${name}: ${worst.toFixed(0)} ms${said}`);
}

try {
  await sessions();
  await memories();
  await runFiles();
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}\n`);
console.log('| what | longest hold of the event loop | whole |\n|---|---|---|');
for (const { name, worst, whole, said } of rows.sort((a, b) => b.worst - a.worst)) {
  console.log(
    `| ${name}${said} | ${worst.toFixed(0)} ms | ${whole < 1_000 ? `${whole.toFixed(0)} ms` : `${(whole / 1_000).toFixed(1)} s`} |`,
  );
}

async function sessions() {
  const home = join(work, 'home');
  cpSync(synthetic, home, { recursive: true });
  const open = (more = {}) => openBackstory({ home, host, logger, ...more });
  let backstory = await open();
  const search = (params) => () => backstory.sessions.search(caller, { waitMs: 0, ...params });
  await search({ query: 'needle1' })();
  const roots = [{ source: 'claude-code', path: files }];
  await hold('search of a word in 97 % of 100 000 messages', search({ query: 'qall' }));
  await hold('search of two words, newest first', search({ query: 'qall qten', sort: 'newest' }));
  await hold('search by session', search({ query: 'qten', group: 'session' }));
  await hold('search of 128 words', search({ query: words(128) }));
  await hold('search of a regular expression', search({ query: 'need+le[0-9]{2} .*x$', regex: true }));
  await hold(
    'search of a regular expression of 4 000 characters',
    search({ query: `(${words(500).replaceAll(' ', '|')})`, regex: true }),
  );
  await hold('list of sessions', () => backstory.sessions.list(caller, { limit: 200 }));
  await hold('one search over everything', () => backstory.search(caller, { query: 'qall needle1' }));
  await hold('stats', () => backstory.sessions.stats(caller));
  const big = 'a line of a page that somebody pasted, with numbers 12345 and a path src/a/b.ts\n'.repeat(32_000);
  const said = (content) => ({ key: 'agent:main:big', message: { role: 'user', content } });
  await hold('append of a message of 2.6 MB', () => backstory.sessions.append(said(big)));
  await hold('search that finds it', search({ query: 'somebody pasted' }));
  await hold('history of it', () => backstory.sessions.history(caller, { session: 'agent:main:big' }));
  const many = Array.from({ length: 10_000 }, (_, n) => ({ role: 'user', content: `message ${n} ${words(12)}` }));
  await hold('append of 10 000 messages at once', () =>
    backstory.sessions.appendMany({ key: 'agent:main:many', messages: many }),
  );
  const { entries } = await backstory.sessions.history(caller, { session: 'agent:main:many', limit: 1 });
  const middle = entries[0].messageId;
  await backstory.sessions.appendMany({ key: 'agent:main:many', messages: many.slice(0, 5_000) });
  await hold('rewind of 5 000 messages', () => backstory.sessions.rewind({ key: 'agent:main:many', to: middle }));
  const archive = join(work, 'archive.jsonl');
  await hold('export of 10 000 messages', () => backstory.export(caller, { agent: 'main', raw: true, out: archive }));
  await hold('delete of a session of 10 000 messages', () =>
    backstory.sessions.delete(caller, { key: 'agent:main:many' }),
  );
  await hold('doctor over 100 000 messages', () => backstory.doctor(caller));
  await backstory.close();
  const other = await openBackstory({ home: join(work, 'other'), host, logger });
  await hold('import of an archive of 10 000 messages', () => other.importArchive(caller, { file: archive }));
  await other.close();
  backstory = await open({ masking: { emails: true } });
  await hold('search while 100 000 messages are indexed anew', search({ query: 'needle1' }));
  await hold('indexing 100 000 messages anew', async () => {
    for (let left = true; left; ) {
      const { coverage } = await backstory.sessions.search(caller, { query: 'needle1', waitMs: 5_000 });
      left = !coverage.complete;
    }
  });
  await hold('erasure of everything before a day', () => backstory.sessions.erase(caller, { before: '2026-02-01' }));
  await backstory.close();
  const fresh = await openBackstory({ home: join(work, 'fresh'), host, logger, sources: { roots } });
  await hold('first sync of 74 MB', () => fresh.sources.sync());
  await hold('sync without a change', () => fresh.sources.sync());
  await fresh.close();
}

async function memories() {
  const clock = { now: () => NOW, elapsed: () => performance.now() };
  let at = NOW - ROWS * 60_000;
  const past = { now: () => at, elapsed: () => performance.now() };
  const home = join(work, 'memory');
  const writer = await openBackstory({ home, host, logger, clock: past, memory });
  const context = await writer.episodes.context({ route: '/r' });
  for (let n = 0; n < ROWS; n++) {
    at += 60_000;
    const run = context.recorder.start({
      input: `invoice ${n % 500} of order ${words(4, 50 + (n % 7))}`,
      runId: `r${n}`,
      threadId: `t${n % 100}`,
    });
    run.tool('readFile').ok();
    if (n % 9 === 0) await run.fail(new Error('timeout'));
    else await run.settle();
  }
  await writer.close();
  const backstory = await openBackstory({ home, host, logger, clock, memory });
  const { episodes } = backstory;
  const own = await episodes.context({ route: '/r' });
  await own.recall({ query: 'nothing' });
  await hold(`recall of common words, ${ROWS} records`, () => own.recall({ query: 'invoice order ok' }));
  await hold('recall, collapsed', () => own.recall({ query: 'invoice', collapse: true, limit: 100 }));
  await hold('timeline by tool', () => own.timeline({ bucket: 'day', by: 'tool' }));
  await hold('timeline of words', () => own.timeline({ query: 'invoice', bucket: 'week', by: 'outcome' }));
  await hold('stats of memory', () => episodes.stats());
  await hold('list for review', () => episodes.list({ status: 'active', limit: 200 }));
  await hold('consolidate, 200 summaries', () => episodes.consolidate({ maxBatches: 200 }));
  await hold('reflect, 50 batches', () => episodes.reflect({ maxBatches: 50 }));
  await hold('export of memory', () =>
    backstory.export(caller, { agent: 'main', raw: true, out: join(work, 'memory.jsonl') }),
  );
  await hold('prune to 5 000', () => episodes.prune({ cap: 5_000 }));
  await hold('erasure of a thread', () => episodes.erase({ thread: 't5' }));
  await hold('erasure of a namespace of 5 000', () => episodes.erase({ namespace: 'workspace=app|route=/r' }));
  await backstory.close();
  const other = await openBackstory({ home: join(work, 'memory-2'), host, logger, clock, memory });
  await hold('import of its archive', () => other.importArchive(caller, { file: join(work, 'memory.jsonl') }));
  await other.close();
}

async function runFiles() {
  const folder = join(work, 'run');
  mkdirSync(join(folder, 'episode-1'), { recursive: true });
  const line = (n) =>
    `2026-10-21 18:00:${String(n % 60).padStart(2, '0')} INFO  [running] [conv-${n % 10}] Alice took ${n} ms ${words(9, 20_000 - (n % 977))}\n`;
  writeFileSync(join(folder, 'episode-1', 'Alice.log'), Array.from({ length: 100_000 }, (_, n) => line(n)).join(''));
  const backstory = await openBackstory({ home: join(work, 'runs'), host, logger });
  const retriever = backstory.runs.retriever(folder, 'Alice', { logger });
  const context = new ChatRetrievalContext({
    ownerId: 'Alice',
    conversationId: 'conv-1',
    metadataFilters: { 'current-episode': 'episode-3' },
  });
  await hold('first index of a run of 100 000 lines', () => retriever.refresh());
  await hold('evidence for a turn of common words', () => retriever.retrieve('took ms w1 w2 w3', context));
  await hold('evidence for a turn of 100 KB', () => retriever.retrieve(words(20_000, 20_000), context));
  await backstory.close();
}
