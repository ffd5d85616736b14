// The sources face: what agents on this machine wrote, read, followed, reported and reopened.
import { type Scope, wholeScope } from '../access/scope.ts';
import { systemClock } from '../model/clock.ts';
import type { Pointer } from '../model/session.ts';
import { resolveTime } from '../model/time.ts';
import type { ExcludeRule } from '../sessions/exclude.ts';
import { indexExtra } from '../sessions/extra.ts';
import { type Follow, type FollowContext, type FollowOptions, Follows } from '../sessions/follow.ts';
import { checkObject, invalidArgument } from '../sessions/page-checks.ts';
import type { ReadAhead } from '../sessions/read-ahead.ts';
import { refreshIndex } from '../sessions/reindex.ts';
import { reportSources, type SourceReport, type SourcesReport } from '../sessions/sources-report.ts';
import { type SyncContext, type SyncOptions, syncSources } from '../sessions/sync.ts';
import type { GivenRoot, Task } from '../sessions/sync-plan.ts';
import { maskedReport, type SyncReport } from '../sessions/sync-report.ts';
import type { Reopened, Source } from '../sources/contract.ts';
import { builtInSources, foundUnread, linkedRoots, sourceNamed } from '../sources/index.ts';
import type { AgentStore } from '../store/contract.ts';
import { openForeign } from '../store/sqlite/foreign.ts';
import type { EngineCore } from './core.ts';
import { type ImportedTranscript, type ImportTranscriptParams, importTranscript } from './import-transcript.ts';
import { readingAhead } from './reading-ahead.ts';
import { workerFile } from './workers.ts';

export interface SourcesFace {
  /** Reads what agents wrote since last time (SRC-40). */
  sync(options?: SyncOptions): Promise<SyncReport>;
  /** Syncs whenever an agent writes, until it or the engine is closed (SRC-48). */
  follow(options?: FollowOptions): Promise<Follow>;
  /** Reads one transcript from a stream; the host's own files are not looked at (SES-156). */
  importTranscript(params: ImportTranscriptParams): Promise<ImportedTranscript>;
  /** What was found on this machine, and what is read of it (SRC-54). */
  list(): Promise<SourcesReport>;
}

export class Sources {
  readonly #core: EngineCore;
  readonly #synced: () => void;
  readonly #follows = new Follows();
  /** What the latest sync of this engine left unread, for coverage (SES-84). */
  synced: SyncReport | undefined;

  /** `synced`: called behind each sync. */
  constructor(core: EngineCore, synced: () => void = () => {}) {
    this.#core = core;
    this.#synced = synced;
  }

  face(): SourcesFace {
    return {
      sync: async (options = {}) => {
        this.#core.assertOpen('sources.sync');
        checkObject(options, 'options');
        checkLists(options);
        const report = await this.sync(options);
        this.#synced();
        return report;
      },
      follow: async (options = {}) => {
        this.#core.assertOpen('sources.follow');
        checkObject(options, 'options');
        return this.#follow(options);
      },
      importTranscript: async (params) => {
        this.#core.assertOpen('sources.importTranscript');
        return importTranscript(this.#core, params, (options) => this.sync(options));
      },
      list: async () => {
        this.#core.assertOpen('sources.list');
        return this.#list();
      },
    };
  }

  async sync(
    options: SyncOptions,
    sources: SyncContext['sources'] = this.#core.sources,
    own: readonly GivenRoot[] = this.#roots(),
  ): Promise<SyncReport> {
    const core = this.#core;
    for (const name of options.sources ?? []) sourceNamed(name, core.sources);
    const roots = [...own, ...(options.roots ?? [])];
    for (const { source } of roots) sourceNamed(source, core.sources);
    const { parse, toolInputChars, onHostDelete } = core.config.sources;
    const context: SyncContext = {
      stores: core.stores,
      sources,
      disabled: this.#disabled(),
      host: core.host,
      clock: core.clock,
      newId: core.newId,
      prepare: core.prepare,
      fingerprint: core.fingerprint,
      parse,
      toolInputChars,
      onHostDelete,
      openDatabase: openForeign,
      readAhead: (tasks) => this.#readAhead(tasks),
    };
    const exclude = [...this.#excludes(), ...(options.exclude ?? [])];
    const { clock } = core;
    const until = clock.elapsed() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
    const report = maskedReport(await syncSources(context, { ...options, roots, exclude }), core.masker.mask);
    await this.#indexExtra(() => core.closed || options.signal?.aborted === true || clock.elapsed() >= until);
    // One of some formats says nothing of the others.
    if (options.sources === undefined) this.synced = report;
    return report;
  }

  // A clock of the host's own cannot be handed to a thread, nor can a reader.
  #readAhead(tasks: readonly Task[]): ReadAhead | undefined {
    const { clock, config } = this.#core;
    if (clock !== systemClock) return undefined;
    const { parse, toolInputChars } = config.sources;
    const own = tasks.filter(({ source }) => builtInSources.includes(source));
    return readingAhead(workerFile('read-worker'), own, { parse, toolInputChars }, clock);
  }

  /** What was read is indexed as far as sessions.index.extra asks (SRC-23); what is left, the next search or sync does. */
  async #indexExtra(stopped: () => boolean): Promise<void> {
    const { config, stores, fingerprint, prepare } = this.#core;
    const { extra } = config.sessions.index;
    if (extra.length === 0) return;
    for (const agentId of await stores.agents()) {
      if (stopped()) return;
      const store = await stores.open(agentId).catch(() => undefined);
      if (store) await indexExtra({ extra, prepare, fingerprint }, store, () => this.reopener(), stopped);
    }
  }

