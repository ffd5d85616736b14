import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { consolidate } from '../../../src/episodes/consolidate.ts';
import { askHost, type DistillContext, type DistillOptions } from '../../../src/episodes/distill.ts';
import { eraseMemory } from '../../../src/episodes/erase.ts';
import { reflect } from '../../../src/episodes/reflect.ts';
import type { MemoryRecord } from '../../../src/model/episode.ts';
import { Masker } from '../../../src/redact/masker.ts';
import { openSqliteMemories } from '../../../src/store/sqlite/memory-set.ts';
import { DAY, HOUR, type Memory, makeMemory, NAMESPACE, NOW, type RunSpec } from './memory-steps.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await makeMemory('disk');
});
afterEach(() => memory.close());

type Settings = DistillContext['settings'];
const STANDARD: Settings = {
  minAgeMs: 7 * DAY,
  minGroup: 5,
  maxGroup: 50,
  maxBatches: 5,
  sourceTtlMs: 7 * DAY,
  summaryTtlMs: null,
  reflectMin: 10,
  reflectMax: 100,
};
const context = (settings: Partial<Settings> = {}, changes: Partial<DistillContext> = {}): DistillContext => ({
  stores: [memory.store],
  clock: { now: () => memory.now, elapsed: () => 0 },
  masker: Masker.credentials(),
  timeZone: 'UTC',
  writes: 'auto',
  settings: { ...STANDARD, ...settings },
  ...changes,
});
// 2026-08-01 is a Saturday, nine days ago: the week from July 27th.
const SATURDAY = NOW - 9 * DAY;
const runs = (count: number, at: number, spec: RunSpec = {}): Promise<string[]> =>
  memory.runs(
    Array.from(
      { length: count },
      (_, index) =>
        [`deploy api`, { at: at + index * 60_000, threadId: `t${index}`, runId: `r${at}-${index}`, ...spec }] as const,
    ),
  );
const get = (id: string): Promise<MemoryRecord | undefined> =>
  memory.store.read(async (reading) => (await reading.get(id))?.record);
const summaries = async (): Promise<readonly MemoryRecord[]> =>
  (await memory.recall({ tags: ['consolidated'], limit: 100 })).records;

