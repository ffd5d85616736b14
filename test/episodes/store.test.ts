// The store of memory by itself: rows, index and counters agree whatever is written in whatever order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/model/episode.ts';
import { traceOf } from '../../src/model/episode-ids.ts';
import { applyMask } from '../../src/redact/masked.ts';
import { Masker } from '../../src/redact/masker.ts';
import type { MemoryStore, MemoryStores, NewRecord } from '../../src/store/memory.ts';
import { openSqliteMemories } from '../../src/store/sqlite/memory-set.ts';
import { parseQuery } from '../../src/text/index.ts';

const T = Date.parse('2026-08-10T18:00:00.000Z');
const NS = 'workspace=app|route=/a';
const open: MemoryStores[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const stores of open.splice(0)) await stores.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'backstory-memory-'));
  folders.push(folder);
  return folder;
}

async function memory(folder?: string): Promise<MemoryStore> {
  const stores = openSqliteMemories(folder === undefined ? {} : { folder });
  open.push(stores);
  return (await stores.open('main', { create: true }))!;
}

function record(id: string, text: string, more: Partial<MemoryRecord> = {}): NewRecord {
  const at = new Date(T).toISOString();
  const full: MemoryRecord = {
    id,
    namespace: NS,
    kind: 'episodic',
    status: 'active',
    content: text,
    data: { outcome: 'ok', toolsUsed: [] },
    source: { type: 'run', id },
    confidence: 1,
    tags: [],
    createdAt: at,
    updatedAt: at,
    effectiveAt: at,
    ...more,
  };
  return { record: full, text: applyMask(Masker.off, text) };
}

const iso = (ms: number): string => new Date(ms).toISOString();

