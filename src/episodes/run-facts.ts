// What a host says of a run, checked: a bad optional value is left out and counted, never an error (EPI-50).
import type { Clock, NewId } from '../model/clock.ts';
import { RECORD_BOUNDS } from '../model/episode.ts';
import { runRecordId, storedId } from '../model/episode-ids.ts';
import { resolveTime } from '../model/time.ts';
import type { Redactor } from './record-text.ts';
import { inputText } from './run-messages.ts';
import { summaryOf } from './run-record.ts';
import type { RunFacts } from './run-state.ts';

export interface RunInit {
  /** A text, messages, or anything: taken now, so that a run that fails still has it. */
  readonly input?: unknown;
  readonly runId?: string;
  readonly threadId?: string;
  /** From 1; a retried run passes 2 and gets its own record. */
  readonly attempt?: number;
  readonly parentRunId?: string;
  /** Default: now. */
  readonly startedAt?: Date | string;
  readonly signal?: AbortSignal;
  readonly parkedWhen?: (valueOrError: unknown) => boolean;
}

export interface FactsContext {
  /** Undefined: unavailable, nothing will be written. */
  readonly namespace: string | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timeZone: string;
  readonly redact: Redactor;
  readonly dropped: () => void;
}

/** `input: false`: nothing will be recorded, so what was asked is not even looked at. */
export function factsOf(init: RunInit, context: FactsContext, input: boolean): RunFacts {
  const { clock, namespace, newId, redact, dropped } = context;
  const idOf = (name: 'runId' | 'threadId' | 'parentRunId'): string | undefined => {
    const value: unknown = take(init, name, dropped);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    dropped();
    return undefined;
  };
  const runId = idOf('runId');
  const threadId = idOf('threadId');
  const parentRunId = idOf('parentRunId');
  const attempt = attemptOf(take(init, 'attempt', dropped), dropped);
  const asked = input ? take(init, 'input', dropped) : undefined;
  const said = inputText(asked);
  const text = redact.text(typeof asked === 'object' ? redact.keys(said) : said);
  // A run id that is the thread's names the thread, and every turn of it would be the same record (EPI-39).
  const named = runId !== undefined && runId !== threadId && namespace !== undefined;
  return {
    id: named ? runRecordId(namespace, runId, attempt ?? 1) : `ep_${newId()}`,
    input: redact.cut(text, RECORD_BOUNDS.input),
    summary: summaryOf(text),
    startedAt: startOf(take(init, 'startedAt', dropped), context) ?? clock.now(),
    ...(runId === undefined ? {} : { runId: storedId(redact.text(runId)) }),
    ...(threadId === undefined ? {} : { threadId: storedId(redact.text(threadId)) }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(parentRunId === undefined ? {} : { parentRunId: storedId(redact.text(parentRunId)) }),
  };
}

// Reading a property of what a host gave may run its code.
export function take<Name extends keyof RunInit>(
  init: RunInit,
  name: Name,
  dropped: () => void,
): RunInit[Name] | undefined {
  try {
    return init?.[name];
  } catch {
    dropped();
    return undefined;
  }
}

function attemptOf(value: unknown, dropped: () => void): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  dropped();
  return undefined;
}

function startOf(value: unknown, { clock, timeZone, dropped }: FactsContext): number | undefined {
  if (value === undefined || value === null) return undefined;
  try {
    const at = { now: clock.now(), timeZone };
    if (typeof value === 'string') return resolveTime(value, 'startedAt', at);
    // A Date of another realm is one too. Read through its text: an instant outside the years 0001 to 9999, or none, is
    // refused as any time is (COM-10); one record of the year -1 would end every timeline of its namespace.
    if (Object.prototype.toString.call(value) === '[object Date]')
      return resolveTime((value as Date).toISOString(), 'startedAt', at);
  } catch {
    // Counted below.
  }
  dropped();
  return undefined;
}
