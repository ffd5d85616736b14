// The server of bench/http.mjs, in a process of its own: prints its address, and at the end its memory and how long the
// event loop was held.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveHttp } from '../dist/http/index.js';
import { openBackstory } from '../dist/index.js';

const backstory = await openBackstory({
  home: process.argv[2],
  host: { env: {}, home: '/nowhere', platform: 'linux' },
});
const clock = { now: () => Date.now(), elapsed: () => performance.now() };
const served = await serveHttp({ backstory, clock, version: '0', port: 0, host: '127.0.0.1', requestsPerSecond: 1e9 });
await backstory.sessions.search({ operator: true }, { query: 'warm' });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const mib = () => Math.round(process.memoryUsage().rss / 2 ** 20);
// Once it is warm: what a heap takes at first is no growth.
let rssStart = mib();
setTimeout(() => {
  rssStart = mib();
}, 5_000).unref();
console.log(JSON.stringify({ url: served.url, token: served.token }));
process.stdin.resume();
process.stdin.on('end', async () => {
  const ms = (value) => Math.round(value / 1e6);
  console.log(JSON.stringify({ rssStart, rssEnd: mib(), delayP99: ms(delay.percentile(99)), delayMax: ms(delay.max) }));
  await served.close(0);
  await backstory.close();
});
