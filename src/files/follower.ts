// Looks at a file that may have grown and reads what is new of it, or all of it again when it is another (FILE-5).
// Knows bytes and states; what lines mean and where states are kept is the sink's.
import { isAbsolute, resolve, sep } from 'node:path';
import type { Clock } from '../model/clock.ts';
import { makeTurn, type Turn } from '../model/turn.ts';
import { type Check, fullCheck, isSpotCheckFull, spotCheck } from './content-check.ts';
import { type BigIntStats, type FileSystem, system, systemFs } from './file-system.ts';
import { BLOCK } from './hashing.ts';
import { type OpenFile, openSeen, Unstable } from './open-file.ts';
import { isNoText, outcomeOfError, type ReadOutcome, type RestartReason, skipped, unopened } from './outcome.ts';
import { type Content, readLines } from './reading.ts';
import type { LineSink } from './sink.ts';
import { identityOf, isSameFile, isSameStat, timingOf } from './stat-compare.ts';
import { contradictsItself, FileState, isStateEqual, joinState } from './state.ts';
import { type Found, type WalkOptions, walk } from './walk.ts';

export interface FollowerOptions {
  readonly clock: Clock;
  /** Longer lines come in segments: 64 KiB to 256 MiB. */
  readonly maxLineBytes?: number;
  /** A commit is due after this many bytes. */
  readonly commitBytes?: number;
  readonly fs?: FileSystem;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** The file's lstat, when a walk has just made it. */
  readonly stat?: BigIntStats;
}

/** FILE-25. `bytesRead` were handed to a sink, `bytesChecked` read for hashes only. */
export interface Counters {
  looked: number;
  opened: number;
  bytesRead: number;
  bytesChecked: number;
  /** Files read from the start that had been read before. */
  restarts: number;
  retries: number;
}

const MAX_RETRIES = 3;

// One call of `read`: `state` is what was committed last.
interface Look {
  readonly path: string;
  readonly sink: LineSink;
  readonly signal: AbortSignal | undefined;
  state: FileState | undefined;
}

/** Follows the files below `root`, one at a time. */
export class FileFollower {
  readonly root: string;
  readonly counters: Counters = { looked: 0, opened: 0, bytesRead: 0, bytesChecked: 0, restarts: 0, retries: 0 };
  readonly #clock: Clock;
  readonly #fs: FileSystem;
  readonly #turn: Turn;
  readonly #maxLineBytes: number;
  readonly #commitBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #realRoot: string | undefined;
  #busy: Promise<void> | undefined;

  constructor(root: string, options: FollowerOptions) {
    const { clock, maxLineBytes = 16 * BLOCK, commitBytes = 4 * BLOCK, fs = systemFs } = options;
    if (!(maxLineBytes >= BLOCK / 16 && maxLineBytes <= 256 * BLOCK)) {
      throw new RangeError(`maxLineBytes is ${maxLineBytes}: it must be from 64 KiB to 256 MiB`);
    }
    if (!(commitBytes > 0)) throw new RangeError(`commitBytes is ${commitBytes}: it must be more than 0`);
    this.root = resolve(root);
    this.#clock = clock;
    this.#fs = fs;
    this.#turn = makeTurn(clock);
    this.#maxLineBytes = maxLineBytes;
    this.#commitBytes = commitBytes;
  }

