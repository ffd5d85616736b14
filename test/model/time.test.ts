// Time expressions, read as COM-10 … COM-13 say.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBackstoryError } from '../../src/model/errors.ts';
import { formatInstant, localTime, resolveTime, resolveWindow } from '../../src/model/time.ts';

const NOW = Date.parse('2026-08-13T10:20:30.456Z'); // a Thursday
const utc = { now: NOW, timeZone: 'UTC' };
const berlin = { now: NOW, timeZone: 'Europe/Berlin' };

function shown(value: string, at = utc): string {
  return formatInstant(resolveTime(value, 'since', at));
}

function windowOf(period: string, at = utc): string[] {
  const { since, until } = resolveWindow({ period }, at);
  return [formatInstant(since!), formatInstant(until!)];
}

function errorOf(work: () => unknown): { code: string; message: string; hint: string; details: unknown } {
  try {
    work();
  } catch (error) {
    if (isBackstoryError(error)) return error as never;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('COM-10: the forms of a time', () => {
  test.each([
    ['2026-08-11T00:00:00.000Z', '2026-08-11T00:00:00.000Z'],
    ['  2026-08-11T00:00:00Z\n', '2026-08-11T00:00:00.000Z'],
    ['2026-08-11T00:00Z', '2026-08-11T00:00:00.000Z'],
    ['2026-08-11t00:00z', '2026-08-11T00:00:00.000Z'],
    ['2026-08-11T01:00:00.5+02:00', '2026-08-10T23:00:00.500Z'],
    ['2026-08-11T01:00-09:30', '2026-08-11T10:30:00.000Z'],
    ['2026-08-11T00:00:00.9999999Z', '2026-08-11T00:00:00.999Z'],
    ['2026-08-11T09:30', '2026-08-11T09:30:00.000Z'],
    ['2026-08-11', '2026-08-11T00:00:00.000Z'],
    ['-90s', '2026-08-13T10:19:00.456Z'],
    ['-30m', '2026-08-13T09:50:30.456Z'],
    ['-24h', '2026-08-12T10:20:30.456Z'],
    ['-7d', '2026-08-06T10:20:30.456Z'],
    ['-2w', '2026-07-30T10:20:30.456Z'],
    ['now', '2026-08-13T10:20:30.456Z'],
    ['NOW', '2026-08-13T10:20:30.456Z'],
    ['last week', '2026-08-03T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('COM-10: %j is %s', (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  test('COM-10: a time without a zone is read in the setting timeZone, for since and until alike', () => {
    expect(shown('2026-08-11T09:30', berlin)).toBe('2026-08-11T07:30:00.000Z');
    expect(formatInstant(resolveTime('2026-08-11', 'until', berlin))).toBe('2026-08-10T22:00:00.000Z');
  });

  test.each([
    '24h',
    '-24H',
    '5',
    '1700000000000',
    '08/11/2026',
    '2026-13-01',
    '2026-02-30',
    '2026-02-29',
    '2026-00-10',
    '2026-08-11T24:00',
    '2026-08-11T10:60',
    '2026-08-11T10:00:60Z',
    '2026-08-11T10:00+24:00',
    '2026-08-11 10:00',
    '-123456789d',
    '-99999999w',
    '0000-01-01',
    '0000',
    '0001-01-01T00:00+02:00',
    '9999-12-31T23:59-01:00',
    '',
    'soon',
    'last 5',
    '2026-W54',
    '2026-W00',
    '2027-W53',
  ])('COM-10: %j is time_invalid and names option and value', (value) => {
    const error = errorOf(() => resolveTime(value, 'until', utc));
    expect(error.code).toBe('time_invalid');
    expect(error.message).toContain('until');
    expect(error.message).toContain(JSON.stringify(value));
    for (const form of ['2026-08-11T09:30', '-24h', 'now', 'last 7 days']) expect(error.hint).toContain(form);
  });

  test('COM-3: every instant round-trips through its written form', () => {
    const range = { min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') };
    fc.assert(fc.property(fc.integer(range), (ms) => resolveTime(formatInstant(ms), 'since', utc) === ms));
  });

  test('COM-10: any other text is an error of ours, never another exception and never "no filter"', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        try {
          return Number.isInteger(resolveTime(value, 'since', berlin));
        } catch (error) {
          return isBackstoryError(error) && error.code === 'time_invalid';
        }
      }),
    );
  });
});

describe('COM-11: clock changes', () => {
  test.each([
    // Skipped: read with the offset before the change.
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['America/New_York', '2026-03-08T02:15', '2026-03-08T07:15:00.000Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00.000Z'],
    // Twice: the first.
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z'],
    // Neither, close by.
    ['Europe/Berlin', '2026-03-29T01:59:59.999', '2026-03-29T00:59:59.999Z'],
    ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
  ])('COM-11: in %s %s is %s', (timeZone, value, expected) => {
    expect(shown(value, { now: NOW, timeZone })).toBe(expected);
  });
});

