import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryTimeline, type TimelineOptions, type TimelineResult } from '../../../src/episodes/timeline.ts';
import { DAY, HOUR, type Memory, makeMemory, NAMESPACE, NOW } from './memory-steps.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await makeMemory();
});
afterEach(() => memory.close());

const timeline = (options: TimelineOptions = {}): Promise<TimelineResult> => memoryTimeline(memory.context(), options);

describe('counts and timeline', () => {
  test('E-155, EPI-95, EPI-97: 3 of 12 deploys of last week failed', async () => {
    const failed = (index: number): 'ok' | 'error' => (index < 3 ? 'error' : 'ok');
    const deploys = Array.from({ length: 12 }, (_, index) => {
      return [`deploy ${index}`, { at: NOW - 6 * DAY + index * HOUR, outcome: failed(index) }] as const;
    });
    await memory.runs([
      ...deploys,
      ['build', { at: NOW - 5 * DAY, outcome: 'error' }],
      ['deploy', { outcome: 'error' }],
    ]);
    const query = { query: 'deploy', outcome: 'error', period: 'last week' } as const;
    expect(await timeline(query)).toEqual({
      total: 3,
      of: 12,
      groups: [],
      buckets: [],
      now: '2026-08-10T18:00:00.000Z',
      coverage: {
        complete: true,
        truncated: false,
        ranked: { considered: 3, complete: true },
        query: { dropped: [], relaxed: false },
        window: { since: '2026-08-03T00:00:00.000Z', until: '2026-08-10T00:00:00.000Z' },
        indexing: { done: 14, total: 14 },
        skipped: [],
        skippedTotal: 0,
        warnings: [],
      },
    });
    expect(await timeline({ outcome: 'error', period: 'last week' })).toMatchObject({ total: 4, of: 13 });
    expect((await timeline({ ...query, by: 'outcome' })).of).toBeUndefined();
  });

  test('EPI-96: with a query a record counts if it holds every term', async () => {
    await memory.runs([['deploy api'], ['deploy'], ['api']]);
    expect((await timeline({ query: 'deploy api' })).total).toBe(1);
    expect((await timeline({ query: 'deploy zebra' })).total).toBe(0);
  });

  test('E-156, EPI-96: three days of which the second is empty are three buckets, one with 0', async () => {
    await memory.runs([
      ['a', { at: '2026-08-08T09:00:00.000Z' }],
      ['b', { at: '2026-08-10T09:00:00.000Z' }],
      ['c', { at: '2026-08-10T10:00:00.000Z', outcome: 'error' }],
    ]);
    const found = await timeline({ bucket: 'day', by: 'outcome' });
    expect(found.total).toBe(3);
    expect(found.groups).toEqual([
      { key: 'ok', count: 2 },
      { key: 'error', count: 1 },
    ]);
    expect(found.buckets).toEqual([
      {
        since: '2026-08-08T00:00:00.000Z',
        until: '2026-08-09T00:00:00.000Z',
        total: 1,
        groups: [{ key: 'ok', count: 1 }],
      },
      { since: '2026-08-09T00:00:00.000Z', until: '2026-08-10T00:00:00.000Z', total: 0, groups: [] },
      {
        since: '2026-08-10T00:00:00.000Z',
        until: '2026-08-11T00:00:00.000Z',
        total: 2,
        groups: [
          { key: 'error', count: 1 },
          { key: 'ok', count: 1 },
        ],
      },
    ]);
    const window = await timeline({ bucket: 'day', since: '2026-08-07T12:00Z', until: '2026-08-09' });
    expect(window.buckets.map(({ since, total }) => [since, total])).toEqual([
      ['2026-08-07T12:00:00.000Z', 0],
      ['2026-08-08T00:00:00.000Z', 1],
    ]);
  });

  test('E-157, EPI-96: a run that used two tools counts once in total and once for each tool', async () => {
    await memory.run('a', { tools: ['build', 'deploy'] });
    const found = await timeline({ by: 'tool', bucket: 'day' });
    expect(found.total).toBe(1);
    expect(found.groups).toEqual([
      { key: 'build', count: 1 },
      { key: 'deploy', count: 1 },
    ]);
    expect(found.buckets.map(({ total }) => total)).toEqual([1]);
  });

  test.each([
    ['kind', [{ key: 'episodic', count: 3 }]],
    ['tag', [{ key: 'keep', count: 2 }]],
    ['thread', [{ key: 't1', count: 2 }]],
    [
      'tool',
      [
        { key: 'x', count: 2 },
        { key: 'y', count: 1 },
      ],
    ],
  ] as const)('EPI-95: grouped by %s', async (by, groups) => {
    await memory.run('a', { tools: ['x'], tags: ['keep'], threadId: 't1' });
    await memory.run('b', { tools: ['x', 'y'], threadId: 't1' });
    await memory.event('c', { tags: ['keep'] });
    expect((await timeline({ by })).groups).toEqual(groups);
  });

  test('EPI-96: over 1 000 buckets is refused, naming the smallest that fits', async () => {
    await memory.runs([['a', { at: NOW - 100 * DAY, expiresAt: null }], ['b']]);
    await expect(timeline({ bucket: 'hour' })).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('day'),
    });
  });

  test.each([
    [{ limit: 3 }, 'limit'],
    [{ bucket: 'year' }, 'bucket'],
    [{ by: 'input' }, 'by'],
    [{ since: 'soon' }, 'soon'],
  ])('EPI-95: %j is refused', async (options, name) => {
    await expect(timeline(options as TimelineOptions)).rejects.toThrow(name);
  });

  test('EPI-95: nothing there is zero, in a namespace that is not there and in one without a store', async () => {
    expect(await timeline({ bucket: 'day' })).toMatchObject({ total: 0, groups: [], buckets: [] });
    const none = await memoryTimeline(memory.context({ store: undefined }), { outcome: 'ok' });
    expect(none).toMatchObject({ total: 0, groups: [], buckets: [] });
  });

  test('EPI-96, EPI-95: counts equal a count of all records, in every bucket and zone (property)', async () => {
    const spec = fc.record({
      at: fc.integer({ min: NOW - 20 * DAY, max: NOW }),
      outcome: fc.constantFrom('ok' as const, 'error' as const, 'cancelled' as const),
      tags: fc.subarray(['a', 'b']),
      hidden: fc.constantFrom(undefined, undefined, 'candidate' as const, 'superseded' as const),
    });
    const options = fc.record(
      {
        bucket: fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
        outcome: fc.constant('ok' as const),
        since: fc.constant('-9d'),
      },
      { requiredKeys: ['bucket'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(spec, { maxLength: 25 }),
        options,
        fc.constantFrom('UTC', 'Asia/Kathmandu'),
        async (specs, given, zone) => {
          const own = await makeMemory();
          own.timeZone = zone;
          await own.runs(
            specs.map(
              ({ hidden, ...rest }) => ['x', { ...rest, ...(hidden === undefined ? {} : { status: hidden }) }] as const,
            ),
          );
          const found = await memoryTimeline(own.context(), { ...given, by: 'tag' });
          const shown = specs.filter((one) => {
            const inWindow = given.since === undefined || one.at >= NOW - 9 * DAY;
            return one.hidden === undefined && inWindow && (given.outcome === undefined || one.outcome === 'ok');
          });
          expect(found.total).toBe(shown.length);
          expect(found.buckets.reduce((sum, { total }) => sum + total, 0)).toBe(shown.length);
          for (const bucket of found.buckets) {
            const inside = shown.filter(({ at }) => at >= Date.parse(bucket.since) && at < Date.parse(bucket.until));
            expect(bucket.total).toBe(inside.length);
            for (const tag of ['a', 'b']) {
              const count = bucket.groups.find(({ key }) => key === tag)?.count ?? 0;
              expect(count).toBe(inside.filter(({ tags }) => tags.includes(tag)).length);
            }
          }
          await own.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  test('EPI-96: other namespaces do not count', async () => {
    await memory.run('a', { namespace: `${NAMESPACE}b` });
    expect((await timeline()).total).toBe(0);
  });
});
