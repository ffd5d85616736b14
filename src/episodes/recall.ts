// Recall: what a namespace's records say about a time and some words, and what was not looked at (EPI-70 … EPI-86).
// Reads only active, unexpired records of exactly the context's namespace; renders nothing.
import type { Clock } from '../model/clock.ts';
import type { Coverage } from '../model/coverage.ts';
import type { MemoryRecord } from '../model/episode.ts';
import { formatInstant, type TimeWindow } from '../model/time.ts';
import type { MemoryReading, MemoryStore, RecordFilter, StoredRecord } from '../store/memory.ts';
import type { ParsedQuery } from '../text/index.ts';
import { byRank, type Place, type Weights } from './order.ts';
import { collapsed } from './recall-collapse.ts';
import { openProgress, type Progress, signProgress } from './recall-cursor.ts';
import { CAP, findMatches, type Matches } from './recall-matches.ts';
import { checkRecall, type RecallOptions, readMatch } from './recall-options.ts';

/** Whose memory is recalled, and how: fixed by the host, never by what a model gives (EPI-15, COM-50). */
export interface RecallContext {
  readonly agentId: string;
  readonly namespace: string;
  /** Absent: nothing was ever written for this agent. */
  readonly store: MemoryStore | undefined;
  readonly clock: Clock;
  readonly timeZone: string;
  /** memory.recall.* (EPI-20). */
  readonly settings: Weights & { readonly limit: number; readonly collapse: boolean };
  readonly cursorKey: () => Uint8Array;
}

export type RecallStatus = 'found' | 'empty' | 'nothing_in_window' | 'no_match';

export interface RecalledRecord extends MemoryRecord {
  /** With a query: 0 … 1, at 6 decimals. */
  readonly score?: number;
  /** Of a collapsed line that stands for several records (EPI-85). */
  readonly repeats?: number;
  readonly firstAt?: string;
}

export interface RecallResult {
  readonly status: RecallStatus;
  readonly records: readonly RecalledRecord[];
  readonly now: string;
  /** Matching the request, before the limit. */
  readonly total: { readonly count: number; readonly exact: boolean };
  /** Where nothing was found: records outside the window, or those inside it that do not match (EPI-89). */
  readonly others?: { readonly count: number; readonly exact: boolean };
  /** Words of the query that no record of the namespace holds. */
  readonly unmatchedTerms?: readonly string[];
  /** Event time nearest to an empty window. */
  readonly nearest?: string;
  readonly coverage: Coverage;
}

/** A page, and the cursor that goes on after fewer of its records: for a text that could not show them all. */
export interface RecallPage {
  readonly result: RecallResult;
  cursorAfter(shown: number): string | undefined;
}

/**
 * Throws `invalid_argument`, `time_invalid`, `window_empty`, `query_empty`, `query_too_long`, `cursor_invalid`, and what
 * the store throws.
 */
export async function recallRecords(context: RecallContext, options: RecallOptions = {}): Promise<RecallResult> {
  return (await recallPage(context, options)).result;
}

export async function recallPage(context: RecallContext, given: unknown): Promise<RecallPage> {
  const options = checkRecall(given);
  const { agentId, namespace, clock, timeZone } = context;
  const bound = { agentId, namespace, key: context.cursorKey() };
  const progress = options.cursor === undefined ? undefined : openProgress(options.cursor, options, bound);
  const realNow = clock.now();
  const now = progress?.now ?? realNow;
  const { window, filter, query } = readMatch(options, { now, timeZone });
  const request: Request = {
    context,
    options: { ...options, limit: options.limit ?? context.settings.limit },
    collapse: options.collapse ?? context.settings.collapse,
    now,
    window,
    // What expired since the first page is gone from the later ones.
    filter: { ...filter, now: Math.max(now, realNow) },
    query,
    progress,
  };
  const found = await (context.store?.read((reading) => read(reading, request)) ?? nothing(request, 0));
  const sign = (line: Line): string => signProgress(progressOf(request, found, line), options, bound);
  return pageOf(request, found, sign);
}

