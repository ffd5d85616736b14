// Evidence for a turn from the files of one agent's run: the class a host holds. Which files, which rows, which order is
// decided below it; which engine keeps the index, above (run-files.md §6).

import type { Counters } from '../files/index.ts';
import type { Clock } from '../model/clock.ts';
import { BackstoryError } from '../model/errors.ts';
import {
  ChatRetrievalContext,
  checkedTopK,
  type RetrievalResult,
  type Retriever,
  type RunCoverage,
  type RunReason,
} from '../model/retrieval.ts';
import { digestOf } from './digest.ts';
import { comparedText } from './echo.ts';
import type { TurnPlace } from './evidence.ts';
import { LINE_ENDS } from './line-ends.ts';
import { type CheckedOptions, checkedOptions, invalid, type RetrieverOptions } from './options.ts';
import { prepared } from './prepare.ts';
import type { RefreshReport } from './refresh.ts';
import { type Refreshed, type RetrieverHost, RunFolderIndex } from './run-folder-index.ts';
import { type Found, searchRun } from './search.ts';
import { lackedBy, turnOf, turnPlaceOf } from './turn.ts';
import { type RunFilesLogger, Warnings, whatToDo } from './warnings.ts';

const MOST_SKIPPED = 20;

export class TextFilesRetriever implements Retriever {
  readonly #options: CheckedOptions;
  readonly #warnings: Warnings;
  readonly #index: RunFolderIndex;
  readonly #clock: Clock;
  #closed = false;

  /** Checks its arguments and does no I/O (RUN-26). Throws `invalid_argument`. */
  constructor(runFolder: string, agentName: string, options: RetrieverOptions, host: RetrieverHost) {
    this.#options = checkedOptions(runFolder, agentName, options);
    this.#warnings = new Warnings(this.#options.onWarning, this.#options.logger ?? toStandardError);
    this.#index = new RunFolderIndex(this.#options, host, this.#warnings);
    this.#clock = host.clock;
  }

