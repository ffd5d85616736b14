// Brings an index up to what the files hold now: a walk, a look at each file, its rows and state in one transaction
// (RUN-44 – RUN-47, RUN-70 – RUN-73). Knows no query.
import {
  type Counters,
  FileFollower,
  FileState,
  type FollowerOptions,
  type Found,
  type PassedOver,
  type ReadOutcome,
} from '../files/index.ts';
import type { Clock } from '../model/clock.ts';
import { makeTurn, type Turn } from '../model/turn.ts';
import { FILE_FLAG, type FileWrite, type KnownFile, type RunIndex } from '../store/run-index.ts';
import { hashOf } from './digest.ts';
import { isRecordName } from './file-rules.ts';
import { FileSink, QUIET_NS } from './file-sink.ts';
import { flagged, type LeftOut, notRead, passedOver, sorted } from './left-out.ts';
import { shownAs } from './prepare.ts';
import type { RowContext } from './rows.ts';
import type { Warnings } from './warnings.ts';

export interface RefreshOptions {
  /** The run folder's real path. */
  readonly root: string;
  readonly agent: string;
  readonly owns: (path: string) => boolean;
  readonly rows: RowContext;
  readonly index: RunIndex;
  readonly clock: Clock;
  readonly warnings: Warnings;
  readonly follower?: Omit<FollowerOptions, 'clock'> | undefined;
}

export interface RefreshReport {
  /** Files of the agent that were looked at. */
  readonly files: number;
  readonly recordFiles: boolean;
  readonly skipped: readonly LeftOut[];
}

// What is committed together; small files share a transaction (RUN-73 allows 4 MiB). FTS5 writes all of it in one go when
// it is committed: of 20 MB of log the longest hold took 98 ms of CPU with 1 MiB, 57 with this, and the whole as long.
const BATCH_CHARS = 131_072;
const BATCH_FILES = 2_000;
const MAX_PASSES = 16;
const TURN_MS = 12;

/** Another process wrote a file of the index meanwhile: everything is looked at again. */
class Outrun extends Error {}

interface Name {
  readonly hash: string;
  readonly shown: string;
}

export class Refresh {
  readonly #options: RefreshOptions;
  readonly #follower: FileFollower;
  /** Names of paths, so that 10 000 of them are hashed and masked once. */
  readonly #names = new Map<string, Name>();
  #known = new Map<string, KnownFile>();
  /** Decoded once. */
  #states = new Map<string, FileState>();
  #version = -1;
  #batch: FileWrite[] = [];
  #batchChars = 0;
  #turn: Turn;