  /** Makes an agent's index anew where it is not of this tokenizer and these maskers (SES-158). */
  async reindex(agentId: string): Promise<void> {
    const { stores, fingerprint, prepare } = this.#core;
    const store = await stores.open(agentId);
    if (store) await refreshIndex(store, fingerprint, prepare);
  }

  /**
   * Reads records of files that entries were read from again (SRC-55), for the length of one call: where the files of each
   * format may lie is found out once.
   */
  reopener(scope: Scope = wholeScope()): (store: AgentStore) => (pointer: Pointer) => Promise<Reopened> {
    const rootsOf = new Map<string, Promise<readonly string[]>>();
    return (store) => async (pointer) => {
      const file = await store.read((reading) => reading.file(scope, pointer.file));
      const source = this.#core.sources.find(({ name }) => name === file?.source);
      if (!file || !source) return { reason: 'source_gone' };
      const roots = rootsOf.get(source.name) ?? this.#rootsOf(source);
      rootsOf.set(source.name, roots);
      const known = await roots;
      // A root given for one call only stays readable while the store knows it: what was read once may be opened again.
      const all = known.includes(file.root) ? known : [...known, file.root];
      return source.reopen(file.absolute, pointer, all, openForeign);
    };
  }

  async #rootsOf(source: Source): Promise<readonly string[]> {
    const roots: string[] = [];
    const given = this.#roots().filter((root) => root.source === source.name);
    for (const found of await source.discover(this.#core.host, given)) {
      if ('instance' in found) roots.push(found.instance.root, ...linkedRoots(found.instance.root));
    }
    return roots;
  }

  close(): Promise<void> {
    return this.#follows.close();
  }

  #follow(options: FollowOptions): Promise<Follow> {
    const { clock, host, sources } = this.#core;
    const sync: FollowContext['sync'] = (...given) => this.sync(...given);
    return this.#follows.start(
      { clock, host, sources, roots: this.#roots(), disabled: this.#disabled(), sync },
      options,
    );
  }

  async #list(): Promise<SourcesReport> {
    const { clock, host, sources, stores, masker } = this.#core;
    const openStore = (agentId: string): Promise<AgentStore | undefined> => stores.open(agentId);
    const [exclude, now] = [this.#excludes(), clock.now()];
    const { onHostDelete } = this.#core.config.sources;
    const at = { host, openStore, exclude, now, onHostDelete, again: false };
    const context = { ...at, sources, disabled: this.#disabled(), mask: masker.mask };
    const report = await reportSources(context, this.#roots());
    return { sources: [...report.sources, ...foundUnread(host).map(unreadReport)] };
  }

  #roots(): readonly GivenRoot[] {
    const { roots, formats } = this.#core.config.sources;
    const more = Object.entries(formats).flatMap(([source, format]) =>
      format.roots.map((path): GivenRoot => ({ source, path })),
    );
    return [...roots, ...more];
  }

  #disabled(): readonly string[] {
    const { formats } = this.#core.config.sources;
    return Object.entries(formats).flatMap(([name, { enabled }]) => (enabled ? [] : [name]));
  }

  #excludes(): ExcludeRule[] {
    const { clock, config } = this.#core;
    const at = { now: clock.now(), timeZone: config.timeZone };
    return config.sources.exclude.map(({ since, until, ...rule }) => ({
      ...rule,
      ...(since === undefined ? {} : { since: resolveTime(since, 'since', at) }),
      ...(until === undefined ? {} : { until: resolveTime(until, 'until', at) }),
    }));
  }
}

function checkLists({ sources, roots, exclude }: SyncOptions): void {
  for (const [name, list] of Object.entries({ sources, roots, exclude })) {
    if (list === undefined || Array.isArray(list)) continue;
    throw invalidArgument(`${name} is no list.`, `Give ${name} a list.`, { parameter: name });
  }
  for (const root of roots ?? []) checkObject(root, 'roots');
}

function unreadReport(found: { readonly source: string; readonly title: string; readonly root: string }): SourceReport {
  return { ...found, state: 'no_reader', files: {}, bytes: 0, sessions: 0, counts: {} };
}
