// The thread that index work runs on (SES-152): an engine's settings come in, agents to bring up to date one by one.
import { parentPort, workerData } from 'node:worker_threads';
import type { Asked, Told, WorkerSettings } from './background.ts';
import { EngineCore } from './core.ts';
import { reconcilerOf } from './reconciling.ts';
import { Sources } from './sources.ts';

const port = parentPort!;
const core = new EngineCore(workerData as WorkerSettings);
const sources = new Sources(core);
const reconciler = reconcilerOf(core, () => sources.reopener());

port.on('message', (asked: Asked) => {
  void answer(asked).then((told) => port.postMessage(told));
});

async function answer(asked: Asked): Promise<Told> {
  if (asked === 'stop') {
    await reconciler.stop();
    await core.stores.close();
    return 'stopped';
  }
  const { no, agentId, scope } = asked;
  try {
    const store = await core.stores.open(agentId);
    if (store) await reconciler.run(store, scope);
    return { no, done: true };
  } catch {
    // Whoever asked does it itself, and tells what fails.
    return { no, done: false };
  }
}
