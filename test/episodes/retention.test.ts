// What goes and when: cases/episodes.md "Retention", rules EPI-44, EPI-60 … EPI-68.
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { operator } from '../../src/access/caller.ts';
import { defineMemory } from '../../src/episodes/define.ts';
import type { MemoryRecord } from '../../src/model/episode.ts';
import { applyMask } from '../../src/redact/masked.ts';
import { Masker } from '../../src/redact/masker.ts';
import { openSqliteMemories } from '../../src/store/sqlite/memory-set.ts';
import { DAY, makeSteps, NS, removeSteps, T0 } from './steps.ts';

afterEach(removeSteps);

const events = defineMemory({
  kind: 'episodic',
  scope: ['workspace', 'route'],
  schema: z.object({ event: z.string() }),
});
const iso = (ms: number): string => new Date(ms).toISOString();

function made(id: string, at: number, more: Partial<MemoryRecord> = {}): MemoryRecord {
  return {
    id,
    namespace: NS,
    kind: 'episodic',
    status: 'active',
    content: id,
    data: { input: id, outcome: 'ok', toolsUsed: [], durationMs: 0 },
    source: { type: 'run', id },
    confidence: 1,
    tags: [],
    createdAt: iso(at),
    updatedAt: iso(at),
    effectiveAt: iso(at),
    ...more,
  };
}

describe.each([
  ['in memory', false],
  ['on disk', true],
])('the order of a prune, %s', (_name, onDisk) => {
  test('EPI-60, EPI-61, E-92, E-93: expired rows first, then the oldest beyond the cap, of equal times the greater id', async () => {
    const steps = await makeSteps();
    const stores = openSqliteMemories(onDisk ? { folder: `${steps.home}/other` } : {});
    const store = (await stores.open('main', { create: true }))!;
    const insert = (...records: MemoryRecord[]): Promise<void> =>
      store.write(async (writing) => {
        for (const record of records) await writing.insert({ record, text: applyMask(Masker.off, record.content) });
      });
    const left = (): Promise<string[]> =>
      store.read(async (reading) => (await reading.list({}, 100)).map(({ record: { id } }) => id).sort());
    const prune = (limits: object): Promise<unknown> =>
      store.write(async (writing) => writing.prune((await writing.namespace(NS))!.no, { now: T0, ...limits }));
    await insert(...[4, 1, 3, 2].map((n) => made(`r${n}`, T0 + n)));
    expect(await prune({ cap: 3 })).toEqual({ expired: 0, overCap: 1, parkedExpired: 0 });
    expect(await left()).toEqual(['r2', 'r3', 'r4']);
    await insert(made('ep_b', T0 + 9), made('ep_a', T0 + 9));
    await prune({ cap: 1 });
    expect(await left()).toEqual(['ep_a']);
    // An expired row of any kind and status goes first, and leaves room for one that the cap would have taken.
    await insert(
      made('gone', T0 + 50, { expiresAt: iso(T0) }),
      made('fact', T0, { kind: 'semantic', source: { type: 'tool', id: 'remember' }, expiresAt: iso(T0) }),
      made('held', T0, { status: 'candidate', expiresAt: iso(T0 - 1) }),
      made('kept', T0 + 8, { expiresAt: iso(T0 + 1) }),
    );
    expect(await prune({ cap: 2 })).toEqual({ expired: 3, overCap: 0, parkedExpired: 0 });
    expect(await left()).toEqual(['ep_a', 'kept']);
    await stores.close();
  });
});