describe('COM-12: windows', () => {
  test('COM-12: since at or after until is window_empty and names both resolved instants', () => {
    for (const since of ['2026-08-11', '2026-08-12']) {
      const error = errorOf(() => resolveWindow({ since, until: '2026-08-11' }, utc));
      expect(error.code).toBe('window_empty');
      expect(error.message).toContain(`${since}T00:00:00.000Z`);
      expect(error.message).toContain('2026-08-11T00:00:00.000Z');
    }
  });

  test('COM-12: an open window has only the bound that was given', () => {
    expect(resolveWindow({}, utc)).toEqual({});
    expect(resolveWindow({ since: 'now' }, utc)).toEqual({ since: NOW });
    expect(resolveWindow({ until: '-1d' }, utc)).toEqual({ until: NOW - 86_400_000 });
  });

  test('COM-21: a period beside a bound is invalid_argument', () => {
    expect(errorOf(() => resolveWindow({ period: 'today', since: 'now' }, utc)).code).toBe('invalid_argument');
    expect(errorOf(() => resolveWindow({ period: 'today', until: 'now' }, utc)).message).toContain('until');
  });
});

describe('COM-13: named periods', () => {
  test.each([
    ['today', '2026-08-13T00:00:00.000Z', '2026-08-14T00:00:00.000Z'],
    ['yesterday', '2026-08-12T00:00:00.000Z', '2026-08-13T00:00:00.000Z'],
    ['this week', '2026-08-10T00:00:00.000Z', '2026-08-17T00:00:00.000Z'],
    ['LAST_WEEK', '2026-08-03T00:00:00.000Z', '2026-08-10T00:00:00.000Z'],
    ['this-month', '2026-08-01T00:00:00.000Z', '2026-09-01T00:00:00.000Z'],
    ['last month', '2026-07-01T00:00:00.000Z', '2026-08-01T00:00:00.000Z'],
    ['this year', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['Last Year', '2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2026-08', '2026-08-01T00:00:00.000Z', '2026-09-01T00:00:00.000Z'],
    ['2025-12', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026-W33', '2026-08-10T00:00:00.000Z', '2026-08-17T00:00:00.000Z'],
    ['2026-w01', '2025-12-29T00:00:00.000Z', '2026-01-05T00:00:00.000Z'],
    ['2026-W53', '2026-12-28T00:00:00.000Z', '2027-01-04T00:00:00.000Z'],
    ['2026-08-11', '2026-08-11T00:00:00.000Z', '2026-08-12T00:00:00.000Z'],
    ['last 7 days', '2026-08-06T10:20:30.456Z', '2026-08-13T10:20:30.456Z'],
    ['past-24-hours', '2026-08-12T10:20:30.456Z', '2026-08-13T10:20:30.456Z'],
    ['past 1 hour', '2026-08-13T09:20:30.456Z', '2026-08-13T10:20:30.456Z'],
    ['last 90 minutes', '2026-08-13T08:50:30.456Z', '2026-08-13T10:20:30.456Z'],
    ['last_2_weeks', '2026-07-30T10:20:30.456Z', '2026-08-13T10:20:30.456Z'],
  ])('COM-13: %j is [%s, %s)', (period, since, until) => {
    expect(windowOf(period)).toEqual([since, until]);
  });

  test('COM-13: in January the month before is in the year before', () => {
    const january = { now: Date.parse('2026-01-05T00:00:00Z'), timeZone: 'UTC' };
    expect(windowOf('last month', january)).toEqual(['2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']);
  });

  test('COM-13: today is the day of the zone, not of UTC', () => {
    const late = { now: Date.parse('2026-08-13T23:30:00Z'), timeZone: 'Europe/Berlin' };
    expect(windowOf('today', late)).toEqual(['2026-08-13T22:00:00.000Z', '2026-08-14T22:00:00.000Z']);
  });

  test.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
    ['2026-08-11', 24],
  ])('COM-13: %s lasts %d hours in Berlin', (period, hours) => {
    const { since, until } = resolveWindow({ period }, berlin);
    expect((until! - since!) / 3_600_000).toBe(hours);
  });

  test('COM-13: days follow each other without gap or overlap in any zone', () => {
    const zones = fc.constantFrom('America/Sao_Paulo', 'Africa/Cairo', 'Asia/Tehran', 'America/Havana', 'Asia/Kolkata');
    fc.assert(
      fc.property(zones, fc.integer({ min: 0, max: 20_000 }), (timeZone, number) => {
        const day = (n: number): string => new Date(n * 86_400_000).toISOString().slice(0, 10);
        const at = { now: NOW, timeZone };
        return resolveWindow({ period: day(number) }, at).until === resolveTime(day(number + 1), 'since', at);
      }),
    );
  });

  test.each(['-7d', 'now', '2026-08-11T10:00Z', 'last week or so', '9999', 'last 0 days'])(
    'COM-13: %j is no period',
    (period) => {
      expect(['time_invalid', 'window_empty']).toContain(errorOf(() => resolveWindow({ period }, utc)).code);
    },
  );
});

describe('SUR-23: local time for people', () => {
  test.each([
    ['UTC', '2026-08-13 10:20 UTC'],
    ['Europe/Berlin', '2026-08-13 12:20 UTC+02:00'],
    ['America/St_Johns', '2026-08-13 07:50 UTC-02:30'],
  ])('SUR-23: in %s it is %s', (timeZone, expected) => {
    expect(localTime(NOW, timeZone)).toBe(expected);
  });
});
