import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RecalledRecord } from '../../../src/episodes/recall.ts';
import type { RecallOptions } from '../../../src/episodes/recall-options.ts';
import { runRecallTool } from '../../../src/episodes/recall-tool.ts';
import { idfOf, matchText, parseQuery } from '../../../src/text/index.ts';
import { DAY, HOUR, type Memory, makeMemory, NAMESPACE, NOW, type RunSpec } from './memory-steps.ts';

const words = ['deploy', 'api', 'timeout', 'invoice', 'refund', 'lookupInvoice', '发票', 'café'];
const spec = fc.record({
  input: fc.array(fc.constantFrom(...words), { minLength: 0, maxLength: 5 }).map((list) => list.join(' ')),
  at: fc.integer({ min: NOW - 40 * DAY, max: NOW + HOUR }),
  confidence: fc.constantFrom(0, 0.5, 1, 7, -1),
  outcome: fc.constantFrom('ok' as const, 'error' as const),
  tags: fc.subarray(['keep', 'deploy']),
  hidden: fc.constantFrom('no', 'no', 'no', 'candidate', 'superseded', 'expired', 'other'),
});
const query = fc.array(fc.constantFrom(...words, '"deploy api"', 'failed', 'zebra'), { minLength: 1, maxLength: 4 });

type Spec = typeof spec extends fc.Arbitrary<infer T> ? T : never;

async function filled(specs: readonly Spec[]): Promise<Memory> {
  const memory = await makeMemory();
  await memory.runs(
    specs.map(({ input, hidden, ...rest }, index): readonly [string, RunSpec] => [
      input,
      {
        ...rest,
        id: `ep_${(index * 7919) % 1000}_${index}`,
        expiresAt: hidden === 'expired' ? NOW : null,
        ...(hidden === 'candidate' || hidden === 'superseded' ? { status: hidden } : {}),
        ...(hidden === 'other' ? { namespace: `${NAMESPACE}x` } : {}),
      },
    ]),
  );
  return memory;
}

/** EPI-81 as it is written, over all records at once. */
async function asWritten(memory: Memory, typed: string): Promise<[string, number][]> {
  const parsed = parseQuery(typed, { mode: 'any' });
  const rows = await memory.store.read(async (reading) => {
    const no = (await reading.namespace(NAMESPACE))?.no;
    return no === undefined ? [] : reading.list({ namespaces: [no], status: 'active' }, 10_000);
  });
  const live = rows.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > NOW);
  const matches = live.map((row) => ({ row, found: matchText(parsed, row.text).found }));
  const idf = parsed.clauses.map((_, index) => idfOf(live.length, matches.filter(({ found }) => found[index]).length));
  const sum = (found: readonly boolean[]): number => idf.reduce((all, one, index) => all + (found[index] ? one : 0), 0);
  return matches
    .filter(({ found }) => found.some(Boolean))
    .map(({ row, found }) => {
      const rel = sum(found) / sum(found.map(() => true));
      const rec = 2 ** (-Math.max(0, NOW - row.at) / (14 * DAY));
      const confidence = Math.min(1, Math.max(0, row.record.confidence));
      const score = (rel * (1 + 0.25 * rec + 0.1 * confidence)) / 1.35;
      return { id: row.record.id, at: row.at, whole: found.every(Boolean), score: Math.round(score * 1e6) / 1e6 };
    })
    .sort((a, b) => Number(b.whole) - Number(a.whole) || b.score - a.score || b.at - a.at || (a.id < b.id ? -1 : 1))
    .map(({ id, score }) => [id, score]);
}

const ids = (records: readonly RecalledRecord[]): string[] => records.map(({ id }) => id);

