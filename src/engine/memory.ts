// The memory face: contexts for hosts and their models, and what an operator does with records (episodes.md).
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { loadModule, projectName, projectRoot } from '../config/project.ts';
import type { ContextOptions, Project, ResolvedContext } from '../episodes/context.ts';
import type { DistillContext, DistillOptions, DistillResult } from '../episodes/distill.ts';
import { type MemoryFinding, memoryFindings, trial } from '../episodes/doctor.ts';
import { eraseMemory } from '../episodes/erase.ts';
import { type Forgotten, forgetRecord } from '../episodes/erase-forget.ts';
import type { EraseSelector } from '../episodes/erase-selector.ts';
import { Health, type RecorderHealth, warnOnce } from '../episodes/health.ts';
import { type ListPage, type ListPageOptions, listPage } from '../episodes/list-page.ts';
import { type MemoryStats, memoryStats } from '../episodes/memory-stats.ts';
import { Recording } from '../episodes/recording.ts';
import { type PruneOptions, type PruneReport, pruneRecords } from '../episodes/retention.ts';
import {
  type Approval,
  approveRecord,
  type Inspection,
  inspectRecord,
  ofRecord,
  recordNotFound,
  rejectRecord,
} from '../episodes/review.ts';
import type { EraseReceipt } from '../model/erasure.ts';
import { resolveTime, resolveWindow } from '../model/time.ts';
import type { MemoryStore, MemoryStores } from '../store/memory.ts';
import type { EngineCore } from './core.ts';
import type { MemoryContext } from './memory-context.ts';
import { dropMemory, openMemories } from './memory-stores.ts';

/** Whose store; default `main`. */
interface OfAgent {
  readonly agent?: string;
}

/** A record by its id; within a namespace an id of another one does not exist (EPI-15). */
interface OfRecord extends OfAgent {
  readonly id: string;
  readonly namespace?: string;
}

export interface EpisodesFace {
  /** One agent's store, one namespace, one way of writing (EPI-10). Throws `invalid_argument`, `definition_invalid`. */
  context(options: ContextOptions): Promise<MemoryContext>;
  /** Records waiting for review, or of another status; parked runs (EPI-120). */
  list(options?: ListPageOptions & OfAgent): Promise<ListPage>;
  /** One record with its chain, and whether recall would show it. */
  inspect(options: OfRecord & { readonly since?: string; readonly until?: string }): Promise<Inspection>;
  /** A candidate becomes active (EPI-121). */
  approve(options: OfRecord): Promise<Approval>;
  /** Deletes a candidate (EPI-122). */
  reject(options: OfRecord): Promise<void>;
  /** Deletes a record of any status with what was made from it, or drops a parked run (EPI-122, EPI-132). */
  forget(options: OfRecord): Promise<Forgotten>;
  /** Deletes what expired, what is over budget, and what is older than asked (EPI-66). */
  prune(options?: Omit<PruneOptions, 'olderThan'> & OfAgent & { readonly olderThan?: string }): Promise<PruneReport>;
  /** Makes one summary of the old records of a week (EPI-143). Throws `writes_off`. */
  consolidate(options?: DistillOptions & OfAgent): Promise<DistillResult>;
  /** Writes insights from new records, as candidates (EPI-147). Throws `writes_off`. */
  reflect(options?: DistillOptions & OfAgent): Promise<DistillResult>;
  /** Erases what a selector reaches, in rows, index and bytes (EPI-130). Without `agent` in every agent's store. */
  erase(selector: EraseSelector, options?: OfAgent & { readonly dryRun?: boolean }): Promise<EraseReceipt>;
  stats(options?: OfAgent): Promise<MemoryStats>;
  /** Ids of the agents that have a memory, in byte order. */
  agents(): Promise<readonly string[]>;
  /** Why nothing is recorded, if so; and a trial in a scratch agent (EPI-54). */
  doctor(options?: ContextOptions): Promise<{ readonly findings: readonly MemoryFinding[] }>;
}

export class Memory {
  readonly #core: EngineCore;
  readonly #stores: MemoryStores;
  readonly #recordings = new Map<string, Recording>();
  readonly #project: Project;

