// The host face of sessions: what the program that embeds the library writes, and reads for its model. No caller, no scope.
import { join } from 'node:path';
import type { Caller } from '../access/caller.ts';
import { type Scope, wholeScope } from '../access/scope.ts';
import type { EraseReceipt } from '../model/erasure.ts';
import { BackstoryError, ERROR_CODES, type ErrorCode } from '../model/errors.ts';
import { agentOfKey } from '../model/ids.ts';
import {
  type Appended,
  type AppendedMany,
  type AppendManyParams,
  type AppendParams,
  append,
  appendMany,
} from '../sessions/append.ts';
import { type ArchiveParams, type ArchiveResult, archive } from '../sessions/archive.ts';
import { type CompactParams, type CompactResult, compact } from '../sessions/compact.ts';
import { type CurrentParams, type CurrentView, current } from '../sessions/current.ts';
import { type EraseOptions, eraseSessions, resumeErasing } from '../sessions/erase.ts';
import type { EraseSelector } from '../sessions/erase-targets.ts';
import type { Reopener } from '../sessions/extra.ts';
import { checkedKey, type HostContext } from '../sessions/host.ts';
import { Incognito } from '../sessions/incognito.ts';
import { checkNames } from '../sessions/page-checks.ts';
import { type ResetParams, type ResetResult, reset } from '../sessions/reset.ts';
import { type RewindParams, type RewindResult, rewind, type SwitchParams, switchTo } from '../sessions/rewind.ts';
import type { AgentStore, StoreSet } from '../store/contract.ts';
import { openSqliteStores } from '../store/sqlite/store-set.ts';
import { Background } from './background.ts';
import type { EngineCore } from './core.ts';
import { reconcilerOf } from './reconciling.ts';

export interface DeleteParams extends EraseOptions {
  readonly key: string;
  /** Also the sessions that it started, and those they did (SES-175). */
  readonly descendants?: boolean;
}

export interface HostFace {
  /** Writes a message and its index row in one transaction (SES-20). */
  append(params: AppendParams): Promise<Appended>;
  /** Writes all of a list, or none (SES-27). */
  appendMany(params: AppendManyParams): Promise<AppendedMany>;
  /** Begins the current view anew, with a tail kept or not. Nothing is deleted or leaves the index (SES-50). */
  reset(params: ResetParams): Promise<ResetResult>;
  /** Goes back to an entry: what followed it is neither searched nor shown any more (SES-52). */
  rewind(params: RewindParams): Promise<RewindResult>;
  /** Makes any entry after the latest reset the tip again (SES-53). */
  switchTo(params: SwitchParams): Promise<RewindResult>;
  /** Writes a summary; what it sums up stays (SES-55). */
  compact(params: CompactParams): Promise<CompactResult>;
  /** Marks a session as put away, or takes the mark back (SES-57). */
  archive(params: ArchiveParams): Promise<ArchiveResult>;
  /**
   * Deletes a session with its index and its bytes, for an operator, within its scope (SES-170). The receipt says what
   * was looked for again. What it spawned stays, unless `descendants`.
   */
  delete(caller: Caller, params: DeleteParams): Promise<EraseReceipt>;
  /** The same for what a selector names: an agent, a person, a time, one message, abandoned entries (SES-171). */
  erase(caller: Caller, selector: EraseSelector, options?: EraseOptions): Promise<EraseReceipt>;
  /** The current view as it was written, unmasked: what a host sends to its model (SES-30). */
  current(key: string, options?: Omit<CurrentParams, 'key'>): Promise<CurrentView>;
}

export class Host {
  readonly #core: EngineCore;
  readonly #incognito: Shared;
  readonly #index: Background;
  readonly #resumed = new WeakSet<AgentStore>();
  readonly #background = new Set<Promise<unknown>>();
  readonly context: HostContext;

  /** `reopener`: how what stands in the files of agents is read, for the extra index (SRC-23). */
  constructor(core: EngineCore, reopener: () => Reopener) {
    this.#core = core;
    this.#incognito = sharedIncognito(join(core.config.home, 'agents'));
    const { clock, newId, masker, prepare, fingerprint, config } = core;
    const { maskAtRest } = config.sessions;
    const incognito = this.#incognito.held;
    core.isIncognito = (key) => incognito.has(key);
    const extra = config.sessions.index.extra;
    this.#index = new Background(core, reconcilerOf(core, reopener));
    const stores = this.#resuming(core.stores);
    this.context = { extra, prepare, fingerprint, stores, incognito, clock, newId, masker, maskAtRest };
  }

