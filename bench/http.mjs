// Load on the HTTP server over 100 000 messages (SUR-40), twice: 50 clients that each ask once a second for 30 s, as agents
// do at most; then 50 that ask as fast as they are answered, which is all that the machine can do. node bench/http.mjs [SECONDS]
// Needs the synthetic history of `node bench/run.mjs --only queries`. Requests go to loopback only, and end by themselves.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const home = join(here, '.work', 'home-synthetic');
const CLIENTS = 50;
const seconds = Number(process.argv[2] ?? 30);
const QUERIES = ['needle#', 'alphax betax', '"alphax betax"', 'qten', 'qall', 'qall needle#', 'needle1*'];

if (!existsSync(home)) throw new Error('no synthetic history: node bench/run.mjs --only queries');
const server = spawn(process.execPath, [join(here, 'http-server.mjs'), home], { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await lines.next()).value);
const { url, token } = await next();
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

const ask = (query) =>
  new Promise((resolve) => {
    const path = `/api/v1/sessions_search?query=${encodeURIComponent(query)}`;
    const sent = request(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', (error) => resolve(error.code));
    sent.end();
  });

async function load(everyMs) {
  const start = performance.now();
  const end = start + seconds * 1_000;
  const times = [];
  const failures = new Map();
  const client = async (n) => {
    let due = start + (everyMs * n) / CLIENTS;
    for (let turn = n; performance.now() < end; turn++) {
      if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      due += everyMs;
      const query = QUERIES[turn % QUERIES.length].replace('#', String(turn % 100));
      const from = performance.now();
      const status = await ask(query);
      times.push(performance.now() - from);
      if (status !== 200) failures.set(status, (failures.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
  times.sort((a, b) => a - b);
  const at = (share) => Math.round(times[Math.floor(times.length * share)]);
  return {
    requests: times.length,
    perSecond: Math.round(times.length / seconds),
    failures: Object.fromEntries(failures),
    p50: at(0.5),
    p99: at(0.99),
    max: Math.round(times.at(-1)),
  };
}

const onceASecond = await load(1_000);
const asFast = await load(0);
agent.destroy();
server.stdin.end();
const { rssStart, rssEnd, delayP99, delayMax } = await next();
console.log(
  JSON.stringify({
    clients: CLIENTS,
    seconds,
    onceASecond,
    asFast,
    rssStart,
    rssEnd,
    delayP99,
    delayMax,
  }),
);
