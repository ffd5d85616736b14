// Reads what agents on this machine wrote since last time: find roots, plan, read what changed, note what is gone.
import type { Clock, NewId } from '../model/clock.ts';
import { type BackstoryError, isBackstoryError } from '../model/errors.ts';
import type { ForeignDatabase, HostEnv, Instance, Source } from '../sources/contract.ts';
import type { AgentStore, Awaitable, StoreSet } from '../store/contract.ts';
import type { FileRecord, IndexText, Writing } from '../store/writing.ts';
import { type ExcludeRule, excluderOf } from './exclude.ts';
import { type Held, instanceName, Leases } from './lease.ts';
import { type ReadAhead, tasksAhead } from './read-ahead.ts';
import { refreshIndex } from './reindex.ts';
import { aborted, storeFailed } from './sync-errors.ts';
import { readFile } from './sync-file.ts';
import { type GivenRoot, type InstancePlan, inOrder, planInstances, type Task } from './sync-plan.ts';
import { type SyncReport, type SyncRoot, Tallying } from './sync-report.ts';

export interface SyncProgress {
  readonly source: string;
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface SyncOptions {
  /** Names of formats; default: every one that is enabled. */
  readonly sources?: readonly string[];
  /** Besides the found ones; with `only: true` in their place. */
  readonly roots?: readonly GivenRoot[];
  readonly onlyGivenRoots?: boolean;
  readonly exclude?: readonly ExcludeRule[];
  /** Also sessions that were deleted (SES-174). */
  readonly again?: boolean;
  /** Stops between batches when it is used up; the next call goes on (SRC-41). */
  readonly budgetMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SyncProgress) => void;
}

export interface SyncContext {
  readonly stores: StoreSet;
  readonly sources: readonly Source[];
  readonly disabled: readonly string[];
  readonly host: HostEnv;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly prepare: (text: string) => IndexText;
  /** Names tokenizer and masker: another one makes the index anew (MASK-16, TXT-1). */
  readonly fingerprint: string;
  readonly parse: 'fast' | 'full';
  readonly toolInputChars: number;
  readonly onHostDelete: 'keep' | 'erase';
  readonly openDatabase: (path: string) => ForeignDatabase;
  /** Reads these on another thread; undefined: not here, or not these. */
  readonly readAhead?: (tasks: readonly Task[]) => ReadAhead | undefined;
}

const MAX_REPLANS = 5;

/** Throws `root_not_found`, `root_unreadable` for a given root, `exclude_invalid`, `sync_aborted`. */
export async function syncSources(context: SyncContext, options: SyncOptions = {}): Promise<SyncReport> {
  try {
    return await new Sync(context, options).run();
  } catch (error) {
    // A reader rejects with the signal's own reason.
    throw options.signal?.aborted && !isBackstoryError(error) ? aborted() : error;
  }
}

class Sync {
  readonly #context: SyncContext;
  readonly #options: SyncOptions;
  readonly #tally = new Tallying();
  readonly #started: number;
  readonly #leases: Leases;
  readonly #excluded: ReturnType<typeof excluderOf>;
  readonly #failed = new Map<string, { readonly root: SyncRoot; readonly reason: string }>();
  #ahead: ReadAhead | undefined;
  #filesDone = 0;
  #filesTotal = 0;
  #bytesDone = 0;
  #bytesTotal = 0;

  constructor(context: SyncContext, options: SyncOptions) {
    this.#context = context;
    this.#options = options;
    this.#started = context.clock.elapsed();
    this.#leases = new Leases(context.clock, context.newId());
    this.#excluded = excluderOf(options.exclude ?? []);
  }

  async run(): Promise<SyncReport> {
    this.#checkAborted();
    const { sources, disabled, host, clock, onHostDelete } = this.#context;
    const openStore = (agentId: string): Promise<AgentStore | undefined> => this.#store(agentId, false);
    const wanted = sources.filter((source) => this.#options.sources?.includes(source.name) ?? true);
    const { exclude = [], again = false } = this.#options;
    const at = { host, openStore, exclude, now: clock.now(), onHostDelete, again };
    const plans = await planInstances({ ...at, sources: wanted, disabled }, this.#options, this.#tally);
    const tasks = inOrder(plans.flatMap((plan) => plan.tasks));
    this.#filesTotal = tasks.length;
    this.#bytesTotal = tasks.reduce((sum, task) => sum + Number(task.file.stat.size), 0);
    const ahead = tasksAhead(tasks);
    if (ahead.length > 0) this.#ahead = this.#context.readAhead?.(ahead);
    const byInstance = new Map<string, InstancePlan>(plans.map((plan) => [instanceName(plan.instance), plan]));
    try {
      for (const plan of plans) await this.#unlessStoreFails(plan.instance, () => this.#erase(plan));
      for (const [index, task] of tasks.entries()) {
        this.#checkAborted();
        // One file at least, so that repeated calls come to an end however short each is (SRC-41).
        if (index > 0 && this.#isTimeUp()) {
          this.#leave(tasks.slice(index));
          break;
        }
        await this.#unlessStoreFails(task.instance, async () => {
          const holding = await this.#hold(byInstance.get(instanceName(task.instance))!);
          if (!holding) this.#leave([task]);
          else await this.#read(task, holding);
        });
        const failed = this.#failed.get(task.instance.agentId);
        if (failed) this.#tally.fail(task.file.absolute, failed.reason, task.instance);
      }
      for (const plan of plans) await this.#unlessStoreFails(plan.instance, () => this.#close(plan));
      for (const { instance } of plans) {
        const failed = this.#failed.get(instance.agentId);
        if (failed) this.#tally.roots.push({ ...failed.root, source: instance.source, root: instance.root });
      }
    } finally {
      await this.#ahead?.close();
      await this.#leases.giveBack();
    }
    return this.#tally.done(this.#context.clock.elapsed() - this.#started);
  }

