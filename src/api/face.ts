// PROVISIONAL until src/engine.ts and src/sessions/{search,history,list}.ts stand: the face of the engine that operations call.
import type { Coverage, SkipReason } from '../model/coverage.ts';
import type { HistoryEntry, Hit, SessionRow } from '../model/session.ts';
import type { SourceReport, SourcesReport } from '../sessions/sources-report.ts';
import type { SyncProgress } from '../sessions/sync.ts';
import type { SyncReport } from '../sessions/sync-report.ts';

export type { SkipReason, SourceReport, SourcesReport, SyncReport };

export interface Caller {
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sandboxed?: boolean;
  readonly person?: string;
  readonly operator?: boolean;
}
export interface SearchParams {
  readonly query: string;
  readonly session?: string;
  readonly agents?: readonly string[];
  readonly kinds?: readonly string[];
  readonly excludeKinds?: readonly string[];
  readonly roles?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly source?: string;
  readonly project?: string;
  readonly nativeKey?: string;
  readonly archived?: 'include' | 'exclude' | 'only';
  readonly include?: readonly string[];
  readonly scope?: 'self' | 'tree' | 'agent' | 'all';
  readonly sort?: 'relevance' | 'newest' | 'oldest';
  readonly exact?: boolean;
  readonly regex?: boolean;
  readonly ignoreCase?: boolean;
  readonly group?: 'none' | 'session';
  readonly perSession?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly waitMs?: number;
}
export interface SessionsCoverage extends Coverage {
  readonly sessions: { readonly searched: number; readonly stale: number; readonly unindexed: number };
  readonly sources: readonly {
    readonly source: string;
    readonly root: string;
    readonly unread: number;
    readonly reasons: Readonly<Record<string, number>>;
  }[];
  readonly notImported: number;
}
export interface SearchResult {
  readonly hits: readonly Hit[];
  readonly indexing: boolean;
  readonly warning?: string;
  readonly coverage: SessionsCoverage;
}
export interface HistoryParams {
  readonly session: string;
  readonly messageId?: string;
  readonly sessionId?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly before?: string;
  readonly after?: string;
  readonly roles?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly includeTools?: boolean;
  readonly includeReasoning?: boolean;
  readonly block?: number;
  readonly from?: number;
  readonly maxBlockChars?: number;
  readonly maxBytes?: number;
  readonly raw?: boolean;
  readonly scope?: 'self' | 'tree' | 'agent' | 'all';
}
export interface HistoryResult {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly view: 'current' | 'interval' | 'window';
  readonly entries: readonly HistoryEntry[];
  readonly anchor?: { readonly messageId: string; readonly found: boolean; readonly index?: number };
  readonly total: number;
  readonly more: {
    readonly older: boolean;
    readonly newer: boolean;
    readonly before?: string;
    readonly after?: string;
  };
  readonly offset?: number;
  readonly nextOffset?: number;
  readonly windows: readonly {
    readonly sessionId: string;
    readonly reason: string;
    readonly from: string;
    readonly to: string;
    readonly entries: number;
  }[];
  readonly omitted: { readonly tools: number; readonly reasoning: number };
  readonly truncated: false | 'bytes';
  readonly bytes: number;
  readonly indexing: boolean;
  readonly warning?: string;
}
export interface ListParams {
  readonly agents?: readonly string[];
  readonly kinds?: readonly string[];
  readonly archived?: 'include' | 'exclude' | 'only';
  readonly since?: string;
  readonly until?: string;
  readonly spawnedBy?: string;
  readonly source?: string;
  readonly project?: string;
  readonly nativeKey?: string;
  readonly scope?: 'self' | 'tree' | 'agent' | 'all';
  readonly limit?: number;
  readonly cursor?: string;
}
export interface ListResult {
  readonly sessions: readonly SessionRow[];
  readonly coverage: SessionsCoverage;
}
export type DescribeResult = SessionRow & { readonly windows: HistoryResult['windows']; readonly resume?: string };
export interface StatsResult {
  readonly sessions: number;
  readonly messages: number;
}
export interface SyncParams {
  readonly sources?: readonly string[];
  readonly roots?: readonly { readonly source: string; readonly path: string; readonly agent?: string }[];
  readonly onlyGivenRoots?: boolean;
  readonly exclude?: readonly {
    readonly source?: string;
    readonly project?: string;
    readonly path?: string;
    readonly session?: string;
  }[];
  readonly budgetMs?: number;
}
export interface Backstory {
  readonly sessions: {
    search(caller: Caller, params: SearchParams): Promise<SearchResult>;
    history(caller: Caller, params: HistoryParams): Promise<HistoryResult>;
    list(caller: Caller, params?: ListParams): Promise<ListResult>;
    describe(caller: Caller, params: { session: string }): Promise<DescribeResult>;
    stats(caller: Caller): Promise<StatsResult>;
  };
  readonly sources: {
    sync(
      options?: SyncParams & { signal?: AbortSignal; onProgress?: (progress: SyncProgress) => void },
    ): Promise<SyncReport>;
    list(): Promise<SourcesReport>;
  };
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
