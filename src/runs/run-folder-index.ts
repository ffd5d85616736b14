// The index of a retriever while it is in use: opened when first needed, made anew when it is damaged, in memory when it
// cannot be kept; and one refresh at a time (RUN-28 – RUN-31, RUN-72). Knows no query.
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Counters, FollowerOptions } from '../files/index.ts';
import type { Clock } from '../model/clock.ts';
import { isBackstoryError } from '../model/errors.ts';
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

  /** Undefined where there is no index, as there is no run folder. */
  async read<T>(work: (reading: RunReading) => T): Promise<T | undefined> {
    for (let tries = 0; ; tries++) {
      const open = this.#open;
      if (open === undefined) return undefined;
      try {
        return await open.index.read(work);
      } catch (error) {
        if (tries > 0 || !(await this.#mend(error))) throw error;
        await this.refresh();
      }
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    const open = this.#open;
    this.#open = undefined;
    await open?.index.close();
  }

  /** `root`: a run folder's real path. */
  async releaseIf(root: string): Promise<void> {
    if (this.#open?.root !== root) return;
    await Promise.allSettled([this.#running, this.#next]);
    await this.#forget();
  }

  async delete(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    const path = this.#open?.path ?? this.#pathIfAny();
    await this.#forget();
    if (path !== undefined) this.#host.indexes.remove(path);
  }

  async #refresh(): Promise<Refreshed> {
    for (let tries = 0; ; tries++) {
      try {
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
    if (!isBackstoryError(error)) return false;
    const path = this.#open?.path;
    if (error.code === 'store_damaged') {
      await this.#forget();
      if (path !== undefined) this.#host.indexes.remove(path);
      this.#warnings.give('index_rebuilt');
      return true;
    }
    if (!NO_HOME.has(error.code) || this.#inMemory) return false;
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
    if (typeof index === 'object') return index.file;
    const folder = join(this.#options.home ?? this.#host.home(), 'runs');
    return join(folder, `${this.#host.indexes.keyOf(folder, parts)}.sqlite`);
  }

  #pathIfAny(): string | undefined {
    const root = this.#inMemory ? undefined : realFolder(this.#options.runFolder);
    return root === undefined ? undefined : this.#pathOf(identityParts(root, this.#options));
  }
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
