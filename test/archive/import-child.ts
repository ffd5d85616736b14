// A process that takes an archive over, and says how far it is: for the test that kills it.
import { operator } from '../../src/access/caller.ts';
import { openBackstory } from '../../src/engine/engine.ts';

const [home, file] = process.argv.slice(2) as [string, string];
const backstory = await openBackstory({ home, host: { env: {}, home, platform: process.platform } });
let most = 0;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
let turns = 0;
const turning = setInterval(() => turns++, 1);
await backstory.importArchive(
  operator(),
  { file },
  {
    onProgress: ({ bytesDone, bytesTotal }) => void process.stdout.write(`${bytesDone / bytesTotal}\n`),
  },
);
clearInterval(watch);
clearInterval(turning);
process.stdout.write(`done ${JSON.stringify({ most: Math.max(most, process.memoryUsage.rss()), turns })}\n`);
await backstory.close();
