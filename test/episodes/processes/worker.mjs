// A process of the tests: does what its arguments say with an engine of its own, prints JSON. Bundled before it runs.
import { openBackstory } from 'backstory';

const [what, home, ...rest] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const settings = { workspace: 'app', writes: 'auto', episodes: { enabled: true, cap: null } };
const open = (memory = settings) => openBackstory({ home, memory });

const WORK = {
  /** Records `count` runs, each with a word of its own, and says so after each. */
  async record() {
    const [name, count, barrier] = rest;
    const backstory = await open();
    const { recorder } = await backstory.episodes.context({ route: '/a' });
    while (Date.now() < Number(barrier)) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let n = 0; n < Number(count); n++) {
      const run = recorder.start({ input: `task word${name}x${n}`, runId: `${name}-${n}` });
      run.tool('readFile').ok();
      const { recorded, reason } = await run.settle();
      say({ n, recorded, reason });
    }
    await backstory.close();
    say({ health: recorder.health() });
  },
  async park() {
    const backstory = await open();
    const { recorder } = await backstory.episodes.context({ route: '/a' });
    const run = recorder.start({ input: 'approve it', threadId: 'thread-1' });
    run.tool('build').ok();
    await run.park();
    say({ id: run.id });
    setInterval(() => undefined, 1_000);
  },
  async resume() {
    const backstory = await open();
    const { recorder } = await backstory.episodes.context({ route: '/a' });
    const run = await recorder.resume({ threadId: 'thread-1' });
    run.tool('deploy').ok();
    say({ id: run.id, resumed: run.resumed });
    if (rest[0] === 'settle') {
      say(await run.settle());
      await backstory.close();
    } else setInterval(() => undefined, 1_000);
  },
  async stats() {
    const backstory = await open();
    say(await backstory.episodes.stats());
    await backstory.close();
  },
};

await WORK[what]();