describe('life (EPI-9, EPI-64, EPI-65)', () => {
  test('E-90, E-91, EPI-64: visible until the instant of its expiry, on every read path, pruned or not', async () => {
    const steps = await makeSteps({ episodes: { ttlMs: 10_000 } });
    const id = await steps.record('order 8821');
    const context = await steps.context();
    const seen = async (): Promise<unknown[]> => [
      (await context.recall()).records.length,
      (await context.recall({ query: 'order' })).records.length,
      (await context.timeline()).total,
      (await steps.backstory.episodes.inspect({ id })).reasons,
    ];
    steps.now = T0 + 9_999;
    expect(await seen()).toEqual([1, 1, 1, []]);
    steps.now = T0 + 10_000;
    expect(await seen()).toEqual([0, 0, 0, ['expired']]);
    expect(await steps.all()).toHaveLength(1);
    expect((await steps.backstory.episodes.list({ status: 'active' })).records[0]!.expired).toBe(true);
    await steps.record('next');
    expect((await steps.all()).map(({ data }) => data.input)).toEqual(['next']);
  });

  test('E-97: without traffic it is invisible, and gone after a prune', async () => {
    const steps = await makeSteps();
    await steps.record('x');
    steps.pass(31 * DAY);
    expect((await (await steps.context()).recall()).status).toBe('empty');
    expect(await steps.backstory.episodes.prune()).toMatchObject({ expired: 1, overCap: 0, older: 0, namespaces: 1 });
    expect(await steps.all()).toEqual([]);
  });

  test('E-98, EPI-65: reading extends no life', async () => {
    const steps = await makeSteps();
    const id = await steps.record('x');
    const before = await steps.one(id);
    for (let day = 0; day < 29; day++) {
      steps.pass(DAY);
      await (await steps.context()).recall({ query: 'x' });
    }
    expect(await steps.one(id)).toEqual(before);
  });

  test('E-99, EPI-65: a lower ttlMs counts for records written from then on', async () => {
    const steps = await makeSteps();
    const old = await steps.record('old');
    const other = await steps.another({ episodes: { ttlMs: DAY } });
    const result = await (await other.episodes.context({ route: '/a' })).recorder.start({ input: 'new' }).settle();
    expect((await steps.one(old)).expiresAt).toBe(iso(T0 + 30 * DAY));
    expect((await steps.one(result.id!)).expiresAt).toBe(iso(T0 + 1_400 + DAY));
  });

  test('E-102: expiry counts from the start', async () => {
    const steps = await makeSteps({ episodes: { ttlMs: 3_600_000 } });
    const run = (await steps.context()).recorder.start({ input: 'x' });
    steps.pass(600_000);
    const result = await run.settle();
    expect((await steps.one(result.id!)).expiresAt).toBe('2026-08-10T19:00:00.000Z');
  });

  test('EPI-20: ttlMs null never expires', async () => {
    const steps = await makeSteps({ episodes: { ttlMs: null } });
    expect(await steps.one(await steps.record('x'))).not.toHaveProperty('expiresAt');
  });
});

describe('budgets (EPI-61 … EPI-63)', () => {
  test('E-94, EPI-63: a run older than all of a full namespace is over_cap, and the others stay', async () => {
    const steps = await makeSteps({ episodes: { cap: 5 } });
    for (let n = 0; n < 5; n++) await steps.record(`r${n}`);
    const before = await steps.all();
    expect(await steps.recordResult('late', { startedAt: iso(T0 - DAY) })).toMatchObject({
      recorded: false,
      reason: 'over_cap',
    });
    expect(await steps.all()).toEqual(before);
  });

  test('E-81, EPI-16, EPI-60: a write prunes its own namespace alone', async () => {
    const steps = await makeSteps({ episodes: { cap: null } });
    const beside = await steps.context({ route: '/ab' });
    for (let n = 0; n < 5; n++) await beside.recorder.start({ input: `b${n}` }).settle();
    const capped = await (await steps.another({ episodes: { cap: 2 } })).episodes.context({ route: '/a' });
    await capped.recorder.start({ input: 'a' }).settle();
    expect((await steps.all()).filter(({ namespace }) => namespace.endsWith('/ab'))).toHaveLength(5);
  });

  test('E-95, EPI-62: runs never evict what was remembered or waits for review', async () => {
    const steps = await makeSteps({ episodes: { cap: 20 } });
    const context = await steps.context({ definition: events });
    for (const event of ['e1', 'e2', 'e3']) await context.remember({ data: { event } });
    const held = await (await steps.another({ writes: 'candidate' })).episodes.context({
      route: '/a',
      definition: events,
    });
    for (const event of ['c1', 'c2']) await held.remember({ data: { event } });
    for (let n = 0; n < 60; n++) await steps.record(`r${n}`);
    const all = await steps.all();
    expect(all.filter(({ source }) => source.type === 'run')).toHaveLength(20);
    expect(all.filter(({ source, status }) => source.type === 'tool' && status === 'active')).toHaveLength(3);
    expect(all.filter(({ status }) => status === 'candidate')).toHaveLength(2);
    expect(all.filter(({ source }) => source.type === 'run').map(({ data }) => data.input)).toContain('r59');
  });

  test('E-96, EPI-62: what is remembered has a budget of its own', async () => {
    const steps = await makeSteps({ authored: { cap: 2 } });
    const context = await steps.context({ definition: events });
    for (const event of ['e1', 'e2', 'e3']) {
      await context.remember({ data: { event } });
      steps.pass(10);
    }
    expect((await steps.all()).map(({ data }) => data.event)).toEqual(['e2', 'e3']);
  });

  test('EPI-65, EPI-102: the recorder’s ttl skips what was remembered; it follows authored.ttlMs', async () => {
    const steps = await makeSteps({ authored: { ttlMs: 5_000 } });
    await (await steps.context({ definition: events })).remember({ data: { event: 'e' } });
    expect((await steps.all())[0]!.expiresAt).toBe(iso(T0 + 5_000));
  });
});

