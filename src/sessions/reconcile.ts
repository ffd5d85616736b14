// Brings the index of dirty sessions up to their rows, in the background and in small steps (SES-151 … SES-157).
import type { AgentStore } from '../store/contract.ts';
import type { IndexText } from '../store/writing.ts';

const MAX_ENTRIES = 512;
const MAX_BYTES = 256 * 1024;
/** How long a session that failed is left alone: after its first failure, its second … (SES-155). */
const RETRY_MS = [1_000, 10_000, 60_000, 600_000];
const MOST_SESSIONS = 64;

/** The reconciliation of one engine: one at a time per store, goes on where it stopped, whoever stopped it. */
export class Reconciler {
  readonly #prepare: (text: string) => IndexText;
  readonly #now: () => number;
  readonly #running = new Map<AgentStore, Promise<void>>();
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>();
  #stopped = false;
  readonly #then: (store: AgentStore, stopped: () => boolean) => Promise<void>;

  /** `then`: what else is brought up to the rows once no session is dirty. */
  constructor(
    prepare: (text: string) => IndexText,
    now: () => number,
    then: (store: AgentStore, stopped: () => boolean) => Promise<void> = async () => {},
  ) {
    this.#prepare = prepare;
    this.#now = now;
    this.#then = then;
  }

  /** Begins with what is dirty, or goes on; resolves when all is done, or was found not to work for now. */
  run(store: AgentStore): Promise<void> {
    const running = this.#running.get(store);
    if (running !== undefined) return running;
    const made = this.#work(store)
      .then(() => this.#then(store, () => this.#stopped))
      .finally(() => this.#running.delete(store));
    this.#running.set(store, made);
    return made;
  }

  /** No new step begins; resolves when none is running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running.values());
  }

  async #work(store: AgentStore): Promise<void> {
    for (;;) {
      const sessions = await store.read((reading) => reading.dirtySessions(MOST_SESSIONS));
      const next = sessions.find(({ key }) => (this.#failed.get(`${store.agentId} ${key}`)?.until ?? 0) <= this.#now());
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
        this.#failed.set(name, { tries, until: this.#now() + wait });
      }
    }
  }

  /** One chunk in one transaction; true when the session is clean. Oldest entries first (SES-154). */
  #step(store: AgentStore, session: number): Promise<boolean> {
    return store.write(async (writing) => {
      const entries = await writing.nextDirty(session, MAX_ENTRIES, MAX_BYTES);
      await writing.index(entries, this.#prepare);
      await writing.dirtyDone(session, entries.at(-1));
      return entries.length === 0;
    });
  }
}