describe('consolidating', () => {
  test('E-186, EPI-143, EPI-144: five runs of nine days ago become one summary; four of the week before wait', async () => {
    const ids = await runs(5, SATURDAY);
    await runs(4, SATURDAY - 7 * DAY);
    const result = await consolidate(context());
    expect(result).toMatchObject({ written: 1, failed: 0, dropped: 0, waiting: 4, more: false, dryRun: false });
    const [summary] = await summaries();
    expect(summary).toEqual({
      id: expect.stringMatching(/^sum_[0-9a-f]{32}$/),
      namespace: NAMESPACE,
      kind: 'episodic',
      status: 'active',
      content: '5 runs 2026-07-27..2026-08-02: 5 ok, 0 error, 0 cancelled. Most frequent: "deploy api" ×5.',
      data: {
        period: { since: '2026-07-27T00:00:00.000Z', until: '2026-08-03T00:00:00.000Z' },
        sourceCount: 5,
        outcomes: { ok: 5, error: 0, cancelled: 0 },
        tools: [],
      },
      source: { type: 'distill', id: 'consolidate' },
      confidence: 1,
      tags: ['consolidated'],
      createdAt: new Date(NOW).toISOString(),
      updatedAt: new Date(NOW).toISOString(),
      effectiveAt: new Date(SATURDAY + 4 * 60_000).toISOString(),
      expiresAt: new Date(SATURDAY + 30 * DAY).toISOString(),
      derivedFrom: ids,
    });
    expect((await memory.recall({ limit: 100 })).records).toHaveLength(5);
    const source = await get(ids[0]!);
    expect(source).toMatchObject({ status: 'superseded', expiresAt: new Date(NOW + 7 * DAY).toISOString() });
  });

  test('E-187, EPI-145, EPI-146: a source that expires in two days still does, and the summary then too', async () => {
    const [first] = await runs(1, SATURDAY, { expiresAt: NOW + 2 * DAY });
    await runs(4, SATURDAY + HOUR);
    await consolidate(context());
    const soon = new Date(NOW + 2 * DAY).toISOString();
    expect((await get(first!))!.expiresAt).toBe(soon);
    expect((await summaries())[0]!.expiresAt).toBe(soon);
  });

  test('EPI-146: summaryTtlMs counts from the end of the period; without expiry of any source there is none', async () => {
    await runs(5, SATURDAY);
    await consolidate(context({ summaryTtlMs: 400 * DAY }));
    const end = Date.parse('2026-08-03T00:00:00.000Z');
    expect((await summaries())[0]!.expiresAt).toBe(new Date(end + 400 * DAY).toISOString());
    await runs(5, SATURDAY - 7 * DAY, { expiresAt: null });
    await consolidate(context());
    expect((await summaries())[1]!.expiresAt).toBeUndefined();
  });

  test('E-188, EPI-145: an expired record that was not pruned is in no summary', async () => {
    const [expired] = await runs(1, SATURDAY, { expiresAt: NOW });
    await runs(5, SATURDAY + HOUR);
    await consolidate(context());
    const [summary] = await summaries();
    expect(summary!.derivedFrom).toHaveLength(5);
    expect(summary!.derivedFrom).not.toContain(expired);
  });

  test('EPI-143: young records, candidates, facts and summaries are not taken; the age is inclusive', async () => {
    await runs(4, NOW - 7 * DAY + 1);
    await runs(5, SATURDAY, { status: 'candidate' });
    await runs(5, SATURDAY, { kind: 'semantic', source: { type: 'tool', id: 'remember' }, runId: undefined as never });
    expect((await consolidate(context())).batches).toEqual([]);
    await runs(1, NOW - 7 * DAY);
    expect(await consolidate(context({ minGroup: 1 }))).toMatchObject({ written: 1, waiting: 0 });
  });

  test('EPI-143: larger groups are cut in event order, a small remainder waits, oldest weeks first', async () => {
    await runs(7, SATURDAY);
    await runs(3, SATURDAY - 7 * DAY);
    const result = await consolidate(context({ minGroup: 2, maxGroup: 3, maxBatches: 2 }));
    expect(result.batches.map(({ period, sources }) => [period.since.slice(0, 10), sources.length])).toEqual([
      ['2026-07-20', 3],
      ['2026-07-27', 3],
    ]);
    expect(result).toMatchObject({ waiting: 1, more: true });
    expect(await consolidate(context({ minGroup: 2, maxGroup: 3 }))).toMatchObject({ written: 1, more: false });
  });

  test('EPI-143: weeks are those of the time zone', async () => {
    // Monday 00:30 in Berlin is Sunday in UTC.
    await runs(5, Date.parse('2026-08-02T22:30:00.000Z') - 7 * DAY);
    const [batch] = (await consolidate(context({}, { timeZone: 'Europe/Berlin' }))).batches;
    expect(batch!.period).toEqual({ since: '2026-07-26T22:00:00.000Z', until: '2026-08-02T22:00:00.000Z' });
  });

  test('E-189, EPI-144: consolidating twice, and by two at once, makes one summary', async () => {
    await runs(5, SATURDAY);
    const other = openSqliteMemories({ folder: memory.folder! });
    const stores = [(await other.open('main'))!];
    const results = await Promise.all([consolidate(context()), consolidate(context({}, { stores }))]);
    expect(results.map(({ written }) => written).sort()).toEqual([0, 1]);
    expect((await consolidate(context())).batches).toEqual([]);
    expect(await summaries()).toHaveLength(1);
    await other.close();
  });

  test('E-190, EPI-142: a summarizer that throws on batch 2 of 3 leaves that batch untouched and goes on', async () => {
    for (const week of [0, 1, 2]) await runs(5, SATURDAY - week * 7 * DAY);
    let calls = 0;
    const summarize = async ({ records }: { records: readonly MemoryRecord[] }): Promise<{ content: string }> => {
      if (++calls === 2) throw new Error('no');
      return { content: `I saw ${records.length}` };
    };
    const result = await consolidate(context({ summarize: summarize as never }));
    expect(result).toMatchObject({ written: 2, failed: 1 });
    expect(result.batches.map(({ status, reason }) => [status, reason])).toEqual([
      ['written', undefined],
      ['failed', 'threw'],
      ['written', undefined],
    ]);
    expect((await get(result.batches[1]!.sources[0]!))!.status).toBe('active');
    expect((await summaries()).map(({ content }) => content)).toEqual(['I saw 5', 'I saw 5']);
  });

  test.each([
    ['nothing', () => undefined],
    ['no text', () => ({ content: 7 })],
    ['no letter or digit', () => ({ content: ' — … 🚀' })],
  ])('EPI-142: a function that returns %s fails its batch', async (_name, summarize) => {
    await runs(5, SATURDAY);
    expect((await consolidate(context({ summarize: summarize as never }))).batches).toMatchObject([
      { status: 'failed', reason: 'no_text', ids: [] },
    ]);
    expect(await summaries()).toEqual([]);
  });

  test('EPI-142: one whose answer runs code that throws fails its batch, and the others go on', async () => {
    for (const week of [0, 1]) await runs(5, SATURDAY - week * 7 * DAY);
    let calls = 0;
    const summarize = (): object =>
      calls++ === 0
        ? {
            get content(): string {
              throw new Error('no');
            },
          }
        : { content: 'two', other: () => 1 };
    expect(await consolidate(context({ summarize: summarize as never }))).toMatchObject({ written: 1, failed: 1 });
  });

  test('EPI-142: one that takes too long is told by its signal, and fails its batch', async () => {
    let aborted = false;
    const wait = ({ signal }: { signal: AbortSignal }): Promise<never> =>
      new Promise(() => signal.addEventListener('abort', () => (aborted = true)));
    expect(await askHost(wait, {}, 5)).toEqual({ reason: 'timeout' });
    expect(aborted).toBe(true);
  });

  test('EPI-142: what a function returns is redacted, bounded, and names no ids', async () => {
    await runs(5, SATURDAY);
    const key = `sk-${'ant'}-api03-${'a1B2'.repeat(23)}`;
    const summarize = (): unknown => ({
      content: `key ${key} ${'x'.repeat(3_000)}`,
      derivedFrom: [],
      supersedes: ['ep_1'],
    });
    await consolidate(context({ summarize: summarize as never }));
    const [summary] = await summaries();
    expect(summary!.content).not.toContain('a1B2');
    expect(summary!.content).toHaveLength(2_000);
    expect(summary!.derivedFrom).toHaveLength(5);
    expect(summary!.supersedes).toBeUndefined();
  });

  test('EPI-149: a batch whose records were erased while its function ran is dropped, not written', async () => {
    await runs(5, SATURDAY);
    const summarize = async (): Promise<unknown> => {
      await eraseMemory({ stores: [memory.store], clock: context().clock }, { thread: 't3' });
      return { content: 'of five runs' };
    };
    expect((await consolidate(context({ summarize: summarize as never }))).batches).toMatchObject([
      { status: 'dropped', reason: 'changed' },
    ]);
    expect(await summaries()).toEqual([]);
    expect((await memory.recall()).records).toHaveLength(4);
  });

  test('EPI-149: a dry run lists records and text, changes nothing, and calls no function unless asked', async () => {
    const ids = await runs(5, SATURDAY);
    const before = await memory.recall({ limit: 100 });
    const plain = await consolidate(context(), { dryRun: true });
    expect(plain).toMatchObject({ written: 0, dryRun: true, batches: [{ status: 'planned', sources: ids }] });
    expect(plain.batches[0]!.contents![0]).toMatch(/^5 runs/);
    let calls = 0;
    const summarize = (): unknown => ({ content: `call ${++calls}` });
    const settings = { summarize: summarize as never };
    expect((await consolidate(context(settings), { dryRun: true })).batches[0]!.contents).toBeUndefined();
    expect(calls).toBe(0);
    const asked = await consolidate(context(settings), { dryRun: true, summarize: true });
    expect(asked.batches[0]!.contents).toEqual(['call 1']);
    expect(await memory.recall({ limit: 100 })).toEqual(before);
    expect((await consolidate(context())).batches[0]!.ids).toEqual(plain.batches[0]!.ids);
  });

  test('EPI-144, E-183: erasing a thread reaches the summary even when its sources are long gone', async () => {
    await runs(6, SATURDAY);
    await consolidate(context({ sourceTtlMs: 1 }));
    memory.now += DAY;
    await memory.store.write(async (writing) =>
      writing.prune((await writing.namespace(NAMESPACE))!.no, { now: memory.now }),
    );
    expect((await memory.recall({ limit: 100 })).records).toHaveLength(1);
    await eraseMemory({ stores: [memory.store], clock: context().clock }, { thread: 't2' });
    expect((await memory.recall()).status).toBe('empty');
  });

  test.each([
    [{ maxBatches: 0 }, 'invalid_argument'],
    [{ maxBatches: 1.5 }, 'invalid_argument'],
    [{ namespace: '' }, 'namespace_invalid'],
  ])('EPI-141, EPI-140: %j is refused by both', async (options: DistillOptions, code) => {
    await expect(consolidate(context(), options)).rejects.toMatchObject({ code });
    await expect(reflect(context(), options)).rejects.toMatchObject({ code });
  });

  test('EPI-140: writes off refuses both', async () => {
    for (const distill of [consolidate, reflect]) {
      await expect(distill(context({}, { writes: 'off' }))).rejects.toMatchObject({ code: 'writes_off' });
    }
  });

  test('EPI-140: a namespace names itself and those within it', async () => {
    await runs(5, SATURDAY);
    await runs(5, SATURDAY, { namespace: `${NAMESPACE}|tenant=x` });
    await runs(5, SATURDAY, { namespace: `${NAMESPACE}b` });
    const { batches } = await consolidate(context(), { namespace: NAMESPACE });
    expect(batches.map(({ namespace }) => namespace)).toEqual([NAMESPACE, `${NAMESPACE}|tenant=x`]);
  });
});

