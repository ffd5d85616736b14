// The index of a retriever while it is in use: opened when first needed, made anew when it is damaged, in memory when it
// cannot be kept; and one refresh at a time (RUN-28 – RUN-31, RUN-72). Knows no query.
import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Counters, FollowerOptions } from '../files/index.ts';
import type { Clock } from '../model/clock.ts';
import { BackstoryError, isBackstoryError } from '../model/errors.ts';
import type { RunIndex, RunIndexOpener, RunReading } from '../store/run-index.ts';
import { ownedBy } from './file-rules.ts';
import { type CheckedOptions, identityOf, identityParts, invalid } from './options.ts';
import { WHOLE_CHARS } from './prepare.ts';
import { Refresh, type RefreshReport } from './refresh.ts';
import type { Warnings } from './warnings.ts';

/** What a retriever is given from above (RUN-26). */
export interface RetrieverHost {
  readonly indexes: RunIndexOpener;
  readonly clock: Clock;
  readonly busyTimeoutMs: number;
  /** Asked when it is first needed: reading settings is no business of a constructor. */
  readonly home: () => string;
  /** Smaller in tests: how a file is read, and how many units are masked whole. */
  readonly limits?: { readonly follower?: Omit<FollowerOptions, 'clock'>; readonly wholeChars?: number };
}

interface Open {
  readonly root: string;
  readonly index: RunIndex;
  readonly refresh: Refresh;
  readonly path: string | undefined;
}

export type Refreshed = RefreshReport | 'no_run_folder' | 'index_busy';

interface Broken {
  readonly open: Open | undefined;
  readonly error: unknown;
}

const NO_HOME = new Set(['store_read_only', 'store_full', 'store_newer']);

export class RunFolderIndex {
  readonly #options: CheckedOptions;
  readonly #host: RetrieverHost;
  readonly #warnings: Warnings;
  #open: Open | undefined;
  #inMemory = false;
  #running: Promise<Refreshed> | undefined;
  #next: Promise<Refreshed> | undefined;
  #last: RefreshReport | undefined;
  #counters: Readonly<Counters> | undefined;
  /** Found by a reader: the next refresh mends it, so that no refresh loses its index under way. */
  #broken: Broken | undefined;
  /** Searches that stand between their refresh and their last look at the index. */
  #users = 0;
  #left: (() => void) | undefined;
  /** Somebody lets go of the index: who comes meanwhile waits. */
  #letting: Promise<void> | undefined;
  #closed = false;

  constructor(options: CheckedOptions, host: RetrieverHost, warnings: Warnings) {
    this.#options = options;
    this.#host = host;
    this.#warnings = warnings;
    this.#inMemory = options.index === 'memory';
  }

  /** Of the follower, since the index was opened (FILE-25). */
  get counters(): Readonly<Counters> | undefined {
    return this.#counters;
  }

  get salt(): Uint8Array | undefined {
    return this.#open?.index.salt;
  }

  /** Of the last refresh that went through. */
  get last(): RefreshReport | undefined {
    return this.#last;
  }

