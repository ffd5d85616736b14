// What recording did and did not do in this process, as numbers; and the one line of log for the first failure
// (EPI-52, EPI-53). Never throws: what a host's callback throws is ignored.
import type { RecordingFailure } from '../config/index.ts';
import { isBackstoryError } from '../model/errors.ts';
import { formatInstant } from '../model/time.ts';

/** Why nothing was recorded (EPI-30). */
export const SKIP_REASONS = [
  'ended',
  'parked',
  'disabled',
  'no_scope',
  'writes_off',
  'excluded',
  'erased',
  'expired',
  'conflict',
  'duplicate',
  'over_cap',
  'queued',
  'lost',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export type RecordResult =
  | { readonly recorded: true; readonly id: string }
  | { readonly recorded: false; readonly reason: SkipReason; readonly id?: string };

export interface RecorderHealth {
  readonly recorded: number;
  readonly duplicates: number;
  readonly conflicts: number;
  /** By reason, without those that have a number of their own. */
  readonly skipped: { readonly [reason in SkipReason]?: number };
  /** Writes that failed, each retry counted. */
  readonly failed: number;
  /** Waiting in memory at this moment. */
  readonly queued: number;
  readonly lost: number;
  /** Texts in which a value was hidden. */
  readonly masked: number;
  readonly parked: number;
  /** Bad values that were left out. */
  readonly dropped: number;
  readonly lastRecordedAt?: string;
  readonly lastFailure?: { readonly at: string; readonly code: string; readonly message: string };
}

/** Where a line for people goes; the machine's standard error unless the host gives its own. */
export interface Logger {
  warn(message: string): void;
}

/** Counters by name, as they are kept in the store too. */
export const COUNTERS = [
  'recorded',
  'duplicates',
  'conflicts',
  'failed',
  'lost',
  'masked',
  'parked',
  'dropped',
] as const;
type Counter = (typeof COUNTERS)[number];
const SKIPPED = 'skipped.';

const toldBy = new WeakMap<Logger, Set<string>>();

/** Once per process and logger. */
export function warnOnce(logger: Logger, topic: string, message: string): void {
  const told = toldBy.get(logger) ?? new Set();
  toldBy.set(logger, told);
  if (told.has(topic)) return;
  told.add(topic);
  try {
    logger.warn(message);
  } catch {
    // A logger that fails must not fail a run.
  }
}

export class Health {
  readonly #counts = new Map<string, number>();
  /** Not yet added to the store. */
  readonly #unsaved = new Map<string, number>();
  readonly #logger: Logger;
  readonly #onError: ((failure: RecordingFailure) => void) | undefined;
  #lastRecordedAt: number | undefined;
  #lastFailure: { readonly at: string; readonly code: string; readonly message: string } | undefined;
  #failureSaved = true;

  constructor(logger: Logger, onError?: (failure: RecordingFailure) => void) {
    this.#logger = logger;
    this.#onError = onError;
  }

  add(name: Counter, n = 1): void {
    this.#add(name, n);
  }

  skipped(reason: SkipReason): void {
    const name = counterOf({ recorded: false, reason });
    if (name !== undefined) this.#add(name, 1);
  }

  recorded(at: number): void {
    this.#add('recorded', 1);
    this.#lastRecordedAt = Math.max(at, this.#lastRecordedAt ?? at);
  }

  failure(error: unknown, now: number, about: { readonly namespace?: string; readonly runId?: string } = {}): void {
    this.#add('failed', 1);
    const { code, message } = describe(error);
    const at = formatInstant(now);
    this.#lastFailure = { at, code, message };
    this.#failureSaved = false;
    const first = `backstory: episode recording failed (later failures are counted, not logged): ${code} ${message}`;
    warnOnce(this.#logger, 'recording', first);
    try {
      const told: unknown = this.#onError?.({ code, message, at, ...about });
      // A callback that is async by mistake must not end the process either.
      if (told instanceof Promise) told.catch(() => undefined);
    } catch {
      // The host's own: ignored.
    }
  }

  /** What the store does not have yet; `saved` tells that it has. */
  takeUnsaved(): { readonly counters: Record<string, number>; readonly lastFailure?: string } {
    const counters = Object.fromEntries(this.#unsaved);
    return { counters, ...(this.#failureSaved ? {} : { lastFailure: JSON.stringify(this.#lastFailure) }) };
  }

  saved(counters: Readonly<Record<string, number>>): void {
    for (const [name, n] of Object.entries(counters)) {
      const left = (this.#unsaved.get(name) ?? 0) - n;
      if (left === 0) this.#unsaved.delete(name);
      else this.#unsaved.set(name, left);
    }
    this.#failureSaved = true;
  }

  report(queued: number): RecorderHealth {
    return reportOf(Object.fromEntries(this.#counts), {
      queued,
      ...(this.#lastRecordedAt === undefined ? {} : { lastRecordedAt: formatInstant(this.#lastRecordedAt) }),
      ...(this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure }),
    });
  }

  #add(name: string, n: number): void {
    if (n === 0) return;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
    this.#unsaved.set(name, (this.#unsaved.get(name) ?? 0) + n);
  }
}

/** Which counter a result raises. A queued one raises what it becomes; a lost one is counted where it is lost. */
export function counterOf(result: RecordResult): string | undefined {
  if (result.recorded) return 'recorded';
  const { reason } = result;
  if (reason === 'queued' || reason === 'lost') return undefined;
  return OWN[reason] ?? `${SKIPPED}${reason}`;
}

const OWN: { readonly [reason in SkipReason]?: Counter } = {
  duplicate: 'duplicates',
  conflict: 'conflicts',
  parked: 'parked',
};

/** The same shape from counters of one process, or of all. */
export function reportOf(
  counters: Readonly<Record<string, number>>,
  more: Pick<RecorderHealth, 'queued' | 'lastRecordedAt' | 'lastFailure'>,
): RecorderHealth {
  const of = (name: Counter): number => counters[name] ?? 0;
  const skipped = Object.entries(counters).filter(([name, n]) => name.startsWith(SKIPPED) && n > 0);
  return {
    recorded: of('recorded'),
    duplicates: of('duplicates'),
    conflicts: of('conflicts'),
    skipped: Object.fromEntries(skipped.map(([name, n]) => [name.slice(SKIPPED.length), n])),
    failed: of('failed'),
    lost: of('lost'),
    masked: of('masked'),
    parked: of('parked'),
    dropped: of('dropped'),
    ...more,
  };
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (isBackstoryError(error)) return { code: error.code, message: error.message };
  // An error from elsewhere may hold recorded text: only its class is said (EPI, Errors: no error carries recorded text).
  return { code: 'internal', message: error instanceof Error ? error.name : 'unknown error' };
}
