import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUCKETS, type Bucket, bucketsOf, groupsOf, rangeAt } from '../../../src/episodes/timeline-buckets.ts';

const at = (text: string): number => Date.parse(text);
const shown = (bucket: Bucket, since: string, until: string, zone = 'UTC'): string[] =>
  bucketsOf(bucket, { since: at(since), until: at(until) }, zone).map(
    (one) => `${new Date(one.since).toISOString().slice(0, 16)}..${new Date(one.until).toISOString().slice(0, 16)}`,
  );

describe('buckets of a timeline', () => {
  test('EPI-96: days, of which the first and last are clipped to the window', () => {
    expect(shown('day', '2026-08-08T06:00Z', '2026-08-10T18:00Z')).toEqual([
      '2026-08-08T06:00..2026-08-09T00:00',
      '2026-08-09T00:00..2026-08-10T00:00',
      '2026-08-10T00:00..2026-08-10T18:00',
    ]);
  });

  test('EPI-96: weeks begin on Monday, months on their first', () => {
    expect(shown('week', '2026-08-05T00:00Z', '2026-08-12T00:00Z')).toEqual([
      '2026-08-05T00:00..2026-08-10T00:00',
      '2026-08-10T00:00..2026-08-12T00:00',
    ]);
    expect(shown('month', '2026-12-31T00:00Z', '2027-01-02T00:00Z')).toEqual([
      '2026-12-31T00:00..2027-01-01T00:00',
      '2027-01-01T00:00..2027-01-02T00:00',
    ]);
  });

  test('EPI-96: days of a zone last 23 to 25 hours at clock changes', () => {
    expect(shown('day', '2026-10-24T22:00Z', '2026-10-26T23:00Z', 'Europe/Berlin')).toEqual([
      '2026-10-24T22:00..2026-10-25T23:00',
      '2026-10-25T23:00..2026-10-26T23:00',
    ]);
  });

  test('EPI-96: none has no buckets', () => {
    expect(shown('none', '2026-10-24T22:00Z', '2026-10-26T23:00Z')).toEqual([]);
  });

  test('EPI-96: at most 1 000 buckets; beyond, the smallest that fits is named', () => {
    const range = { since: at('2026-01-01T00:00Z'), until: at('2026-03-01T00:00Z') };
    expect(() => bucketsOf('hour', range, 'UTC')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', hint: expect.stringContaining('is day;') }),
    );
    const centuries = { since: at('1900-01-01T00:00Z'), until: at('2026-03-01T00:00Z') };
    expect(() => bucketsOf('week', centuries, 'UTC')).toThrow(
      expect.objectContaining({ hint: 'Give a narrower window.' }),
    );
  });

  test('EPI-96: buckets cover the range without gap or overlap, in every zone (property)', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Kathmandu',
      'America/Sao_Paulo',
      'Australia/Lord_Howe',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...BUCKETS.filter((one) => one !== 'none')),
        fc.constantFrom(...zones),
        fc.integer({ min: at('2010-01-01'), max: at('2030-01-01') }),
        fc.integer({ min: 1, max: 40 * 86_400_000 }),
        (bucket, zone, since, span) => {
          const range = { since, until: since + span };
          const buckets = bucketsOf(bucket, range, zone);
          expect(buckets[0]!.since).toBe(range.since);
          expect(buckets.at(-1)!.until).toBe(range.until);
          for (const [index, one] of buckets.entries()) {
            expect(one.since).toBeLessThan(one.until);
            if (index > 0) expect(one.since).toBe(buckets[index - 1]!.until);
            expect(rangeAt(buckets, one.since)).toBe(index);
            expect(rangeAt(buckets, one.until - 1)).toBe(index);
          }
          expect(rangeAt(buckets, range.until)).toBe(-1);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('EPI-96: groups by count descending, then key', () => {
    expect(groupsOf(new Map(Object.entries({ ok: 2, error: 5, b: 2 })))).toEqual([
      { key: 'error', count: 5 },
      { key: 'b', count: 2 },
      { key: 'ok', count: 2 },
    ]);
  });
});