interface Request {
  readonly context: RecallContext;
  readonly options: RecallOptions & { readonly limit: number };
  readonly collapse: boolean;
  readonly now: number;
  readonly window: TimeWindow;
  readonly filter: RecordFilter;
  readonly query: ParsedQuery | undefined;
  readonly progress: Progress | undefined;
}

/** A line of the answer: one record, or the best of those that say the same. */
export interface Line {
  readonly stored: StoredRecord;
  readonly place: Place;
  readonly repeats?: number;
  readonly firstAt?: number;
}

interface Found {
  readonly status: RecallStatus;
  /** One more than the page holds, if there are more. */
  readonly lines: readonly Line[];
  readonly total: { readonly count: number; readonly exact: boolean };
  readonly active: number;
  readonly considered: number;
  readonly complete: boolean;
  readonly others?: { readonly count: number; readonly exact: boolean };
  readonly nearest?: number;
  readonly matches?: Matches;
}

function nothing(_request: Request, active: number): Found {
  return { status: 'empty', lines: [], total: { count: 0, exact: true }, active, considered: 0, complete: true };
}

async function read(reading: MemoryReading, request: Request): Promise<Found> {
  const info = await reading.namespace(request.context.namespace);
  if (info === undefined) return nothing(request, 0);
  const { total: active } = await reading.statistics(info.no, request.filter.now);
  if (active === 0) return nothing(request, 0);
  const found =
    request.query === undefined
      ? await byTime(reading, info.no, request, active)
      : await byWords(reading, info.no, request);
  if (found.lines.length > 0 || request.progress !== undefined) return { ...found, active };
  return { ...found, active, ...(await whyNothing(reading, info.no, request, active)) };
}

type Listed = Omit<Found, 'active'>;

/** Without a query: event time descending, then id (EPI-80). */
async function byTime(reading: MemoryReading, no: number, request: Request, active: number): Promise<Listed> {
  const { filter, options, progress, collapse } = request;
  const after = progress?.last;
  // What is kept need not be counted; else 100 000 rows would cost more than all the rest: beyond CAP it is not exact.
  const isWhole = Object.keys(filter).length === 1;
  const total = isWhole ? counted(active, false) : counted(await reading.count(no, filter, CAP + 1), true);
  const limit = collapse ? CAP + 1 : options.limit + 1;
  const rows = await reading.walk(no, filter, limit, collapse || after === undefined ? undefined : after);
  const lines = rows.map((stored): Line => {
    return { stored, place: { complete: true, points: 0, at: stored.at, id: stored.record.id } };
  });
  if (!collapse) return { status: 'found', lines, total, considered: rows.length, complete: true };
  const whole = rows.length <= CAP;
  const page = pageAfter(collapsed(lines.slice(0, CAP)), after, options.limit);
  return { status: 'found', lines: page, total, considered: Math.min(rows.length, CAP), complete: whole };
}

/** With one: by the words it holds, then recency and confidence (EPI-81). */
async function byWords(reading: MemoryReading, no: number, request: Request): Promise<Listed> {
  const { filter, options, progress, collapse, now, context } = request;
  const matches = await findMatches(reading, context.clock, {
    namespaceNo: no,
    filter,
    query: request.query!,
    now,
    weights: context.settings,
    asks: collapse ? CAP : options.limit,
    statistics: progress?.statistics,
  });
  const { list, considered } = matches;
  const places = new Map(list.map(({ no: number, place }) => [number, place]));
  const chosen = collapse
    ? list.slice(0, CAP)
    : list.filter(({ place }) => comesAfter(place, progress?.last)).slice(0, options.limit + 1);
  const stored = await reading.records(chosen.map(({ no: number }) => number));
  const lines = stored.map((one): Line => ({ stored: one, place: places.get(one.no)! }));
  return {
    status: 'found',
    lines: collapse ? pageAfter(collapsed(lines), progress?.last, options.limit) : lines,
    total: { count: list.length, exact: matches.complete },
    considered,
    complete: matches.complete && (!collapse || list.length <= CAP),
    matches,
  };
}

