// The face for run files: retrievers that are bound to the SQLite index, with or without an engine around them (RUN-26).
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { readConfig } from '../config/index.ts';
import { systemClock } from '../model/clock.ts';
import { BackstoryError, shownValue } from '../model/errors.ts';
import { ChatRetrievalContext, type RetrievalResult } from '../model/retrieval.ts';
import { Masker } from '../redact/masker.ts';
import { type RetrieverBuilder, retrieverBuilder } from '../runs/builder.ts';
import type { RetrieverOptions } from '../runs/options.ts';
import { TextFilesRetriever } from '../runs/retriever.ts';
import type { RetrieverHost } from '../runs/run-folder-index.ts';
import type { RunScope } from '../runs/scope.ts';
import { checkObject, invalidArgument } from '../sessions/page-checks.ts';
import { sqliteRunIndexes } from '../store/sqlite/run-home.ts';
import type { EngineCore } from './core.ts';

/**
 * Evidence for a turn from the files that an agent's run leaves behind: found by words, isolated by episode and
 * conversation, masked before anything is cut or indexed (run-files.md). Construction does no I/O.
 */
export class IncrementalTextFilesRetriever extends TextFilesRetriever {
  /** `host`: the engine's, where there is one. */
  constructor(runFolder: string, agentName: string, options: RetrieverOptions = {}, host: RetrieverHost = STANDALONE) {
    super(runFolder, agentName, options, host);
  }

  /** One method per option, then `build()`. */
  static builder(runFolder: string, agentName: string): RetrieverBuilder<IncrementalTextFilesRetriever> {
    return retrieverBuilder((options) => new IncrementalTextFilesRetriever(runFolder, agentName, options));
  }
}

const STANDALONE: RetrieverHost = {
  indexes: sqliteRunIndexes,
  clock: systemClock,
  busyTimeoutMs: 5_000,
  home: () => readConfig({ env: process.env, home: homedir() }).home,
};

export interface RunsFace {
  /** A retriever with the engine's home and clock; closed with the engine at the latest (run-files.md §6). */
  retriever(runFolder: string, agentName: string, options?: RetrieverOptions): IncrementalTextFilesRetriever;
  /** One search, as the command line and HTTP make it (RUN-74, RUN-77). Throws `not_found`, `invalid_argument`. */
  search(params: RunSearchParams, options?: RunSearchOptions): Promise<RetrievalResult>;
  /** Removes every index of a run folder; its files are never touched (RUN-31). */
  erase(runFolder: string): Promise<{ readonly indexes: number }>;
}

export interface RunSearchParams {
  readonly folder: string;
  readonly agent: string;
  readonly query: string;
  readonly episode?: number;
  readonly conversation?: string;
  readonly scope?: RunScope;
  /** Default 10. */
  readonly topK?: number;
  /** `Masker.hidingOutside(folder)`. */
  readonly mask?: boolean;
}

export interface RunSearchOptions {
  readonly signal?: AbortSignal;
  /** Also folders outside the setting `runs.folders`: the command line's and the host's choice alone. */
  readonly anyFolder?: boolean;
}

const TOP_K = 10;

export class Runs {
  readonly #core: EngineCore;
  readonly #open = new Set<WeakRef<IncrementalTextFilesRetriever>>();

  constructor(core: EngineCore) {
    this.#core = core;
  }

  face(): RunsFace {
    return {
      retriever: (...given) => this.retriever(...given),
      search: (...given) => this.search(...given),
      erase: (...given) => this.erase(...given),
    };
  }

  retriever(runFolder: string, agentName: string, options: RetrieverOptions = {}): IncrementalTextFilesRetriever {
    this.#core.assertOpen('runs.retriever');
    const retriever = this.#make(runFolder, agentName, options);
    // A host that makes one for each turn keeps none of them, and neither do we.
    for (const one of this.#open) if (one.deref() === undefined) this.#open.delete(one);
    this.#open.add(new WeakRef(retriever));
    return retriever;
  }

  #make(runFolder: string, agentName: string, options: RetrieverOptions): IncrementalTextFilesRetriever {
    const { clock, config } = this.#core;
    const host: RetrieverHost = { ...STANDALONE, clock, busyTimeoutMs: config.busyTimeoutMs, home: () => config.home };
    return new IncrementalTextFilesRetriever(runFolder, agentName, options, host);
  }

  async search(params: RunSearchParams, options: RunSearchOptions = {}): Promise<RetrievalResult> {
    this.#core.assertOpen('runs.search');
    checkObject(params);
    for (const name of ['folder', 'agent', 'query'] as const) checkPresent(name, params[name]);
    const { folder, agent, query, episode, conversation, scope, topK = TOP_K, mask = false } = params;
    if (!options.anyFolder && !isBelowAny(folder, this.#core.config.runs.folders)) throw notFound(folder);
    const retriever = this.#make(folder, agent, {
      scope,
      logger: { warn: () => undefined },
      ...(mask ? { masker: Masker.hidingOutside(folder) } : {}),
    });
    const context = new ChatRetrievalContext({
      ownerId: agent,
      conversationId: conversation,
      topK,
      metadataFilters:
        episode === undefined ? {} : { [ChatRetrievalContext.CURRENT_EPISODE_FILTER]: `episode-${episode}` },
    });
    try {
      return await retriever.retrieve(query, context, options.signal === undefined ? {} : { signal: options.signal });
    } finally {
      await retriever.close();
    }
  }

  async erase(runFolder: string): Promise<{ readonly indexes: number }> {
    this.#core.assertOpen('runs.erase');
    checkPresent('runFolder', runFolder);
    const folder = realpathOf(runFolder) ?? runFolder;
    for (const one of this.#open) await one.deref()?.releaseIf(folder);
    return { indexes: sqliteRunIndexes.eraseOf(join(this.#core.config.home, 'runs'), folder) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((one) => one.deref()?.close()));
  }
}

function checkPresent(name: string, value: unknown): void {
  if (typeof value === 'string') return;
  throw invalidArgument(`${name} is ${shownValue(value, 80)}, not a text.`, `Give ${name} a text.`, {
    parameter: name,
  });
}

// Links are resolved first: what lies elsewhere is not below, whatever its path looks like.
function isBelowAny(folder: string, allowed: readonly string[]): boolean {
  const real = realpathOf(folder);
  if (real === undefined) return false;
  return allowed.some((one) => {
    const root = realpathOf(one);
    return root !== undefined && (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
  });
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

// One answer for what does not exist and for what is not listed: neither tells of the other.
function notFound(folder: string): BackstoryError {
  return new BackstoryError(
    'not_found',
    `There is no run folder ${JSON.stringify(folder.slice(0, 200))} to search.`,
    'Run folders are searched below the folders of the setting runs.folders.',
  );
}
