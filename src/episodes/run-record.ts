// The record of a run that ended: pure, from what the run was and how it ended (EPI-6 … EPI-9, EPI-163).
import { cutText, type JsonObject, type MemoryRecord, type Outcome, RECORD_BOUNDS } from '../model/episode.ts';
import { formatInstant } from '../model/time.ts';
import type { Redactor } from './record-text.ts';
import type { RunState } from './run-state.ts';

export interface RunEnd {
  readonly outcome: Outcome;
  readonly error?: unknown;
  readonly reason?: string;
}

/** `endedAt`: wall time of the end, ms. `ttlMs` null: for ever. The write sets `createdAt` and `updatedAt` anew. */
export function runRecord(
  namespace: string,
  run: RunState,
  end: RunEnd,
  endedAt: number,
  ttlMs: number | null,
  redact: Redactor,
): MemoryRecord {
  const { facts } = run;
  const measures = run.measures();
  // A record is never dated after its own write: a start beyond the end is another clock's (EPI-163).
  const skew = Math.max(0, facts.startedAt - endedAt);
  const at = facts.startedAt - skew;
  const started = formatInstant(at);
  const data: JsonObject = {
    input: facts.input,
    outcome: end.outcome,
    toolsUsed: measures.tools,
    durationMs: measures.durationMs,
    ...(facts.threadId === undefined ? {} : { threadId: facts.threadId }),
    ...(facts.runId === undefined ? {} : { runId: facts.runId }),
    ...(measures.failed.length === 0 ? {} : { toolsFailed: measures.failed }),
    ...(end.outcome === 'error' ? errorFields(end.error, redact) : {}),
    ...(end.reason === undefined ? {} : { cancelReason: redact.text(oneLine(end.reason), RECORD_BOUNDS.cancelReason) }),
    ...(measures.parkedMs === undefined ? {} : { parkedMs: measures.parkedMs }),
    ...(facts.attempt === undefined || facts.attempt <= 1 ? {} : { attempt: facts.attempt }),
    ...(facts.parentRunId === undefined ? {} : { parentRunId: facts.parentRunId }),
    ...(skew === 0 ? {} : { clockSkewMs: skew }),
    ...(measures.toolsOmitted === 0 ? {} : { toolsOmitted: measures.toolsOmitted }),
  };
  const count = measures.tools.length + measures.toolsOmitted;
  const tools = `${count} ${count === 1 ? 'tool' : 'tools'}`;
  const written = formatInstant(endedAt);
  return {
    id: facts.id,
    namespace,
    kind: 'episodic',
    status: 'active',
    content: `run ${end.outcome}: ${facts.summary || '(no input)'} (${tools}, ${seconds(measures.durationMs)}s)`,
    data,
    source: { type: 'run', id: facts.runId ?? facts.threadId ?? started },
    confidence: 1,
    tags: [],
    createdAt: written,
    updatedAt: written,
    effectiveAt: started,
    ...(ttlMs === null ? {} : { expiresAt: formatInstant(at + ttlMs) }),
  };
}

/** Runs of white space, line separators and control characters become one space; trimmed (EPI-8). */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** For the content, from a redacted input. */
export function summaryOf(input: string): string {
  return cutText(oneLine(input), RECORD_BOUNDS.summary);
}

// One decimal, half up. In whole tenths: 1450 / 1000 is 1.45, which toFixed(1) would round down.
function seconds(ms: number): string {
  const tenths = Math.floor(ms / 100 + 0.5);
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}

function errorFields(error: unknown, redact: Redactor): JsonObject {
  const { name, message } = described(error);
  return {
    errorClass: redact.text(oneLine(name), RECORD_BOUNDS.errorClass),
    errorMessage: cutText(oneLine(redact.text(message)), RECORD_BOUNDS.errorMessage),
  };
}

// Getters of a hostile error may throw.
function described(error: unknown): { readonly name: string; readonly message: string } {
  try {
    // By shape: an error of another realm is one too.
    if (error instanceof Error || Object.prototype.toString.call(error) === '[object Error]') {
      const { name, message } = error as Error;
      return { name: String(name) || 'Error', message: String(message) };
    }
    return { name: 'NonError', message: String(error) };
  } catch {
    return { name: 'NonError', message: '[unreadable error]' };
  }
}
