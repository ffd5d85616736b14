// The text cases that need a store (cases/text.md), each by `backstory search … --json` over a real home that was synced from
// files: what a person and a script get.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchResult } from '../../src/api/face.ts';
import { run } from '../../src/cli/run.ts';
import { ROWS } from '../steps/text-cases.ts';
import { claude, linesOf } from '../steps/world.ts';
import { keptIo } from './fake-io.ts';

type Texts = Readonly<Record<string, string>>;

/** Case, texts by name in the order they were said, query, flags, and what the answer is. */
interface Case {
  readonly id: string;
  readonly texts: Texts;
  readonly query: string;
  readonly flags?: readonly string[];
  /** Names of the texts found, in order. */
  readonly found?: readonly string[];
  readonly answer?: object;
  readonly error?: object;
  readonly check?: (answer: SearchResult) => void;
}

const filler = (count: number): string => 'filler '.repeat(count);
const many = (count: number, text: string): Texts =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, text]));
const brave = { it: 'hello brave world' };
const rollback = { A: 'deployment rollback', B: 'rollback' };
const relaxed = (stage: string): object => ({ coverage: { query: { relaxed: true, stage } } });
const asTyped = { coverage: { query: { relaxed: false } } };

const CASES: readonly Case[] = [
  ...ROWS.map(([id, texts, query, found]) => ({ id, texts, query, flags: ['--exact'], found, answer: asTyped })),
  { id: 'T-5 TXT-9', texts: { it: 'Straße' }, query: 'strasse', answer: { hits: [{ ranges: [[0, 6]] }] } },
  { id: 'T-6 TXT-9', texts: { it: 'İstanbul x' }, query: 'istanbul', answer: { hits: [{ ranges: [[0, 8]] }] } },
  { id: 'T-12', texts: { it: 'HTTPS handshake failed for Connection #42' }, query: 'HTTPSConnection', found: [] },
  {
    id: 'T-25 TXT-3',
    texts: { it: '\x1b[31mred\x1b[0m alert' },
    query: '"red alert"',
    answer: { hits: [{ excerpt: 'red alert' }] },
  },
  {
    id: 'T-26 TXT-3',
    texts: { it: '\x1b]52;c;aGk=\x07title\u202e' },
    query: 'title',
    answer: { hits: [{ excerpt: 'title' }] },
  },
  ...['-', '—', '🚀'].map((dropped) => ({
    id: 'T-40 TXT-33',
    texts: brave,
    query: `hello ${dropped} world`,
    found: ['it'],
    answer: { coverage: { query: { dropped: [dropped] } } },
  })),
  { id: 'T-41', texts: brave, query: '"world hello"', found: ['it'], answer: relaxed('words') },
  { id: 'T-45', texts: brave, query: 'hello -brave', found: [] },
  { id: 'T-45', texts: brave, query: 'hello missing -brave', found: [] },
  ...['???', '🚀', '-', '"', '-foo', '%', '_', '\\', '*'].map((query) => ({
    id: 'T-51 T-60',
    texts: brave,
    query,
    error: { code: 'query_empty' },
  })),
  { id: 'T-52', texts: brave, query: 'a'.repeat(4_096), found: [] },
  {
    id: 'T-52',
    texts: brave,
    query: 'a'.repeat(4_097),
    error: { code: 'query_too_long', message: expect.stringMatching(/4097.*4096/) },
  },
  ...['OR', 'a^2'].map((query) => ({ id: 'T-53', texts: { it: 'NOT a NEAR(b)' }, query, answer: {} })),
  {
    id: 'T-55',
    texts: { it: 'deployment rollback done', other: 'something else entirely' },
    query: 'what did we decide about deployment rollback',
    found: ['it'],
    answer: { ...relaxed('some'), hits: [{ missing: ['what', 'did', 'we', 'decide', 'about'] }] },
  },
  { id: 'T-56', texts: rollback, query: 'deployment rollback', found: ['A'], answer: asTyped },
  { id: 'T-57', texts: rollback, query: 'zzz qqq xxx', found: [], answer: asTyped },
  {
    id: 'T-61 TXT-40',
    texts: { it: `${'a'.repeat(100_000)}b` },
    query: '(a+)+$',
    flags: ['--regex'],
    found: [],
    answer: { coverage: { complete: true } },
  },
  {
    id: 'T-62 TXT-40',
    texts: brave,
    query: '[unclosed',
    flags: ['--regex'],
    error: { code: 'regex_invalid', message: expect.stringContaining('position 0: missing closing ]') },
  },
  {
    id: 'T-62 TXT-40',
    texts: brave,
    query: '(?=x)',
    flags: ['--regex'],
    error: { code: 'regex_unsupported', message: expect.stringContaining('look-ahead') },
  },
  {
    id: 'TXT-40',
    texts: { it: 'Error 401 twice: error 402', other: 'error 40' },
    query: 'error [0-9]{3}',
    flags: ['--regex'],
    found: ['it'],
    answer: {
      hits: [
        {
          ranges: [
            [0, 9],
            [17, 26],
          ],
        },
      ],
    },
  },
  {
    id: 'TXT-40',
    texts: { it: 'error 402', other: 'Error 401' },
    query: 'error [0-9]{3}',
    flags: ['--regex', '--match-case'],
    found: ['it'],
  },
  {
    id: 'T-70 TXT-42',
    texts: { old: 'deploy zanzibar', ...many(2_100, 'deploy') },
    query: 'deploy zanzibar',
    found: ['old'],
  },
  {
    id: 'T-72',
    texts: { near: 'brave new world', far: `world ${'and more words '.repeat(16)}brave` },
    query: 'brave world',
    found: ['near', 'far'],
  },
  { id: 'T-73', texts: { typed: 'café', plain: 'cafe' }, query: 'café', found: ['typed', 'plain'] },
  { id: 'T-74', texts: { A: 'user here', B: 'getUser x' }, query: 'user', found: ['A', 'B'] },
  { id: 'T-75', texts: { older: 'same words', newer: 'same words' }, query: 'same words', found: ['newer', 'older'] },
  {
    id: 'T-90 TXT-51',
    texts: { it: 'rollback '.repeat(120_000) },
    query: 'rollback',
    found: ['it'],
    check: ({ hits }) => {
      expect(hits[0]!.ranges.length).toBeLessThanOrEqual(32);
      expect(hits[0]!.excerpt.length).toBeLessThanOrEqual(300);
    },
  },
  {
    id: 'T-91 TXT-54',
    texts: { it: `${'😀'.repeat(400)} needle ${'😀'.repeat(400)}` },
    query: 'needle',
    found: ['it'],
    check: ({ hits }) => expect(hits[0]!.excerpt.isWellFormed()).toBe(true),
  },
  {
    id: 'T-96',
    texts: { it: `alpha ${filler(28_000)}omega` },
    query: 'alpha omega',
    flags: ['--exact'],
    found: ['it'],
  },
  { id: 'T-97', texts: { it: `alpha ${filler(28_000)}omega` }, query: '"alpha omega"', flags: ['--exact'], found: [] },
  { id: 'T-98', texts: { it: `${'the '.repeat(300)}the end` }, query: '"the end"', flags: ['--exact'], found: ['it'] },
  {
    id: 'T-99',
    texts: { it: `${Array.from({ length: 20_000 }, (_, n) => `word${n}x`).join(' ')} last phrase here` },
    query: '"last phrase here"',
    flags: ['--exact'],
    found: ['it'],
  },
  {
    id: 'T-100 TXT-52',
    texts: { it: `alpha ${filler(1_500)} omega ${filler(1_500)} then alpha with omega ${filler(1_500)}` },
    query: 'alpha omega',
    answer: { hits: [{ excerpt: expect.stringContaining('alpha with omega') }] },
  },
];

