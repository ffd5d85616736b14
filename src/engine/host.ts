// The host face of sessions: what the program that embeds the library writes, and reads for its model. No caller, no scope.
import { join } from 'node:path';
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
import type { HostContext } from '../sessions/host.ts';
import { Incognito } from '../sessions/incognito.ts';
import { Reconciler } from '../sessions/reconcile.ts';
import { type ResetParams, type ResetResult, reset } from '../sessions/reset.ts';
import { type RewindParams, type RewindResult, rewind, type SwitchParams, switchTo } from '../sessions/rewind.ts';
import type { AgentStore } from '../store/contract.ts';
import { openSqliteStores } from '../store/sqlite/store-set.ts';
import type { EngineCore } from './core.ts';

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
  /** The current view as it was written, unmasked: what a host sends to its model (SES-30). */
  current(key: string, options?: Omit<CurrentParams, 'key'>): Promise<CurrentView>;
}

export class Host {
  readonly #core: EngineCore;
  readonly #incognito: Shared;
  readonly #reconciler: Reconciler;
  readonly context: HostContext;

  constructor(core: EngineCore) {
    this.#core = core;
    this.#incognito = sharedIncognito(join(core.config.home, 'agents'));
    const { stores, clock, newId, masker, prepare, fingerprint, config } = core;
    const { maskAtRest } = config.sessions;
    const incognito = this.#incognito.held;
    this.#reconciler = new Reconciler(prepare, () => clock.now());
    this.context = { stores, incognito, clock, newId, masker, prepare, fingerprint, maskAtRest };
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
    return {
      append: open('append', append),
      appendMany: open('appendMany', appendMany),
      reset: open('reset', reset),
      rewind: open('rewind', rewind),
      switchTo: open('switchTo', switchTo),
      compact: open('compact', compact),
      archive: open('archive', archive),
      current: (key, options = {}) => read({ ...options, key }),
    };
  }

  /** Index work that a search starts and waits for, for at most `waitMs` (SES-152). It goes on behind the answer. */
  async reconcile(stores: readonly AgentStore[], waitMs: number): Promise<void> {
    const running = stores.map((store) => this.#reconciler.run(store));
    const all = Promise.allSettled(running);
    if (waitMs === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise((resolve) => {
      timer = setTimeout(resolve, waitMs);
    });
    await Promise.race([all, waited]);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    await this.#reconciler.stop();
    await this.#incognito.leave();
  }
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