  /**
   * Evidence for a turn. Reads what was written before the call first (RUN-70). Throws `episode_invalid`,
   * `invalid_argument` for a `topK` that is none, `closed`; rejects with the signal's reason when aborted.
   */
  async retrieve(
    query: string,
    given: ChatRetrievalContext,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<RetrievalResult> {
    this.#assertOpen('retrieve');
    const signal = checkedSignal(options);
    signal?.throwIfAborted();
    if (typeof query !== 'string') throw invalid('The query is no string', 'Give the turn as text.');
    // A plain object of the same fields is as good, once it is checked.
    const context = given instanceof ChatRetrievalContext ? given : new ChatRetrievalContext(given);
    const topK = checkedTopK(context.topK ?? this.#options.topK);
    const place = turnPlaceOf(context);
    // Checked here once more, whoever asks: one path that forgot it would be a leak (RUN-35).
    if (context.ownerId !== this.#options.agent || topK === 0) return { evidence: [], coverage: coverageOf() };
    return this.#index.use(() => this.#search(query, context, { place, topK, signal }));
  }

  /** Reads what was written since the last time, so that the next search has less to do. */
  async refresh(): Promise<void> {
    this.#assertOpen('refresh');
    await this.#index.use(() => this.#index.refresh());
  }

  /** What was looked at and read since the index was opened (FILE-25). */
  get counters(): Readonly<Counters> | undefined {
    return this.#index.counters;
  }

  /** Removes this retriever's index; the next search makes it again (RUN-31). */
  async deleteIndex(): Promise<void> {
    this.#assertOpen('deleteIndex');
    await this.#index.delete();
  }

  /** Lets go of the index when the run folder is this one; it is opened again when next needed. */
  async releaseIf(runFolder: string): Promise<void> {
    if (!this.#closed) await this.#index.releaseIf(runFolder);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#index.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(method: string): void {
    if (!this.#closed) return;
    throw new BackstoryError('closed', `The retriever was closed before ${method}().`, 'Make a new one.');
  }

  async #search(
    query: string,
    context: ChatRetrievalContext,
    { place, topK, signal }: { place: TurnPlace; topK: number; signal: AbortSignal | undefined },
  ): Promise<RetrievalResult> {
    const refreshed = await unlessAborted(this.#index.refresh(), signal);
    if (refreshed === 'no_run_folder') return { evidence: [], coverage: coverageOf({ reasons: ['no_run_folder'] }) };
    const { scope } = this.#options;
    const turn = turnOf(scope, place);
    const answer = await this.#index.read(async (reading) => {
      const options = { visible: reading.visible(turn), topK, echo: this.#echoOf(context), clock: this.#clock, signal };
      return { found: await searchRun(reading, query, options), unclaimed: reading.unclaimed(turn) };
    });
    signal?.throwIfAborted();
    for (const file of answer?.unclaimed ?? []) this.#warnings.give('no_conversation_field', file);
    const report = this.#reportOf(refreshed);
    return {
      evidence: answer?.found.evidence ?? [],
      coverage: coverageOf({
        ...(answer === undefined ? {} : { found: answer.found }),
        ...(report === undefined ? {} : { report }),
        unclaimed: answer?.unclaimed ?? [],
        reasons: [
          ...(refreshed === 'index_busy' ? (['index_busy'] as const) : []),
          ...lackedBy(scope, place, report?.recordFiles ?? false),
        ],
      }),
    };
  }

  #reportOf(refreshed: Exclude<Refreshed, 'no_run_folder'>): RefreshReport | undefined {
    return refreshed === 'index_busy' ? this.#index.last : refreshed;
  }

  // What is told in a record is compared as it stands there: masked (RUN-65). A record of our writer has a line feed for
  // every line end (RUN-7); another logger's may hold them as they are, which the sanitizer shows as spaces.
  #echoOf({ turnMessage }: ChatRetrievalContext): readonly bigint[] | undefined {
    const { interpreter, masker } = this.#options;
    const { salt } = this.#index;
    if (interpreter === undefined || turnMessage === undefined || salt === undefined) return undefined;
    const digests = new Set<bigint>();
    for (const form of new Set([turnMessage, turnMessage.replace(LINE_ENDS, '\n')])) {
      const masked = prepared(masker, form);
      if (masked !== undefined) digests.add(digestOf(salt, 'told', comparedText(masked)));
    }
    return digests.size === 0 ? undefined : [...digests];
  }
}

interface CoverageParts {
  readonly found?: Found;
  readonly report?: RefreshReport;
  readonly unclaimed?: readonly string[];
  readonly reasons?: readonly RunReason[];
}

function coverageOf({ found, report, unclaimed = [], reasons = [] }: CoverageParts = {}): RunCoverage {
  const skipped = [
    ...(report?.skipped ?? []).map(({ what, reason }) => ({ what, reason })),
    ...unclaimed.map((what) => ({ what, reason: 'no_conversation_field' })),
  ];
  const files = report?.files ?? 0;
  return {
    complete: reasons.length === 0 && skipped.length === 0,
    truncated: found?.more ? 'limit' : false,
    ranked: { considered: found?.considered ?? 0, complete: found?.complete ?? true },
    ...(found && found.dropped.length > 0
      ? { query: { dropped: found.dropped.slice(0, MOST_SKIPPED), relaxed: false } }
      : {}),
    indexing: { done: files, total: files },
    skipped: skipped.slice(0, MOST_SKIPPED),
    skippedTotal: skipped.length,
    warnings: (report?.skipped ?? []).flatMap(({ what, detail }) =>
      detail === undefined ? [] : [`${what} could not be read (${detail}). ${whatToDo(detail)}`],
    ),
    files,
    reasons,
  };
}

function checkedSignal(options: { readonly signal?: AbortSignal } | null): AbortSignal | undefined {
  const signal = options?.signal ?? undefined;
  if (signal === undefined || (typeof signal.throwIfAborted === 'function' && 'aborted' in signal)) return signal;
  throw invalid('The signal is no AbortSignal', 'Give the signal of an AbortController, or leave it out.');
}

// A refresh is shared by all who wait for it: one who gives up ends only its own waiting.
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}

const toStandardError: RunFilesLogger = {
  warn: (text) => void process.stderr.write(`backstory: ${text}\n`),
};