  constructor(core: EngineCore) {
    this.#core = core;
    const { memory } = core.config;
    this.#stores = openMemories(core.config);
    const root = projectRoot(core.project);
    this.#project = {
      workspace: memory.workspace ?? projectName(core.project),
      routesDir: isAbsolute(memory.routesDir) ? memory.routesDir : resolve(root, memory.routesDir),
      exists: existsSync,
      load: loadModule,
    };
    const embed = 'backstory: memory.episodes.embed has no effect; records are found by their words.';
    if (memory.embedIgnored) warnOnce(core.logger, 'embed', embed);
  }

  /** The stores of memory, for what asks all of them. */
  get stores(): MemoryStores {
    return this.#stores;
  }

  face(): EpisodesFace {
    const { clock, masker, config } = this.#core;
    const { episodes, authored } = config.memory;
    return {
      context: async (options) => {
        this.#core.assertOpen('episodes.context');
        return this.#context(await this.#resolve(options));
      },
      list: async ({ agent, ...options } = {}) => listPage(await this.#open('list', agent), options, clock.now()),
      inspect: async (given) => {
        const { agent, id, namespace, since, until } = ofRecord(given);
        const now = clock.now();
        const bounds = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
        const window = resolveWindow(bounds, { now, timeZone: config.timeZone });
        const store = await this.#existing('inspect', agent, id);
        return inspectRecord(store, id, { now, ...window, ...(namespace === undefined ? {} : { namespace }) });
      },
      approve: async (given) => {
        const { agent, id, namespace } = ofRecord(given);
        const store = await this.#existing('approve', agent, id);
        return approveRecord(
          { store, masker, now: clock.now(), ...(namespace === undefined ? {} : { namespace }) },
          id,
        );
      },
      reject: async (given) => {
        const { agent, id, namespace } = ofRecord(given);
        const store = await this.#existing('reject', agent, id);
        await rejectRecord({ store, masker, now: clock.now(), ...(namespace === undefined ? {} : { namespace }) }, id);
      },
      forget: async (given) => {
        const { agent, id, namespace } = ofRecord(given);
        const store = await this.#existing('forget', agent, id);
        return forgetRecord({ store, now: clock.now(), ...(namespace === undefined ? {} : { namespace }) }, id);
      },
      consolidate: async ({ agent, ...options } = {}) => {
        const { consolidate } = await import('../episodes/consolidate.ts');
        return consolidate(await this.#distilling('consolidate', agent), options);
      },
      reflect: async ({ agent, ...options } = {}) => {
        const { reflect } = await import('../episodes/reflect.ts');
        return reflect(await this.#distilling('reflect', agent), options);
      },
      prune: async ({ agent, olderThan, ...options } = {}) => {
        const now = clock.now();
        const before = olderThan === undefined ? {} : { olderThan: ageOf(olderThan, now, config.timeZone) };
        const budgets = { cap: episodes.cap, authoredCap: authored.cap };
        const store = await this.#open('prune', agent);
        return pruneRecords(store, { ...options, ...before }, budgets, now);
      },
      erase: async (selector, { agent, dryRun = false } = {}) => {
        this.#core.assertOpen('episodes.erase');
        // What waits in memory is written first, so that it is found and erased as well.
        for (const recording of this.#recordings.values()) await recording.flush();
        // A first run may be under way in a store that is not there yet: its barrier is noted all the same (EPI-135).
        const known = agent === undefined ? [...(await this.#stores.agents()), ...this.#recordings.keys()] : [agent];
        const stores: MemoryStore[] = [];
        for (const id of [...new Set(known)].sort()) {
          const store = await this.#stores.open(id, { create: !dryRun });
          if (store) stores.push(store);
        }
        return eraseMemory({ stores, clock }, selector, { dryRun });
      },
      stats: ({ agent = 'main' } = {}) => this.#stats('stats', agent),
      agents: async () => {
        this.#core.assertOpen('episodes.agents');
        return this.#stores.agents();
      },
      doctor: (options = {}) => this.#doctor(options),
    };
  }

  async close(): Promise<void> {
    for (const recording of this.#recordings.values()) await recording.close();
    await this.#stores.close();
  }

  // Loaded when first asked for: with definitions comes zod, which would cost every start of the command line 30 ms.
  async #resolve(options: ContextOptions): Promise<ResolvedContext> {
    const { resolveContext } = await import('../episodes/context.ts');
    return resolveContext(options, this.#core.config.memory, this.#project);
  }

  async #context(resolved: ResolvedContext): Promise<MemoryContext> {
    const { memoryContext } = await import('./memory-context.ts');
    const { clock, newId, masker, config, logger } = this.#core;
    return memoryContext(resolved, {
      settings: config.memory,
      timeZone: config.timeZone,
      clock,
      newId,
      masker,
      logger,
      cursorKey: () => this.#core.cursorKey(),
      recording: this.#recording(resolved.agentId),
      openStore: (create) => this.#stores.open(resolved.agentId, { create }),
      assertOpen: (method) => this.#core.assertOpen(method),
    });
  }

  #recording(agentId: string): Recording {
    const known = this.#recordings.get(agentId);
    if (known) return known;
    const { clock, logger, config } = this.#core;
    const made = new Recording({
      openStore: () => this.#stores.open(agentId, { create: true }),
      clock,
      health: new Health(logger, config.memory.onError),
      writeTimeoutMs: config.memory.episodes.writeTimeoutMs,
    });
    this.#recordings.set(agentId, made);
    return made;
  }

  async #stats(method: string, agent: string): Promise<MemoryStats> {
    const store = await this.#open(method, agent);
    const recording = this.#recordings.get(agent);
    const own: RecorderHealth = (recording?.health ?? new Health(this.#core.logger)).report(recording?.queued ?? 0);
    return memoryStats(agent, store, { unsaved: recording?.health.takeUnsaved().counters ?? {}, health: own });
  }

  async #doctor(options: ContextOptions): Promise<{ readonly findings: readonly MemoryFinding[] }> {
    this.#core.assertOpen('episodes.doctor');
    const { config, clock } = this.#core;
    const resolved = await this.#resolve(options);
    const stats = await this.#stats('doctor', resolved.agentId);
    const store = await this.#stores.open(resolved.agentId);
    const findings = await memoryFindings(resolved, config.memory, stats, store, clock);
    const tried = await trial(() => this.#trial());
    return { findings: tried === undefined ? findings : [...findings, tried] };
  }

  // In a store of its own, with the settings that record, and gone afterwards.
  async #trial(): Promise<boolean> {
    const agentId = `doctor-${this.#core.newId().slice(0, 8)}`;
    const { clock, newId, masker, config, logger } = this.#core;
    const stores = openMemories(config);
    try {
      const settings = {
        ...config.memory,
        writes: 'auto' as const,
        episodes: { ...config.memory.episodes, enabled: true },
      };
      const openStore = (): Promise<MemoryStore | undefined> => stores.open(agentId, { create: true });
      const recording = new Recording({
        openStore,
        clock,
        health: new Health(logger),
        writeTimeoutMs: config.busyTimeoutMs,
      });
      const resolved = { agentId, namespace: 'workspace=doctor', missing: [], definition: undefined } as const;
      const { memoryContext } = await import('./memory-context.ts');
      const context = memoryContext(
        { ...resolved, threadId: undefined, runId: undefined, ask: undefined },
        {
          settings,
          timeZone: config.timeZone,
          clock,
          newId,
          masker,
          logger,
          cursorKey: () => new Uint8Array(32),
          recording,
          openStore,
          assertOpen: () => undefined,
        },
      );
      const written = await context.recorder.start({ input: 'doctor' }).settle();
      if (!written.recorded) return false;
      const { records } = await context.recall({ query: 'doctor' });
      return records.length === 1;
    } finally {
      await stores.close();
      await dropMemory(config, agentId);
    }
  }

  async #distilling(method: string, agent: string | undefined): Promise<DistillContext> {
    const { clock, masker, config } = this.#core;
    const store = await this.#open(method, agent);
    const { writes, distill } = config.memory;
    return { stores: store ? [store] : [], clock, masker, timeZone: config.timeZone, writes, settings: distill };
  }

  async #open(method: string, agent = 'main'): Promise<MemoryStore | undefined> {
    this.#core.assertOpen(`episodes.${method}`);
    return this.#stores.open(agent);
  }

  async #existing(method: string, agent: string | undefined, id: string): Promise<MemoryStore> {
    const store = await this.#open(method, agent);
    if (store === undefined) throw recordNotFound(id);
    return store;
  }
}

// `90d` is an age, and so is `-90d`; any other form is a time.
function ageOf(given: string, now: number, timeZone: string): number {
  const text = /^\d{1,8}[smhdw]$/.test(given.trim()) ? `-${given.trim()}` : given;
  return resolveTime(text, 'olderThan', { now, timeZone });
}