  face(): HostFace {
    const { context } = this;
    const open = <Params, Result>(
      name: string,
      work: (context: HostContext, params: Params) => Promise<Result>,
    ): ((params: Params) => Promise<Result>) => {
      return async (params) => {
        this.#core.assertOpen(`sessions.${name}`);
        return work(context, params);
      };
    };
    const read = open('current', current);
    const erase: HostFace['erase'] = async (caller, selector, options = {}) => {
      this.#core.assertOpen('sessions.erase');
      return this.#erase(caller, selector, options);
    };
    return {
      append: open('append', append),
      appendMany: open('appendMany', appendMany),
      reset: open('reset', reset),
      rewind: open('rewind', rewind),
      switchTo: open('switchTo', switchTo),
      compact: open('compact', compact),
      archive: open('archive', archive),
      delete: async (caller, params) => {
        this.#core.assertOpen('sessions.delete');
        checkNames(params, ['key', 'descendants', 'dryRun', 'wait']);
        const { key, descendants, ...options } = params;
        agentOfKey(checkedKey(key));
        return this.#erase(caller, { session: key, ...(descendants === undefined ? {} : { descendants }) }, options);
      },
      erase,
      current: (key, options = {}) => read({ ...options, key }),
    };
  }

  /** Index work that opening, or a sync, starts and waits for no moment of (SES-152). A store that fails is told of by who reads it. */
  reconcileAll(agents: () => Promise<readonly string[]> = () => this.#core.stores.agents()): void {
    const each = async (): Promise<void> => {
      for (const agentId of await agents()) {
        const store = this.#core.closed ? undefined : await this.#core.stores.open(agentId).catch(() => undefined);
        if (store) await this.#index.run(store, wholeScope());
      }
    };
    this.#behind(each());
  }

  /** Index work that a search starts and waits for, for at most `waitMs` (SES-152). It goes on behind the answer. */
  async reconcile(stores: readonly AgentStore[], waitMs: number, scope: Scope): Promise<void> {
    for (const store of stores) this.#resume(store);
    const running = stores.map((store) => this.#index.run(store, scope));
    const all = Promise.allSettled(running);
    if (waitMs === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise((resolve) => {
      timer = setTimeout(resolve, waitMs);
    });
    await Promise.race([all, waited]);
    clearTimeout(timer);
  }

  async #erase(caller: Caller, selector: EraseSelector, options: EraseOptions): Promise<EraseReceipt> {
    checkNames(options, ['dryRun', 'wait']);
    const { scope, timeZone } = await this.#core.reading(caller);
    if (caller.operator !== true) {
      throw new BackstoryError(
        'operator_required',
        'Deleting and erasing are for operators.',
        'Call it as an operator: on the command line, or with the operator token.',
      );
    }
    const { stores, failed } = await this.#core.openAll(scope);
    for (const { agentId, reason } of failed) throw storeLeftOut(agentId, reason);
    for (const store of stores) this.#resume(store);
    const { context } = this;
    const stopped = (): boolean => this.#core.closed;
    const behind = (work: Promise<unknown>): void => this.#behind(work);
    return eraseSessions({ ...context, scope, timeZone, all: stores, stopped, behind }, selector, options);
  }

  /** Deletions that a process left in the middle go on by themselves, once per store and engine (SES-170). */
  #resume(store: AgentStore): void {
    if (this.#resumed.has(store)) return;
    this.#resumed.add(store);
    this.#behind(resumeErasing(this.context, store, () => this.#core.closed));
  }

  #resuming(stores: StoreSet): StoreSet {
    return {
      ...stores,
      open: async (agentId, options) => {
        const store = await stores.open(agentId, options);
        if (store !== undefined) this.#resume(store);
        return store;
      },
    };
  }

  // A fault is found again by the next open, which begins anew.
  #behind(work: Promise<unknown>): void {
    const made = work.catch(() => undefined).finally(() => this.#background.delete(made));
    this.#background.add(made);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#background);
    await this.#index.close();
    await this.#incognito.leave();
  }
}

/** An erasure over part of the stores would say of the rest what it did not look at. */
function storeLeftOut(agentId: string, reason: string): BackstoryError {
  return new BackstoryError(
    Object.hasOwn(ERROR_CODES, reason) ? (reason as ErrorCode) : 'store_damaged',
    `The store of agent ${JSON.stringify(agentId)} cannot be read, so nothing was erased anywhere.`,
    'Repair or move that store, or name another agent.',
    { details: { agentId } },
  );
}

interface Shared {
  readonly held: Incognito;
  leave(): Promise<void>;
}

/** Incognito sessions of the engines of this process on one home; gone with the last of them (SES-14). */
const shared = new Map<string, { readonly held: Incognito; users: number }>();

function sharedIncognito(name: string): Shared {
  const known = shared.get(name) ?? { held: new Incognito(openSqliteStores()), users: 0 };
  known.users++;
  shared.set(name, known);
  return {
    held: known.held,
    async leave() {
      if (--known.users > 0) return;
      shared.delete(name);
      await known.held.close();
    },
  };
}