function pageAfter(lines: readonly Line[], last: Place | undefined, limit: number): Line[] {
  return lines.filter(({ place }) => comesAfter(place, last)).slice(0, limit + 1);
}

function comesAfter(place: Place, last: Place | undefined): boolean {
  return last === undefined || byRank(place, last) > 0;
}

/** Four ways of nothing, never the same (EPI-89). Filters other than the window count as part of what matches. */
async function whyNothing(
  reading: MemoryReading,
  no: number,
  { filter, window }: Request,
  active: number,
): Promise<Pick<Found, 'status' | 'others' | 'nearest'>> {
  const { now } = filter;
  const bounded = window.since !== undefined || window.until !== undefined;
  const inside = bounded ? await reading.count(no, { now, ...window }, CAP + 1) : active;
  if (inside > 0) return { status: 'no_match', others: counted(inside, bounded) };
  const { before, after } = await reading.nearest(no, { now }, window.since ?? window.until!);
  // The window is empty, so what comes after its start comes after its end.
  const ahead = after === undefined ? Number.POSITIVE_INFINITY : after - (window.until ?? after);
  const behind = before === undefined ? Number.POSITIVE_INFINITY : (window.since ?? window.until!) - before;
  const nearest = behind <= ahead ? before : after;
  return { status: 'nothing_in_window', others: counted(active, false), ...(nearest === undefined ? {} : { nearest }) };
}

/** A count that stops at CAP, unless it is one that is kept. */
function counted(count: number, isCapped: boolean): { readonly count: number; readonly exact: boolean } {
  return isCapped && count > CAP ? { count: CAP, exact: false } : { count, exact: true };
}

function pageOf(request: Request, found: Found, sign: (line: Line) => string): RecallPage {
  const { options, query, window, now } = request;
  const lines = found.lines.slice(0, options.limit);
  const more = found.lines.length > lines.length;
  const cursor = more ? sign(lines.at(-1)!) : undefined;
  const unmatched = found.matches ? unmatchedIn(query!, found.matches) : [];
  const bounds = {
    ...(window.since === undefined ? {} : { since: formatInstant(window.since) }),
    ...(window.until === undefined ? {} : { until: formatInstant(window.until) }),
  };
  const result: RecallResult = {
    status: found.status,
    records: lines.map((line) => recordOf(line, query !== undefined)),
    now: formatInstant(now),
    total: found.total,
    ...(found.others === undefined ? {} : { others: found.others }),
    ...(unmatched.length === 0 ? {} : { unmatchedTerms: unmatched }),
    ...(found.nearest === undefined ? {} : { nearest: formatInstant(found.nearest) }),
    coverage: {
      complete: true,
      truncated: more ? 'limit' : false,
      ...(cursor === undefined ? {} : { cursor }),
      ranked: { considered: found.considered, complete: found.complete },
      ...(query === undefined ? {} : { query: { dropped: query.dropped, relaxed: false } }),
      ...(Object.keys(bounds).length === 0 ? {} : { window: bounds }),
      indexing: { done: found.active, total: found.active },
      skipped: [],
      skippedTotal: 0,
      warnings: [],
    },
  };
  return {
    result,
    cursorAfter: (shown) => (shown > 0 && shown < found.lines.length ? sign(found.lines[shown - 1]!) : undefined),
  };
}

function recordOf({ stored, place, repeats, firstAt }: Line, isRanked: boolean): RecalledRecord {
  return {
    ...stored.record,
    ...(isRanked ? { score: place.points / 1e6 } : {}),
    ...(repeats === undefined ? {} : { repeats }),
    ...(firstAt === undefined ? {} : { firstAt: formatInstant(firstAt) }),
  };
}

function unmatchedIn(query: ParsedQuery, { statistics }: Matches): string[] {
  return query.clauses.flatMap(({ anyOf }, index) => (statistics.frequencies[index] === 0 ? [anyOf[0]!.typed] : []));
}

function progressOf(request: Request, found: Found, line: Line): Progress {
  const statistics = found.matches?.statistics;
  return { now: request.now, last: line.place, ...(statistics === undefined ? {} : { statistics }) };
}