  constructor(options: RefreshOptions) {
    this.#options = options;
    this.#turn = makeTurn(options.clock, TURN_MS);
    this.#follower = new FileFollower(options.root, {
      commitBytes: BATCH_CHARS,
      ...options.follower,
      clock: options.clock,
    });
  }

  get counters(): Readonly<Counters> {
    return this.#follower.counters;
  }

  /** Rejects with the signal's reason, or with an error of the store; what was committed stays. */
  async run(signal?: AbortSignal): Promise<RefreshReport> {
    for (let pass = 1; ; pass++) {
      this.#batch = [];
      this.#batchChars = 0;
      this.#turn = makeTurn(this.#options.clock, TURN_MS);
      try {
        return await this.#pass(signal);
      } catch (error) {
        this.#version = -1;
        if (!(error instanceof Outrun) || pass === MAX_PASSES) throw error;
      }
    }
  }

  async #pass(signal: AbortSignal | undefined): Promise<RefreshReport> {
    const { owns, index, warnings } = this.#options;
    if (index.version() !== this.#version) this.#load();
    const skipped: LeftOut[] = [];
    const passed: PassedOver[] = [];
    const seen = new Set<string>();
    let files = 0;
    for await (const found of this.#follower.walk(owns, { onPassedOver: (entry) => passed.push(entry) })) {
      signal?.throwIfAborted();
      const name = this.#nameOf(found.path);
      const outcome = await this.#look(found, name, signal);
      if (outcome.kind === 'gone') continue;
      files++;
      if (outcome.kind === 'skipped') await this.#leftOut(found.path, name, outcome, skipped);
      seen.add(name.hash);
    }
    const unread = passedOver(
      passed,
      { root: this.#options.root, masker: this.#options.rows.masker, warnings },
      skipped,
    );
    await this.#dropUnseen(seen, unread);
    await this.#flush();
    this.#version = index.version();
    const recordFiles = flagged(this.#known.values(), warnings, skipped);
    return { files, recordFiles, skipped: sorted(skipped) };
  }

  #load(): void {
    const before = this.#known;
    const states = this.#states;
    this.#known = new Map(this.#options.index.files().map((file) => [file.name, file]));
    this.#states = new Map();
    for (const [name, file] of this.#known) {
      const state = states.get(name);
      if (state !== undefined && before.get(name)?.version === file.version) this.#states.set(name, state);
    }
    this.#version = this.#options.index.version();
  }

  async #look(found: Found, name: Name, signal: AbortSignal | undefined): Promise<ReadOutcome> {
    const state = this.#stateOf(name.hash);
    const known = this.#known.get(name.hash);
    const read = (before: FileState | undefined): Promise<ReadOutcome> =>
      this.#follower.read(found.absolute, before, this.#sinkOf(found, name), {
        stat: found.stat,
        ...(signal === undefined ? {} : { signal }),
      });
    const outcome = await read(state);
    if (outcome.kind !== 'same' || known === undefined) return outcome;
    // Cut off where a reading had stopped halfway: the record that was open there has no rows yet.
    if (state?.whole === false) return read(undefined);
    // The end that was withheld is given once nobody has written for 2 s: nothing of it was kept, so it is read again.
    const now = this.#known.get(name.hash) ?? known;
    if (now.flags & FILE_FLAG.withheld && outcome.state && this.#isQuiet(outcome.state)) return read(undefined);
    if (now.hidden) await this.#put({ ...now, hidden: false, records: [] }, true);
    return outcome;
  }

  #isQuiet({ sinceNs }: FileState): boolean {
    return BigInt(this.#options.clock.now()) * 1_000_000n - sinceNs >= QUIET_NS;
  }

  #stateOf(hash: string): FileState | undefined {
    const state = this.#states.get(hash);
    if (state !== undefined) return state;
    const bytes = this.#known.get(hash)?.state;
    const decoded = bytes && FileState.decode(bytes);
    if (decoded) this.#states.set(hash, decoded);
    return decoded;
  }

  #sinkOf(found: Found, name: Name): FileSink {
    const { agent, rows, clock } = this.#options;
    const none: KnownFile = {
      name: name.hash,
      shown: name.shown,
      isRecord: isRecordName(found.path),
      hidden: false,
      flags: 0,
      state: undefined,
      version: 0,
    };
    const sink = (): KnownFile => this.#known.get(name.hash) ?? none;
    return new FileSink({
      agent,
      rows,
      clock,
      path: found.path,
      get file() {
        return sink();
      },
      put: (write, isLast) => this.#put(write, isLast),
    });
  }

  /** Remembers what was written as if it were committed; a failure forgets everything. */
  async #put(write: FileWrite, isLast: boolean): Promise<void> {
    this.#batch.push(write);
    for (const { pieces } of write.records) for (const { text } of pieces) this.#batchChars += text.length;
    const { keep: _, records: __, ...file } = write;
    this.#known.set(write.name, { ...file, version: write.version + 1 });
    this.#states.delete(write.name);
    if (!isLast || this.#batchChars >= BATCH_CHARS || this.#batch.length >= BATCH_FILES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchChars = 0;
    if (batch.length === 0) return;
    await this.#options.index.write(
      async (writing) => {
        for (const file of batch) if (!(await writing.put(file))) throw new Outrun();
      },
      () => this.#pause(),
    );
  }

  async #drop(files: readonly KnownFile[]): Promise<void> {
    if (files.length === 0) return;
    await this.#flush();
    await this.#options.index.write(
      async (writing) => {
        for (const file of files) if (!(await writing.drop(file))) throw new Outrun();
      },
      () => this.#pause(),
    );
    for (const { name } of files) {
      this.#known.delete(name);
      this.#states.delete(name);
    }
  }

  #pause(): void | Promise<void> {
    if (this.#turn.isDue()) return this.#turn.give();
  }

  async #leftOut(path: string, name: Name, outcome: ReadOutcome, skipped: LeftOut[]): Promise<void> {
    notRead(path, name.shown, outcome, this.#options.warnings, skipped);
    const known = this.#known.get(name.hash);
    if (known === undefined) return;
    // Hidden, not dropped: it may be readable again, and then nothing has to be read twice.
    if (outcome.reason === 'unreadable' && !known.hidden)
      await this.#put({ ...known, hidden: true, records: [] }, true);
    if (outcome.reason === 'not_regular' || outcome.reason === 'outside_root') await this.#drop([known]);
  }

  async #dropUnseen(seen: ReadonlySet<string>, unread: readonly string[]): Promise<void> {
    const gone: KnownFile[] = [];
    for (const file of [...this.#known.values()]) {
      if (seen.has(file.name)) continue;
      const isBelowUnread = unread.some((folder) => folder === '' || file.shown.startsWith(`${folder}/`));
      if (!isBelowUnread) gone.push(file);
      else if (!file.hidden) await this.#put({ ...file, hidden: true, records: [] }, true);
    }
    await this.#drop(gone);
  }

  #nameOf(path: string): Name {
    const known = this.#names.get(path);
    if (known) return known;
    const name = { hash: hashOf(path).toString('hex'), shown: shownAs(this.#options.rows.masker, path) };
    this.#names.set(path, name);
    return name;
  }
}
