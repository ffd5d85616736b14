// Deleting many records at once leaves what deleting them one by one leaves, whichever way is the less work.
import { afterEach, describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/model/episode.ts';
import { traceOf } from '../../src/model/episode-ids.ts';
import { applyMask } from '../../src/redact/masked.ts';
import { Masker } from '../../src/redact/masker.ts';
import type { MemoryStore, MemoryStores } from '../../src/store/memory.ts';
import { openSqliteMemories } from '../../src/store/sqlite/memory-set.ts';
import { drawn } from '../../src/testing/memory-contract.ts';
import { parseQuery } from '../../src/text/index.ts';

const T = Date.parse('2026-08-10T18:00:00.000Z');
const ROWS = 2_400;
const SPACES = ['workspace=app|route=/a', 'workspace=app|route=/b'] as const;
const open: MemoryStores[] = [];

afterEach(async () => {
  for (const stores of open.splice(0)) await stores.close();
});

// Of every kind, status and source; every fifth names the one before, every seventh has a call key.
function recordOf(n: number): MemoryRecord {
  const at = new Date(T + ((n * 7) % 300) * 1_000).toISOString();
  const isRun = n % 3 !== 0;
  const status = (['active', 'active', 'candidate', 'superseded'] as const)[n % 4]!;
  return {
    id: `r${String(n).padStart(5, '0')}`,
    namespace: SPACES[n % 11 === 0 ? 1 : 0],
    kind: (['episodic', 'episodic', 'reflection'] as const)[n % 5 > 2 ? 2 : 0]!,
    status,
    content: `order ${n % 10} common`,
    data: isRun ? { outcome: 'ok', toolsUsed: [`tool${n % 4}`], threadId: `t${n % 6}` } : { event: n },
    source: { type: isRun ? 'run' : 'tool', id: String(n) },
    confidence: 1,
    tags: n % 2 === 0 ? [] : [`tag${n % 3}`],
    createdAt: at,
    updatedAt: at,
    effectiveAt: at,
    ...(n % 5 === 0 && n > 0 ? { derivedFrom: [`r${String(n - 1).padStart(5, '0')}`] } : {}),
  };
}

async function filled(): Promise<MemoryStore> {
  const stores = openSqliteMemories();
  open.push(stores);
  const store = (await stores.open('main', { create: true }))!;
  await store.write(async (writing) => {
    for (let n = 0; n < ROWS; n++) {
      const record = recordOf(n);
      await writing.insert({ record, text: applyMask(Masker.off, record.content) });
      const { no } = (await writing.namespace(record.namespace))!;
      if (n % 7 === 0) await writing.setCall(no, `call${n}`, record.id, '{}');
    }
  });
  return store;
}

/** Everything that can be asked of what is there. */
function all(store: MemoryStore): Promise<unknown> {
  return store.read(async (reading) => {
    const namespaces = await reading.namespaces();
    const asked = await Promise.all(
      namespaces.map(async ({ no }) => {
        const numbers = await reading.numbersOf(no);
        const query = parseQuery('common order', { mode: 'any' });
        return {
          numbers,
          records: await reading.records(numbers),
          sizes: await reading.sizesOf(numbers),
          left: await reading.leftOf(numbers),
          statistics: await reading.statistics(no, T),
          drawn: await drawn(reading, no, { now: T }, query, [0, 1], 5_000),
          tagged: await drawn(reading, no, { now: T, tags: ['tag1'], tool: 'tool1' }, query, [0], 5_000),
          calls: await Promise.all(numbers.map((_, n) => reading.call(no, `call${n}`))),
        };
      }),
    );
    const traced = await reading.traced(['t0', 't1'].map((thread) => traceOf('thread', thread)));
    const linked = await Promise.all(
      [...Array(ROWS).keys()].map((n) => reading.linkedFrom(`r${String(n).padStart(5, '0')}`, 'derivedFrom')),
    );
    return { namespaces, asked, traced, linked, deletions: await reading.deletions() };
  });
}

describe('EPI-136, EPI-161: deleting many at once leaves what deleting one by one leaves', () => {
  test.each([
    ['few of them', 200],
    ['half of them', ROWS / 2],
    ['all but a few', ROWS - 40],
    ['all', ROWS],
  ])('%s', async (_name, count) => {
    const [atOnce, each] = [await filled(), await filled()];
    const numbers = await atOnce.read(async (reading) => {
      const namespaces = await reading.namespaces();
      const lists = await Promise.all(namespaces.map(({ no }) => reading.numbersOf(no)));
      // Not the first ones in order: every third, then the rest.
      const flat = lists.flat();
      return [...flat.filter((_, at) => at % 3 === 0), ...flat.filter((_, at) => at % 3 !== 0)].slice(0, count);
    });
    // A number that is gone, and one twice, count for nothing.
    const asked = [...numbers, numbers[0]!, 2 ** 40];
    expect(await atOnce.write((writing) => writing.remove(asked, 'older', T))).toBe(count);
    await each.write(async (writing) => {
      for (const no of numbers) await writing.remove([no], 'older', T);
    });
    expect(await all(atOnce)).toEqual(await all(each));
  });

  test.each([30, 300])('EPI-61: of equal event times, by a prune to %i', async (cap) => {
    const [atOnce, each] = [await filled(), await filled()];
    const { no } = (await atOnce.read((reading) => reading.namespace(SPACES[0])))!;
    const pruned = await atOnce.write((writing) => writing.prune(no, { now: T, cap, authoredCap: cap / 2 }));
    let overCap = 0;
    await each.write(async (writing) => {
      const info = (await writing.namespace(SPACES[0]))!;
      for (let most = Math.max(info.runs, info.authored); most >= cap / 2; most -= 10) {
        const limits = { now: T, cap: Math.max(cap, most), authoredCap: most };
        overCap += (await writing.prune(no, limits)).overCap;
      }
      overCap += (await writing.prune(no, { now: T, cap, authoredCap: cap / 2 })).overCap;
    });
    expect(pruned.overCap).toBe(overCap);
    expect(overCap).toBeGreaterThan(100);
    expect(await all(atOnce)).toEqual(await all(each));
  });

  test('of a namespace', async () => {
    const [atOnce, each] = [await filled(), await filled()];
    for (const [store, isAtOnce] of [
      [atOnce, true],
      [each, false],
    ] as const) {
      await store.write(async (writing) => {
        const { no } = (await writing.namespace(SPACES[0]))!;
        const numbers = await writing.numbersOf(no);
        for (const one of isAtOnce ? [] : numbers) await writing.remove([one], 'erased', T);
        const gone = await writing.removeNamespace(no, T);
        if (isAtOnce) expect(gone.records).toBe(numbers.length);
        expect(await writing.leftOf(numbers)).toEqual({ rows: 0, index: 0 });
      });
    }
    const read = async (store: MemoryStore): Promise<unknown> => {
      const { deletions: _, ...rest } = (await all(store)) as { deletions: unknown };
      return rest;
    };
    expect(await read(atOnce)).toEqual(await read(each));
  });
});
