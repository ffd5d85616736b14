// A run folder on disk, a home and a clock for tests: lines as the cases write them, requests as they name them.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { IncrementalTextFilesRetriever } from '../../src/engine/runs.ts';
import type { Clock } from '../../src/model/clock.ts';
import { ChatRetrievalContext, type RetrievalResult } from '../../src/model/retrieval.ts';
import type { RetrieverOptions } from '../../src/runs/options.ts';
import type { RetrieverHost } from '../../src/runs/run-folder-index.ts';
import type { RunFilesWarning } from '../../src/runs/warnings.ts';
import { sqliteRunIndexes } from '../../src/store/sqlite/run-home.ts';

export const AGENT = 'Alice';

/** `h(c, m)`: a history line. */
export function h(conversation: string, message: string, time = '18:00:00'): string {
  return `2026-10-21 ${time} [running] [${conversation}] ${AGENT} ${message}\n`;
}

/** `l(L, c, m)`: a log line, its level padded to 5. */
export function l(level: string, conversation: string, message: string): string {
  return `2026-10-21 18:00:00 ${level.padEnd(5)} [running] [${conversation}] ${AGENT} ${message}\n`;
}

/** `old(m)`: without its conversation field. */
export function old(message: string): string {
  return `2026-10-21 18:00:00 [running] ${AGENT} ${message}\n`;
}

export interface Request {
  readonly episode?: number | undefined;
  readonly conversation?: string | undefined;
  readonly turn?: string;
  readonly topK?: number;
  readonly owner?: string;
}

/** `R(e, c)`. */
export function R(episode?: number, conversation?: string, more: Request = {}): ChatRetrievalContext {
  return new ChatRetrievalContext({
    ownerId: more.owner ?? AGENT,
    conversationId: conversation,
    turnMessage: more.turn,
    topK: more.topK ?? 50,
    metadataFilters:
      episode === undefined ? {} : { [ChatRetrievalContext.CURRENT_EPISODE_FILTER]: `episode-${episode}` },
  });
}

export class World {
  readonly folder: string;
  readonly home: string;
  readonly warnings: RunFilesWarning[] = [];
  /** Added to the wall clock. */
  ahead = 0;
  frozen: number | undefined;
  readonly #root: string;
  readonly #retrievers: IncrementalTextFilesRetriever[] = [];

  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), 'backstory-runs-'));
    this.folder = join(this.#root, 'run');
    this.home = join(this.#root, 'home');
    mkdirSync(this.folder);
  }

  get clock(): Clock {
    return { now: () => (this.frozen ?? Date.now()) + this.ahead, elapsed: () => performance.now() };
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  outside(name: string): string {
    return join(this.#root, name);
  }

  write(file: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), text);
  }

  append(file: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(file)), { recursive: true });
    appendFileSync(this.path(file), text);
  }

  /** In memory unless `index` says otherwise; warnings are collected. */
  retriever(
    options: RetrieverOptions = {},
    more: Partial<RetrieverHost> & { readonly agent?: string; readonly folder?: string } = {},
  ): IncrementalTextFilesRetriever {
    const { agent = AGENT, folder = this.folder, ...host } = more;
    const retriever = new IncrementalTextFilesRetriever(
      folder,
      agent,
      {
        index: 'memory',
        home: this.home,
        logger: { warn: () => undefined },
        onWarning: (warning) => void this.warnings.push(warning),
        ...options,
      },
      { indexes: sqliteRunIndexes, clock: this.clock, busyTimeoutMs: 5_000, home: () => this.home, ...host },
    );
    this.#retrievers.push(retriever);
    return retriever;
  }

  codes(): string[] {
    return this.warnings.map(({ code }) => code);
  }

  async close(): Promise<void> {
    for (const retriever of this.#retrievers) await retriever.close();
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** The texts of an answer, in order. */
export function texts(result: RetrievalResult): string[] {
  return result.evidence.map(({ text }) => text);
}
