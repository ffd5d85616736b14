// openBackstory(): the one place that wires everything, and the only one that names the SQLite backend.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from './access/caller.ts';
import { scopeFor } from './access/scope.ts';
import { type BackstoryConfig, type ResolvedConfig, readConfig } from './config/index.ts';
import { type Clock, type NewId, systemClock, systemNewId } from './model/clock.ts';
import { BackstoryError, isBackstoryError } from './model/errors.ts';
import type { Pointer } from './model/session.ts';
import { resolveTime } from './model/time.ts';
import { Masker } from './redact/masker.ts';
import type { ExcludeRule } from './sessions/exclude.ts';
import { type Follow, type FollowContext, type FollowOptions, Follows } from './sessions/follow.ts';
import { type HistoryParams, type HistoryResult, readHistory } from './sessions/history.ts';
import {
  type DescribeResult,
  describeSession,
  type ListParams,
  type ListResult,
  listSessions,
} from './sessions/list.ts';
import type { PagedContext } from './sessions/page-context.ts';
import { preparerOf } from './sessions/prepare.ts';
import { type SearchParams, type SearchResult, searchSessions } from './sessions/search.ts';
import { reportSources, type SourceReport, type SourcesReport } from './sessions/sources-report.ts';
import { type StatsResult, statsOf } from './sessions/stats.ts';
import { type SyncContext, type SyncOptions, syncSources } from './sessions/sync.ts';
import type { GivenRoot } from './sessions/sync-plan.ts';
import { maskedReport, type SyncReport } from './sessions/sync-report.ts';
import type { HostEnv, Reopened, Source } from './sources/contract.ts';
import { builtInSources, foundUnread, linkedRoots, sourceNamed } from './sources/index.ts';
import type { AgentStore, StoreSet } from './store/contract.ts';
import { openForeign } from './store/sqlite/foreign.ts';
import { openSqliteStores } from './store/sqlite/store-set.ts';
import { TOKENIZER_ID } from './text/index.ts';

/** The settings of COM-40, taken flat, and what a host may replace. */
export interface BackstoryOptions extends BackstoryConfig {
  readonly clock?: Clock;
  readonly newId?: NewId;
  /** Environment, home folder and platform that sources are looked for in; default: this process's. */
  readonly host?: HostEnv;
}

/** An open engine. Two on one home, in one process or in several, are safe (SUR-10). */
export interface Backstory {
  readonly sessions: {
    /** Finds messages by their words (SES-70). Every hit's three ids reopen it with `history`. */
    search(caller: Caller, params: SearchParams): Promise<SearchResult>;
    /** A page of a session, around an anchor or at its newest end (SES-100). */
    history(caller: Caller, params: HistoryParams): Promise<HistoryResult>;
    /** Sessions, newest activity first (SES-130). */
    list(caller: Caller, params?: ListParams): Promise<ListResult>;
    /** One session with its windows and the command that resumes it (SES-131). */
    describe(caller: Caller, params: { readonly session: string }): Promise<DescribeResult>;
    /** Counts and sizes, from counters (SUR-71). */
    stats(caller: Caller): Promise<StatsResult>;
  };
  readonly sources: {
    /** Reads what agents wrote since last time (SRC-40). */
    sync(options?: SyncOptions): Promise<SyncReport>;
    /** Syncs whenever an agent writes, until it or the engine is closed (SRC-48). */
    follow(options?: FollowOptions): Promise<Follow>;
    /** What was found on this machine, and what is read of it (SRC-54). */
    list(): Promise<SourcesReport>;
  };
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens an engine; no store is opened before it is needed. Throws `config_invalid` for any bad setting (COM-42). */
export async function openBackstory(options: BackstoryOptions = {}): Promise<Backstory> {
  return new Engine(options);
}

const SYNC_BUDGET_MS = 150;

class Engine implements Backstory {
  readonly #config: ResolvedConfig;
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #host: HostEnv;
  readonly #sources: readonly Source[];
  readonly #stores: StoreSet;
  readonly #follows = new Follows();
  readonly #masker = Masker.credentials();
  readonly #prepare = preparerOf(this.#masker);
  readonly #fingerprint = `${TOKENIZER_ID} ${this.#masker.fingerprint}`;
  /** What the latest sync of this engine left unread, for coverage (SES-84). */
  #synced: SyncReport | undefined;
  #closed = false;

