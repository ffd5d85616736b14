// The caller face of sessions: search, history, list, describe, stats, each within the caller's scope.
import type { Caller } from '../access/caller.ts';
import type { Pointer } from '../model/session.ts';
import { type HistoryParams, type HistoryResult, readHistory } from '../sessions/history.ts';
import {
  type DescribeResult,
  describeSession,
  type ListParams,
  type ListResult,
  listSessions,
} from '../sessions/list.ts';
import { type SearchParams, type SearchResult, searchSessions } from '../sessions/search.ts';
import { type StatsResult, statsOf } from '../sessions/stats.ts';
import type { Reopened } from '../sources/contract.ts';
import { sourceNamed } from '../sources/index.ts';
import type { AgentStore } from '../store/contract.ts';
import type { EngineCore } from './core.ts';
import type { Sources } from './sources.ts';

export interface SessionsFace {
  /** Finds messages by their words (SES-70). Every hit's three ids reopen it with `history`. */
  search(caller: Caller, params: SearchParams): Promise<SearchResult>;
  /** A page of a session, around an anchor or at its newest end (SES-100). */
  history(caller: Caller, params: HistoryParams): Promise<HistoryResult>;
  /** Sessions, newest activity first (SES-130). */
  list(caller: Caller, params?: ListParams): Promise<ListResult>;
  /** One session with its windows and the command that resumes it (SES-131). */
  describe(caller: Caller, params: { readonly session: string }): Promise<DescribeResult>;
  /** Counts and sizes, from counters (SUR-71). */
  stats(caller: Caller): Promise<StatsResult>;
}

/** What a search may spend on reading what changed before it answers (SES-85). */
const SYNC_BUDGET_MS = 150;

export function sessionsFace(core: EngineCore, sources: Sources): SessionsFace {
  return {
    search: async (caller, params) => {
      core.assertOpen('sessions.search');
      const context = core.reading(caller);
      if (params.source !== undefined) sourceNamed(params.source, core.sources);
      if (core.config.sources.syncOnSearch) await sources.sync({ budgetMs: params.waitMs ?? SYNC_BUDGET_MS });
      const stores = await core.openAll(params.agents);
      const { fingerprint } = core;
      return searchSessions({ ...context, ...stores, synced: sources.synced, fingerprint }, params);
    },
    history: async (caller, params) => {
      core.assertOpen('sessions.history');
      const context = core.reading(caller);
      const reopen = (store: AgentStore, pointer: Pointer): Promise<Reopened> => sources.reopen(store, pointer);
      return readHistory({ ...context, ...(await core.openAll()), reopen }, params);
    },
    list: async (caller, params = {}) => {
      core.assertOpen('sessions.list');
      return listSessions({ ...core.reading(caller), ...(await core.openAll(params.agents)) }, params);
    },
    describe: async (caller, params) => {
      core.assertOpen('sessions.describe');
      const context = core.reading(caller);
      return describeSession({ ...context, ...(await core.openAll()), sources: core.sources }, params);
    },
    stats: async (caller) => {
      core.assertOpen('sessions.stats');
      return statsOf({ ...core.reading(caller), ...(await core.openAll()) });
    },
  };
}
