// The store of memory by itself: rows, index and counters agree whatever is written in whatever order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/model/episode.ts';
import { applyMask } from '../../src/redact/masked.ts';
import { Masker } from '../../src/redact/masker.ts';
import type { MemoryStores } from '../../src/store/memory.ts';
import { openSqliteMemories } from '../../src/store/sqlite/memory-set.ts';
import { memoryAnswers, memoryContract } from '../../src/testing/index.ts';
import { drawn, NS, newRecord, T } from '../../src/testing/memory-contract.ts';
import { parseQuery } from '../../src/text/index.ts';

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

const iso = (ms: number): string => new Date(ms).toISOString();

describe.each([
  ['in memory', false],
  ['on disk', true],
])('the contract of memory, %s', (_name, onDisk) => {
  test.each(memoryContract().map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const stores = openSqliteMemories(onDisk ? { folder: newFolder() } : {});
    open.push(stores);
    await one.run(stores);
  });
});

test.each([1, 2, 3, 4, 5, 6])(
  'EPI-162: of history %i every answer is the same in memory and on disk: records, order and counts',
  async (seed) => {
    const answers = await Promise.all(
      [{}, { folder: newFolder() }].map((options) => {
        const stores = openSqliteMemories(options);
        open.push(stores);
        return memoryAnswers(stores, seed);
      }),
    );
    expect(answers[0]!.length).toBe(12);
    expect(answers[1]).toEqual(answers[0]);
  },
);

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
            await writing.insert(newRecord(`r${one.id}`, one.text, more));
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
          const { candidates } = await drawn(reading, ns.no, { now: 0 }, query, [0], 100);
          const expected = all
            .filter(({ record: r, text }) => isActive(r) && text.includes(word))
            .map(({ record: r }) => r.id);
          expect(candidates.map(({ id }) => id).sort()).toEqual(expected.sort());
        }
      });
      await stores.close();
    }),
    { numRuns: 60 },
  );
});
