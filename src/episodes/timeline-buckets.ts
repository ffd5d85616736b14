// Buckets of a timeline: hours, days, weeks and months on the wall of a zone, and counts that fall into them (EPI-95, EPI-96).
// Pure: events come in as instants with their group keys.
import { BackstoryError } from '../model/errors.ts';
import { instantOf, offsetAt } from '../model/time.ts';

export const BUCKETS = ['none', 'hour', 'day', 'week', 'month'] as const;
export type Bucket = (typeof BUCKETS)[number];

export interface GroupCount {
  readonly key: string;
  readonly count: number;
}

/** `[since, until)` in ms. */
export interface Range {
  readonly since: number;
  readonly until: number;
}

export const MAX_BUCKETS = 1_000;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * The buckets that cover `range`, in order, without gaps. The first and the last are clipped to the bounds that were
 * asked for, so that each holds exactly what was counted. Throws `invalid_argument` beyond 1 000, naming the smallest
 * bucket that fits.
 */
export function bucketsOf(
  bucket: Bucket,
  range: Range,
  timeZone: string,
  clip: { readonly since?: number; readonly until?: number } = range,
): Range[] {
  if (bucket === 'none') return [];
  const found: Range[] = [];
  let start = startOf(bucket, range.since, timeZone);
  while (start < range.until) {
    const end = nextStart(bucket, start, timeZone);
    if (found.length === MAX_BUCKETS) throw tooMany(bucket, range, timeZone);
    found.push({ since: Math.max(start, clip.since ?? start), until: Math.min(end, clip.until ?? end) });
    start = end;
  }
  return found;
}

/** The ISO week, from Monday, that holds an instant, on the wall of the zone. */
export function weekOf(at: number, timeZone: string): Range {
  const since = startOf('week', at, timeZone);
  return { since, until: nextStart('week', since, timeZone) };
}

/** How often each key occurs, by count, then by key (EPI-96). */
export function groupsOf(counts: ReadonlyMap<string, number>): GroupCount[] {
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** The index of the range that holds an instant; ranges are sorted and leave no gap. */
export function rangeAt(ranges: readonly Range[], at: number): number {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle]!;
    if (at < range.since) high = middle - 1;
    else if (at >= range.until) low = middle + 1;
    else return middle;
  }
  return -1;
}

// The start of the bucket that holds `at`. Hours are counted in the zone's offset of that moment, so that a zone with half
// hours has its own full hours, and the hour that a clock change repeats is two buckets.
function startOf(bucket: Exclude<Bucket, 'none'>, at: number, timeZone: string): number {
  const offset = offsetAt(at, timeZone);
  const wall = at + offset;
  if (bucket === 'hour') return Math.floor(wall / HOUR) * HOUR - offset;
  const day = Math.floor(wall / DAY) * DAY;
  if (bucket === 'day') return instantOf(day, timeZone);
  const date = new Date(day);
  if (bucket === 'week') return instantOf(day - ((date.getUTCDay() + 6) % 7) * DAY, timeZone);
  return instantOf(date.setUTCDate(1), timeZone);
}

function nextStart(bucket: Exclude<Bucket, 'none'>, start: number, timeZone: string): number {
  if (bucket === 'hour') {
    const next = startOf('hour', start + HOUR, timeZone);
    return next > start ? next : start + HOUR;
  }
  // Where midnight is skipped by a clock change, the day begins later on its wall: its own midnight is counted from.
  const wall = start + offsetAt(start, timeZone);
  const day = Math.floor(wall / DAY) * DAY;
  if (bucket === 'day') return instantOf(day + DAY, timeZone);
  if (bucket === 'week') return instantOf(day + 7 * DAY, timeZone);
  const date = new Date(day);
  return instantOf(date.setUTCMonth(date.getUTCMonth() + 1, 1), timeZone);
}

// Shortest spans, so that what is named surely fits where there is a doubt of a bucket.
const SPANS: readonly (readonly [Bucket, number])[] = [
  ['hour', HOUR],
  ['day', 23 * HOUR],
  ['week', 7 * DAY - HOUR],
  ['month', 28 * DAY - HOUR],
];

function tooMany(bucket: Bucket, range: Range, timeZone: string): BackstoryError {
  const larger = SPANS.slice(SPANS.findIndex(([name]) => name === bucket) + 1).map(([name]) => name);
  const fits = larger.find((name) => {
    try {
      return bucketsOf(name, range, timeZone).length <= MAX_BUCKETS;
    } catch {
      return false;
    }
  });
  const days = Math.ceil((range.until - range.since) / DAY);
  return new BackstoryError(
    'invalid_argument',
    `bucket ${JSON.stringify(bucket)} cuts ${days} days into more than ${MAX_BUCKETS} buckets.`,
    fits === undefined
      ? 'Give a narrower window.'
      : `The smallest bucket that fits is ${fits}; or give a narrower window.`,
    { details: { parameter: 'bucket', max: MAX_BUCKETS, ...(fits === undefined ? {} : { fits }) } },
  );
}
