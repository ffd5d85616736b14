// The public API, name by name. Everything else may change.
export { type Caller, operator } from './access/caller.ts';
export type { AllowRule, VisibilityPolicy, VisibilityRules } from './access/policy.ts';
export type {
  Appended,
  AppendedMany,
  AppendManyParams,
  AppendParams,
  ArchiveParams,
  ArchiveResult,
  CompactParams,
  CompactResult,
  CurrentParams,
  CurrentView,
  DeleteParams,
  DescribeResult,
  EraseReceipt,
  ExplainParams,
  Explanation,
  HistoryParams,
  HistoryResult,
  ListParams,
  ListResult,
  ResetParams,
  ResetResult,
  RewindParams,
  RewindResult,
  SearchHit,
  SearchParams,
  SearchResult,
  SessionsCoverage,
  SourceReport,
  SourcesReport,
  StatsResult,
  SwitchParams,
  SyncReport,
} from './api/face.ts';
export { type Backstory, openBackstory } from './api/library.ts';
export { type Example, type ExecuteOptions, execute, type Operation, type Progress } from './api/operation.ts';
export { OPERATIONS, operationNamed } from './api/operations.ts';
export type { Parameter } from './api/parameters.ts';
export type { Tool } from './api/tools.ts';
export type { BackstoryConfig } from './config/index.ts';
export type { ExportParams, ExportResult, ImportArchiveParams, ImportArchiveResult } from './engine/archive.ts';
export type { BackstoryOptions } from './engine/engine.ts';
export type { HostFace } from './engine/host.ts';
export type { ImportedTranscript, ImportTranscriptParams } from './engine/import-transcript.ts';
export type { EpisodesFace } from './engine/memory.ts';
export type { MemoryContext, MemoryTool, MemoryTools, RememberToolResult } from './engine/memory-context.ts';
export { IncrementalTextFilesRetriever, type RunSearchParams, type RunsFace } from './engine/runs.ts';
export type { AskChange, ContextOptions } from './episodes/context.ts';
export { defineMemory, type MemoryDefinition } from './episodes/define.ts';
export type { MemoryFinding } from './episodes/doctor.ts';
export type { Logger, RecorderHealth, RecordResult, SkipReason as RecordSkipReason } from './episodes/health.ts';
export type { ListPage, ListPageOptions } from './episodes/list-page.ts';
export type { MemoryStats } from './episodes/memory-stats.ts';
export { formatNamespace, parseNamespace } from './episodes/namespace.ts';
export type { RecallResult } from './episodes/recall.ts';
export type { RecallOptions } from './episodes/recall-options.ts';
export type { Recorder } from './episodes/recorder.ts';
export type { RememberResult } from './episodes/remember.ts';
export type { RememberArguments } from './episodes/remember-input.ts';
export type { PruneOptions, PruneReport } from './episodes/retention.ts';
export type { Approval, Inspection } from './episodes/review.ts';
export type { RunInit } from './episodes/run-facts.ts';
export type { RunHandle, ToolCall } from './episodes/run-handle.ts';
export type { ChunkReading } from './episodes/stream.ts';
export type { TimelineOptions, TimelineResult } from './episodes/timeline.ts';
export type { NewEpisode } from './episodes/watch.ts';
export type { Clock, NewId } from './model/clock.ts';
export type { Coverage, Skipped, SkipReason } from './model/coverage.ts';
export type { MemoryKind, MemoryRecord, MemoryStatus, Outcome } from './model/episode.ts';
export { BackstoryError, ERROR_CODES, type ErrorCode, type ErrorJson, isBackstoryError } from './model/errors.ts';
export {
  ChatRetrievalContext,
  type ChatRetrievalContextFields,
  type Evidence,
  type Place,
  type RetrievalResult,
  type RunCoverage,
  type RunReason,
} from './model/retrieval.ts';
export type { Cut, HistoryEntry, Hit, Origin, Role, SessionKind, SessionRow, ShownBlock } from './model/session.ts';
export type { Author, Block, Message } from './model/session-message.ts';
export {
  type CredentialOptions,
  Masker,
  type MaskRule,
  type PathOptions,
  PathRedactor,
  type ValueOptions,
} from './redact/masker.ts';
export {
  ChatKnowledgeBinding,
  Knowledge,
  type KnowledgeDeclaration,
  RetrievalEngine,
  type SourceAnswer,
} from './retrieval/index.ts';
export type { RetrieverBuilder } from './runs/builder.ts';
export { AgentRecordFormat } from './runs/format.ts';
export type { RecordInterpreter } from './runs/interpreter.ts';
export type { HistoryFields, LogFields, RecordPlace } from './runs/line.ts';
export { pinoStream, winstonTransport } from './runs/logger-plugs.ts';
export type { RetrieverOptions } from './runs/options.ts';
export { type ParsedLine, RecordParser } from './runs/parser.ts';
export { Reading } from './runs/reading.ts';
export type { Level, RawRecord, RecordHeader, RunRecord } from './runs/record.ts';
export { RunScope } from './runs/scope.ts';
export type { RunFilesLogger, RunFilesWarning, RunFilesWarningCode } from './runs/warnings.ts';
export { AgentRecordWriter, type WriterOptions } from './runs/writer.ts';
export type { Follow, FollowOptions, FollowReport } from './sessions/follow.ts';
export type { NewMessage } from './sessions/watch.ts';
export { MAX_PIECE_CHARS } from './text/index.ts';
