// Operation: counts and sizes within the caller's scope, and of its memory, from counters (SUR-71).
import type { Skipped } from '../model/coverage.ts';
import { isBackstoryError } from '../model/errors.ts';
import type { Backstory, Caller, MemoryContext, MemoryStats, StatsParams, StatsResult } from './face.ts';
import { memorySeenBy } from './memory-bound.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

/** What is said of one agent's memory: of a context its own namespace, to an operator all of it (EPI-53, EPI-68). */
export type MemoryShare = Pick<
  MemoryStats,
  'agent' | 'records' | 'active' | 'candidates' | 'kinds' | 'parkedRuns' | 'namespaces'
> &
  Partial<Pick<MemoryStats, 'health' | 'deletions' | 'bytes'>>;

export interface StatsAnswer extends StatsResult {
  /** Absent for a caller that is no operator and has no memory context. */
  readonly memory?: readonly MemoryShare[];
}

export const stats: Operation<StatsParams, StatsAnswer> = defineOperation<StatsParams, StatsAnswer>({
  name: 'stats',
  summary: 'Count sessions, messages, records and bytes.',
  description:
    'Counts and sizes of what the caller may see, by agent and kind, and of its memory, kept up to date and never found by scanning.',
  who: 'anyone',
  readOnly: true,
  spec: 'surfaces.md SUR-71',
  parameters: { scope: shared.scope },
  examples: [{ title: 'All of them', input: {} }],
  run: async (backstory, caller, input, { memory }) => {
    const counted = await backstory.sessions.stats(caller, input);
    const shared = await sharesOf(backstory, caller, memory);
    return shared === undefined
      ? counted
      : { ...counted, memory: shared.shares, skipped: [...counted.skipped, ...shared.skipped] };
  },
});

const NONE = { episodic: 0, semantic: 0, reflection: 0 } as const;

async function sharesOf(
  backstory: Backstory,
  caller: Caller,
  memory: MemoryContext | undefined,
): Promise<{ readonly shares: MemoryShare[]; readonly skipped: Skipped[] } | undefined> {
  const shares: MemoryShare[] = [];
  const skipped: Skipped[] = [];
  // A store that cannot be read is named, and the rest is counted (SES-75).
  const counting = async (agent: string, shareOf: (stats: MemoryStats) => MemoryShare): Promise<void> => {
    try {
      shares.push(shareOf(await backstory.episodes.stats({ agent })));
    } catch (error) {
      if (!isBackstoryError(error) || !error.code.startsWith('store_')) throw error;
      skipped.push({ what: `memory of ${agent}`, reason: error.code });
    }
  };
  const seen = memorySeenBy(caller, memory);
  if (seen === undefined) return undefined;
  if (seen === 'all') {
    for (const agent of await backstory.episodes.agents()) await counting(agent, (stats) => stats);
    return { shares, skipped };
  }
  await counting(seen.agent, ({ agent, namespaces }) => {
    const own = namespaces.filter(({ namespace }) => namespace === seen.namespace);
    const { records = 0, active = 0, candidates = 0, kinds = NONE, parked: parkedRuns = 0 } = own[0] ?? {};
    return { agent, records, active, candidates, kinds, parkedRuns, namespaces: own };
  });
  return { shares, skipped };
}
