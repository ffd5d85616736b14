// Reads the files of a large sync on a worker thread, while this one writes what was read before (SRC-70).
import { Worker } from 'node:worker_threads';
import type { Clock } from '../model/clock.ts';
import { makeTurn, type Turn } from '../model/turn.ts';
import type { Op } from '../sessions/batch.ts';
import { AheadLost, type ApplyBatch, type ReadAhead } from '../sessions/read-ahead.ts';
import type { Task } from '../sessions/sync-plan.ts';
import type { Instance, PlannedFile, ReadOptions, ReadOutcome } from '../sources/contract.ts';

export type ReaderSettings = Pick<ReadOptions, 'parse' | 'toolInputChars'> & {
  /** So many batches may wait to be taken. */
  readonly window: number;
};

export interface FileAsked {
  readonly no: number;
  readonly source: string;
  readonly instance: Instance;
  readonly file: PlannedFile;
}

export type ToReader = FileAsked | { readonly taken: number } | { readonly drop: number };

export type ReadTold = { readonly no: number } & (
  | {
      readonly ops: Op[];
      readonly counts: readonly (readonly [string, number])[];
      readonly state: Uint8Array;
      readonly bytes: number;
    }
  | { readonly outcome: ReadOutcome; readonly bytes: number }
  | { readonly failed: { readonly message: string; readonly code?: string } }
);

// A batch is what a reader commits together, mostly a file or 1 MiB of it.
const WINDOW = 24;
// Files that the thread is told of before they are asked for.
const FILES_AHEAD = 64;

/** Undefined where no thread can be started. `file`: of the worker. */
export function readingAhead(
  file: string | undefined,
  tasks: readonly Task[],
  settings: Omit<ReaderSettings, 'window'>,
  clock: Clock,
): ReadAhead | undefined {
  return file === undefined || tasks.length === 0 ? undefined : new Reading(file, tasks, settings, clock);
}

class Reading implements ReadAhead {
  readonly #worker: Worker;
  readonly #tasks: readonly Task[];
  readonly #numbers: ReadonlyMap<PlannedFile, number>;
  readonly #told = new Map<number, ReadTold[]>();
  readonly #dropped = new Set<number>();
  #sent = 0;
  #wake: (() => void) | undefined;
  #lost: AheadLost | undefined;
  readonly #turn: Turn;

  constructor(file: string, tasks: readonly Task[], settings: Omit<ReaderSettings, 'window'>, clock: Clock) {
    this.#turn = makeTurn(clock);
    this.#tasks = tasks;
    this.#numbers = new Map(tasks.map((task, no) => [task.file, no]));
    this.#worker = new Worker(file, { workerData: { ...settings, window: WINDOW }, execArgv: [] });
    this.#worker.unref();
    this.#worker.on('message', (told: ReadTold) => this.#take(told));
    const lost = (error?: unknown): void => {
      this.#lost ??= new AheadLost('the thread that reads files ended', { cause: error });
      this.#wake?.();
    };
    this.#worker.on('error', lost);
    this.#worker.on('exit', () => lost());
    this.#send(FILES_AHEAD);
  }

  read(task: Task, apply: ApplyBatch, onBytes: (bytes: number) => void): Promise<ReadOutcome> | undefined {
    const no = this.#numbers.get(task.file);
    if (no === undefined || this.#dropped.has(no)) return undefined;
    // Begun and lost in the middle is begun again here: what was applied of it is met again as it is (SRC-44).
    if (this.#lost !== undefined && !this.#told.has(no)) return undefined;
    this.#send(no + FILES_AHEAD);
    return this.#read(no, apply, onBytes);
  }

  async #read(no: number, apply: ApplyBatch, onBytes: (bytes: number) => void): Promise<ReadOutcome> {
    try {
      for (;;) {
        const told = await this.#next(no);
        if ('failed' in told) throw Object.assign(new Error(told.failed.message), told.failed);
        onBytes(told.bytes);
        if ('outcome' in told) return told.outcome;
        this.#worker.postMessage({ taken: 1 } satisfies ToReader);
        await apply(told.ops, new Map(told.counts), Buffer.from(told.state));
        // A thousand messages of the thread are handed over in one turn of the loop, with all that is done about each.
        if (this.#turn.isDue()) await this.#turn.give();
      }
    } catch (error) {
      this.#drop(no);
      throw error;
    } finally {
      this.#told.delete(no);
    }
  }

  async #next(no: number): Promise<ReadTold> {
    for (;;) {
      const told = this.#told.get(no)?.shift();
      if (told !== undefined) return told;
      if (this.#lost !== undefined) throw this.#lost;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(told: ReadTold): void {
    if (this.#dropped.has(told.no)) {
      if ('ops' in told) this.#worker.postMessage({ taken: 1 } satisfies ToReader);
      return;
    }
    const list = this.#told.get(told.no) ?? [];
    this.#told.set(told.no, list);
    list.push(told);
    this.#wake?.();
  }

  drop(task: Task): void {
    const no = this.#numbers.get(task.file);
    if (no !== undefined) this.#drop(no);
  }

  #drop(no: number): void {
    if (this.#dropped.has(no)) return;
    this.#dropped.add(no);
    const waiting = (this.#told.get(no) ?? []).filter((told) => 'ops' in told).length;
    this.#told.delete(no);
    this.#worker.postMessage({ drop: no } satisfies ToReader);
    if (waiting > 0) this.#worker.postMessage({ taken: waiting } satisfies ToReader);
  }

  #send(through: number): void {
    for (; this.#sent < Math.min(through, this.#tasks.length); this.#sent++) {
      const { source, instance, file } = this.#tasks[this.#sent]!;
      if (this.#dropped.has(this.#sent)) continue;
      this.#worker.postMessage({ no: this.#sent, source: source.name, instance, file } satisfies ToReader);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
