import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eraseMemory } from '../../../src/episodes/erase.ts';
import { removeWithCascade } from '../../../src/episodes/erase-cascade.ts';
import { barriersOf } from '../../../src/episodes/namespace.ts';
import { memoryTimeline } from '../../../src/episodes/timeline.ts';
import { storedId, traceOf } from '../../../src/model/episode-ids.ts';
import type { EraseReceipt } from '../../../src/model/erasure.ts';
import { DAY, type Memory, makeMemory, NAMESPACE, NOW, type RunSpec } from './memory-steps.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await makeMemory('disk');
});
afterEach(() => memory.close());

const erase = (selector: unknown, options = {}): Promise<EraseReceipt> => {
  return eraseMemory({ stores: [memory.store], clock: { now: () => memory.now, elapsed: () => 0 } }, selector, options);
};
const inputs = async (namespace = NAMESPACE): Promise<unknown[]> =>
  (await memory.recall({ limit: 100 }, { namespace })).records.map(({ data }) => data.input).sort();
const statusOf = (id: string): Promise<string | undefined> =>
  memory.store.read(async (reading) => (await reading.get(id))?.record.status);
const bytes = (): Buffer =>
  Buffer.concat(readdirSync(memory.folder!).map((name) => readFileSync(join(memory.folder!, name))));

/** Every run of 24 bytes of a text that stands in the files; none must. */
function standing(text: string): string[] {
  const all = bytes();
  const wanted = Buffer.from(text);
  const found: string[] = [];
  for (let at = 0; at + 24 <= wanted.length; at++) {
    const piece = wanted.subarray(at, at + 24);
    if (all.includes(piece)) found.push(piece.toString());
  }
  return found;
}

async function summaryOf(sources: readonly string[], spec: RunSpec = {}): Promise<string> {
  const id = await memory.event('a summary of several runs', {
    source: { type: 'distill', id: 'consolidate' },
    derivedFrom: sources,
    data: { sourceCount: sources.length },
    ...spec,
  });
  await memory.store.write(async (writing) => {
    for (const source of sources) {
      const stored = (await writing.get(source))!;
      await writing.update(stored.no, { status: 'superseded' });
    }
  });
  return id;
}

