// Following files that grow: what was appended, byte for byte, or the whole again when it is another file (FILE-…).
export { decodeLine } from './decode-line.ts';
export type { BigIntStats, FileSystem } from './file-system.ts';
export { type Counters, FileFollower, type FollowerOptions, type ReadOptions } from './follower.ts';
export type { NotReadReason, ReadOutcome, RestartReason } from './outcome.ts';
export type { LineAt, LineSink, ReadStart } from './sink.ts';
export { type Anchor, type FileKind, FileState, MAX_ANCHOR_DATA } from './state.ts';
export type { Found, PassedOver, WalkOptions } from './walk.ts';
