// The public API, name by name. Everything else may change.
export { type Caller, operator } from './access/caller.ts';
export type {
  DescribeResult,
  HistoryParams,
  HistoryResult,
  ListParams,
  ListResult,
  SearchHit,
  SearchParams,
  SearchResult,
  SessionsCoverage,
  SourceReport,
  SourcesReport,
  StatsResult,
  SyncReport,
} from './api/face.ts';
export { type Example, type ExecuteOptions, execute, type Operation, type Progress } from './api/operation.ts';
export { OPERATIONS, operationNamed } from './api/operations.ts';
export type { Parameter } from './api/parameters.ts';
export type { BackstoryConfig } from './config/index.ts';
export { type Backstory, type BackstoryOptions, openBackstory } from './engine/engine.ts';
export type { Clock, NewId } from './model/clock.ts';
export type { Coverage, Skipped, SkipReason } from './model/coverage.ts';
export { BackstoryError, ERROR_CODES, type ErrorCode, type ErrorJson, isBackstoryError } from './model/errors.ts';
export type { Cut, HistoryEntry, Hit, Origin, Role, SessionKind, SessionRow, ShownBlock } from './model/session.ts';
export { AgentRecordFormat } from './runs/format.ts';
export type { RecordInterpreter } from './runs/interpreter.ts';
export type { HistoryFields, LogFields, RecordPlace } from './runs/line.ts';
export { pinoStream, winstonTransport } from './runs/logger-plugs.ts';
export { type ParsedLine, RecordParser } from './runs/parser.ts';
export { Reading } from './runs/reading.ts';
export type { Level, RawRecord, RecordHeader, RunRecord } from './runs/record.ts';
export { RunScope } from './runs/scope.ts';
export { AgentRecordWriter, type WriterOptions } from './runs/writer.ts';
export type { Follow, FollowOptions, FollowReport } from './sessions/follow.ts';