  constructor(options: BackstoryOptions) {
    const { clock = systemClock, newId = systemNewId, host, ...settings } = options;
    this.#clock = clock;
    this.#newId = newId;
    this.#host = host ?? { env: process.env, home: homedir(), platform: process.platform };
    const readers = (settings.sources?.readers ?? []) as readonly Source[];
    const names = [...builtInSources, ...readers].map(({ name }) => name);
    this.#config = readConfig({ options: settings, env: this.#host.env, home: this.#host.home }, { sources: names });
    this.#sources = [...builtInSources, ...readers];
    const { home, busyTimeoutMs } = this.#config;
    this.#stores = openSqliteStores({ folder: join(home, 'agents'), busyTimeoutMs });
  }

  readonly sessions: Backstory['sessions'] = {
    search: async (caller, params) => {
      this.#assertOpen('sessions.search');
      const context = this.#reading(caller);
      if (params.source !== undefined) sourceNamed(params.source, this.#sources);
      const { syncOnSearch } = this.#config.sources;
      if (syncOnSearch) await this.#sync({ budgetMs: params.waitMs ?? SYNC_BUDGET_MS });
      const stores = await this.#openAll(params.agents);
      return searchSessions({ ...context, ...stores, synced: this.#synced, fingerprint: this.#fingerprint }, params);
    },
    history: async (caller, params) => {
      this.#assertOpen('sessions.history');
      const context = this.#reading(caller);
      const reopen = (store: AgentStore, pointer: Pointer): Promise<Reopened> => this.#reopen(store, pointer);
      return readHistory({ ...context, ...(await this.#openAll()), reopen }, params);
    },
    list: async (caller, params = {}) => {
      this.#assertOpen('sessions.list');
      return listSessions({ ...this.#reading(caller), ...(await this.#openAll(params.agents)) }, params);
    },
    describe: async (caller, params) => {
      this.#assertOpen('sessions.describe');
      const context = this.#reading(caller);
      return describeSession({ ...context, ...(await this.#openAll()), sources: this.#sources }, params);
    },
    stats: async (caller) => {
      this.#assertOpen('sessions.stats');
      return statsOf({ ...this.#reading(caller), ...(await this.#openAll()) });
    },
  };

  readonly sources: Backstory['sources'] = {
    sync: async (options = {}) => {
      this.#assertOpen('sources.sync');
      return this.#sync(options);
    },
    follow: async (options = {}) => {
      this.#assertOpen('sources.follow');
      const sync: FollowContext['sync'] = (...given) => this.#sync(...given);
      const [clock, host, sources, roots] = [this.#clock, this.#host, this.#sources, this.#roots()];
      return this.#follows.start({ clock, host, sources, roots, disabled: this.#disabled(), sync }, options);
    },
    list: async () => {
      this.#assertOpen('sources.list');
      const openStore = (agentId: string): Promise<AgentStore | undefined> => this.#stores.open(agentId);
      const [host, sources, exclude, now] = [this.#host, this.#sources, this.#excludes(), this.#clock.now()];
      const { mask } = this.#masker;
      const context = { host, openStore, exclude, now, sources, disabled: this.#disabled(), mask };
      const report = await reportSources(context, this.#roots());
      return { sources: [...report.sources, ...foundUnread(this.#host).map(unreadReport)] };
    },
  };

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#follows.close();
    await this.#stores.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(method: string): void {
    if (!this.#closed) return;
    throw new BackstoryError('closed', `The engine was closed before ${method}().`, 'Open it again.');
  }

  #reading(caller: Caller): Omit<PagedContext, 'stores' | 'failed'> {
    const { projectAliases } = this.#config.sources;
    return {
      caller,
      scope: scopeFor(caller),
      masker: this.#masker,
      clock: this.#clock,
      timeZone: this.#config.timeZone,
      cursorKey: () => this.#cursorKey(),
      projectsOf: (project) => projectsNamed(project, projectAliases),
    };
  }

  // A store that cannot be opened is left out and named; the rest answers (SES-75).
  async #openAll(only?: readonly string[]): Promise<Pick<PagedContext, 'stores' | 'failed'>> {
    const stores: AgentStore[] = [];
    const failed: { agentId: string; reason: string }[] = [];
    for (const agentId of await this.#stores.agents()) {
      if (only !== undefined && !only.includes(agentId)) continue;
      try {
        const store = await this.#stores.open(agentId);
        if (store) stores.push(store);
      } catch (error) {
        if (!isBackstoryError(error)) throw error;
        failed.push({ agentId, reason: error.code });
      }
    }
    return { stores, failed };
  }

  async #sync(options: SyncOptions, sources = this.#sources, own = this.#roots()): Promise<SyncReport> {
    for (const name of options.sources ?? []) sourceNamed(name, this.#sources);
    const roots = [...own, ...(options.roots ?? [])];
    for (const { source } of roots) sourceNamed(source, this.#sources);
    const { parse, toolInputChars, onHostDelete } = this.#config.sources;
    const context: SyncContext = {
      stores: this.#stores,
      sources,
      disabled: this.#disabled(),
      host: this.#host,
      clock: this.#clock,
      newId: this.#newId,
      prepare: this.#prepare,
      fingerprint: this.#fingerprint,
      parse,
      toolInputChars,
      onHostDelete,
      openDatabase: openForeign,
    };
    const exclude = [...this.#excludes(), ...(options.exclude ?? [])];
    const report = maskedReport(await syncSources(context, { ...options, roots, exclude }), this.#masker.mask);
    // One of some formats says nothing of the others.
    if (options.sources === undefined) this.#synced = report;
    return report;
  }

  #roots(): readonly GivenRoot[] {
    const { roots, formats } = this.#config.sources;
    const more = Object.entries(formats).flatMap(([source, format]) =>
      format.roots.map((path): GivenRoot => ({ source, path })),
    );
    return [...roots, ...more];
  }

  #disabled(): readonly string[] {
    return Object.entries(this.#config.sources.formats).flatMap(([name, { enabled }]) => (enabled ? [] : [name]));
  }

  #excludes(): ExcludeRule[] {
    const at = { now: this.#clock.now(), timeZone: this.#config.timeZone };
    return this.#config.sources.exclude.map(({ since, until, ...rule }) => ({
      ...rule,
      ...(since === undefined ? {} : { since: resolveTime(since, 'since', at) }),
      ...(until === undefined ? {} : { until: resolveTime(until, 'until', at) }),
    }));
  }

  async #reopen(store: AgentStore, pointer: Pointer): Promise<Reopened> {
    const file = await store.read((reading) => reading.file(pointer.file));
    const source = this.#sources.find(({ name }) => name === file?.source);
    if (!file || !source) return { reason: 'source_gone' };
    const roots: string[] = [];
    for (const found of await source.discover(
      this.#host,
      this.#roots().filter((root) => root.source === source.name),
    )) {
      if ('instance' in found) roots.push(found.instance.root, ...linkedRoots(found.instance.root));
    }
    // A root given for one call only stays readable while the store knows it: what was read once may be opened again.
    if (file.root !== undefined && !roots.includes(file.root)) roots.push(file.root);
    return source.reopen(file.absolute, pointer, roots, openForeign);
  }

  // Signs cursors: random, made once per home, readable by its owner only.
  #cursorKey(): Uint8Array {
    const path = join(this.#config.home, 'cursor.key');
    try {
      return readFileSync(path);
    } catch {
      mkdirSync(this.#config.home, { recursive: true, mode: 0o700 });
      try {
        writeFileSync(path, randomBytes(32), { mode: 0o600, flag: 'wx' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      return readFileSync(path);
    }
  }
}

// What an alias names is the same folder, recorded before and after it moved (SRC-29).
function projectsNamed(project: string, aliases: Readonly<Record<string, string>>): readonly string[] {
  const names = new Set([project]);
  for (const [from, to] of Object.entries(aliases)) {
    if (to === project) names.add(from);
    if (from === project) names.add(to);
  }
  return [...names];
}

function unreadReport(found: { readonly source: string; readonly title: string; readonly root: string }): SourceReport {
  return { ...found, state: 'no_reader', files: {}, bytes: 0, sessions: 0, counts: {} };
}
