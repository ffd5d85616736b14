// Links of sessions as a caller may know them: one to a session it may not see is left out, as one to no session (VIS-51).
import { conditionIn } from '../access/scope.ts';
import type { ReadContext } from './page-context.ts';
import type { Snapshot } from './page-snapshots.ts';

/** Which of these keys are sessions in scope: in the snapshots that are held, and in stores that this read leaves out. */
export async function linksSeen(
  context: Pick<ReadContext, 'scope' | 'stores' | 'openStore'>,
  held: readonly Snapshot[],
  keys: readonly (string | undefined)[],
): Promise<ReadonlySet<string>> {
  const { scope, stores, openStore } = context;
  const byAgent = new Map<string, Set<string>>();
  for (const key of keys) {
    const agentId = key?.split(':', 2)[1];
    if (key === undefined || agentId === undefined || conditionIn(scope, agentId).kind === 'nothing') continue;
    byAgent.set(agentId, (byAgent.get(agentId) ?? new Set()).add(key));
  }
  const seen: string[] = [];
  for (const [agentId, wanted] of byAgent) {
    const snapshot = held.find(({ store }) => store.agentId === agentId);
    if (snapshot) {
      seen.push(...(await snapshot.reading.seen(scope, [...wanted])));
      continue;
    }
    try {
      const store = stores.find((one) => one.agentId === agentId) ?? (await openStore?.(agentId));
      if (store) seen.push(...(await store.read((reading) => reading.seen(scope, [...wanted]))));
    } catch {
      // A store that cannot be read shows nothing: coverage names it where the answer is about it.
    }
  }
  return new Set(seen);
}

/**
 * Whether a filter may name this session. Who does not see everything could else find out by it which sessions hang from
 * one that is hidden.
 */
export async function mayAskFor(context: ReadContext, key: string): Promise<boolean> {
  return context.scope.condition.kind === 'everything' || (await linksSeen(context, [], [key])).has(key);
}
