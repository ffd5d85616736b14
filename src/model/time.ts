// Time expressions: what a person or a host writes after since, until and period, as instants (COM-10 … COM-13).
// Pure: "now" and the zone come in as values, and nothing here asks a clock.
import { BackstoryError } from './errors.ts';

/** The instant a request is read against, once per request, and the zone of times that name none. */
export interface TimeContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** An IANA name: the setting `timeZone`, never the server's own zone. */
  readonly timeZone: string;
}

/** Milliseconds since 1970: `since` inclusive, `until` exclusive. */
export interface TimeWindow {
  readonly since?: number;
  readonly until?: number;
}

/** One time expression as milliseconds; of a named period its start (COM-10). Throws `time_invalid`, naming the option. */
export function resolveTime(value: string, option: 'since' | 'until' | (string & {}), at: TimeContext): number {
  const text = value.trim();
  const instant = relativeTime(text, at.now) ?? writtenTime(text, at.timeZone) ?? namedPeriod(text, at)?.since;
  if (instant === undefined || !isInRange(instant)) throw timeInvalid(value, option, TIME_FORMS);
  return instant;
}

/**
 * The window of a request (COM-12, COM-13). Throws `time_invalid`; `window_empty` when `since` is not before `until`;
 * `invalid_argument` when a period stands beside `since` or `until`.
 */
