// The face for run files: retrievers that are bound to the SQLite index, with or without an engine around them (RUN-26).
import { homedir } from 'node:os';
import { readConfig } from '../config/index.ts';
import { systemClock } from '../model/clock.ts';
import { type RetrieverBuilder, retrieverBuilder } from '../runs/builder.ts';
import type { RetrieverOptions } from '../runs/options.ts';
import { TextFilesRetriever } from '../runs/retriever.ts';
import type { RetrieverHost } from '../runs/run-folder-index.ts';
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
}

export class Runs {
  readonly #core: EngineCore;
  readonly #open = new Set<WeakRef<IncrementalTextFilesRetriever>>();

  constructor(core: EngineCore) {
    this.#core = core;
  }

  face(): RunsFace {
    return { retriever: (...given) => this.retriever(...given) };
  }

  retriever(runFolder: string, agentName: string, options: RetrieverOptions = {}): IncrementalTextFilesRetriever {
    this.#core.assertOpen('runs.retriever');
    const { clock, config } = this.#core;
    const host: RetrieverHost = { ...STANDALONE, clock, busyTimeoutMs: config.busyTimeoutMs, home: () => config.home };
    const retriever = new IncrementalTextFilesRetriever(runFolder, agentName, options, host);
    this.#open.add(new WeakRef(retriever));
    return retriever;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((one) => one.deref()?.close()));
  }
}
