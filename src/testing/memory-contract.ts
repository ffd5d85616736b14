// The contract of src/store/memory.ts as cases that any backend must pass, and answers that must be the same of any two
// (EPI-162). Framework-neutral: each case runs alone and throws.
import assert from 'node:assert/strict';
import { MEMORY_KINDS, type MemoryRecord } from '../model/episode.ts';
import { traceOf } from '../model/episode-ids.ts';
import { applyMask } from '../redact/masked.ts';
import { Masker } from '../redact/masker.ts';
import type {
  MemoryReading,
  MemoryStore,
  MemoryStores,
  NewRecord,
  RecordFilter,
  RecordPlace,
} from '../store/memory.ts';
import { type ParsedQuery, parseQuery } from '../text/index.ts';

export interface MemoryCase {
  readonly name: string;
  /** Gets a set without any store, and closes nothing. */
  run(stores: MemoryStores): Promise<void>;
}

export const T: number = Date.parse('2026-08-10T18:00:00.000Z');
export const NS = 'workspace=app|route=/a';

/** The cases: rows, index and counters of one agent's memory. */
export function memoryContract(): readonly MemoryCase[] {
  return CASES;
}

/** Records that hold the clauses, with place and text, in the order of `holders`. */
export async function drawn(
  reading: MemoryReading,
  namespaceNo: number,
  filter: RecordFilter,
  query: ParsedQuery,
  require: readonly number[],
  limit: number,
): Promise<{ readonly candidates: readonly (RecordPlace & { readonly text: string })[]; readonly more: boolean }> {
  const { numbers, more } = await reading.holders(namespaceNo, filter, query, require, limit);
  const places = new Map((await reading.places(numbers)).map((place) => [place.no, place]));
  const texts = await reading.texts(numbers);
  return { candidates: numbers.map((no) => ({ ...places.get(no)!, text: texts.get(no)! })), more };
}

async function open(stores: MemoryStores): Promise<MemoryStore> {
  const store = await stores.open('main', { create: true });
  assert(store);
  return store;
}