describe.each([
  ['in memory', false],
  ['on disk', true],
])('%s', (_name, onDisk) => {
  const make = (): Promise<MemoryStore> => memory(onDisk ? newFolder() : undefined);

  test('EPI-1: a record comes back as it was put, key order of data included', async () => {
    const store = await make();
    const given = record('r1', 'zeta', {
      data: { z: 1, a: { y: [], b: null } },
      tags: ['b', 'a'],
      expiresAt: iso(T + 1),
    });
    await store.write((writing) => writing.insert(given));
    const got = await store.read((reading) => reading.get('r1'));
    expect(JSON.stringify(got!.record.data)).toBe('{"z":1,"a":{"y":[],"b":null}}');
    expect(got!.record).toEqual(given.record);
    expect(await store.write((writing) => writing.insert(given))).toBe(false);
  });

  test('EPI-161: a write that fails leaves nothing of itself', async () => {
    const store = await make();
    const failed = store.write(async (writing) => {
      await writing.insert(record('r1', 'zeta'));
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await store.read((reading) => reading.get('r1'))).toBeUndefined();
    expect(await store.read((reading) => reading.namespace(NS))).toBeUndefined();
  });

  test('EPI-83: only active, unexpired records of the namespace count and are drawn', async () => {
    const store = await make();
    await store.write(async (writing) => {
      await writing.insert(record('a', 'order refund'));
      await writing.insert(record('b', 'order', { status: 'candidate' }));
      await writing.insert(record('c', 'order', { status: 'superseded' }));
      await writing.insert(record('d', 'order', { expiresAt: iso(T) }));
      await writing.insert(record('e', 'order', { namespace: 'workspace=app|route=/b' }));
    });
    const query = parseQuery('order', { mode: 'any' });
    await store.read(async (reading) => {
      const { no } = (await reading.namespace(NS))!;
      expect(await reading.statistics(no, T)).toEqual({ total: 1, averageLength: 12 });
      expect(await reading.frequency(no, query.clauses[0]!, T, 100)).toBe(1);
      expect(await reading.frequency(no, query.clauses[0]!, T - 1, 100)).toBe(2);
      const drawn = await reading.draw(no, { now: T }, query, [0], 10);
      expect(drawn.candidates.map(({ id }) => id)).toEqual(['a']);
      expect(await reading.countMatches(no, { now: T }, query)).toBe(1);
    });
    await store.write(async (writing) => {
      const b = (await writing.get('b'))!;
      await writing.update(b.no, { status: 'active', updatedAt: T + 5 });
      const a = (await writing.get('a'))!;
      await writing.update(a.no, { status: 'superseded' });
    });
    await store.read(async (reading) => {
      const { no } = (await reading.namespace(NS))!;
      const drawn = await reading.draw(no, { now: T }, query, [0], 10);
      expect(drawn.candidates.map(({ id }) => id)).toEqual(['b']);
    });
  });

  test('EPI-71: tags, tools, outcomes, threads and kinds narrow before the limit', async () => {
    const store = await make();
    const thread = 'thread-1';
    await store.write(async (writing) => {
      await writing.insert(record('old', 'x', { tags: ['keep'], effectiveAt: iso(T - 1000) }));
      const run = record('run', 'x', { data: { outcome: 'error', toolsUsed: ['build', 'deploy'], threadId: thread } });
      await writing.insert({ ...run, traces: [traceOf('thread', thread)] });
      for (let n = 0; n < 20; n++) await writing.insert(record(`n${n}`, 'x', { effectiveAt: iso(T + n) }));
    });
    await store.read(async (reading) => {
      const { no } = (await reading.namespace(NS))!;
      const ids = async (more: object): Promise<string[]> =>
        (await reading.walk(no, { now: T, ...more }, 8)).map(({ record: { id } }) => id);
      expect(await ids({ tags: ['keep', 'other'] })).toEqual(['old']);
      expect(await ids({ tool: 'deploy' })).toEqual(['run']);
      expect(await ids({ outcome: 'error' })).toEqual(['run']);
      expect(await ids({ threadId: thread })).toEqual(['run']);
      expect(await ids({ kind: 'semantic' })).toEqual([]);
      expect(await ids({ until: T })).toEqual(['old']);
      expect(await ids({})).toHaveLength(8);
      expect(await reading.count(no, { now: T })).toBe(22);
      expect(await reading.nearest(no, { now: T }, T)).toEqual({ before: T - 1000, after: T });
      const tally = await reading.tally(no, { now: T, outcome: 'error' }, 'tool', parseQuery('x', { mode: 'any' }));
      expect(tally.map(([at, key]) => [at, key])).toEqual([
        [T, 'build'],
        [T, 'deploy'],
      ]);
    });
  });

  test('EPI-104, EPI-130: call keys, traces, links and parked runs go with what they belong to', async () => {
    const store = await make();
    await store.write(async (writing) => {
      await writing.insert({ ...record('a', 'x'), traces: [traceOf('run', 'r9')] });
      await writing.insert(record('b', 'y', { derivedFrom: ['a'] }));
      const { no } = (await writing.namespace(NS))!;
      await writing.setCall(no, 'call-1', 'a', 'Stored.');
      const traces = [traceOf('run', 'r9')];
      await writing.park({ id: 'p', namespace: NS, startedAt: T, parkedAt: T, runId: 'r9', state: '{}', traces });
    });
    await store.write(async (writing) => {
      const { no, parked } = (await writing.namespace(NS))!;
      expect(parked).toBe(1);
      const traced = await writing.traced([traceOf('run', 'r9')]);
      expect(traced).toEqual({ records: [(await writing.get('a'))!.no], parked: ['p'] });
      expect((await writing.linkedFrom('a', 'derivedFrom')).map(({ record: { id } }) => id)).toEqual(['b']);
      expect(await writing.remove(traced.records, 'erased', T)).toBe(1);
      expect(await writing.unpark('p')).toBe(true);
      expect(await writing.unpark('p')).toBe(false);
      expect(await writing.call(no, 'call-1')).toBeUndefined();
      expect(await writing.traced([traceOf('run', 'r9')])).toEqual({ records: [], parked: [] });
      expect(await writing.deletions()).toEqual([{ namespace: NS, day: '2026-08-10', reason: 'erased', count: 1 }]);
      await writing.removeNamespace(no, T);
      expect(await writing.namespaces()).toEqual([]);
      expect(await writing.get('b')).toBeUndefined();
    });
  });
});

test('EPI-178: counters and index equal what counting and searching the rows finds, after any writes', async () => {
  const step = fc.record({
    what: fc.constantFrom('insert', 'update', 'remove', 'prune'),
    id: fc.integer({ min: 0, max: 7 }),
    status: fc.constantFrom('active', 'candidate', 'superseded'),
    kind: fc.constantFrom('episodic', 'semantic', 'reflection'),
    source: fc.constantFrom('run', 'tool', 'user', 'distill'),
    text: fc.constantFrom('alpha', 'alpha beta', 'gamma'),
    at: fc.integer({ min: 0, max: 5 }),
    cap: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const stores = openSqliteMemories();
      const store = (await stores.open('main', { create: true }))!;
      for (const one of steps) {
        await store.write(async (writing) => {
          const known = await writing.get(`r${one.id}`);
          const ns = await writing.namespace(NS);
          if (one.what === 'insert') {
            const { status, kind, source, at } = one as never as MemoryRecord & { source: 'run'; at: number };
            const more = {
              status,
              kind,
              source: { type: source, id: 'x' },
              effectiveAt: iso(T + at),
              expiresAt: iso(T + at + 3),
            };
            await writing.insert(record(`r${one.id}`, one.text, more));
          } else if (one.what === 'update' && known) {
            await writing.update(known.no, { status: one.status as 'active', text: applyMask(Masker.off, one.text) });
          } else if (one.what === 'remove' && known) await writing.remove([known.no], 'forgotten', T);
          else if (one.what === 'prune' && ns) {
            await writing.prune(ns.no, { now: T + one.at, cap: one.cap, authoredCap: one.cap });
          }
        });
      }
      await store.read(async (reading) => {
        const ns = await reading.namespace(NS);
        if (!ns) return;
        const all = await reading.list({}, 100);
        const sum = (keep: (one: MemoryRecord) => boolean): number => all.filter(({ record: r }) => keep(r)).length;
        const isActive = (r: MemoryRecord): boolean => r.status === 'active';
        const characters = all.filter(({ record: r }) => isActive(r)).reduce((n, { text }) => n + text.length, 0);
        expect(ns).toMatchObject({
          runs: sum((r) => r.kind === 'episodic' && r.source.type === 'run'),
          authored: sum((r) => r.kind === 'episodic' && isActive(r) && ['tool', 'user'].includes(r.source.type)),
          active: sum(isActive),
          candidates: sum((r) => r.status === 'candidate'),
          records: all.length,
          characters,
        });
        for (const word of ['alpha', 'beta', 'gamma']) {
          const query = parseQuery(word, { mode: 'any' });
          const drawn = await reading.draw(ns.no, { now: 0 }, query, [0], 100);
          const expected = all
            .filter(({ record: r, text }) => isActive(r) && text.includes(word))
            .map(({ record: r }) => r.id);
          expect(drawn.candidates.map(({ id }) => id).sort()).toEqual(expected.sort());
        }
      });
      await stores.close();
    }),
    { numRuns: 60 },
  );
});
