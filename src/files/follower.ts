// One look at a file: what changed since the state of last time, and those bytes to a sink. Knows no format and no store.
import type { Accepts, Counters, FollowerOptions, FollowOutcome, Found, LineSink, ReadOptions } from './contract.ts';
import type { FileState } from './state.ts';

/** Follows files below one root. Holds no state of any file; at most one is open at a time. */
export class FileFollower {
  readonly root: string;
  readonly counters: Counters = { looked: 0, opened: 0, bytesRead: 0, bytesChecked: 0, restarts: 0, retries: 0 };

  constructor(root: string, _options: FollowerOptions = {}) {
    this.root = root;
  }

  async *walk(_accepts: Accepts = () => true): AsyncGenerator<Found, void, undefined> {
    throw new Error('being built');
  }

  /** `path`: absolute, or below the root. `before`: the state of last time, or its encoded bytes. */
  read(
    _path: string,
    _before: FileState | Uint8Array | undefined,
    _sink: LineSink,
    _options: ReadOptions = {},
  ): Promise<FollowOutcome> {
    return Promise.reject(new Error('being built'));
  }
}
