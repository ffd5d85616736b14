// Says when to sync while a process lives: folders are watched, changes gathered, then a sync is run (SRC-48). Reads no
// file itself and never throws from a timer: what goes wrong is kept on the handle and reported.
import { existsSync } from 'node:fs';
import type { Clock } from '../model/clock.ts';
import type { HostEnv, Instance, Source } from '../sources/contract.ts';
import { sourceNamed } from '../sources/index.ts';
import type { SyncOptions } from './sync.ts';
import { findRoots, type GivenRoot } from './sync-plan.ts';
import type { SyncReport } from './sync-report.ts';
import { WatchedRoots } from './watched-roots.ts';
import type { WatchFolder } from './watched-tree.ts';

export interface FollowOptions extends Pick<SyncOptions, 'sources' | 'roots' | 'onlyGivenRoots' | 'exclude'> {
  readonly onReport?: (report: FollowReport) => void;
  /** Between two passes of `stat` over everything, the net below the watches. Default 30 000. */
  readonly passMs?: number;
  /** One watch per root; default: on macOS and Windows, where the system has it. */
  readonly recursive?: boolean;
  /** In place of `fs.watch`. */
  readonly watch?: WatchFolder;
}

export type FollowReport =
  | { readonly type: 'synced'; readonly report: SyncReport }
  | { readonly type: 'failed'; readonly error: unknown }
  /** The system has no more watches: said once. Folders without one are looked at every second. */
  | { readonly type: 'watch_limited'; readonly folder: string; readonly code: string };

/** Keeps the process alive, and the store up to date, until it is closed. */
export interface Follow {
  /** Why the latest sync failed; undefined after one that did not. */
  readonly error: unknown;
  /** Folders looked after, and how many of them are polled for want of a watch. */
  readonly watching: { readonly folders: number; readonly polled: number };
  /** Resolves when what was noticed so far is read, or could not be. */
  settled(): Promise<void>;
  /** Stops it, and waits for the sync that is running to stop between two batches. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface FollowContext {
  readonly clock: Clock;
  readonly host: HostEnv;
  readonly sources: readonly Source[];
  /** Names of those that are switched off. */
  readonly disabled: readonly string[];
  /** Those of the settings. */
  readonly roots: readonly GivenRoot[];
  readonly sync: (options: SyncOptions, sources: readonly Source[], roots: readonly GivenRoot[]) => Promise<SyncReport>;
}

/** The open follows of one engine. */
export class Follows {
  readonly #open = new Set<Following>();

  /** Resolves when everything is watched; what is there already is read after that. */
  async start(context: FollowContext, options: FollowOptions): Promise<Follow> {
    const follow: Following = new Following(context, options, () => this.#open.delete(follow));
    this.#open.add(follow);
    await follow.start();
    return follow;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((follow) => follow.close()));
  }
}

const GATHER_MS = 20;
const GATHER_MAX_MS = 200;
const POLL_MS = 1_000;
const RETRY_MS = 1_000;
const PASS_MS = 30_000;
const LIMITS = new Set(['ENOSPC', 'EMFILE', 'ENFILE']);

class Following implements Follow {
  error: unknown;
  readonly #context: FollowContext;
  readonly #options: FollowOptions;
  readonly #onClose: () => void;
  readonly #sources: readonly Source[];
  readonly #watched: WatchedRoots;
  readonly #abort = new AbortController();
  readonly #timers: Partial<Record<'gather' | 'poll' | 'pass' | 'retry', NodeJS.Timeout>> = {};
  readonly #failing = new Set<string>();
  #noticed = new Set<string>();
  #firstAt: number | undefined;
  #isPass = false;
  #limited = false;
  #failures = 0;
  #running: Promise<void> | undefined;
  readonly #waiting: (() => void)[] = [];

