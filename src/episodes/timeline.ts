// How many, when, and how they ended: exact counts over a namespace's records (EPI-95 … EPI-97). Reads only what recall reads.
import type { Coverage } from '../model/coverage.ts';
import { formatInstant } from '../model/time.ts';
import type { MemoryReading, RecordFilter, TallyBy } from '../store/memory.ts';
import type { ParsedQuery } from '../text/index.ts';
import type { RecallContext } from './recall.ts';
import { checkTimeline, type MatchOptions, readMatch } from './recall-options.ts';
import { BUCKETS, type Bucket, bucketsOf, type GroupCount, groupsOf, type Range, rangeAt } from './timeline-buckets.ts';

export const TIMELINE_BY: readonly TallyBy[] = ['outcome', 'tool', 'kind', 'tag', 'thread'];

/** The filters of recall; with a query a record counts if it holds every term. */
export interface TimelineOptions extends MatchOptions {
  readonly bucket?: Bucket;
  readonly by?: TallyBy;
}

export interface TimelineBucket {
  readonly since: string;
  readonly until: string;
  readonly total: number;
  readonly groups: readonly GroupCount[];
}

export interface TimelineResult {
  /** Records, each once, however many groups it is in. */
  readonly total: number;
  /** Of the same request without `outcome`: "3 of 12" (EPI-97). */
  readonly of?: number;
  readonly groups: readonly GroupCount[];
  readonly buckets: readonly TimelineBucket[];
  readonly now: string;
  readonly coverage: Coverage;
}

/** Throws `invalid_argument`, `time_invalid`, `window_empty`, `query_empty`, `query_too_long`, and what the store throws. */
export async function memoryTimeline(context: RecallContext, given: TimelineOptions = {}): Promise<TimelineResult> {
  const options = checkTimeline(given, { bucket: BUCKETS, by: TIMELINE_BY }) as TimelineOptions;
  const now = context.clock.now();
  const { filter, window, query } = readMatch(options, { now, timeZone: context.timeZone });
  const request: Request = { context, options, filter, query };
  const counted = await (context.store?.read((reading) => count(reading, request)) ?? NOTHING);
  const bounds = {
    ...(window.since === undefined ? {} : { since: formatInstant(window.since) }),
    ...(window.until === undefined ? {} : { until: formatInstant(window.until) }),
  };
  return {
    total: counted.total,
    ...(counted.of === undefined ? {} : { of: counted.of }),
    groups: counted.groups,
    buckets: counted.buckets,
    now: formatInstant(now),
    coverage: {
      complete: true,
      truncated: false,
      ranked: { considered: counted.total, complete: true },
      ...(query === undefined ? {} : { query: { dropped: query.dropped, relaxed: false } }),
      ...(Object.keys(bounds).length === 0 ? {} : { window: bounds }),
      indexing: { done: counted.active, total: counted.active },
      skipped: [],
      skippedTotal: 0,
      warnings: [],
    },
  };
}

interface Request {
  readonly context: RecallContext;
  readonly options: TimelineOptions;
  readonly filter: RecordFilter;
  readonly query: ParsedQuery | undefined;
}

interface Counted {
  readonly total: number;
  readonly of?: number;
  readonly groups: readonly GroupCount[];
  readonly buckets: readonly TimelineBucket[];
  readonly active: number;
}

const NOTHING: Counted = { total: 0, groups: [], buckets: [], active: 0 };

async function count(reading: MemoryReading, request: Request): Promise<Counted> {
  const { context, options, filter, query } = request;
  const info = await reading.namespace(context.namespace);
  if (info === undefined) return tallied([], request, 0);
  const { total: active } = await reading.statistics(info.no, filter.now);
  const rows = await reading.tally(info.no, filter, options.by, query);
  const counted = tallied(rows, request, active);
  if (options.outcome === undefined || options.by !== undefined) return counted;
  const { outcome: _, ...rest } = filter;
  const of = query === undefined ? reading.count(info.no, rest) : reading.countMatches(info.no, rest, query);
  return { ...counted, of: await of };
}

type Row = readonly [at: number, key: string | undefined, no: number];

/** A record with two tools or tags comes as two rows: it counts once in totals, and in each of its groups. */
function tallied(rows: readonly Row[], request: Request, active: number): Counted {
  const { by } = request.options;
  const ranges = rangesOf(rows, request);
  const isOnce = by !== 'tool' && by !== 'tag';
  const all = new Tally(isOnce);
  const each = ranges.map(() => new Tally(isOnce));
  let place = 0;
  for (const row of rows) {
    all.add(row);
    if (ranges.length === 0) continue;
    // They mostly come in the order of time, so in the same bucket as the one before.
    const range = ranges[place]!;
    if (row[0] < range.since || row[0] >= range.until) place = rangeAt(ranges, row[0]);
    each[place]!.add(row);
  }
  const buckets = ranges.map((range, index): TimelineBucket => {
    const { total, groups } = each[index]!;
    return { since: formatInstant(range.since), until: formatInstant(range.until), total, groups: groupsOf(groups) };
  });
  return { total: all.total, groups: groupsOf(all.groups), buckets, active };
}

/** Between the bounds of the window; where it has none, the first and the last event bound it (EPI-96). */
function rangesOf(rows: readonly Row[], { context, options, filter }: Request): readonly Range[] {
  const { bucket = 'none' } = options;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [at] of rows) {
    if (at < first) first = at;
    if (at > last) last = at;
  }
  const since = filter.since ?? first;
  const until = filter.until ?? last + 1;
  if (!(since < until) || !Number.isFinite(since) || !Number.isFinite(until)) return [];
  const clip = {
    ...(filter.since === undefined ? {} : { since: filter.since }),
    ...(filter.until === undefined ? {} : { until: filter.until }),
  };
  return bucketsOf(bucket, { since, until }, context.timeZone, clip);
}

class Tally {
  total = 0;
  readonly groups = new Map<string, number>();
  readonly #seen: Set<number> | undefined;

  /** `isOnce`: each record is one row, and need not be known again. */
  constructor(isOnce: boolean) {
    this.#seen = isOnce ? undefined : new Set();
  }

  add([, key, no]: Row): void {
    if (key !== undefined) this.groups.set(key, (this.groups.get(key) ?? 0) + 1);
    if (this.#seen?.has(no)) return;
    this.#seen?.add(no);
    this.total++;
  }
}
