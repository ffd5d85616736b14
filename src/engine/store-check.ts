// Looks at a store's health: of a large one on a thread, since the event loop of a server must go on (SUR-70).
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StoreCheck } from '../store/check.ts';
import type { AgentStore } from '../store/contract.ts';
import { type EngineCore, placeOfStores } from './core.ts';
import { workerFile } from './workers.ts';

export type CheckAsked = ReturnType<typeof placeOfStores> & { readonly agentId: string };

// A thread takes some 100 ms to start; so much is checked in less.
const LARGE_BYTES = 16 * 1_048_576;

/** Rejects as `store.check()`. `file`: of the worker; default: where the build puts it. `large`: from so many bytes on. */
export async function storeCheck(
  { config }: Pick<EngineCore, 'config'>,
  store: AgentStore,
  file: string | undefined = workerFile('check-worker'),
  large: number = LARGE_BYTES,
): Promise<StoreCheck> {
  const asked: CheckAsked = { ...placeOfStores(config), agentId: store.agentId };
  const size = statSync(join(asked.folder, `${store.agentId}.sqlite`), { throwIfNoEntry: false })?.size ?? 0;
  const apart = file === undefined || size < large ? undefined : await inThread(file, asked);
  // Whatever fails there is told by failing here.
  return apart ?? store.check();
}

function inThread(file: string, asked: CheckAsked): Promise<StoreCheck | undefined> {
  return new Promise((resolve) => {
    // Nothing of the host's own flags (a loader, an inspector) is the worker's.
    const worker = new Worker(file, { workerData: asked, execArgv: [] });
    worker.once('message', (check: StoreCheck | undefined) => resolve(check));
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => resolve(undefined));
  });
}