  constructor(context: FollowContext, options: FollowOptions, onClose: () => void) {
    this.#context = context;
    this.#options = options;
    this.#onClose = onClose;
    for (const name of options.sources ?? []) sourceNamed(name, context.sources);
    this.#watched = new WatchedRoots({
      clock: context.clock,
      recursive: options.recursive,
      watch: options.watch,
      onChange: (source) => this.#notice(source),
      onUnwatched: (folder, code) => this.#unwatched(folder, code),
    });
    this.#sources = context.sources
      .filter(({ name }) => !context.disabled.includes(name) && (options.sources?.includes(name) ?? true))
      .map((source) => this.#watched.overhear(source));
  }

  get watching(): Follow['watching'] {
    return this.#watched.counts;
  }

  async start(): Promise<void> {
    for (const source of this.#sources) {
      try {
        for (const { found } of await findRoots([source], this.#context.host, this.#roots())) {
          for (const root of found)
            if ('instance' in root && this.#wants(root.instance)) await source.plan(root.instance);
        }
      } catch (error) {
        this.#failed(error);
      }
    }
    this.#pass();
  }

  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#release();
    });
  }

  async close(): Promise<void> {
    this.#abort.abort();
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    this.#watched.close();
    await this.#running;
    this.#onClose();
    this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #wants(instance: Instance): boolean {
    return !this.#options.onlyGivenRoots || instance.how === 'given';
  }

  // One that is not there yet may come; a sync would refuse it (§8).
  #roots(): readonly GivenRoot[] {
    return [...this.#context.roots, ...(this.#options.roots ?? [])].filter(({ path }) => existsSync(path));
  }

  #notice(source: string): void {
    if (this.#abort.signal.aborted) return;
    this.#noticed.add(source);
    this.#gather();
  }

  #gather(): void {
    if (this.#running) return;
    const now = this.#context.clock.elapsed();
    this.#firstAt ??= now;
    const wait = Math.min(GATHER_MS, Math.max(0, this.#firstAt + GATHER_MAX_MS - now));
    clearTimeout(this.#timers.gather);
    this.#timers.gather = setTimeout(() => {
      this.#running = this.#run();
    }, wait);
  }

  #pass(): void {
    if (this.#abort.signal.aborted) return;
    this.#isPass = true;
    for (const { name } of this.#sources) this.#noticed.add(name);
    this.#gather();
    clearTimeout(this.#timers.pass);
    this.#timers.pass = setTimeout(() => this.#pass(), this.#options.passMs ?? PASS_MS);
  }

  #unwatched(folder: string, code: string): void {
    if (LIMITS.has(code) && !this.#limited) {
      this.#limited = true;
      this.#tell({ type: 'watch_limited', folder, code });
    }
    this.#timers.poll ??= setTimeout(() => void this.#poll(), POLL_MS);
  }

  async #poll(): Promise<void> {
    try {
      await this.#watched.poll();
    } catch (error) {
      this.#failed(error);
    }
    delete this.#timers.poll;
    if (this.#abort.signal.aborted || this.watching.polled === 0) return;
    this.#timers.poll = setTimeout(() => void this.#poll(), POLL_MS);
  }

  async #run(): Promise<void> {
    const names = [...this.#noticed];
    const { sources } = this.#options;
    this.#noticed = new Set();
    this.#firstAt = undefined;
    const isPass = this.#isPass;
    this.#isPass = false;
    if (isPass) this.#watched.walkAgain();
    let error = await this.#sync(isPass ? sources : names);
    const isWhole = error === undefined || names.length === 1;
    for (const name of names) {
      // All in one, and when that fails each alone: none holds back another.
      const own = isWhole ? error : await this.#sync([name]);
      if (own === undefined) this.#failing.delete(name);
      else this.#failing.add(name);
      error = own ?? error;
    }
    this.#running = undefined;
    if (this.#abort.signal.aborted) return;
    if (this.#failing.size === 0) {
      this.error = undefined;
      this.#failures = 0;
    } else if (error !== undefined) this.#failed(error);
    if (this.#noticed.size > 0) this.#gather();
    this.#release();
  }

  // Resolves to why it failed.
  async #sync(names: readonly string[] | undefined): Promise<unknown> {
    const { onlyGivenRoots, exclude } = this.#options;
    const options: SyncOptions = {
      signal: this.#abort.signal,
      ...(names === undefined ? {} : { sources: names }),
      ...(onlyGivenRoots === undefined ? {} : { onlyGivenRoots }),
      ...(exclude === undefined ? {} : { exclude }),
    };
    try {
      this.#tell({ type: 'synced', report: await this.#context.sync(options, this.#sources, this.#roots()) });
      return undefined;
    } catch (error) {
      return error ?? new Error('The sync failed.');
    }
  }

  // Kept, told, and tried again after 1 s, 2 s, 4 s …: what was noticed is not lost until the next pass.
  #failed(error: unknown): void {
    this.error = error;
    this.#tell({ type: 'failed', error });
    if (this.#failing.size === 0) return;
    const wait = Math.min(RETRY_MS * 2 ** this.#failures++, this.#options.passMs ?? PASS_MS);
    clearTimeout(this.#timers.retry);
    this.#timers.retry = setTimeout(() => {
      for (const name of this.#failing) this.#notice(name);
    }, wait);
  }

  // A callback that throws must not end the process from a timer.
  #tell(report: FollowReport): void {
    try {
      this.#options.onReport?.(report);
    } catch (error) {
      this.error = error;
    }
  }

  #release(): void {
    const isBusy = this.#running !== undefined || this.#noticed.size > 0;
    if (isBusy && !this.#abort.signal.aborted) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
