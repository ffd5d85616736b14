// The caller face of sessions: search, history, list, describe, stats, each within the caller's scope.
import { setTimeout } from 'node:timers/promises';
import type { Caller } from '../access/caller.ts';
import { conditionIn, type Scope } from '../access/scope.ts';
import { type ExplainParams, type Explanation, explainSession } from '../sessions/explain.ts';
import { type HistoryParams, type HistoryResult, readHistory } from '../sessions/history.ts';
import {
  checkListShapes,
  type DescribeParams,
  type DescribeResult,
  describeSession,
  type ListParams,
  type ListResult,
  listSessions,
} from '../sessions/list.ts';
import { checkObject } from '../sessions/page-checks.ts';
import { isKey, type PagedContext } from '../sessions/page-context.ts';
import { type SearchParams, type SearchResult, searchSessions } from '../sessions/search.ts';
import { checkSearchShapes } from '../sessions/search-params.ts';
import { type StatsParams, type StatsResult, statsOf } from '../sessions/stats.ts';
import { markNow, type NewMessage, newSince } from '../sessions/watch.ts';
import { sourceNamed } from '../sources/index.ts';
import type { AgentStore } from '../store/contract.ts';
import type { EngineCore } from './core.ts';
import type { Host } from './host.ts';
import type { Sources } from './sources.ts';
import { POLL_MS, type WatchOptions, watchOptions } from './watching.ts';

export interface SessionsFace {
  /** Finds messages by their words (SES-70). Every hit's three ids reopen it with `history`. */
  search(caller: Caller, params: SearchParams): Promise<SearchResult>;
  /** A page of a session, around an anchor or at its newest end (SES-100). */
  history(caller: Caller, params: HistoryParams): Promise<HistoryResult>;
  /** Sessions, newest activity first (SES-130). */
  list(caller: Caller, params?: ListParams): Promise<ListResult>;
  /** One session with its windows and the command that resumes it (SES-131). */
  describe(caller: Caller, params: DescribeParams): Promise<DescribeResult>;
  /** Counts and sizes, from counters (SUR-71). */
  stats(caller: Caller, params?: StatsParams): Promise<StatsResult>;
  /** Messages as they come in from now on, until the signal or the engine ends it (SUR-41). */
  watch(caller: Caller, options?: WatchOptions): Promise<AsyncIterable<NewMessage>>;
  /** Why a caller sees a session or does not, for an operator who asks (VIS-60). */
  explain(asker: Caller, params: ExplainParams): Promise<Explanation>;
}

/** What a search may spend on reading what changed before it answers (SES-85). */
const SYNC_BUDGET_MS = 150;

export function sessionsFace(core: EngineCore, sources: Sources, host: Pick<Host, 'reconcile'>): SessionsFace {
  return {
    search: async (caller, params) => {
      core.assertOpen('sessions.search');
      checkObject(params);
      const context = await core.reading(caller, params.scope);
      checkSearchShapes(context, params);
      if (params.source !== undefined) sourceNamed(params.source, core.sources);
      if (core.config.sources.syncOnSearch) await sources.sync({ budgetMs: params.waitMs ?? SYNC_BUDGET_MS });
      const stores = await core.openAll(context.scope, params.agents);
      await host.reconcile(stores.stores, params.waitMs ?? SYNC_BUDGET_MS, context.scope);
      const { fingerprint, config } = core;
      const { extra } = config.sessions.index;
      // A transcript that is not read yet has no properties to decide by: it is told of to whoever sees all (SES-84).
      const synced = sources.synced?.roots.filter(({ agentId }) => seesAll(context.scope, agentId)) ?? [];
      return searchSessions({ ...context, ...stores, synced, fingerprint, extra }, params);
    },
    history: async (caller, params) => {
      core.assertOpen('sessions.history');
      checkObject(params);
      const context = await core.reading(caller, params.scope);
      const reopen = sources.reopener(context.scope);
      const stores = await core.openAll(context.scope, agentsNamed(caller, params));
      return readHistory({ ...context, ...stores, reopen }, params);
    },
    list: async (caller, params = {}) => {
      core.assertOpen('sessions.list');
      checkObject(params);
      const context = await core.reading(caller, params.scope);
      checkListShapes(params);
      return listSessions({ ...context, ...(await core.openAll(context.scope, params.agents)) }, params);
    },
    describe: async (caller, params) => {
      core.assertOpen('sessions.describe');
      checkObject(params);
      const context = await core.reading(caller, params.scope);
      const stores = await core.openAll(context.scope, agentsNamed(caller, params));
      return describeSession({ ...context, ...stores, sources: core.sources }, params);
    },
    stats: async (caller, params = {}) => {
      core.assertOpen('sessions.stats');
      checkObject(params);
      const context = await core.reading(caller, params.scope);
      return statsOf({ ...context, ...(await core.openAll(context.scope)) }, params);
    },
    watch: async (caller, options = {}) => watching(core, caller, watchOptions(options)),
    explain: async (asker, params) => {
      core.assertOpen('sessions.explain');
      const { stores, visibility: policy, isIncognito } = core;
      const openStore = (agentId: string): Promise<AgentStore | undefined> => stores.open(agentId);
      return explainSession(asker, { policy, agents: () => stores.agents(), openStore, isIncognito }, params);
    },
  };
}

/** Every ordinary session of an agent; of one that is not known yet, only whoever sees everything. */
function seesAll(scope: Scope, agentId: string | undefined): boolean {
  return (agentId === undefined ? scope.condition : conditionIn(scope, agentId)).kind === 'everything';
}

async function watching(
  core: EngineCore,
  caller: Caller,
  { signal, pollMs = POLL_MS }: WatchOptions,
): Promise<AsyncIterable<NewMessage>> {
  core.assertOpen('sessions.watch');
  // Decided at each look: a policy or a link may change while somebody watches (VIS-46).
  const seen = async (): Promise<Pick<PagedContext, 'scope' | 'stores' | 'failed'>> => {
    const { scope } = await core.reading(caller);
    return { scope, ...(await core.openAll(scope)) };
  };
  const marks = await markNow(await seen());
  return (async function* (): AsyncGenerator<NewMessage> {
    while (!signal?.aborted && !core.closed) {
      yield* await newSince(await seen(), marks);
      await setTimeout(pollMs, undefined, signal && { signal }).catch(() => undefined);
    }
  })();
}

/** The agent whose store alone may have a session; undefined for a session id, which any may have. */
function agentsNamed(caller: Caller, { session }: { readonly session: string }): readonly string[] | undefined {
  if (session === 'current' || session === 'main') return caller.agentId === undefined ? undefined : [caller.agentId];
  return typeof session === 'string' && isKey(session) ? [session.split(':')[1]!] : undefined;
}
