// The engine as operations see it: its face, and what goes in and comes out, gathered from where each noun lives.
import type { PruneOptions } from '../episodes/retention.ts';
import type { SyncOptions } from '../sessions/sync.ts';

export type { Caller } from '../access/caller.ts';
export type {
  ArchiveProgress,
  ExportParams,
  ExportResult,
  ImportArchiveParams,
  ImportArchiveResult,
} from '../engine/archive.ts';
export type { DoctorFinding, DoctorParams, DoctorReport } from '../engine/doctor.ts';
export type { Backstory } from '../engine/engine.ts';
export type { EverythingOptions, EverythingParams } from '../engine/everything.ts';
export type { DeleteParams } from '../engine/host.ts';
export type { MemoryContext, MemoryTool, RememberToolResult } from '../engine/memory-context.ts';
export type { RunSearchParams } from '../engine/runs.ts';
export type { DistillBatch, DistillOptions, DistillResult } from '../episodes/distill.ts';
export type { Forgotten } from '../episodes/erase-forget.ts';
export type { ListPage, ListPageOptions } from '../episodes/list-page.ts';
export type { MemoryStats } from '../episodes/memory-stats.ts';
export type { RecallResult } from '../episodes/recall.ts';
export type { MatchOptions, RecallOptions } from '../episodes/recall-options.ts';
export type { RecallToolResult } from '../episodes/recall-tool.ts';
export type { RememberResult } from '../episodes/remember.ts';
export type { RememberArguments as RememberInput } from '../episodes/remember-input.ts';
export type { PruneReport } from '../episodes/retention.ts';
export type { Approval, Inspection } from '../episodes/review.ts';
export type { TimelineOptions, TimelineResult } from '../episodes/timeline.ts';
export type { EraseReceipt } from '../model/erasure.ts';
export type { RetrievalResult } from '../model/retrieval.ts';
export type { EverythingResult, Found } from '../retrieval/everything.ts';
export type { Appended, AppendedMany, AppendManyParams, AppendParams } from '../sessions/append.ts';
export type { ArchiveParams, ArchiveResult } from '../sessions/archive.ts';
export type { CompactParams, CompactResult } from '../sessions/compact.ts';
export type { SessionsCoverage } from '../sessions/coverage.ts';
export type { CurrentParams, CurrentView } from '../sessions/current.ts';
export type { ExplainParams, Explanation } from '../sessions/explain.ts';
export type { HistoryParams, HistoryResult } from '../sessions/history.ts';
export type { DescribeParams, DescribeResult, ListParams, ListResult } from '../sessions/list.ts';
export type { ResetParams, ResetResult } from '../sessions/reset.ts';
export type { RewindParams, RewindResult, SwitchParams } from '../sessions/rewind.ts';
export type { SearchHit, SearchParams, SearchResult } from '../sessions/search.ts';
export type { SourceReport, SourcesReport } from '../sessions/sources-report.ts';
export type { StatsParams, StatsResult } from '../sessions/stats.ts';
export type { SyncReport } from '../sessions/sync-report.ts';

/** What a caller may give; signal and progress are the surface's. */
export type SyncParams = Omit<SyncOptions, 'signal' | 'onProgress'>;

/** Ages as text, such as 90d; default agent: main. */
export type PruneInput = Omit<PruneOptions, 'olderThan' | 'exactly'> & {
  readonly agent?: string;
  readonly olderThan?: string;
};
