// Brings a store's index up to its rows, in the background and in small steps (SES-151 … SES-158): an index of another kind
// is made anew, then dirty sessions are followed, then what else was asked for.
import type { Scope } from '../access/scope.ts';
import type { AgentStore } from '../store/contract.ts';
import type { IndexText } from '../store/writing.ts';
import { type ExtraContext, extraWork } from './extra.ts';
import { isToRebuild, refreshIndex } from './reindex.ts';

export interface ReconcileContext {
  readonly prepare: (text: string) => IndexText;
  /** Of the index as it should be. */
  readonly fingerprint: string;
  readonly now: () => number;
  /** What else is brought up to the rows, when no session is dirty. */
  readonly last?: (store: AgentStore, stopped: () => boolean) => Promise<void>;
}

const MAX_ENTRIES = 512;
const MAX_BYTES = 256 * 1024;
/** How long a session that failed is left alone: after its first failure, its second … (SES-155). */
const RETRY_MS = [1_000, 10_000, 60_000, 600_000];
const MOST_SESSIONS = 64;

/** The reconciliation of one engine: one at a time per store, goes on where it stopped, whoever stopped it. */
export class Reconciler {
  readonly #context: ReconcileContext;
  readonly #running = new Map<AgentStore, Promise<void>>();
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>();
  #stopped = false;

  constructor(context: ReconcileContext) {
    this.#context = context;
  }

  /**
   * Begins with what is dirty, or goes on; resolves when all is done, or was found not to work for now. Sessions of
   * `scope` come first (SES-152).
   */
  run(store: AgentStore, scope: Scope): Promise<void> {
    const running = this.#running.get(store);
    if (running !== undefined) return running;
    const made = this.#work(store, scope).finally(() => this.#running.delete(store));
    this.#running.set(store, made);
    return made;
  }

  /** No new step begins; resolves when none is running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running.values());
  }

  async #work(store: AgentStore, scope: Scope): Promise<void> {
    const stopped = (): boolean => this.#stopped;
    const { fingerprint, prepare, last } = this.#context;
    await refreshIndex(store, fingerprint, prepare, stopped);
    await this.#follow(store, scope);
    await last?.(store, stopped);
  }

  async #follow(store: AgentStore, scope: Scope): Promise<void> {
    const { now } = this.#context;
    for (;;) {
      const sessions = await store.read((reading) => reading.dirtySessions(scope, MOST_SESSIONS));
      const next = sessions.find(({ key }) => (this.#failed.get(`${store.agentId} ${key}`)?.until ?? 0) <= now());
      if (next === undefined || this.#stopped) return;
      const name = `${store.agentId} ${next.key}`;
      try {
        while (!this.#stopped && !(await this.#step(store, next.no))) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        this.#failed.delete(name);
      } catch {
        // It holds nothing else back, and is tried again at later searches.
        const tries = (this.#failed.get(name)?.tries ?? 0) + 1;
        const wait = RETRY_MS[Math.min(tries, RETRY_MS.length) - 1]!;
        this.#failed.set(name, { tries, until: now() + wait });
      }
    }
  }

  /** One chunk in one transaction; true when the session is clean. Oldest entries first (SES-154). */
  #step(store: AgentStore, session: number): Promise<boolean> {
    return store.write(async (writing) => {
      const entries = await writing.nextDirty(session, MAX_ENTRIES, MAX_BYTES);
      await writing.index(entries, this.#context.prepare);
      await writing.dirtyDone(session, entries.at(-1));
      return entries.length === 0;
    });
  }
}

/**
 * About how many entries a store's reconciliation looks at, by one read: 0 when all is as it should be, `Infinity` for an
 * index that is made anew as a whole.
 */
export async function workOf(store: AgentStore, scope: Scope, context: ExtraContext): Promise<number> {
  return store.read(async (reading) => {
    if (await isToRebuild(reading, context.fingerprint)) return Number.POSITIVE_INFINITY;
    const sessions = await reading.dirtySessions(scope, MOST_SESSIONS);
    const dirty = sessions.reduce((sum, { entries }) => sum + entries, 0);
    return dirty + (await extraWork(reading, context));
  });
}
