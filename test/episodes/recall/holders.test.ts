// What the index says of records that hold words is what their texts say, and recall need not read them.
import { afterEach, describe, expect, test } from 'vitest';
import type { RecordFilter } from '../../../src/store/memory.ts';
import { matchText, parseQuery } from '../../../src/text/index.ts';
import { DAY, type Memory, makeMemory, NAMESPACE, NOW, type RunSpec } from './memory-steps.ts';

const WORDS = [
  'deploy',
  'invoice',
  'lookupInvoice',
  'timeout',
  '发票',
  'café',
  'v1.2',
  'C++',
  'error-401',
  'a'.repeat(80),
];
const open: Memory[] = [];

afterEach(async () => {
  for (const memory of open.splice(0)) await memory.close();
});

// Over the bound of a common term; some wait for review or are expired, times are not in the order of writing.
async function filled(more: (n: number) => RunSpec = () => ({})): Promise<Memory> {
  const memory = await makeMemory();
  open.push(memory);
  const word = (n: number): string => WORDS[n % WORDS.length]!;
  await memory.runs(
    Array.from({ length: 2_600 }, (_, n): readonly [string, RunSpec] => [
      `common ${word(n)} ${n % 3 === 0 ? 'shared' : 'Deploy'} ${word(n * 7 + 3)}`,
      { at: NOW - ((n * 13) % 2_600) * 60_000, ...more(n) },
    ]),
  );
  return memory;
}

const queries = ['common', 'common shared', 'invoice', 'invoice common', '"common deploy"', '发票 café', WORDS.at(-1)!];
const filters: readonly RecordFilter[] = [
  { now: NOW },
  { now: NOW, since: NOW - DAY },
  { now: NOW, since: NOW - DAY, until: NOW - DAY / 2 },
  { now: NOW, outcome: 'ok' },
];

describe('EPI-83: records drawn by number', () => {
  test.each([
    ['of active records', () => ({})],
    [
      'beside expired ones and those under review',
      (n: number): RunSpec => (n % 5 === 0 ? { expiresAt: NOW } : n % 7 === 0 ? { status: 'candidate' } : {}),
    ],
  ])('are those their texts tell, newest written first, with places and texts: %s', async (_name, more) => {
    const memory = await filled(more);
    await memory.store.read(async (reading) => {
      const { no } = (await reading.namespace(NAMESPACE))!;
      const rows = await reading.list({ namespaces: [no], status: 'active' }, 10_000);
      for (const filter of filters) {
        const kept = rows
          .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > NOW)
          .filter(({ at }) => at >= (filter.since ?? 0) && at < (filter.until ?? Number.POSITIVE_INFINITY))
          .sort((a, b) => b.no - a.no);
        for (const typed of queries) {
          const query = parseQuery(typed, { mode: 'any' });
          const all = query.clauses.map((_clause, index) => index);
          const those = kept.filter(({ text }) => matchText(query, text).complete);
          const found = await reading.holders(no, filter, query, all, 10_000);
          const texts = await reading.texts(found.numbers);
          const told = found.numbers.filter((each) => matchText(query, texts.get(each)!).complete);
          expect(told).toEqual(those.map((each) => each.no));
          if (found.decided) expect(found.numbers).toEqual(told);
          expect(found.more).toBe(false);
          const few = await reading.holders(no, filter, query, all, 10);
          expect(few).toEqual({ ...found, numbers: found.numbers.slice(0, 10), more: found.numbers.length > 10 });
          const places = [...(await reading.places(found.numbers))].sort((a, b) => b.no - a.no);
          expect(places).toEqual(
            rows
              .filter((row) => texts.has(row.no))
              .map((row) => ({ no: row.no, id: row.record.id, at: row.at, confidence: row.record.confidence }))
              .sort((a, b) => b.no - a.no),
          );
        }
      }
    });
  });

  test('a word too long for the index is decided by the text', async () => {
    const memory = await filled();
    await memory.store.read(async (reading) => {
      const { no } = (await reading.namespace(NAMESPACE))!;
      const decided = async (typed: string): Promise<boolean> =>
        (await reading.holders(no, { now: NOW }, parseQuery(typed, { mode: 'any' }), [0], 5)).decided;
      expect([await decided('common'), await decided(WORDS.at(-1)!)]).toEqual([true, false]);
    });
  });

  test('places keep what a confidence is to its last bit, and any id', async () => {
    const confidence = 0.1 + 0.2;
    const memory = await makeMemory();
    open.push(memory);
    await memory.runs([['one', { id: 'a"b\nc', confidence }]]);
    await memory.store.read(async (reading) => {
      const { no } = (await reading.namespace(NAMESPACE))!;
      const [number] = await reading.numbersOf(no);
      expect(await reading.places([number!, 2 ** 40])).toMatchObject([{ no: number, id: 'a"b\nc', confidence }]);
      expect(await reading.places([])).toEqual([]);
    });
  });
});
