// The reconciliation of an engine, in its own thread or in another: the index, dirty sessions, then the extra index.
import { indexExtra, type Reopener } from '../sessions/extra.ts';
import { Reconciler } from '../sessions/reconcile.ts';
import type { EngineCore } from './core.ts';

/** `reopener`: how what stands in the files of agents is read, for the extra index (SRC-23). */
export function reconcilerOf(core: EngineCore, reopener: () => Reopener): Reconciler {
  const { prepare, fingerprint, clock, config } = core;
  const context = { extra: config.sessions.index.extra, prepare, fingerprint };
  return new Reconciler({
    prepare,
    fingerprint,
    now: () => clock.now(),
    last: (store, stopped) => indexExtra(context, store, reopener, stopped),
  });
}