describe('erasing a namespace', () => {
  const secret = 'the quarterly figures of ACME, unreleased-and-confidential-identifier-4711';
  const other = 'workspace=app|route=/b';

  beforeEach(async () => {
    await memory.runs(
      Array.from(
        { length: 40 },
        (_, index) => [`${secret} ${index}`, { tools: ['aToolWithARatherLongNameOfItsOwn'] }] as const,
      ),
    );
    await memory.run('waits', { status: 'candidate', content: 'a candidate with its own words to be found' });
    await memory.run('stays', { namespace: other });
    await memory.store.write((writing) =>
      writing.park({
        id: 'ep_parked',
        namespace: NAMESPACE,
        startedAt: NOW,
        parkedAt: NOW,
        state: '{"input":"parked input of some length"}',
      }),
    );
  });

  test('E-180, EPI-131, EPI-134: nothing is left to recall, list, count or search, and the receipt says what went', async () => {
    // What the receipt is verified with sees what is there.
    const numbers = await memory.store.read(async (reading) =>
      reading.numbersOf((await reading.namespace(NAMESPACE))!.no),
    );
    const before = await memory.store.read((reading) => reading.leftOf(numbers));
    expect([before.rows > 80, before.index]).toEqual([true, 41]);
    const receipt = await erase({ namespace: NAMESPACE });
    expect(receipt).toMatchObject({
      deleted: {
        sessions: 0,
        entries: 0,
        records: 40,
        candidates: 1,
        derived: 0,
        parked: 1,
        indexRows: 41,
        runIndexes: 0,
      },
      kept: [],
      revived: 0,
      verified: { rows: 0, index: 0, file: 'absent' },
      barrierAt: '2026-08-10T18:00:00.000Z',
      dryRun: false,
    });
    expect(receipt.deleted.bytes).toBeGreaterThan(40 * secret.length);
    expect((await memory.recall()).status).toBe('empty');
    expect((await memory.recall({ query: 'quarterly' })).status).toBe('empty');
    expect((await memoryTimeline(memory.context())).total).toBe(0);
    const left = await memory.store.read(async (reading) => ({
      names: (await reading.namespaces()).map(({ name }) => name),
      list: (await reading.list({}, 100)).length,
      parked: (await reading.parkedRuns({})).length,
    }));
    expect(left).toEqual({ names: [other], list: 1, parked: 0 });
    expect(await inputs(other)).toEqual(['stays']);
  });

  test('E-181, EPI-133: no 24 bytes that only it held are in the database or its WAL', async () => {
    expect(standing(secret)).not.toEqual([]);
    await erase({ namespace: NAMESPACE });
    const texts = [
      `${secret} 7`,
      'aToolWithARatherLongNameOfItsOwn',
      'atoolwitharatherlongnameofitsown',
      'a candidate with its own words to be found',
      'parked input of some length',
    ];
    for (const text of texts) expect(standing(text), text).toEqual([]);
  });

  test('EPI-133: while a reader holds the WAL the file is pending, and a later write finishes it', async () => {
    const reader = new Database(join(memory.folder!, 'main.sqlite'), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM record').get();
    const receipt = await erase({ namespace: NAMESPACE });
    expect(receipt.verified.file).toBe('pending');
    reader.exec('COMMIT');
    reader.close();
    expect(standing(secret)).not.toEqual([]);
    await memory.run('after', { namespace: other });
    expect(standing(secret)).toEqual([]);
  });

  test('EPI-134: a dry run gives the same counts and changes nothing', async () => {
    const before = await memory.recall({ limit: 100 });
    const dry = await erase({ namespace: NAMESPACE }, { dryRun: true });
    expect(await memory.recall({ limit: 100 })).toEqual(before);
    const real = await erase({ namespace: NAMESPACE });
    const { barrierAt: _, ...rest } = real;
    expect(dry).toEqual({ ...rest, dryRun: true });
    expect((await erase({ namespace: NAMESPACE })).deleted.records).toBe(0);
  });

  test('EPI-133: what a kept record holds as well is no reason to complain', async () => {
    await memory.run(`${secret} 3`, { namespace: other });
    expect((await erase({ namespace: NAMESPACE })).verified.file).toBe('absent');
    expect(standing(secret)).not.toEqual([]);
  });

  test('EPI-131: deletion counts by namespace go with it; the total stays without its name', async () => {
    await erase({ namespace: NAMESPACE });
    const counts = await memory.store.read((reading) => reading.deletions());
    expect(counts).toEqual([{ namespace: '', day: '2026-08-10', reason: 'erased', count: 41 }]);
  });
});

describe('what a selector reaches', () => {
  test('EPI-130, EPI-16: exactly the namespace, or those within the prefix', async () => {
    for (const namespace of [NAMESPACE, `${NAMESPACE}|tenant=x`, `${NAMESPACE}b`]) await memory.run('a', { namespace });
    expect((await erase({ namespace: NAMESPACE }, { dryRun: true })).deleted.records).toBe(1);
    expect((await erase({ namespace: NAMESPACE, withinPrefix: true })).deleted.records).toBe(2);
    expect(await inputs(`${NAMESPACE}b`)).toEqual(['a']);
  });

  test('E-182, EPI-130: a subject over three routes; the same user of another tenant stays', async () => {
    const of = (route: string, tenant: string, user: string): string =>
      `workspace=app|route=${route}|tenant=${tenant}|user=${user}`;
    for (const route of ['/a', '/b', '/c']) await memory.run('x', { namespace: of(route, 'acme', 'u1') });
    await memory.run('y', { namespace: of('/a', 'other', 'u1') });
    await memory.run('z', { namespace: of('/a', 'acme', 'u2') });
    expect((await erase({ subject: { tenant: 'acme', user: 'u1' } })).deleted.records).toBe(3);
    expect(await inputs(of('/a', 'other', 'u1'))).toEqual(['y']);
    expect(await inputs(of('/a', 'acme', 'u2'))).toEqual(['z']);
  });

  test('EPI-130: a run id, in every namespace, with what waits for a person', async () => {
    await memory.run('a', { runId: 'r1' });
    await memory.run('b', { runId: 'r2', namespace: `${NAMESPACE}b` });
    await memory.store.write((writing) =>
      writing.park({
        id: 'ep_p',
        namespace: NAMESPACE,
        startedAt: NOW,
        parkedAt: NOW,
        state: '{}',
        runId: 'r2',
        traces: [traceOf('run', 'r2')],
      }),
    );
    expect((await erase({ run: 'r2' })).deleted).toMatchObject({ records: 1, parked: 1 });
    expect(await inputs()).toEqual(['a']);
  });

  test.each([
    [{}],
    [{ thread: '' }],
    [{ namespace: '' }],
    [{ namespace: NAMESPACE, thread: 't' }],
    [{ subject: {} }],
    [{ subject: { tenant: '' } }],
    [{ subject: { route: '/a' } }],
    [{ tread: 't1' }],
    [{ thread: 't', withinPrefix: true }],
    [undefined],
  ])('E-185, EPI-130: %j is refused, and nothing is deleted', async (selector) => {
    await memory.run('a', { threadId: 't' });
    await expect(erase(selector)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await inputs()).toEqual(['a']);
  });

  test('EPI-130: a namespace that cannot be read is namespace_invalid', async () => {
    await expect(erase({ namespace: 'a=b' })).rejects.toMatchObject({ code: 'namespace_invalid' });
  });
});

describe('the cascade', () => {
  test('E-183, EPI-132: one source of a summary goes with the summary; the five others are active again', async () => {
    const sources: string[] = [];
    for (let index = 0; index < 6; index++) {
      sources.push(await memory.run(`run ${index}`, { threadId: index === 2 ? 't1' : 't2' }));
    }
    const summary = await summaryOf(sources);
    expect((await memory.recall()).records.map(({ id }) => id)).toEqual([summary]);
    const dry = await erase({ thread: 't1' }, { dryRun: true });
    const receipt = await erase({ thread: 't1' });
    expect(receipt.deleted).toMatchObject({ records: 1, derived: 1, indexRows: 2 });
    expect(receipt.revived).toBe(5);
    expect(dry.deleted).toEqual(receipt.deleted);
    expect(await inputs()).toEqual(['run 0', 'run 1', 'run 3', 'run 4', 'run 5']);
    const [one] = (await memory.recall()).records;
    expect(one!.expiresAt).toBe(new Date(NOW + 30 * DAY).toISOString());
  });

  test('EPI-132: what was made from a summary goes as well, and a source of another summary stays superseded', async () => {
    const a = await memory.run('a', { threadId: 't1' });
    const b = await memory.run('b', { threadId: 't2' });
    const first = await summaryOf([a, b]);
    const second = await summaryOf([b]);
    const insight = await memory.event('an insight', {
      kind: 'reflection',
      derivedFrom: [first],
      source: { type: 'distill', id: 'reflect' },
    });
    const receipt = await erase({ thread: 't1' });
    expect(receipt.deleted).toMatchObject({ records: 1, derived: 2 });
    expect(receipt.revived).toBe(0);
    expect(await Promise.all([b, first, second, insight].map(statusOf))).toEqual([
      'superseded',
      undefined,
      'active',
      undefined,
    ]);
  });

  test('EPI-144, EPI-132: a summary is reached by the thread of sources that were pruned long ago', async () => {
    const gone = await memory.run('gone', { threadId: 't9' });
    await memory.store.write(async (writing) => writing.remove([(await writing.get(gone))!.no], 'expired', NOW));
    const summary = await memory.event('of what is gone', {
      source: { type: 'distill', id: 'consolidate' },
      derivedFrom: [gone],
      threadId: 't9',
    });
    expect((await erase({ thread: 't9' })).deleted).toMatchObject({ records: 0, derived: 1 });
    expect(await statusOf(summary)).toBeUndefined();
  });

  test('EPI-132, EPI-68: forgetting one record takes what was made from it, and counts both', async () => {
    const a = await memory.run('a');
    const b = await memory.run('b');
    const summary = await summaryOf([a, b]);
    const result = await memory.store.write(async (writing) => {
      return removeWithCascade(writing, [(await writing.get(a))!.no], 'forgotten', NOW);
    });
    expect(result).toEqual({ removed: 1, derived: 1, revived: 1 });
    expect(await Promise.all([a, b, summary].map(statusOf))).toEqual([undefined, 'active', undefined]);
    const counts = await memory.store.read((reading) => reading.deletions());
    expect(counts.map(({ reason, count }) => [reason, count])).toEqual([
      ['cascade', 1],
      ['forgotten', 1],
    ]);
  });
});

describe('the barrier', () => {
  test.each([
    [{ namespace: 'workspace=app|route=/a|tenant=acme|user=u1' }, true],
    [{ namespace: 'workspace=app|route=/a' }, false],
    [{ namespace: 'workspace=app|route=/a', withinPrefix: true }, true],
    [{ namespace: 'workspace=app', withinPrefix: true }, true],
    [{ subject: { user: 'u1', tenant: 'acme' } }, true],
    [{ subject: { user: 'u1' } }, true],
    [{ subject: { user: 'u2' } }, false],
    [{ thread: 't1' }, true],
    [{ thread: 't'.repeat(300) }, false],
    [{ run: 'r1' }, true],
    [{ run: 'r2' }, false],
  ])('E-184, EPI-135: an erasure of %j is met by a run of it: %s', async (selector, met) => {
    await erase(selector);
    const digests = barriersOf('workspace=app|route=/a|tenant=acme|user=u1', 't1', 'r1');
    const at = await memory.store.read((reading) => reading.barrier(digests));
    expect(at).toBe(met ? NOW : undefined);
  });

  test('EPI-135: a long thread id is noted as it is stored; barriers are kept one year', async () => {
    const long = 't'.repeat(300);
    await erase({ thread: long });
    const ask = (): Promise<number | undefined> =>
      memory.store.read((reading) => reading.barrier(barriersOf(NAMESPACE, storedId(long))));
    expect(await ask()).toBe(NOW);
    memory.now += 366 * DAY;
    await erase({ thread: 'another' });
    expect(await ask()).toBeUndefined();
  });
});
