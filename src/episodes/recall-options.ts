// What recall and timeline may be asked, checked: nothing is clamped and nothing ignored (EPI-70, EPI-71, COM-2).
import { MEMORY_KINDS, type MemoryKind, OUTCOMES, type Outcome } from '../model/episode.ts';
import { BackstoryError, nearest, shownValue } from '../model/errors.ts';
import { resolveWindow, type TimeWindow } from '../model/time.ts';
import type { RecordFilter } from '../store/memory.ts';
import { MAX_QUERY_CHARS, type ParsedQuery, parseQuery } from '../text/index.ts';

/** The filters that recall and timeline share. */
export interface MatchOptions {
  readonly kind?: MemoryKind;
  /** At most 4 096 characters; blank is the same as absent. */
  readonly query?: string;
  /** Any of them. */
  readonly tags?: readonly string[];
  /** A time of COM-10, inclusive. */
  readonly since?: string;
  /** Exclusive. */
  readonly until?: string;
  /** A named period of COM-13, not together with since or until. */
  readonly period?: string;
  /** Of run records. */
  readonly outcome?: Outcome;
  readonly tool?: string;
  readonly threadId?: string;
}

export interface RecallOptions extends MatchOptions {
  /** 1 to 100. */
  readonly limit?: number;
  readonly collapse?: boolean;
  /** From the last answer, with the same other options. */
  readonly cursor?: string;
}

export const MAX_LIMIT = 100;
export const MAX_TAGS = 64;
const MATCH_NAMES: readonly (keyof MatchOptions)[] = [
  'kind',
  'query',
  'tags',
  'since',
  'until',
  'period',
  'outcome',
  'tool',
  'threadId',
];
const RECALL_NAMES: readonly string[] = [...MATCH_NAMES, 'limit', 'collapse', 'cursor'];

/** Throws `invalid_argument` naming option, value and what is allowed; returns them with a numeric `limit` (SUR-2). */
export function checkRecall(given: unknown): RecallOptions {
  const options = checkNames(given, RECALL_NAMES);
  checkMatch(options);
  const { limit, collapse, cursor } = options;
  const number = typeof limit === 'string' && /^-?\d{1,9}$/.test(limit.trim()) ? Number(limit) : limit;
  if (number !== undefined && !(Number.isInteger(number) && Number(number) >= 1 && Number(number) <= MAX_LIMIT)) {
    throw refused('limit', limit, `an integer from 1 to ${MAX_LIMIT}`);
  }
  if (collapse !== undefined && typeof collapse !== 'boolean') throw refused('collapse', collapse, 'true or false');
  if (cursor !== undefined && typeof cursor !== 'string') throw refused('cursor', cursor, 'a text');
  return { ...options, ...(number === undefined ? {} : { limit: number as number }) } as RecallOptions;
}

/** The same for the options of a timeline, which has `more` names of its own. */
export function checkTimeline(given: unknown, more: Readonly<Record<string, readonly string[]>>): MatchOptions {
  const options = checkNames(given, [...MATCH_NAMES, ...Object.keys(more)]);
  checkMatch(options);
  for (const [name, allowed] of Object.entries(more)) checkOneOf(name, options[name], allowed);
  return options as MatchOptions;
}

/** Query, window and filter of a checked request, against one instant (EPI-73). Throws `time_invalid`, `window_empty`, `query_empty`. */
export function readMatch(
  options: MatchOptions,
  at: { readonly now: number; readonly timeZone: string },
): { readonly window: TimeWindow; readonly filter: RecordFilter; readonly query: ParsedQuery | undefined } {
  const { kind, tags, outcome, tool, threadId, since, until, period } = options;
  const window = resolveWindow(defined({ since, until, period }), at);
  const filter = { now: at.now, ...window, ...defined({ kind, tags, outcome, tool, threadId }) };
  const typed = options.query?.trim() ?? '';
  return { window, filter, query: typed === '' ? undefined : parseQuery(typed, { mode: 'any' }) };
}

function checkMatch(options: Readonly<Record<string, unknown>>): void {
  const { query, tags } = options;
  checkOneOf('kind', options.kind, MEMORY_KINDS);
  checkOneOf('outcome', options.outcome, OUTCOMES);
  for (const name of ['since', 'until', 'period', 'tool', 'threadId']) checkText(name, options[name]);
  // The query itself is never named in an error (COM-20).
  if (query !== undefined && typeof query !== 'string') throw refused('query', `a ${typeof query}`, 'a text');
  if (typeof query === 'string' && query.length > MAX_QUERY_CHARS) {
    throw new BackstoryError(
      'query_too_long',
      `The query is ${query.length} characters long; at most ${MAX_QUERY_CHARS} are allowed.`,
      'Recall with fewer words, or with the rarest of them.',
      { details: { length: query.length, limit: MAX_QUERY_CHARS } },
    );
  }
  if (tags === undefined) return;
  const fits = Array.isArray(tags) && tags.length > 0 && tags.length <= MAX_TAGS;
  if (!fits || !tags.every((tag) => typeof tag === 'string' && tag !== '')) {
    throw refused('tags', tags, `a list of 1 to ${MAX_TAGS} texts`);
  }
}

function checkNames(given: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refused('options', given, `an object with ${known.join(', ')}`);
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    throw new BackstoryError(
      'invalid_argument',
      `There is no option ${JSON.stringify(name.slice(0, 80))}${near === undefined ? '.' : `: did you mean ${near}?`}`,
      `The options are: ${known.join(', ')}.`,
      { details: { parameter: name.slice(0, 80), ...(near === undefined ? {} : { nearest: near }) } },
    );
  }
  return given as Readonly<Record<string, unknown>>;
}

function checkOneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (value !== undefined && !allowed.includes(value as string))
    throw refused(name, value, `one of ${allowed.join(', ')}`);
}

function checkText(name: string, value: unknown): void {
  if (value !== undefined && (typeof value !== 'string' || value === '')) throw refused(name, value, 'a text');
}

export function refused(name: string, value: unknown, allowed: string): BackstoryError {
  return new BackstoryError(
    'invalid_argument',
    `${name} is ${shownValue(value, 80)}, and must be ${allowed}.`,
    `Give ${name} as ${allowed}, or leave it out.`,
    { details: { parameter: name, allowed } },
  );
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