  /**
   * Runs a refresh and the reading after it: the index is not let go of in between, or a search would find nothing where
   * there is something. Throws `closed` when `close` came first.
   */
  async use<T>(work: () => Promise<T>): Promise<T> {
    while (this.#letting !== undefined) await this.#letting;
    if (this.#closed) {
      throw new BackstoryError('closed', 'The retriever was closed before its search could begin.', 'Make a new one.');
    }
    this.#users++;
    try {
      return await work();
    } finally {
      this.#users--;
      if (this.#users === 0) this.#left?.();
    }
  }

  /** Everything written before the call is in the index after it: who comes during a refresh waits for the next (RUN-72). */
  refresh(): Promise<Refreshed> {
    if (this.#running === undefined) {
      this.#running = this.#refresh().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    const before = this.#running;
    this.#next ??= before
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  /** Undefined where there is no index, as there is no run folder or another process is making it. */
  async read<T>(work: (reading: RunReading) => T | Promise<T>): Promise<T | undefined> {
    for (let tries = 0; ; tries++) {
      const open = this.#open;
      if (open === undefined && tries > 2) return undefined;
      try {
        if (open !== undefined) return await open.index.read(work);
      } catch (error) {
        if (tries > 1 || !isMendable(error)) throw error;
        this.#broken ??= { open, error };
      }
      const refreshed = await this.refresh();
      if (refreshed === 'no_run_folder' || (refreshed === 'index_busy' && this.#open === undefined)) return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#letGo(() => {
      this.#closed = true;
    });
  }

  /** `root`: a run folder's real path. */
  async releaseIf(root: string): Promise<void> {
    if (this.#open?.root === root) await this.#letGo(() => undefined);
  }

  async delete(): Promise<void> {
    await this.#letGo((open) => {
      const path = open?.path ?? this.#pathIfAny();
      if (path !== undefined) this.#host.indexes.remove(path);
    });
  }

  // After the searches that are under way and before those that come.
  #letGo(after: (open: Open | undefined) => void): Promise<void> {
    const before = this.#letting;
    const done = (async () => {
      await before;
      if (this.#users > 0) await new Promise<void>((resolve) => (this.#left = resolve));
      // One who gave up waiting has left; the refresh he asked for goes on.
      await Promise.allSettled([this.#running, this.#next]);
      const open = this.#open;
      await this.#forget();
      after(open);
    })();
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#letting === settled) this.#letting = undefined;
      });
    this.#letting = settled;
    return done;
  }

  async #refresh(): Promise<Refreshed> {
    for (let tries = 0; ; tries++) {
      try {
        const broken = this.#broken;
        this.#broken = undefined;
        if (broken !== undefined && broken.open === this.#open) await this.#mend(broken.error);
        const open = await this.#ready();
        if (open === undefined) return 'no_run_folder';
        this.#last = await open.refresh.run();
        return this.#last;
      } catch (error) {
        if (isBackstoryError(error) && error.code === 'store_busy') {
          this.#warnings.give('index_busy');
          return 'index_busy';
        }
        if (tries > 1 || !(await this.#mend(error))) throw error;
      }
    }
  }

  /** True when it is worth another try: the index was made anew, or is in memory now (RUN-30). */
  async #mend(error: unknown): Promise<boolean> {
    if (!isMendable(error)) return false;
    const path = this.#open?.path;
    if (error.code === 'store_damaged') {
      await this.#forget();
      if (path !== undefined) this.#host.indexes.remove(path);
      this.#warnings.give('index_rebuilt');
      return true;
    }
    if (this.#inMemory) return false;
    await this.#forget();
    this.#inMemory = true;
    this.#warnings.give('index_in_memory');
    return true;
  }

  async #forget(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.index.close().catch(() => undefined);
  }

  async #ready(): Promise<Open | undefined> {
    const root = realFolder(this.#options.runFolder);
    if (root === undefined) return undefined;
    if (this.#open?.root === root) return this.#open;
    // The folder is another one now: a link to it was changed.
    await this.#forget();
    const parts = identityParts(root, this.#options);
    const path = this.#inMemory ? undefined : this.#pathOf(parts);
    const { clock, indexes, busyTimeoutMs } = this.#host;
    const index = indexes.open({
      ...(path === undefined ? {} : { path }),
      busyTimeoutMs,
      runFolder: root,
      identity: identityOf(parts),
      now: clock.now(),
    });
    if (index.rebuilt) this.#warnings.give('index_rebuilt');
    if (path !== undefined && this.#options.index === 'home') indexes.sweep(dirname(path), path, clock);
    this.#open = { root, index, refresh: this.#refreshOf(root, index), path };
    this.#counters = this.#open.refresh.counters;
    return this.#open;
  }

  #refreshOf(root: string, index: RunIndex): Refresh {
    const { follower, wholeChars = WHOLE_CHARS } = this.#host.limits ?? {};
    const { agent, masker, interpreter, episodeOf, ownsFile, otherAgents } = this.#options;
    return new Refresh({
      root,
      agent,
      owns: ownsFile ? (path) => ownsSafely(ownsFile, path) : ownedBy(agent, otherAgents),
      rows: { masker, interpreter, episodeOf, salt: index.salt, conversations: new Map(), wholeChars },
      index,
      clock: this.#host.clock,
      warnings: this.#warnings,
      follower,
    });
  }

  #pathOf(parts: readonly string[]): string {
    const { index } = this.#options;
    if (typeof index === 'object') return resolve(index.file);
    const folder = join(this.#options.home ?? this.#host.home(), 'runs');
    return join(folder, `${this.#host.indexes.keyOf(folder, parts)}.sqlite`);
  }

  #pathIfAny(): string | undefined {
    const root = this.#inMemory ? undefined : realFolder(this.#options.runFolder);
    return root === undefined ? undefined : this.#pathOf(identityParts(root, this.#options));
  }
}

function isMendable(error: unknown): error is BackstoryError {
  return isBackstoryError(error) && (error.code === 'store_damaged' || NO_HOME.has(error.code));
}

// A host's function that throws owns nothing: a file that nobody claims is not opened.
function ownsSafely(owns: (path: string) => boolean, path: string): boolean {
  try {
    return owns(path) === true;
  } catch {
    return false;
  }
}

/** The real path of a folder; undefined when there is none. Throws `invalid_argument` for what is no folder. */
function realFolder(path: string): string | undefined {
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch {
    return undefined;
  }
  if (statSync(real, { throwIfNoEntry: false })?.isDirectory() !== false) return real;
  throw invalid('The run folder is no folder', 'Give the folder that the run writes its files into.');
}