/** A record and its searched text, for what a case does not say otherwise. */
export function newRecord(id: string, text: string, more: Partial<MemoryRecord> = {}): NewRecord {
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

const CASES: readonly MemoryCase[] = [
  {
    name: 'EPI-1: a record comes back as it was put, key order of data included',
    async run(stores) {
      const store = await open(stores);
      const given = newRecord('r1', 'zeta', {
        data: { z: 1, a: { y: [], b: null } },
        tags: ['b', 'a'],
        expiresAt: iso(T + 1),
      });
      await store.write((writing) => writing.insert(given));
      const got = await store.read((reading) => reading.get('r1'));
      assert.equal(JSON.stringify(got!.record.data), '{"z":1,"a":{"y":[],"b":null}}');
      assert.deepEqual(got!.record, given.record);
      assert.equal(await store.write((writing) => writing.insert(given)), false);
    },
  },

  {
    name: 'EPI-161: a write that fails leaves nothing of itself',
    async run(stores) {
      const store = await open(stores);
      const failed = store.write(async (writing) => {
        await writing.insert(newRecord('r1', 'zeta'));
        throw new Error('no');
      });
      await assert.rejects(failed, /no/);
      assert.equal(await store.read((reading) => reading.get('r1')), undefined);
      assert.equal(await store.read((reading) => reading.namespace(NS)), undefined);
    },
  },

  {
    name: 'SUR-41: the state changes with each commit and with nothing else; what was written after a number is read alone',
    async run(stores) {
      const store = await open(stores);
      const before = await store.state();
      await store.read((reading) => reading.namespaces());
      assert.equal(await store.state(), before);
      for (const id of ['a', 'b', 'c']) {
        const state = await store.state();
        await store.write(async (writing) => {
          await writing.insert(newRecord(id, 'one'));
          await writing.insert(newRecord(`${id}2`, 'one', { namespace: 'workspace=app|route=/b' }));
        });
        assert.notEqual(await store.state(), state);
      }
      await store.read(async (reading) => {
        const { no, namespaceNo } = (await reading.get('a'))!;
        const after = await reading.writtenAfter(namespaceNo, no, { now: T, kinds: MEMORY_KINDS }, 1);
        assert.equal(after.map(({ record }) => record.id).join(), 'b');
      });
    },
  },

  {
    name: 'SUR-71: records are counted by kind as they are written, reviewed and removed, one by one and many at once',
    async run(stores) {
      const store = await open(stores);
      const counts = async (): Promise<readonly number[]> => {
        const { records, facts, insights } = (await store.read((reading) => reading.namespace(NS)))!;
        return [records, facts, insights];
      };
      const ids = Array.from({ length: 300 }, (_, index) => `r${String(index).padStart(3, '0')}`);
      await store.write(async (writing) => {
        for (const [index, id] of ids.entries()) {
          await writing.insert(newRecord(id, 'one', { kind: MEMORY_KINDS[index % 3]!, status: 'candidate' }));
        }
      });
      assert.deepEqual(await counts(), [300, 100, 100]);
      await store.write(async (writing) => {
        const numbers: number[] = [];
        for (const id of ids) numbers.push((await writing.get(id))!.no);
        await writing.update(numbers[1]!, { status: 'active' });
        await writing.remove([numbers[2]!, numbers[4]!], 'forgotten', T);
        await writing.remove(numbers.slice(10, 250), 'erased', T);
      });
      assert.deepEqual(await counts(), [58, 19, 19]);
    },
  },

  {
    name: 'EPI-83: only active, unexpired records of the namespace count and are drawn',
    async run(stores) {
      const store = await open(stores);
      await store.write(async (writing) => {
        await writing.insert(newRecord('a', 'order refund'));
        await writing.insert(newRecord('b', 'order', { status: 'candidate' }));
        await writing.insert(newRecord('c', 'order', { status: 'superseded' }));
        await writing.insert(newRecord('d', 'order', { expiresAt: iso(T) }));
        await writing.insert(newRecord('e', 'order', { namespace: 'workspace=app|route=/b' }));
      });
      const query = parseQuery('order', { mode: 'any' });
      await store.read(async (reading) => {
        const { no } = (await reading.namespace(NS))!;
        assert.deepEqual(await reading.statistics(no, T), { total: 1, averageLength: 12 });
        assert.equal(await reading.frequency(no, query.clauses[0]!, T, 100), 1);
        assert.equal(await reading.frequency(no, query.clauses[0]!, T - 1, 100), 2);
        const { candidates } = await drawn(reading, no, { now: T }, query, [0], 10);
        assert.deepEqual(
          candidates.map(({ id }) => id),
          ['a'],
        );
        assert.equal(await reading.countMatches(no, { now: T }, query), 1);
      });
      await store.write(async (writing) => {
        const b = (await writing.get('b'))!;
        await writing.update(b.no, { status: 'active', updatedAt: T + 5 });
        const a = (await writing.get('a'))!;
        await writing.update(a.no, { status: 'superseded' });
      });
      await store.read(async (reading) => {
        const { no } = (await reading.namespace(NS))!;
        const { candidates } = await drawn(reading, no, { now: T }, query, [0], 10);
        assert.deepEqual(
          candidates.map(({ id }) => id),
          ['b'],
        );
      });
    },
  },

  {
    name: 'EPI-71: tags, tools, outcomes, threads and kinds narrow before the limit',
    async run(stores) {
      const store = await open(stores);
      const thread = 'thread-1';
      await store.write(async (writing) => {
        await writing.insert(newRecord('old', 'x', { tags: ['keep'], effectiveAt: iso(T - 1000) }));
        const run = newRecord('run', 'x', {
          data: { outcome: 'error', toolsUsed: ['build', 'deploy'], threadId: thread },
        });
        await writing.insert({ ...run, traces: [traceOf('thread', thread)] });
        for (let n = 0; n < 20; n++) await writing.insert(newRecord(`n${n}`, 'x', { effectiveAt: iso(T + n) }));
      });
      await store.read(async (reading) => {
        const { no } = (await reading.namespace(NS))!;
        const ids = async (more: object): Promise<string[]> =>
          (await reading.walk(no, { now: T, ...more }, 8)).map(({ record: { id } }) => id);
        assert.deepEqual(await ids({ tags: ['keep', 'other'] }), ['old']);
        assert.deepEqual(await ids({ tool: 'deploy' }), ['run']);
        assert.deepEqual(await ids({ outcome: 'error' }), ['run']);
        assert.deepEqual(await ids({ threadId: thread }), ['run']);
        assert.deepEqual(await ids({ kind: 'semantic' }), []);
        assert.deepEqual(await ids({ until: T }), ['old']);
        assert.equal((await ids({})).length, 8);
        assert.equal(await reading.count(no, { now: T }), 22);
        assert.deepEqual(await reading.nearest(no, { now: T }, T), { before: T - 1000, after: T });
        const tally = await reading.tally(no, { now: T, outcome: 'error' }, 'tool', parseQuery('x', { mode: 'any' }));
        assert.deepEqual(
          tally.map(([at, key]) => [at, key]),
          [
            [T, 'build'],
            [T, 'deploy'],
          ],
        );
      });
    },
  },

  {
    name: 'EPI-104, EPI-130: call keys, traces, links and parked runs go with what they belong to',
    async run(stores) {
      const store = await open(stores);
      await store.write(async (writing) => {
        await writing.insert({ ...newRecord('a', 'x'), traces: [traceOf('run', 'r9')] });
        await writing.insert(newRecord('b', 'y', { derivedFrom: ['a'] }));
        const { no } = (await writing.namespace(NS))!;
        await writing.setCall(no, 'call-1', 'a', 'Stored.');
        const traces = [traceOf('run', 'r9')];
        await writing.park({ id: 'p', namespace: NS, startedAt: T, parkedAt: T, runId: 'r9', state: '{}', traces });
      });
      await store.write(async (writing) => {
        const { no, parked } = (await writing.namespace(NS))!;
        assert.equal(parked, 1);
        const traced = await writing.traced([traceOf('run', 'r9')]);
        assert.deepEqual(traced, { records: [(await writing.get('a'))!.no], parked: ['p'] });
        assert.deepEqual(
          (await writing.linkedFrom('a', 'derivedFrom')).map(({ record: { id } }) => id),
          ['b'],
        );
        assert.equal(await writing.remove(traced.records, 'erased', T), 1);
        assert.equal(await writing.unpark('p'), true);
        assert.equal(await writing.unpark('p'), false);
        assert.equal(await writing.call(no, 'call-1'), undefined);
        assert.deepEqual(await writing.traced([traceOf('run', 'r9')]), { records: [], parked: [] });
        assert.deepEqual(await writing.deletions(), [{ namespace: NS, day: '2026-08-10', reason: 'erased', count: 1 }]);
        await writing.removeNamespace(no, T);
        assert.deepEqual(await writing.namespaces(), []);
        assert.equal(await writing.get('b'), undefined);
      });
    },
  },

  {
    name: 'SUR-72: an archive gets every record once, of every namespace and status, with identity and traces',
    async run(stores) {
      const store = await open(stores);
      const identity = 'a'.repeat(32);
      const traces = [traceOf('run', 'r1'), traceOf('thread', 't1')];
      const fact = newRecord('fact', 'blue', { kind: 'semantic', source: { type: 'tool', id: 'fact' } });
      await store.write(async (writing) => {
        await writing.insert({ ...newRecord('run', 'one'), traces });
        await writing.insert({ ...fact, identity });
        await writing.insert(newRecord('old', 'two', { status: 'superseded' }));
        await writing.insert(newRecord('gone', 'three', { expiresAt: iso(T) }));
        await writing.insert(newRecord('else', 'four', { namespace: 'workspace=app|route=/b' }));
      });
      const found = await store.read(async (reading) => {
        const all = [];
        let part = await reading.archived(undefined);
        for (all.push(...part.rows); part.next !== undefined; all.push(...part.rows)) {
          part = await reading.archived(part.next);
        }
        return new Map(all.map((one) => [one.record.id, one]));
      });
      assert.deepEqual([...found.keys()].sort(), ['else', 'fact', 'gone', 'old', 'run']);
      assert.deepEqual([...found.get('run')!.traces].sort(), [...traces].sort());
      assert.equal(found.get('fact')!.identity, identity);
      assert.deepEqual(found.get('fact')!.record, fact.record);
    },
  },
];