  // A store that cannot be written, or has no room, keeps its own agent's files unread, and no other's (SES-75).
  async #unlessStoreFails(instance: Instance, work: () => Promise<void>): Promise<void> {
    if (this.#failed.has(instance.agentId)) return;
    try {
      await work();
    } catch (error) {
      const root = storeFailed(instance, error);
      this.#failed.set(instance.agentId, { root, reason: (error as BackstoryError).code });
    }
  }

  async #store(agentId: string, create: boolean): Promise<AgentStore | undefined> {
    const store = await this.#context.stores.open(agentId, { create });
    if (store) await refreshIndex(store, this.#context.fingerprint, this.#context.prepare);
    return store;
  }

  // What a rule now excludes is deleted before anything is read (SRC-52).
  async #erase(plan: InstancePlan): Promise<void> {
    if (plan.excluded.length === 0 || !plan.store) return;
    const holding = await this.#hold(plan);
    if (!holding) return;
    const sessions = await holding.store.write(async (writing) => {
      const found: number[] = [];
      // Read again under the lease: another process may have changed what the plan saw.
      for (const { path } of plan.excluded) {
        const row = await writing.file(holding.record.no, path);
        if (row?.session !== undefined) found.push(row.session);
        if (row) await writing.forgetFiles([row.no]);
      }
      this.#tally.entries.erased += await writing.deleteSessions(found, this.#context.prepare);
      return found;
    });
    this.#tally.excluded += sessions.length;
  }

  async #hold(plan: InstancePlan): Promise<Held | undefined> {
    return this.#leases.take(
      plan.instance,
      async () => (await this.#store(plan.instance.agentId, true))!,
      () => {
        this.#checkAborted();
        return this.#isTimeUp();
      },
    );
  }

  async #read(task: Task, holding: Held): Promise<void> {
    const { prepare, parse, toolInputChars, clock, openDatabase } = this.#context;
    const { signal } = this.#options;
    let current = task;
    for (let attempt = 0; attempt < MAX_REPLANS; attempt++) {
      // What another process read while this one waited need not be read again.
      const find = (writing: Writing): Awaitable<FileRecord | undefined> =>
        writing.file(holding.record.no, task.file.path);
      current = { ...current, known: await holding.store.write(find, { grouped: true }) };
      if (current.known !== undefined) this.#ahead?.drop(task);
      const done = await readFile(
        {
          store: holding.store,
          instance: holding.record,
          prepare,
          parse,
          toolInputChars,
          clock,
          openDatabase,
          excluded: this.#excluded,
          ...(signal ? { signal } : {}),
          ...(this.#ahead ? { ahead: this.#ahead } : {}),
          isTimeUp: () => this.#isTimeUp(),
          renew: (writing) => this.#leases.renew(task.instance, writing),
          again: this.#options.again === true,
          onBytes: (bytes) => {
            this.#bytesDone += bytes;
            this.#tally.bytes += bytes;
            this.#progress(task);
          },
        },
        current,
        this.#tally,
      );
      if (done === 'left' || (done === 'overtaken' && attempt === MAX_REPLANS - 1)) this.#leave([task]);
      if (done !== 'overtaken') break;
    }
    this.#filesDone++;
    this.#progress(task);
  }

  // Files that are no longer there, and the time of this sync.
  async #close(plan: InstancePlan): Promise<void> {
    const held = this.#leases.held(plan.instance);
    const store = held?.store ?? plan.store;
    const { gone } = plan;
    const changed = held !== undefined || gone.length > 0;
    this.#tally.roots.push({
      source: plan.source.name,
      root: plan.instance.root,
      state: 'ok',
      agentId: plan.instance.agentId,
      files: plan.found,
    });
    if (!store || !changed) return;
    const { clock, onHostDelete, prepare } = this.#context;
    await store.write(async (writing) => {
      const { no } = await writing.instance(plan.instance.source, plan.instance.root);
      const sessions = await writing.goneFiles(gone, clock.now());
      // An unmounted disk or an empty mount point erases nothing (SRC-50).
      if (onHostDelete === 'erase' && plan.found > 0) {
        this.#tally.entries.erased += await writing.deleteSessions(sessions, prepare);
      }
      await writing.synced(no, clock.now());
    });
  }

  #progress(task: Task): void {
    this.#options.onProgress?.({
      source: task.source.name,
      filesDone: this.#filesDone,
      filesTotal: this.#filesTotal,
      bytesDone: Math.min(this.#bytesDone, this.#bytesTotal),
      bytesTotal: this.#bytesTotal,
    });
  }

  #leave(tasks: readonly Task[]): void {
    for (const task of tasks) {
      if (task.again) this.#tally.unchanged++;
      else this.#tally.leave(task.file.absolute, task.instance);
    }
  }

  #isTimeUp(): boolean {
    const { budgetMs } = this.#options;
    return budgetMs !== undefined && this.#context.clock.elapsed() - this.#started >= budgetMs;
  }

  #checkAborted(): void {
    if (this.#options.signal?.aborted) {
      throw aborted();
    }
  }
}