describe('prune by an operator (EPI-66, EPI-68)', () => {
  test('E-100: a dry run counts the same, and pruning twice deletes nothing the second time', async () => {
    const steps = await makeSteps({ episodes: { cap: null, ttlMs: DAY } });
    await steps.record('old');
    steps.pass(2 * DAY);
    for (let n = 0; n < 4; n++)
      await steps.backstory.episodes
        .context({ route: '/b' })
        .then(({ recorder }) => recorder.start({ input: `${n}` }).settle());
    const expected = { expired: 1, overCap: 2, older: 0, parkedExpired: 0, namespaces: 2 };
    const before = await steps.all();
    expect(await steps.backstory.episodes.prune({ cap: 2, dryRun: true })).toEqual({
      ...expected,
      now: iso(steps.now),
      dryRun: true,
    });
    expect(await steps.all()).toEqual(before);
    expect(await steps.backstory.episodes.prune({ cap: 2 })).toMatchObject({ ...expected, dryRun: false });
    expect(await steps.backstory.episodes.prune({ cap: 2 })).toMatchObject({ expired: 0, overCap: 0, older: 0 });
    expect(await steps.backstory.episodes.prune({ cap: 0 })).toMatchObject({ overCap: 2 });
  });

  test('E-82, EPI-16: a prefix is literal', async () => {
    const steps = await makeSteps();
    for (const workspace of ['my_app', 'myXapp']) {
      const { recorder } = await steps.context({ scope: { workspace } });
      await recorder.start({ input: workspace }).settle();
    }
    expect(await steps.backstory.episodes.prune({ namespace: 'workspace=my_app', cap: 0 })).toMatchObject({
      overCap: 1,
      namespaces: 1,
    });
    expect((await steps.all()).map(({ data }) => data.input)).toEqual(['myXapp']);
    await expect(steps.backstory.episodes.prune({ namespace: '' })).rejects.toMatchObject({
      code: 'namespace_invalid',
    });
  });

  test('EPI-66: older than an age needs a source or a kind, and goes by event time', async () => {
    const steps = await makeSteps({ episodes: { ttlMs: null } });
    const context = await steps.context({ definition: events });
    await steps.record('old', { startedAt: iso(T0 - 100 * DAY) });
    await context.remember({ data: { event: 'mine' } });
    await expect(steps.backstory.episodes.prune({ olderThan: '90d' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(await steps.backstory.episodes.prune({ olderThan: '90d', source: 'tool' })).toMatchObject({ older: 0 });
    expect(await steps.backstory.episodes.prune({ olderThan: '90d', source: 'run' })).toMatchObject({ older: 1 });
    await expect(steps.backstory.episodes.prune({ cap: -1 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('EPI-68: every deletion is counted by namespace, day and reason', async () => {
    const steps = await makeSteps({ episodes: { cap: 1, ttlMs: DAY } });
    for (const input of ['a', 'b']) await steps.record(input);
    steps.pass(2 * DAY);
    await steps.record('c');
    const held = await (await steps.another({ writes: 'candidate' })).episodes.context({
      route: '/a',
      definition: events,
    });
    const { id } = await held.remember({ data: { event: 'no' } });
    await steps.backstory.episodes.reject({ id: id! });
    expect((await steps.backstory.episodes.stats()).deletions).toEqual([
      { namespace: NS, day: '2026-08-10', reason: 'over_cap', count: 1 },
      { namespace: NS, day: '2026-08-12', reason: 'expired', count: 1 },
      { namespace: NS, day: '2026-08-12', reason: 'rejected', count: 1 },
    ]);
  });

  test('E-101, EPI-67: deleting the sessions of an agent leaves its episodes', async () => {
    const steps = await makeSteps();
    await steps.record('x', { threadId: 'thread-1' });
    expect((await steps.backstory.sessions.list(operator())).sessions).toEqual([]);
    expect((await (await steps.context()).recall({ threadId: 'thread-1' })).records).toHaveLength(1);
  });
});