describe('the order of recall', () => {
  test('EPI-81: is the formula over the active, unexpired records of the namespace, and total (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spec, { maxLength: 40 }), query, async (specs, terms) => {
        const memory = await filled(specs);
        try {
          const found = await memory.recall({ query: terms.join(' '), limit: 100 });
          expect(found.records.map(({ id, score }) => [id, score])).toEqual(await asWritten(memory, terms.join(' ')));
          expect(found.coverage.ranked.complete).toBe(true);
          expect(found.total).toEqual({ count: found.records.length, exact: true });
        } finally {
          await memory.close();
        }
      }),
      { numRuns: 60 },
    );
  });

  test('EPI-70: pages joined equal one large page, whatever is written between them (property)', async () => {
    const options = fc.record(
      {
        query: query.map((terms) => terms.join(' ')),
        tags: fc.constant(['keep']),
        collapse: fc.boolean(),
        since: fc.constantFrom('-7d', '-30d'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(spec, { maxLength: 30 }),
        options,
        fc.integer({ min: 1, max: 7 }),
        async (specs, given, limit) => {
          const memory = await filled(specs);
          try {
            const whole = await memory.recall({ ...given, limit: 100 });
            const joined: RecalledRecord[] = [];
            let cursor: string | undefined;
            do {
              const page = await memory.recall({ ...given, limit, ...(cursor === undefined ? {} : { cursor }) });
              joined.push(...page.records);
              cursor = page.coverage.cursor;
              expect(page.coverage.truncated).toBe(cursor === undefined ? false : 'limit');
              expect(page.now).toBe(whole.now);
              // Time passes and more is written: neither moves what comes after.
              memory.now += 60_000;
              await memory.run('written since');
            } while (cursor !== undefined);
            const old = joined.filter(({ data }) => data.input !== 'written since');
            expect(ids(old)).toEqual(ids(whole.records));
            expect(old.map(({ score }) => score)).toEqual(whole.records.map(({ score }) => score));
            expect(new Set(ids(joined)).size).toBe(joined.length);
          } finally {
            await memory.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('cursors', () => {
  test('EPI-70: a cursor belongs to its options, its namespace and its home', async () => {
    const memory = await makeMemory();
    await memory.runs([['a'], ['b'], ['c']]);
    const { coverage } = await memory.recall({ limit: 1 });
    const cursor = coverage.cursor!;
    const refused = expect.objectContaining({ code: 'cursor_invalid' });
    await expect(memory.recall({ limit: 2, cursor })).rejects.toThrow(refused);
    await expect(memory.recall({ limit: 1, cursor: `${cursor.slice(0, -1)}!` })).rejects.toThrow(refused);
    await expect(memory.recall({ limit: 1, cursor }, { namespace: 'workspace=x' })).rejects.toThrow(refused);
    await expect(memory.recall({ limit: 1, cursor }, { agentId: 'other' })).rejects.toThrow(refused);
    const key = (): Uint8Array => new Uint8Array(32).fill(1);
    await expect(memory.recall({ limit: 1, cursor }, { cursorKey: key })).rejects.toThrow(refused);
    expect((await memory.recall({ limit: 1, cursor })).records).toHaveLength(1);
    await memory.close();
  });

  test('EPI-64: what expired since the first page is gone from the later ones', async () => {
    const memory = await makeMemory();
    await memory.runs([
      ['a', { at: NOW - HOUR }],
      ['b', { at: NOW - 2 * HOUR, expiresAt: NOW + 1 }],
      ['c', { at: NOW - 3 * HOUR }],
    ]);
    const { coverage } = await memory.recall({ limit: 1 });
    memory.now++;
    const { records } = await memory.recall({ limit: 1, cursor: coverage.cursor! });
    expect(records[0]!.data.input).toBe('c');
    await memory.close();
  });
});

describe('the tool', () => {
  test('EPI-88, COM-2: a text that cannot show all says so, and its cursor goes on after what it showed', async () => {
    const memory = await makeMemory();
    const names = Array.from({ length: 100 }, (_, index) => `${index} ${'ü'.repeat(290)}`);
    await memory.runs(names.map((name, index) => [name, { at: NOW - index * 1000 }] as const));
    const seen: string[] = [];
    let args: RecallOptions = { limit: 100 };
    for (;;) {
      const answer = await runRecallTool(() => memory.context(), args);
      if (answer.status !== 'found') throw new Error(answer.text);
      expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(16_384);
      seen.push(...[...answer.text.matchAll(/"run ok: (\d+) /g)].map(([, number]) => number!));
      if (answer.coverage.cursor === undefined) break;
      expect(answer.coverage.truncated).toBe('bytes');
      args = { limit: 100, cursor: answer.coverage.cursor };
    }
    expect(seen).toEqual(names.map((_, index) => String(index)));
    await memory.close();
  });

  test('EPI-89, EPI-14: without a scope it is unavailable, and names the dimension', async () => {
    const { BackstoryError } = await import('../../../src/model/errors.ts');
    const open = (): never => {
      throw new BackstoryError('scope_unresolved', 'No value.', 'Give one.', { details: { dimensions: ['tenant'] } });
    };
    expect(await runRecallTool(open, {})).toEqual({
      status: 'unavailable',
      code: 'scope_unresolved',
      text: 'Memory is unavailable for this request: no tenant scope. Nothing was recalled or stored.',
    });
  });

  test('EPI-89: what is no error of ours is unavailable as well, and never thrown', async () => {
    const open = (): never => {
      throw new TypeError('boom');
    };
    expect(await runRecallTool(open, {})).toMatchObject({ status: 'unavailable', code: 'internal' });
  });
});
