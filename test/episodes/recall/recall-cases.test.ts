// The rows of the case file on time and recall (cases/episodes.md), through recall over a real store.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RecallOptions } from '../../../src/episodes/recall-options.ts';
import { runRecallTool } from '../../../src/episodes/recall-tool.ts';
import { DAY, HOUR, type Memory, makeMemory, NAMESPACE, NOW } from './memory-steps.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await makeMemory();
});
afterEach(() => memory.close());

const windowOf = async (options: RecallOptions): Promise<unknown> => (await memory.recall(options)).coverage.window;
const tool = (args: unknown): ReturnType<typeof runRecallTool> => runRecallTool(() => memory.context(), args);
const error = (code: string, ...words: string[]): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(new RegExp(words.join('.*') || '.')) });

describe('time', () => {
  test('E-110, EPI-72: since is inclusive, until exclusive', async () => {
    await memory.runs([
      ['ten', { at: '2026-08-10T10:00:00.000Z' }],
      ['eleven', { at: '2026-08-10T11:00:00.000Z' }],
    ]);
    const found = await memory.recall({ since: '2026-08-10T10:00:00.000Z', until: '2026-08-10T11:00:00.000Z' });
    expect(found.records.map(({ data }) => data.input)).toEqual(['ten']);
  });

  type Row = [id: string, zone: string, options: RecallOptions, since: string, until?: string];
  const rows: Row[] = [
    ['E-111, EPI-73', 'UTC', { since: '-24h' }, '2026-08-09T18:00:00.000Z'],
    ['E-113', 'UTC', { since: '2026-08-10T09:30' }, '2026-08-10T09:30:00.000Z'],
    ['E-114, EPI-74', 'Europe/Berlin', { since: '2026-08-10' }, '2026-08-09T22:00:00.000Z'],
    ['E-116', 'UTC', { period: 'yesterday' }, '2026-08-09T00:00:00.000Z', '2026-08-10T00:00:00.000Z'],
    ['E-117, EPI-77', 'UTC', { period: 'last week' }, '2026-08-03T00:00:00.000Z', '2026-08-10T00:00:00.000Z'],
    ['E-118', 'UTC', { period: '2026-W33' }, '2026-08-10T00:00:00.000Z', '2026-08-17T00:00:00.000Z'],
    ['E-119', 'UTC', { period: 'past 7 days' }, '2026-08-03T18:00:00.000Z', '2026-08-10T18:00:00.000Z'],
    ['E-124', 'Europe/Berlin', { period: '2026-10-25' }, '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['E-125, EPI-75', 'Europe/Berlin', { since: '2026-03-29T02:30' }, '2026-03-29T01:30:00.000Z'],
    ['E-125, EPI-75', 'Europe/Berlin', { since: '2026-10-25T02:30' }, '2026-10-25T00:30:00.000Z'],
    ['E-121', 'UTC', { since: ' -24h ' }, '2026-08-09T18:00:00.000Z'],
    ['E-121', 'UTC', { since: '-0h' }, '2026-08-10T18:00:00.000Z'],
    ['E-121', 'UTC', { since: '-2w' }, '2026-07-27T18:00:00.000Z'],
    ['E-121', 'UTC', { since: 'now' }, '2026-08-10T18:00:00.000Z'],
  ];
  test.each<Row>(rows)('%s: in %s, %j is a window from %s', async (...[_id, zone, options, since, until]) => {
    memory.timeZone = zone;
    expect(await windowOf(options)).toEqual({ since, ...(until === undefined ? {} : { until }) });
  });

  test('E-115, EPI-78: until on a day is the start of that day, and is echoed', async () => {
    expect(await windowOf({ until: '2026-08-11' })).toEqual({ until: '2026-08-11T00:00:00.000Z' });
    await memory.run('a');
    expect((await tool({ until: '2026-08-11' })).text).toContain('window t < 2026-08-11T00:00:00.000Z.');
  });

  test('E-112: an offset is taken, and compared as an instant', async () => {
    await memory.run('late', { at: '2026-08-10T23:59:59.999Z' });
    expect((await memory.recall({ until: '2026-08-11T02:00:00+02:00' })).records).toHaveLength(1);
    expect((await memory.recall({ until: '2026-08-11T01:59:59+02:00' })).records).toHaveLength(0);
  });

  test.each(['24h', '-24H', '5', '1700000000000', '08/11/2026', '2026-13-01', '2026-02-30', 'soon', '-999999999999d'])(
    'E-120, EPI-74: since "%s" is time_invalid and never a list',
    async (since) => {
      await memory.run('a');
      await expect(memory.recall({ since })).rejects.toThrow(error('time_invalid', 'since'));
      await expect(memory.recall({ since })).rejects.toHaveProperty('hint', expect.stringContaining('-24h'));
      expect(await tool({ since })).toMatchObject({ status: 'error', code: 'time_invalid' });
    },
  );

  test('E-122, EPI-76: since at until is window_empty, naming both', async () => {
    const both = { since: '2026-08-10', until: '2026-08-10T00:00Z' };
    await expect(memory.recall(both)).rejects.toThrow(error('window_empty', '2026-08-10T00:00', '2026-08-10T00:00'));
  });

  test('E-123, EPI-70: a period beside since is refused', async () => {
    await expect(memory.recall({ period: 'today', since: '-1h' })).rejects.toThrow(error('invalid_argument', 'period'));
  });

  test('E-126, EPI-4: an event of 2020 written today is in the window of 2020, and not in that of today', async () => {
    await memory.run('old', { at: '2020-05-05T00:00:00.000Z', createdAt: NOW, expiresAt: null });
    expect((await memory.recall({ period: '2020' })).records).toHaveLength(1);
    expect((await memory.recall({ period: 'today' })).status).toBe('nothing_in_window');
  });

  test('EPI-73: window, age and expiry are read against one instant of the request', async () => {
    let asked = 0;
    const clock = { now: () => NOW + asked++ * HOUR, elapsed: () => 0 };
    await memory.run('a', { at: NOW - HOUR });
    const found = await memory.recall({ since: '-2h', until: 'now' }, { clock });
    expect(asked).toBe(1);
    expect(found.now).toBe('2026-08-10T18:00:00.000Z');
    expect(found.coverage.window).toEqual({ since: '2026-08-10T16:00:00.000Z', until: found.now });
  });

  test('E-196, EPI-164: a record 3 minutes ahead is listed in an open window, and marked', async () => {
    await memory.run('ahead', { at: NOW + 3 * 60_000 });
    const { text } = await tool({ since: '-1h' });
    expect(text).toContain('(in 3m (clock ahead)) run ok');
    const [record] = (await memory.recall({ query: 'ahead' })).records;
    expect(record!.score).toBe(1);
  });
});

describe('recall', () => {
  test('E-130, EPI-80: without query and window, event time descending; equal times by id', async () => {
    await memory.runs([
      ['c', { id: 'ep_c', at: NOW - HOUR }],
      ['a', { id: 'ep_a', at: NOW - HOUR }],
      ['new', { id: 'ep_z', at: NOW }],
    ]);
    const ids = async (options: RecallOptions): Promise<string[]> =>
      (await memory.recall(options)).records.map(({ id }) => id);
    expect(await ids({})).toEqual(['ep_z', 'ep_a', 'ep_c']);
    expect(await ids({ since: '-2h' })).toEqual(['ep_z', 'ep_a', 'ep_c']);
  });

  test('E-131, EPI-71: tags apply before the limit', async () => {
    await memory.run('the oldest', { at: NOW - 50 * HOUR, tags: ['keep'] });
    await memory.runs(Array.from({ length: 19 }, (_, index) => [`run ${index}`, { at: NOW - index * HOUR }] as const));
    expect(await memory.contents({ tags: ['keep', 'other'], limit: 8 })).toEqual([
      'run ok: the oldest (0 tools, 1.4s)',
    ]);
  });

  test('E-132, EPI-83: a whole match is first, before 3 000 newer partial ones', async () => {
    await memory.run('order 8821 refund', { at: NOW - 10 * DAY });
    await memory.runs(Array.from({ length: 3_000 }, (_, index) => [`order ${index}`] as const));
    const [first] = await memory.contents({ query: 'order refund' });
    expect(first).toContain('order 8821 refund');
  });

  test('E-133, EPI-81, EPI-83: of two common words the oldest record that holds both is first', async () => {
    await memory.run('deploy timeout', { at: NOW - 20 * DAY });
    await memory.runs(Array.from({ length: 2_000 }, (_, index) => [`deploy ${index}`] as const));
    await memory.runs(Array.from({ length: 2_000 }, (_, index) => [`timeout ${index}`] as const));
    const found = await memory.recall({ query: 'deploy timeout' });
    expect(found.records[0]!.data.input).toBe('deploy timeout');
    expect(found.records).toHaveLength(8);
    expect(found.coverage.ranked.complete).toBe(false);
  });

  test('E-134, EPI-81: of the same text the newer is first', async () => {
    const old = await memory.run('same', { at: NOW - 60 * DAY, expiresAt: null });
    const young = await memory.run('same', { at: NOW - HOUR });
    expect((await memory.recall({ query: 'same' })).records.map(({ id }) => id)).toEqual([young, old]);
  });

  test('E-135, EPI-4: recency is that of the event, not of the writing', async () => {
    const yesterday = await memory.run('same', { at: NOW - DAY, createdAt: NOW - DAY });
    const imported = await memory.run('same', { at: '2020-01-01T00:00:00.000Z', createdAt: NOW, expiresAt: null });
    expect((await memory.recall({ query: 'same' })).records.map(({ id }) => id)).toEqual([yesterday, imported]);
  });

  test.each([
    ['E-136, EPI-82', 'lookupInvoice'],
    ['E-136, EPI-82', 'invoice'],
    ['E-138', 'zurich cafe'],
    ['EPI-82', 'succeeded'],
    ['EPI-82', 'thread-9'],
    ['EPI-82', '"Zürich Café"'],
  ])('%s: %s finds the run', async (_id, query) => {
    await memory.run('Zürich Café', { tools: ['lookupInvoice'], threadId: 'thread-9' });
    await memory.run('other', { outcome: 'error' });
    const found = await memory.recall({ query });
    expect(found.records.map(({ data }) => data.input)).toEqual(['Zürich Café']);
  });

  test('EPI-82: keys are not searched', async () => {
    await memory.run('a');
    expect((await memory.recall({ query: 'toolsUsed' })).status).toBe('no_match');
  });

  test('E-137: two characters of a script without spaces find their record only', async () => {
    await memory.runs([['会议 项目'], ['处理发票']]);
    expect((await memory.recall({ query: '发票' })).records.map(({ data }) => data.input)).toEqual(['处理发票']);
  });

  test('E-139, EPI-84: a query without a word is query_empty, never an unranked list', async () => {
    await memory.run('a');
    for (const query of ['???', '🚀']) await expect(memory.recall({ query })).rejects.toThrow(error('query_empty'));
    expect(await tool({ query: '???' })).toMatchObject({ status: 'error', code: 'query_empty' });
  });

  test('E-140, EPI-70: a blank query is the same as none', async () => {
    await memory.runs([['a', { at: NOW - HOUR }], ['b']]);
    const blank = await memory.recall({ query: '   ', since: '-24h' });
    expect(blank).toEqual(await memory.recall({ since: '-24h' }));
    expect(blank.records).toHaveLength(2);
  });

  test('E-141, EPI-89: no_match says how many the window holds, and which words are unknown', async () => {
    await memory.runs([['a'], ['b'], ['c', { at: NOW - 3 * DAY }]]);
    const found = await memory.recall({ query: 'zebra', since: '-24h' });
    expect(found).toMatchObject({ status: 'no_match', others: { count: 2, exact: true }, unmatchedTerms: ['zebra'] });
    expect(found.total).toEqual({ count: 0, exact: true });
    const { text } = await tool({ query: 'zebra', since: '-24h' });
    expect(text).toBe('No memory record matches the request; 2 in the window do not. Unknown words: zebra.');
  });

  test('EPI-89: filters other than the window count as part of what matches', async () => {
    await memory.run('a', { outcome: 'ok' });
    expect(await memory.recall({ outcome: 'error' })).toMatchObject({ status: 'no_match', others: { count: 1 } });
    expect((await tool({ tool: 'none' })).text).toBe(
      'No memory record matches the request; 1 in the namespace does not.',
    );
  });

  test('E-142, EPI-89: nothing_in_window says how many are outside, and the nearest', async () => {
    await memory.runs([
      ['a', { at: '2026-08-01T00:00:00.000Z' }],
      ['b', { at: '2026-08-05T12:00:00.000Z' }],
      ['c', { at: '2026-08-10T17:00:00.000Z' }],
    ]);
    const found = await memory.recall({ period: '2026-08-06', query: 'a' });
    expect(found).toMatchObject({
      status: 'nothing_in_window',
      others: { count: 3, exact: true },
      nearest: '2026-08-05T12:00:00.000Z',
    });
    expect(await memory.recall({ since: '2026-08-10T17:30Z' })).toMatchObject({ nearest: '2026-08-10T17:00:00.000Z' });
    expect(await memory.recall({ until: '2026-07-01' })).toMatchObject({ nearest: '2026-08-01T00:00:00.000Z' });
  });

  test('EPI-86, EPI-89: an empty namespace, and an agent without a memory, are empty', async () => {
    await memory.run('elsewhere', { namespace: 'workspace=app|route=/b' });
    for (const store of [memory.store, undefined]) {
      const found = await memory.recall({ query: 'elsewhere' }, { store });
      expect(found).toMatchObject({ status: 'empty', records: [], total: { count: 0, exact: true } });
    }
    expect((await tool({})).text).toBe('No memory records in this namespace yet.');
  });

  test('E-143, EPI-89: a store that cannot be read is unavailable, not empty', async () => {
    await memory.close();
    expect(await tool({})).toEqual({
      status: 'unavailable',
      code: 'closed',
      text: 'Memory is unavailable for this request: the store did not answer (closed). Nothing was recalled or stored.',
    });
    memory = await makeMemory();
  });

  test('E-146, EPI-85: 177 equal runs and one other collapse to two lines', async () => {
    const equal = Array.from({ length: 177 }, (_, index) => ['same', { at: NOW - index * 60_000 }] as const);
    await memory.runs([...equal, ['other', { at: NOW - DAY }]]);
    const found = await memory.recall({ collapse: true, limit: 8 });
    expect(found.records.map(({ data, repeats, firstAt }) => [data.input, repeats, firstAt])).toEqual([
      ['same', 177, new Date(NOW - 176 * 60_000).toISOString()],
      ['other', undefined, undefined],
    ]);
    expect(found.total).toEqual({ count: 178, exact: true });
    expect((await tool({ collapse: true })).text).toContain(' | ×177 since 2026-08-10T15:04:00.000Z | ');
    const count = await memory.store.read(async (reading) => (await reading.namespace(NAMESPACE))!.records);
    expect(count).toBe(178);
  });

  test('EPI-85: outcome and data tell records apart; only the 2 000 first are looked at, and that is said', async () => {
    await memory.run('same', { outcome: 'error' });
    await memory.run('same');
    await memory.event('x', { data: { event: 'x', n: 1 } });
    await memory.event('y', { data: { n: 1, event: 'x' } });
    await memory.event('x', { data: { event: 'x', n: 2 } });
    const found = await memory.recall({ collapse: true, limit: 100 });
    expect(found.records.map(({ repeats }) => repeats ?? 1).sort()).toEqual([1, 1, 1, 2]);
    expect(found.coverage.ranked).toEqual({ considered: 5, complete: true });
    await memory.runs(Array.from({ length: 2_000 }, () => ['many'] as const));
    const many = await memory.recall({ collapse: true });
    expect(many.coverage.ranked).toEqual({ considered: 2_000, complete: false });
  });

  test('E-147, EPI-82: deployment failure finds a failed run by both words', async () => {
    await memory.run('deployment of api', { outcome: 'error', data: { errorMessage: 'no answer', errorClass: 'X' } });
    await memory.run('deployment of web');
    const found = await memory.recall({ query: 'deployment failure' });
    expect(found.records[0]!.data.input).toBe('deployment of api');
    expect(found.records[0]!.score).toBeGreaterThan(found.records[1]!.score!);
  });

  test('E-148, EPI-71: limits out of range are refused, a numeric string is a number', async () => {
    await memory.runs(Array.from({ length: 10 }, (_, index) => [`a${index}`] as const));
    for (const limit of [0, 101, -1]) {
      await expect(memory.recall({ limit })).rejects.toThrow(
        error('invalid_argument', 'limit', String(limit), '1 to 100'),
      );
    }
    expect((await memory.recall({ limit: '8' as never })).records).toHaveLength(8);
  });

  test('E-149, EPI-83, EPI-71: candidates, superseded, expired and other namespaces change neither order nor scores', async () => {
    await memory.runs([['deploy api', { at: NOW - HOUR }], ['deploy', { at: NOW - 2 * HOUR }], ['api']]);
    const before = await memory.recall({ query: 'deploy api' });
    for (const spec of [
      { status: 'candidate' as const },
      { status: 'superseded' as const },
      { expiresAt: NOW },
      { namespace: 'workspace=app|route=/ab' },
      { namespace: `${NAMESPACE}|tenant=x` },
    ]) {
      await memory.runs(Array.from({ length: 50 }, () => ['deploy api', spec] as const));
    }
    expect(await memory.recall({ query: 'deploy api' })).toEqual(before);
    expect((await memory.recall()).records).toHaveLength(3);
  });

  test('E-150, EPI-81: a confidence of 7 counts as 1', async () => {
    await memory.run('same', { id: 'ep_b', confidence: 7 });
    await memory.run('same', { id: 'ep_a', confidence: 1 });
    const { records } = await memory.recall({ query: 'same' });
    expect(records.map(({ id, score }) => [id, score])).toEqual([
      ['ep_a', 1],
      ['ep_b', 1],
    ]);
  });

  test('E-151, EPI-83: a query of common words over many records is bounded, and says so', async () => {
    await memory.runs(Array.from({ length: 2_500 }, (_, index) => [`run ok tools ${index}`] as const));
    const found = await memory.recall({ query: 'run ok tools' });
    expect(found.coverage.ranked.complete).toBe(false);
    expect(found.total.exact).toBe(false);
    expect(found.records).toHaveLength(8);
    const rare = await memory.recall({ query: 'run ok tools 77' });
    expect(rare.records[0]!.data.input).toBe('run ok tools 77');
  });

  test('EPI-70: kind, outcome, tool and thread filter exactly', async () => {
    await memory.run('a', { outcome: 'error', tools: ['deploy'], threadId: 't1' });
    await memory.run('b', { tools: ['deployAll'], threadId: 't2' });
    await memory.event('e');
    const inputs = async (options: RecallOptions): Promise<unknown[]> =>
      (await memory.recall(options)).records.map(({ data }) => data.input ?? data.event);
    expect(await inputs({ outcome: 'error' })).toEqual(['a']);
    expect(await inputs({ tool: 'deploy' })).toEqual(['a']);
    expect(await inputs({ threadId: 't2' })).toEqual(['b']);
    expect(await inputs({ kind: 'semantic' })).toEqual([]);
    expect(await inputs({ kind: 'episodic', query: 'e' })).toEqual(['e']);
  });

  test.each([
    [{ limt: 3 }, 'limit'],
    [{ kind: 'episode' }, 'kind'],
    [{ tags: 'keep' }, 'tags'],
    [{ tags: [] }, 'tags'],
    [{ collapse: 'yes' }, 'collapse'],
    [{ namespace: NAMESPACE }, 'namespace'],
    [{ scope: { tenant: 'x' } }, 'scope'],
    [{ outcome: 'failed' }, 'outcome'],
  ])('EPI-71, EPI-15: %j is refused, naming what is allowed', async (options, name) => {
    const refused = { code: 'invalid_argument', message: expect.stringContaining(name) };
    await expect(memory.recall(options as RecallOptions)).rejects.toMatchObject(refused);
    expect(await tool(options)).toMatchObject({ status: 'error', ...refused });
  });

  test('EPI-70: a query over 4 096 characters is query_too_long, and is not named', async () => {
    await expect(memory.recall({ query: 'word '.repeat(1_000) })).rejects.toThrow(
      error('query_too_long', '5000', '4096'),
    );
  });
});
