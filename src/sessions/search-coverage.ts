// What a search looked at and what not, counted in what the caller may see (COM-30, SES-84).
import type { Scope } from '../access/scope.ts';
import type { TimeWindow } from '../model/time.ts';
import type { MessageFilter, SessionFilter } from '../store/reading.ts';
import type { ParsedQuery } from '../text/index.ts';
import { coverageOf, indexingOf, type SessionsCoverage } from './coverage.ts';
import type { Failed, Snapshot, Snapshots } from './page-snapshots.ts';
import type { Found, Search } from './rank-candidates.ts';
import type { SearchContext } from './search.ts';
import { leftWarning, type Scanned } from './search-regex.ts';
import { absentAgents, loosenedWarning } from './search-warnings.ts';

interface Searched {
  /** As typed. */
  readonly query: ParsedQuery;
  /** As it was asked in the end. */
  readonly staged: Found & { readonly query: ParsedQuery; readonly search: Search; readonly scanned?: Scanned };
  /** Sessions of each store that is being indexed anew. */
  readonly stale: ReadonlyMap<unknown, number>;
  readonly totals: ReadonlyMap<Snapshot, { readonly texts: number; readonly sessions: number }>;
  readonly window: TimeWindow;
  readonly filterOf: (snapshot: Snapshot) => SessionFilter & MessageFilter;
  /** What the extra index should be made by, where it is included (SES-45). */
  readonly extra: string | undefined;
}

/** `agents`: those that the call names. */
export async function searchCoverage(
  {
    context,
    snapshots,
    agents,
  }: { readonly context: SearchContext; readonly snapshots: Snapshots; readonly agents: readonly string[] },
  { query, staged, stale, totals, window, filterOf, extra }: Searched,
): Promise<SessionsCoverage> {
  const seen = new Set<string>();
  for (const [{ store }, one] of totals) if (one.sessions > 0) seen.add(store.agentId);
  const counts = await snapshots.ask((snapshot) => {
    const { through: _, ...filter } = filterOf(snapshot);
    const all = Object.keys(filter).length === 0 ? totals.get(snapshot)?.sessions : undefined;
    return all ?? snapshot.reading.sessionCount(context.scope, filter);
  });
  const dirty = await snapshots.ask((snapshot) =>
    dirtyIn(context.scope, snapshot, filterOf(snapshot), stale.has(snapshot), extra),
  );
  const { scanned } = staged;
  const failed: Failed[] = [...context.failed, ...snapshots.failed];
  const unfinished = scanned?.stretch.timeUp ? scanned.left : [];
  return coverageOf({
    failed: [...failed, ...unfinished.map(({ agentId }) => ({ agentId, reason: 'time_budget' }))],
    sessions: sum(counts),
    ...(context.synced === undefined ? {} : { synced: context.synced }),
    window,
    unindexed: [...dirty.values()].reduce((total, one) => total + one.unindexed, 0),
    stale: sum(stale) + [...dirty.values()].reduce((total, one) => total + one.sessions, 0),
    indexing: withDirty(indexingOf(totals, stale), dirty),
    ranked: { considered: staged.considered, complete: staged.complete },
    query: {
      dropped: query.dropped,
      relaxed: staged.query.stage !== undefined,
      ...(staged.query.stage === undefined ? {} : { stage: staged.query.stage }),
    },
    warnings: [
      ...(context.warnings?.() ?? []),
      ...absentAgents(agents, seen, failed),
      ...loosenedWarning(staged.query),
      ...(scanned === undefined ? [] : leftWarning(scanned, staged.search.order)),
    ],
  });
}

type Dirty = Awaited<ReturnType<Snapshot['reading']['dirty']>>;

/** What is yet to be indexed: messages, and where they are included the extra texts of messages (SRC-23). */
async function dirtyIn(
  scope: Scope,
  { reading }: Snapshot,
  filter: SessionFilter & MessageFilter,
  isStale: boolean,
  extra: string | undefined,
): Promise<Dirty> {
  const found = await reading.dirty(scope, filter, isStale);
  // Sessions of a store that is made anew as a whole are counted with it.
  const dirty = isStale ? { ...found, sessions: 0, messages: 0 } : found;
  if (extra === undefined) return dirty;
  const pending = await reading.extraPending(scope, filter, extra);
  // A session may be both.
  return {
    ...dirty,
    sessions: Math.max(dirty.sessions, pending.sessions),
    messages: dirty.messages + pending.messages,
  };
}

function withDirty(
  { done, total }: SessionsCoverage['indexing'],
  dirty: ReadonlyMap<unknown, { readonly messages: number; readonly sessions: number }>,
): SessionsCoverage['indexing'] {
  const values = [...dirty.values()];
  const pending = values.reduce((count, one) => count + one.messages, 0);
  // A session whose last step only has to be told done counts as one more message: nothing is complete before it.
  const open = values.some((one) => one.sessions > 0) ? Math.max(pending, 1) : 0;
  return { done, total: total + open };
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
