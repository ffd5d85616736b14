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
export type { Follow, FollowOptions, FollowReport } from './sessions/follow.ts';