  /** Regular files below the root that `accepts` wants, in order of their path (FILE-2). */
  walk(accepts?: (path: string) => boolean, options: WalkOptions = {}): AsyncGenerator<Found, void, void> {
    return walk({ fs: this.#fs, root: this.root, turn: this.#turn, accepts, ...options });
  }

  /** Looks at one file. No error of the system is thrown; one of the sink is, and the signal's reason (FILE-12). */
  async read(
    path: string,
    stateBefore: FileState | Uint8Array | undefined,
    sink: LineSink,
    options: ReadOptions = {},
  ): Promise<ReadOutcome> {
    if (this.#turn.isDue()) await this.#turn.give();
    this.counters.looked++;
    const look: Look = {
      path: isAbsolute(path) ? path : this.root + sep + path,
      sink,
      signal: options.signal,
      state: usable(stateBefore),
    };
    let seen = options.stat;
    let release: (() => void) | undefined;
    try {
      for (let tries = 0; ; tries++) {
        try {
          look.signal?.throwIfAborted();
          seen ??= system(() => this.#fs.lstatSync(look.path, { bigint: true }));
          const known = unopened(look.state, seen);
          if (known) return known;
          release ??= await this.#lock();
          return await this.#open(look, seen);
        } catch (error) {
          look.sink.rollback();
          const known = outcomeOfError(error, look.state);
          if (known) return known;
          if (!(error instanceof Unstable)) throw error;
        }
        if (tries === MAX_RETRIES) return skipped('unstable', look.state);
        this.counters.retries++;
        seen = undefined;
      }
    } finally {
      release?.();
    }
  }

  // At most one file is open at a time, and one buffer serves them all.
  async #lock(): Promise<() => void> {
    while (this.#busy) await this.#busy;
    let free = (): void => {};
    this.#busy = new Promise((resolve) => {
      free = resolve;
    });
    return () => {
      this.#busy = undefined;
      free();
    };
  }

  async #open(look: Look, seen: BigIntStats): Promise<ReadOutcome> {
    this.#realRoot ??= system(() => this.#fs.realpathSync.native(this.root));
    const file = openSeen(this.#fs, look.path, this.#realRoot, seen);
    this.counters.opened++;
    try {
      return await this.#decide(look, file);
    } finally {
      file.close();
    }
  }

  // Rows 3 to 9 of FILE-5, by the stat of the open file.
  async #decide(look: Look, file: OpenFile): Promise<ReadOutcome> {
    const { state } = look;
    if (!state) return this.#restart(look, file, 'new');
    if (file.size < state.size) return this.#restart(look, file, 'shrank');
    const isSame = isSameFile(state, file.stat);
    const reason = isSame ? 'rewritten' : 'replaced';
    if (isNoText(state)) return this.#restart(look, file, reason);
    const check = this.#check(file, state);
    const isGrown = file.size > state.size;
    // Behind a safe point in between a spot check is not enough: an edit since then need not have made the file grow.
    if (!isSame || !state.whole || (!isGrown && !isSameStat(state, file.stat))) {
      if (!(await fullCheck(check, () => this.#pause(look)))) return this.#restart(look, file, reason);
      return isGrown ? this.#grow(look, file, state, true) : this.#keep(look, file, state, true);
    }
    if (!spotCheck(check)) return this.#restart(look, file, reason);
    const isFull = isSpotCheckFull(state.size);
    return isGrown ? this.#grow(look, file, state, isFull) : this.#keep(look, file, state, isFull);
  }

  async #keep(look: Look, file: OpenFile, state: FileState, isFull: boolean): Promise<ReadOutcome> {
    const { sinceNs, isOld } = timingOf(state, file.stat, this.#clock);
    const count = Math.ceil(state.size / BLOCK);
    const passed = !isOld ? 0 : isFull ? count : state.passed + 1;
    const next = joinState(state, identityOf(state, file.stat), {
      sinceNs,
      generation: state.generation,
      settled: isOld && passed >= count,
      whole: true,
      passed,
      checked: isFull ? state.checked : (state.checked + 1) % count,
    });
    this.#confirm(file, next);
    if (!isStateEqual(state, next)) await this.#commit(look, next);
    return { kind: 'same', state: next };
  }

  async #restart(look: Look, file: OpenFile, reason: RestartReason): Promise<ReadOutcome> {
    if (reason !== 'new') this.counters.restarts++;
    const state = await this.#read(look, file, undefined, true);
    if (isNoText(state)) return skipped(state.kind, state);
    return { kind: 'restarted', reason, state };
  }

  async #grow(look: Look, file: OpenFile, known: FileState, isFull: boolean): Promise<ReadOutcome> {
    const state = await this.#read(look, file, known, isFull);
    if (isNoText(state)) return skipped(state.kind, state);
    return { kind: 'grown', state };
  }

  // Reads from the anchor of `known`, or from 0; `isFull`: everything before was checked too.
  async #read(look: Look, file: OpenFile, known: FileState | undefined, isFull: boolean): Promise<FileState> {
    const before = look.state;
    const { sinceNs, isOld } = timingOf(before, file.stat, this.#clock);
    const identity = identityOf(before, file.stat);
    const generation = known ? known.generation : (before?.generation ?? 0) + 1;
    const stateOf = (content: Content, isLast: boolean): FileState => {
      const count = Math.ceil(content.size / BLOCK);
      const settled = isLast && isOld && isFull;
      const checked = known && count > 0 ? (known.checked + 1) % count : 0;
      return joinState(content, identity, {
        sinceNs,
        generation,
        settled,
        passed: settled ? count : 0,
        checked,
        whole: isLast,
      });
    };
    const content = await readLines({
      file,
      sink: look.sink,
      known,
      buffer: this.#blockFor(file.size),
      maxLineBytes: this.#maxLineBytes,
      commitBytes: this.#commitBytes,
      isTurnDue: () => this.#turn.isDue(),
      pause: () => this.#pause(look),
      commit: async (part) => {
        const state = stateOf(part, false);
        this.#confirm(file, state);
        await this.#commit(look, state);
      },
      onBytes: (handed, checked) => {
        this.counters.bytesRead += handed;
        this.counters.bytesChecked += checked;
      },
    });
    const state = stateOf(content, true);
    this.#confirm(file, state);
    // Rows of a file that is no text are dropped; its state stays, so that it is not opened again (FILE-13).
    if (isNoText(state)) look.sink.start(content.anchor);
    await this.#commit(look, state);
    return state;
  }

  async #commit(look: Look, state: FileState): Promise<void> {
    await look.sink.commit(state);
    look.state = state;
  }

  // FILE-10: what was read is still what the file holds; appending meanwhile does no harm.
  #confirm(file: OpenFile, state: FileState): void {
    const now = file.statNow();
    if (Number(now.size) < state.size) throw new Unstable();
    if (now.ctimeNs === file.stat.ctimeNs) return;
    if (now.size <= file.stat.size) throw new Unstable();
    // The block that is being cut into lines stays as it is: a buffer of its own.
    const buffer = Buffer.allocUnsafeSlow(Math.min(BLOCK, file.size));
    if (state.blocks.length > 0 && !spotCheck({ ...this.#check(file, state), buffer })) throw new Unstable();
  }

  #check(file: OpenFile, state: FileState): Check {
    const onBytes = (bytes: number): void => {
      this.counters.bytesChecked += bytes;
    };
    return { file, state, buffer: this.#blockFor(file.size), onBytes };
  }

  #pause(look: Look): void | Promise<void> {
    look.signal?.throwIfAborted();
    if (this.#turn.isDue()) return this.#turn.give();
  }

  // Small files do with a small buffer: a follower may be made for one of them only.
  #blockFor(size: number): Buffer {
    const wanted = Math.min(BLOCK, Math.max(BLOCK / 16, size));
    if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafeSlow(wanted);
    return this.#buffer;
  }
}

// FILE-21: one that does not decode or contradicts itself is none.
function usable(state: FileState | Uint8Array | undefined): FileState | undefined {
  if (state instanceof Uint8Array) return FileState.decode(state);
  return state && !contradictsItself(state) ? state : undefined;
}
