// Writes of recorders to one agent's memory: each waits for the store only so long, then goes on in the background
// (EPI-51). One per engine and agent. Never throws.
import type { Clock } from '../model/clock.ts';
import { isBackstoryError } from '../model/errors.ts';
import type { MemoryStore } from '../store/memory.ts';
import { counterOf, type Health, type RecordResult } from './health.ts';
import { PruneFailed, type RunWrite } from './run-write.ts';

/** One record or parked state to be written. `apply` may be called again until it was committed once. */
export interface WriteJob {
  readonly id: string;
  readonly namespace: string;
  readonly runId?: string;
  readonly apply: RunWrite;
}

export interface RecordingOptions {
  readonly openStore: () => Promise<MemoryStore | undefined>;
  readonly clock: Clock;
  readonly health: Health;
  readonly writeTimeoutMs: number;
}

const MOST_QUEUED = 256;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
const CLOSE_MS = 5_000;
// Closing waits for these alone: a damaged or read-only store is the same in five seconds.
const PASSING: ReadonlySet<string> = new Set(['store_busy', 'store_full']);

interface Entry {
  readonly job: WriteJob;
  /** Its caller was told `queued`; only such entries count against the bound. */
  queued: boolean;
  readonly tell: (result: RecordResult) => void;
}

export class Recording {
  readonly health: Health;
  readonly #options: RecordingOptions;
  /** Oldest first: the order of writing. */
  readonly #entries: Entry[] = [];
  #working: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  /** Whether the last failure was one that may pass. */
  #mayPass = true;
  #closed = false;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.health = options.health;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** How many records wait in memory. */
  get queued(): number {
    return this.#entries.filter(({ queued }) => queued).length;
  }

  /** Writes, or tells after `writeTimeoutMs` that it will. */
  submit(job: WriteJob): Promise<RecordResult> {
    if (this.#closed) {
      this.health.add('lost');
      return Promise.resolve({ recorded: false, reason: 'lost', id: job.id });
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#toQueue(entry), this.#options.writeTimeoutMs);
      const entry: Entry = {
        job,
        queued: false,
        tell: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
      };
      this.#entries.push(entry);
      void this.#work();
    });
  }

  /** Tries everything that waits once more; does not tell whether it could be written (`health` does). */
  async flush(): Promise<void> {
    // What is being tried now may have failed before this was called.
    await this.#working;
    if (this.#entries.length > 0) await this.#work();
  }

  /** Tries for up to 5 s; what is left then is lost. */
  async close(): Promise<void> {
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        isOver = true;
        resolve();
      }, CLOSE_MS);
    });
    // A try may get no answer at all from a store on another machine.
    const orOver = (work: Promise<unknown> | undefined): Promise<unknown> => Promise.race([work, over]);
    await orOver(this.#working);
    while (this.#entries.length > 0 && !isOver) {
      await orOver(this.#work());
      if (this.#entries.length === 0 || !this.#mayPass) break;
      clearTimeout(this.#retry);
      await orOver(new Promise((resolve) => setTimeout(resolve, this.#pauseMs).unref()));
    }
    this.#closed = true;
    clearTimeout(this.#retry);
    if (!isOver) await orOver(this.#saveCounters());
    clearTimeout(timer);
    for (const { job, tell } of this.#entries.splice(0)) {
      this.health.add('lost');
      tell({ recorded: false, reason: 'lost', id: job.id });
    }
  }

  /** What was not worth a row with each record (EPI-53). A store that does not answer now is not waited for. */
  async #saveCounters(): Promise<void> {
    const { counters, lastFailure } = this.health.takeUnsaved();
    if (Object.keys(counters).length === 0 || this.health.report(0).recorded === 0) return;
    try {
      const store = await this.#options.openStore();
      await store?.write(
        async (writing) => {
          await writing.addCounters(counters);
          if (lastFailure !== undefined) await writing.setMeta('lastFailure', lastFailure);
        },
        { waitMs: this.#options.writeTimeoutMs },
      );
      this.health.saved(counters);
    } catch {
      // Numbers alone are lost.
    }
  }

  #work(): Promise<void> {
    this.#working ??= this.#drain().finally(() => {
      this.#working = undefined;
      // Something arrived after the last look.
      if (this.#entries.some(({ queued }) => !queued)) void this.#work();
    });
    return this.#working;
  }

  /** In order, until one cannot be written. */
  async #drain(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    for (let entry = this.#entries[0]; entry !== undefined; entry = this.#entries[0]) {
      try {
        const result = await this.#write(entry.job, { prune: true }).catch((error: unknown) => {
          if (!(error instanceof PruneFailed)) throw error;
          this.health.failure(error.cause, this.#options.clock.now(), { namespace: entry.job.namespace });
          return this.#write(entry.job, { prune: false });
        });
        this.#pauseMs = FIRST_PAUSE_MS;
        this.#remove(entry);
        entry.tell(result);
      } catch (error) {
        this.#failed(entry, error);
        if (this.#entries[0] === entry) return this.#later();
      }
    }
  }

  async #write(job: WriteJob, how: { readonly prune: boolean }): Promise<RecordResult> {
    const store = await this.#options.openStore();
    if (store === undefined) throw new Error('no store');
    const { counters, lastFailure } = this.health.takeUnsaved();
    const saved = { ...counters };
    let saves = true;
    const result = await store.write(
      async (writing) => {
        const applied = await job.apply(writing, how);
        const own = counterOf(applied);
        // A row that each record would write again waits for others of its kind, or for something worth telling.
        saves =
          lastFailure !== undefined ||
          Object.keys(counters).some((name) => name !== 'recorded' || counters[name]! > 31);
        if (!saves) return applied;
        if (own !== undefined) saved[own] = (counters[own] ?? 0) + 1;
        await writing.addCounters(saved);
        if (lastFailure !== undefined) await writing.setMeta('lastFailure', lastFailure);
        return applied;
      },
      { waitMs: this.#options.writeTimeoutMs },
    );
    if (result.recorded) this.health.recorded(this.#options.clock.now());
    else this.health.skipped(result.reason);
    if (saves) this.health.saved(saved);
    return result;
  }

  #failed(entry: Entry, error: unknown): void {
    const { job } = entry;
    this.#mayPass = isBackstoryError(error) && PASSING.has(error.code);
    this.health.failure(error, this.#options.clock.now(), {
      namespace: job.namespace,
      ...(job.runId === undefined ? {} : { runId: job.runId }),
    });
    // What no store said will fail the same way for ever, and would keep all others from being written.
    if (!isBackstoryError(error) || error.code === 'closed') {
      this.#remove(entry);
      this.health.add('lost');
      entry.tell({ recorded: false, reason: 'lost', id: job.id });
      return;
    }
    // Those behind it would meet the same store: none of their runs waits for that.
    for (const each of [...this.#entries]) this.#toQueue(each);
  }

  #toQueue(entry: Entry): void {
    if (entry.queued || !this.#entries.includes(entry)) return;
    entry.queued = true;
    entry.tell({ recorded: false, reason: 'queued', id: entry.job.id });
    if (this.queued <= MOST_QUEUED) return;
    const oldest = this.#entries.find(({ queued }) => queued)!;
    this.#remove(oldest);
    this.health.add('lost');
  }

  #later(): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.#work(), this.#pauseMs);
    // A process that has nothing else to do may end; `close` waits.
    this.#retry.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #remove(entry: Entry): void {
    const at = this.#entries.indexOf(entry);
    if (at >= 0) this.#entries.splice(at, 1);
  }
}