describe('reflecting', () => {
  const candidates = (): Promise<readonly { readonly no: number; readonly record: MemoryRecord }[]> =>
    memory.store.read((reading) => reading.list({ status: 'candidate' }, 100));
  const failing = async (): Promise<void> => {
    await runs(5, SATURDAY, { outcome: 'error', data: { errorClass: 'TimeoutError', errorMessage: 'no answer' } });
    await runs(2, SATURDAY + HOUR);
    await memory.runs([['a'], ['b'], ['c']]);
  };

  test('E-193, EPI-147: deploy api failed 5 of 7 runs: a candidate with confidence 0.5, made from the batch', async () => {
    await failing();
    const result = await reflect(context());
    expect(result).toMatchObject({ written: 1, waiting: 0 });
    const [found] = await candidates();
    expect(found!.record).toMatchObject({
      id: expect.stringMatching(/^ref_[0-9a-f]{32}$/),
      kind: 'reflection',
      status: 'candidate',
      content: '"deploy api": 5 of 7 runs failed, last TimeoutError: "no answer".',
      confidence: 0.5,
      source: { type: 'distill', id: 'reflect' },
      expiresAt: new Date(SATURDAY + 30 * DAY).toISOString(),
    });
    expect(found!.record.derivedFrom).toHaveLength(10);
    expect((await memory.recall({ kind: 'reflection' })).records).toEqual([]);
  });

  test('E-191, EPI-147: after every insight was rejected there is nothing to do', async () => {
    await failing();
    await reflect(context());
    const numbers = (await candidates()).map(({ no }) => no);
    expect(numbers).toHaveLength(1);
    await memory.store.write((writing) => writing.remove(numbers, 'rejected', NOW));
    expect(await reflect(context())).toMatchObject({ batches: [], written: 0, waiting: 0 });
  });

  test('E-192, EPI-147: a late record with an older event time is in the next batch', async () => {
    await runs(10, SATURDAY);
    await reflect(context());
    const late = await memory.run('late', { at: SATURDAY - 300 * DAY, expiresAt: null });
    expect(await reflect(context())).toMatchObject({ batches: [], waiting: 1 });
    await runs(9, SATURDAY + DAY);
    const { batches } = await reflect(context());
    expect(batches[0]!.sources).toHaveLength(10);
    expect(batches[0]!.sources).toContain(late);
  });

  test('EPI-147: at most reflectMax per batch, in the order of writing, and at most maxBatches', async () => {
    const ids = await runs(25, SATURDAY);
    const result = await reflect(context({ reflectMax: 10, maxBatches: 1 }));
    expect(result).toMatchObject({ written: 1, more: true });
    expect(result.batches[0]!.sources).toEqual(ids.slice(0, 10));
    expect(await reflect(context({ reflectMax: 10 }))).toMatchObject({ written: 1, waiting: 5, more: false });
  });

  test('EPI-147: two at once reflect once', async () => {
    await failing();
    const other = openSqliteMemories({ folder: memory.folder! });
    const stores = [(await other.open('main'))!];
    const results = await Promise.all([reflect(context()), reflect(context({}, { stores }))]);
    expect(results.reduce((sum, { written }) => sum + written, 0)).toBe(1);
    expect(await candidates()).toHaveLength(1);
    await other.close();
  });

  test('EPI-142: a host’s insights are read, and one without a text fails the batch, which comes again', async () => {
    await failing();
    let answer: unknown = { insights: [{ content: '?' }] };
    const settings = { reflect: (() => answer) as never };
    expect((await reflect(context(settings))).batches).toMatchObject([{ status: 'failed', reason: 'no_text' }]);
    answer = {
      insights: [
        { content: 'api is slow', confidence: 0.9 },
        { content: 'b 2', confidence: 7 },
      ],
    };
    expect((await reflect(context(settings))).batches).toMatchObject([{ status: 'written' }]);
    expect((await candidates()).map(({ record }) => [record.content, record.confidence]).sort()).toEqual([
      ['api is slow', 0.9],
      ['b 2', 0.5],
    ]);
  });

  test('EPI-149: a dry run of reflect says what it would write and marks nothing', async () => {
    await failing();
    const { batches } = await reflect(context(), { dryRun: true });
    expect(batches).toMatchObject([{ status: 'planned', contents: [expect.stringContaining('5 of 7')] }]);
    expect(await candidates()).toEqual([]);
    expect((await reflect(context())).written).toBe(1);
  });
});