export function resolveWindow(
  given: { readonly since?: string; readonly until?: string; readonly period?: string },
  at: TimeContext,
): TimeWindow {
  if (given.period !== undefined) {
    if (given.since !== undefined || given.until !== undefined) {
      const other = given.since === undefined ? 'until' : 'since';
      throw new BackstoryError(
        'invalid_argument',
        `period ${quoted(given.period)} gives both bounds, and ${other} ${quoted(given[other] ?? '')} was given as well.`,
        'Give either a period, or since and until.',
        { details: { options: ['period', other] } },
      );
    }
    const period = namedPeriod(given.period.trim(), at);
    if (period === undefined || !isInRange(period.since) || !isInRange(period.until)) {
      throw timeInvalid(given.period, 'period', PERIOD_FORMS);
    }
    return notEmpty(period.since, period.until);
  }
  const since = given.since === undefined ? undefined : resolveTime(given.since, 'since', at);
  const until = given.until === undefined ? undefined : resolveTime(given.until, 'until', at);
  if (since !== undefined && until !== undefined) return notEmpty(since, until);
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the one form in which instants leave (COM-3). */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * For people, to the minute and with its distance from UTC: `2026-08-11 11:30 UTC+02:00` (SUR-23). `zone`: an IANA name,
 * or milliseconds ahead of UTC.
 */
export function localTime(ms: number, zone: string | number): string {
  const offset = typeof zone === 'number' ? zone : offsetAt(ms, zone);
  const wall = new Date(ms + offset).toISOString();
  const minutes = Math.round(Math.abs(offset) / MINUTE);
  const ahead = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${wall.slice(0, -14)} ${wall.slice(-13, -8)} UTC${minutes === 0 ? '' : ahead}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const WORD_MS: Readonly<Record<string, number>> = { minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY };
const FIRST = wallClock(1, 1, 1);
const LAST = wallClock(9999, 12, 31) + DAY - 1;

const PERIOD_FORMS = [
  'today',
  'yesterday',
  'this|last week|month|year',
  '2026',
  '2026-08',
  '2026-W33',
  '2026-08-11',
  'last 7 days',
  'past 24 hours',
];
const TIME_FORMS = [
  '2026-08-11T00:00:00.000Z',
  '2026-08-11T02:00+02:00',
  '2026-08-11T09:30',
  '2026-08-11',
  '-90s',
  '-30m',
  '-24h',
  '-7d',
  '-2w',
  'now',
  ...PERIOD_FORMS.filter((form) => form !== '2026-08-11'),
];

/** `now` and `-7d`: lower case, and a day is 24 hours whatever the clocks do (COM-10). */
function relativeTime(text: string, now: number): number | undefined {
  if (text.toLowerCase() === 'now') return now;
  const match = /^-(\d{1,8})([smhdw])$/.exec(text);
  return match ? now - Number(match[1]) * UNIT_MS[match[2]!]! : undefined;
}

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,40}))?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/** A date, or a date and a time with or without a zone. Undefined for a day or an hour that does not exist. */
function writtenTime(text: string, timeZone: string): number | undefined {
  const match = WRITTEN.exec(text);
  if (!match) return undefined;
  const day = dayOf(Number(match[1]), Number(match[2]), Number(match[3]));
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (day === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  // Digits finer than milliseconds are cut, not rounded: rounding could move the instant out of its second.
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const wall = day + hour * HOUR + minute * MINUTE + second * 1000 + millisecond;
  const zone = match[8]?.toUpperCase();
  if (zone === undefined) return instantOf(wall, timeZone);
  if (zone === 'Z') return wall;
  const [zoneHour, zoneMinute] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (zoneHour > 23 || zoneMinute > 59) return undefined;
  const offset = zoneHour * HOUR + zoneMinute * MINUTE;
  return zone.startsWith('-') ? wall + offset : wall - offset;
}

/** Both bounds of a named period (COM-13). Bounds of calendar periods are local midnights: a day may last 23 to 25 hours. */
function namedPeriod(text: string, at: TimeContext): { since: number; until: number } | undefined {
  const name = text.toLowerCase().replace(/[ _]/g, '-');
  const rolling = /^(?:last|past)-(\d{1,8})-(minute|hour|day|week)s?$/.exec(name);
  if (rolling) return { since: at.now - Number(rolling[1]) * WORD_MS[rolling[2]!]!, until: at.now };
  const days = calendarDays(name, at);
  return days && { since: instantOf(days[0], at.timeZone), until: instantOf(days[1], at.timeZone) };
}

/** First day of a period and first day after it, as midnights on the wall. */
function calendarDays(name: string, at: TimeContext): readonly [number, number] | undefined {
  const written = /^(\d{4})(?:-(?:w(\d\d)|(\d\d)(?:-(\d\d))?))?$/.exec(name);
  if (written) return writtenDays(Number(written[1]), written[2], written[3], written[4]);
  const wall = at.now + offsetAt(at.now, at.timeZone);
  const today = Math.floor(wall / DAY) * DAY;
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY;
  const [year, month] = [new Date(today).getUTCFullYear(), new Date(today).getUTCMonth() + 1];
  switch (name) {
    case 'today':
      return [today, today + DAY];
    case 'yesterday':
      return [today - DAY, today];
    case 'this-week':
      return [monday, monday + 7 * DAY];
    case 'last-week':
      return [monday - 7 * DAY, monday];
    case 'this-month':
      return [wallClock(year, month, 1), wallClock(year, month + 1, 1)];
    case 'last-month':
      return [wallClock(year, month - 1, 1), wallClock(year, month, 1)];
    case 'this-year':
      return [wallClock(year, 1, 1), wallClock(year + 1, 1, 1)];
    case 'last-year':
      return [wallClock(year - 1, 1, 1), wallClock(year, 1, 1)];
    default:
      return undefined;
  }
}

function writtenDays(year: number, week?: string, month?: string, day?: string): readonly [number, number] | undefined {
  if (week !== undefined) {
    // ISO 8601: the week that holds January 4th is the first.
    const fourth = wallClock(year, 1, 4);
    const first = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY;
    const monday = first + (Number(week) - 1) * 7 * DAY;
    const yearOfWeek = new Date(monday + 3 * DAY).getUTCFullYear();
    return Number(week) >= 1 && yearOfWeek === year ? [monday, monday + 7 * DAY] : undefined;
  }
  if (month === undefined) return [wallClock(year, 1, 1), wallClock(year + 1, 1, 1)];
  const start = dayOf(year, Number(month), Number(day ?? 1));
  if (start === undefined) return undefined;
  return [start, day === undefined ? wallClock(year, Number(month) + 1, 1) : start + DAY];
}

/** Midnight of a day that exists, on the wall. */
function dayOf(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined;
  const wall = wallClock(year, month, day);
  return new Date(wall).getUTCDate() === day ? wall : undefined;
}

/** What the clock on the wall shows, counted as if in UTC. `Date.UTC` alone would read years below 100 as 19xx. */
function wallClock(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

/**
 * The instant at which a wall clock in the zone shows `wall`. A time that a change skips is read with the offset before
 * the change; of one that occurs twice it is the first (COM-11).
 */
export function instantOf(wall: number, timeZone: string): number {
  // No zone is a day or more from UTC, so these two readings stand before and after any change that matters here.
  const before = offsetAt(wall - DAY, timeZone);
  const after = offsetAt(wall + DAY, timeZone);
  const fits = [wall - before, wall - after].filter((instant) => instant + offsetAt(instant, timeZone) === wall);
  return fits.length === 0 ? wall - before : Math.min(...fits);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** What is added to an instant to get the wall clock of the zone. */
export function offsetAt(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(timeZone, formatter);
  }
  const part: Record<string, string> = {};
  for (const { type, value } of formatter.formatToParts(ms)) part[type] = value;
  const year = part.era === 'AD' ? Number(part.year) : 1 - Number(part.year);
  const day = wallClock(year, Number(part.month), Number(part.day));
  const wall = day + Number(part.hour) * HOUR + Number(part.minute) * MINUTE + Number(part.second) * 1000;
  return wall - Math.floor(ms / 1000) * 1000;
}

function isInRange(ms: number): boolean {
  return ms >= FIRST && ms <= LAST;
}

function notEmpty(since: number, until: number): TimeWindow {
  if (since < until) return { since, until };
  const [from, to] = [formatInstant(since), formatInstant(until)];
  throw new BackstoryError(
    'window_empty',
    `The window is empty: since ${from} is not before until ${to}.`,
    'since is inclusive and until exclusive: give an until that is later than since.',
    { details: { since: from, until: to } },
  );
}

function timeInvalid(value: string, option: string, forms: readonly string[]): BackstoryError {
  return new BackstoryError(
    'time_invalid',
    `${option} ${quoted(value)} is not a time that can be read.`,
    `Write it as one of: ${forms.join(', ')}.`,
    { details: { option, value: value.slice(0, 200), forms } },
  );
}

function quoted(value: string): string {
  return JSON.stringify(value.length <= 80 ? value : `${value.slice(0, 79)}…`);
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
