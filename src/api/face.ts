// The engine as operations see it: its face, and what goes in and comes out, gathered from where each noun lives.
import type { SyncOptions } from '../sessions/sync.ts';

export type { Caller } from '../access/caller.ts';
export type { Backstory } from '../engine/engine.ts';
export type { SessionsCoverage } from '../sessions/coverage.ts';
export type { ExplainParams, Explanation } from '../sessions/explain.ts';
export type { HistoryParams, HistoryResult } from '../sessions/history.ts';
export type { DescribeParams, DescribeResult, ListParams, ListResult } from '../sessions/list.ts';
export type { SearchHit, SearchParams, SearchResult } from '../sessions/search.ts';
export type { SourceReport, SourcesReport } from '../sessions/sources-report.ts';
export type { StatsParams, StatsResult } from '../sessions/stats.ts';
export type { SyncReport } from '../sessions/sync-report.ts';

/** What a caller may give; signal and progress are the surface's. */
export type SyncParams = Omit<SyncOptions, 'signal' | 'onProgress'>;
