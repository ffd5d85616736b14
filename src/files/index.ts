// Following files that grow: what was appended since last time, byte for byte, and the whole file when it is another one.
export { changeOf, type SeenNumbers } from './change.ts';
export type {
  Accepts,
  AfterLine,
  Anchor,
  Counters,
  FollowerOptions,
  FollowOutcome,
  FollowSkipReason,
  Found,
  LineAt,
  LineSink,
  ReadOptions,
  ReadStart,
  RestartReason,
} from './contract.ts';
export { FileFollower } from './follower.ts';
export { FileState } from './state.ts';
export type { FileSystem } from './system.ts';
export { decodeLine } from './utf8.ts';
