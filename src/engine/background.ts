// Index work behind the answers (SES-152): much of it on a worker thread, so that the loop of the host stays free; a little of
// it, or what no worker can do, here.
import { Worker } from 'node:worker_threads';
import type { Scope } from '../access/scope.ts';
import { type Reconciler, workOf } from '../sessions/reconcile.ts';
import type { AgentStore } from '../store/contract.ts';
import type { BackstoryOptions, EngineCore } from './core.ts';
import { workerFile } from './workers.ts';

/** What the worker opens its own engine with. */
export type WorkerSettings = Pick<
  BackstoryOptions,
  'home' | 'busyTimeoutMs' | 'masking' | 'sessions' | 'sources' | 'host'
>;
export type Asked = 'stop' | { readonly no: number; readonly agentId: string; readonly scope: Scope };
export type Told = 'stopped' | { readonly no: number; readonly done: boolean };

// A thread takes some 100 ms to start, in which about so many entries are indexed.
const FEW_ENTRIES = 1_024;

export class Background {
  readonly #core: EngineCore;
  readonly #here: Reconciler;
  readonly #file: string | undefined;
  #worker: Worker | undefined;
  #failed = false;
  #next = 0;
  readonly #asked = new Map<number, (done: boolean) => void>();
  readonly #running = new Map<AgentStore, Promise<void>>();

  /** `here` does what is little, or what no worker can. `file`: of the worker; default: where the build puts it. */
  constructor(core: EngineCore, here: Reconciler, file: string | undefined = workerFile('background-worker')) {
    this.#core = core;
    this.#here = here;
    this.#file = file;
  }

  /** Resolves when the store is up to date, or was found not to come to it for now. One run per store at a time. */
  run(store: AgentStore, scope: Scope): Promise<void> {
    const running = this.#running.get(store);
    if (running !== undefined) return running;
    const made = this.#run(store, scope).finally(() => this.#running.delete(store));
    this.#running.set(store, made);
    return made;
  }

  async #run(store: AgentStore, scope: Scope): Promise<void> {
    const { config, fingerprint, prepare } = this.#core;
    const work = await workOf(store, scope, { extra: config.sessions.index.extra, fingerprint, prepare });
    if (work === 0) return;
    const settings = work > FEW_ENTRIES ? this.#settings() : undefined;
    if (settings !== undefined && (await this.#inWorker(settings, store.agentId, scope))) return;
    if (!this.#core.closed) await this.#here.run(store, scope);
  }

  #inWorker(settings: WorkerSettings, agentId: string, scope: Scope): Promise<boolean> {
    const worker = this.#started(settings);
    if (worker === undefined) return Promise.resolve(false);
    const no = this.#next++;
    return new Promise((resolve) => {
      this.#asked.set(no, resolve);
      worker.postMessage({ no, agentId, scope } satisfies Asked);
    });
  }

  #started(settings: WorkerSettings): Worker | undefined {
    if (this.#worker !== undefined || this.#failed || this.#core.closed) return this.#worker;
    // Nothing of the host's own flags (a loader, an inspector) is the worker's.
    const worker = new Worker(this.#file!, { workerData: settings, execArgv: [] });
    worker.unref();
    worker.on('message', (told: Told) => {
      if (told !== 'stopped') this.#answer(told.no, told.done);
    });
    // Whatever it was doing is done here; what it wrote is whole, since each step is a transaction.
    const lost = (): void => {
      this.#failed = true;
      this.#worker = undefined;
      for (const no of [...this.#asked.keys()]) this.#answer(no, false);
    };
    worker.on('error', lost);
    worker.on('exit', lost);
    this.#worker = worker;
    return worker;
  }

  #answer(no: number, done: boolean): void {
    this.#asked.get(no)?.(done);
    this.#asked.delete(no);
  }

  /** What can be handed to another thread; a rule with a function of the host's own cannot, nor can a reader. */
  #settings(): WorkerSettings | undefined {
    const { config, host } = this.#core;
    if (this.#file === undefined || this.#failed || config.sources.readers.length > 0) return undefined;
    const { home, busyTimeoutMs, masking, sessions } = config;
    const { env: _, ...rest } = host;
    const settings = {
      home,
      busyTimeoutMs,
      masking,
      sessions,
      sources: config.sources,
      host: { ...rest, env: { ...host.env } },
    };
    try {
      return structuredClone(settings) as unknown as WorkerSettings;
    } catch {
      return undefined;
    }
  }

  /** No step is running any more when it resolves. */
  async close(): Promise<void> {
    const stopping = this.#here.stop();
    const worker = this.#worker;
    if (worker !== undefined) {
      const stopped = new Promise<void>((resolve) => {
        worker.on('message', (told: Told) => told === 'stopped' && resolve());
        worker.once('exit', () => resolve());
      });
      worker.postMessage('stop' satisfies Asked);
      await stopped;
      await worker.terminate();
    }
    await Promise.allSettled(this.#running.values());
    await stopping;
  }
}