let folder: string;

const projectOf = (index: number): string => `/case/${index}`;

async function backstory(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const io = keptIo({ cwd: folder, env: { BACKSTORY_HOME: join(folder, 'home') }, userHome: join(folder, 'user') });
  const code = await run(argv, io);
  return { code, ...io.kept };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backstory-text-cases-'));
  for (const [index, { texts }] of CASES.entries()) {
    const path = join(folder, 'user', claude.path(`case-${index}`, `-case-${index}`));
    mkdirSync(dirname(path), { recursive: true });
    const lines = Object.entries(texts).map(([name, text], at) =>
      claude.user(`${index}/${name}`, text, null, {
        cwd: projectOf(index),
        sessionId: `case-${index}`,
        timestamp: new Date(Date.UTC(2026, 7, 1) + at * 1_000).toISOString(),
      }),
    );
    writeFileSync(path, `${linesOf(lines)}\n`);
  }
  const { code, err } = await backstory('sync', '--strict');
  expect([code, err]).toEqual([0, '']);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('text cases by search --json', () => {
  test.each(CASES.map((row, index) => [row.id, row.query.slice(0, 60), row, index] as const))(
    '%s: %s',
    async (_id, _query, { query, flags = [], found, answer, error, check }, index) => {
      const filter = ['--no-sync', '--project', projectOf(index)];
      const { code, out, err } = await backstory('search', '--json', ...filter, ...flags, '--', query);
      if (error !== undefined) {
        expect([code, out]).toEqual([2, '']);
        expect(JSON.parse(err)).toMatchObject({ error });
        return;
      }
      expect(err).toBe('');
      const result = JSON.parse(out) as SearchResult;
      expect(code).toBe(result.hits.length > 0 ? 0 : 1);
      if (found !== undefined) expect(result.hits.map((hit) => hit.messageId.split('/')[1])).toEqual(found);
      if (answer !== undefined) expect(result).toMatchObject(answer);
      expect(result.coverage.complete).toBe(true);
      check?.(result);
    },
  );
});
