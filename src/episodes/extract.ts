// Summaries and insights without a model: the same text for the same records (EPI-140, EPI-146, EPI-148). Pure.
import { cutText, eventTimeOf, type JsonValue, type MemoryRecord, RECORD_BOUNDS } from '../model/episode.ts';
import { offsetAt } from '../model/time.ts';

/** What a summary or a reflection is made from, oldest first. */
export type Extracted = Pick<MemoryRecord, 'content' | 'data' | 'source' | 'kind' | 'effectiveAt' | 'createdAt'>;

/** `[since, until)` in ms. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

const MOST_TOOLS = 5;
const MOST_INPUTS = 5;
const MOST_EVENTS = 5;
const MOST_ERRORS = 3;
/** Characters of one quoted input, content or message. */
const QUOTED = 120;

/**
 * `5 runs 2026-08-03..2026-08-09: 3 ok, 2 error, 0 cancelled. Tools: deploy×4. Most frequent: "deploy api" ×3. Errors:
 * TimeoutError: "no answer" ×2. Events: "refunded" ×1.` By count, then first seen; names are verbatim.
 */
export function summaryOf(records: readonly Extracted[], period: Period, timeZone: string): string {
  const runs = records.filter(isRun);
  const events = records.filter((record) => !isRun(record));
  const days = `${dayOf(period.since, timeZone)}..${dayOf(period.until - 1, timeZone)}`;
  const { ok, error, cancelled } = outcomesOf(records);
  const parts = [
    runs.length === 0
      ? `${counted(events.length, 'event')} ${days}.`
      : `${counted(runs.length, 'run')} ${days}: ${ok} ok, ${error} error, ${cancelled} cancelled.`,
    listed('Tools', toolsOf(runs).slice(0, MOST_TOOLS), ({ value, count }) => `${value}×${count}`),
    listed('Most frequent', ranked(runs.map(inputOf)).slice(0, MOST_INPUTS), quotedCount),
    listed('Errors', ranked(runs.map(errorOf)).slice(0, MOST_ERRORS), ({ value, count }) => `${value} ×${count}`),
    listed('Events', ranked(events.map(({ content }) => content)).slice(0, MOST_EVENTS), quotedCount),
  ];
  return cutText(parts.filter((part) => part !== '').join(' '), RECORD_BOUNDS.content);
}

/** How the runs among the records ended. */
export function outcomesOf(records: readonly Extracted[]): { ok: number; error: number; cancelled: number } {
  const counts = { ok: 0, error: 0, cancelled: 0 };
  for (const { data } of records.filter(isRun)) {
    if (data.outcome === 'ok' || data.outcome === 'error' || data.outcome === 'cancelled') counts[data.outcome]++;
  }
  return counts;
}

export interface Counted {
  readonly value: string;
  readonly count: number;
}

/** Names of tools with how many runs used each, by count, then first seen. */
export function toolsOf(records: readonly Extracted[]): Counted[] {
  return ranked(records.filter(isRun).flatMap(toolNames));
}

export interface Insight {
  readonly content: string;
  readonly confidence?: number;
}

const MIN_RUNS = 3;
const MOST_INSIGHTS = 5;

/** What failed in at least half of at least three runs, by input and by tool, most failures first (EPI-148). */
export function insightsOf(records: readonly Extracted[]): Insight[] {
  const groups = new Map<string, Group>();
  for (const record of records.filter(isRun)) {
    const input = inputOf(record);
    const names = toolNames(record).map((name) => `Tool "${cutText(oneLine(name), QUOTED)}"`);
    for (const subject of [...(input === undefined ? [] : [`"${cutText(input, QUOTED)}"`]), ...new Set(names)]) {
      const group = groups.get(subject) ?? { subject, runs: 0, failed: 0, lastAt: Number.NEGATIVE_INFINITY, last: '' };
      groups.set(subject, withRun(group, record));
    }
  }
  return [...groups.values()]
    .filter(({ runs, failed }) => runs >= MIN_RUNS && failed * 2 >= runs)
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MOST_INSIGHTS)
    .map(({ subject, runs, failed, last }) => {
      return { content: `${subject}: ${failed} of ${runs} runs failed${last === '' ? '' : `, last ${last}`}.` };
    });
}

interface Group {
  readonly subject: string;
  readonly runs: number;
  readonly failed: number;
  readonly lastAt: number;
  readonly last: string;
}

function withRun(group: Group, record: Extracted): Group {
  const runs = group.runs + 1;
  if (record.data.outcome !== 'error') return { ...group, runs };
  const at = eventTimeOf(record);
  const newer = at >= group.lastAt ? { lastAt: at, last: errorOf(record) ?? '' } : {};
  return { ...group, runs, failed: group.failed + 1, ...newer };
}

function isRun({ kind, source }: Extracted): boolean {
  return kind === 'episodic' && source.type === 'run';
}

function inputOf({ data }: Extracted): string | undefined {
  const input = typeof data.input === 'string' ? oneLine(data.input) : '';
  return input === '' ? undefined : input;
}

function toolNames({ data }: Extracted): string[] {
  const isText = (value: JsonValue): value is string => typeof value === 'string';
  return Array.isArray(data.toolsUsed) ? (data.toolsUsed as readonly JsonValue[]).filter(isText) : [];
}

function errorOf({ data }: Extracted): string | undefined {
  const { errorClass, errorMessage } = data;
  if (typeof errorClass !== 'string') return undefined;
  return typeof errorMessage === 'string' ? `${errorClass}: "${cutText(oneLine(errorMessage), QUOTED)}"` : errorClass;
}

function ranked(values: readonly (string | undefined)[]): Counted[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  // A sort keeps the order of insertion among equals: first seen first.
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

function listed(name: string, values: readonly Counted[], show: (one: Counted) => string): string {
  return values.length === 0 ? '' : `${name}: ${values.map(show).join(', ')}.`;
}

function quotedCount({ value, count }: Counted): string {
  return `"${cutText(oneLine(value), QUOTED)}" ×${count}`;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function oneLine(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
}

function dayOf(at: number, timeZone: string): string {
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 10);
}
