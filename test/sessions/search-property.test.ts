// The set that a search finds is the set that a naive scan finds, whatever the texts and the query (TXT-23).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBackstoryError } from '../../src/model/errors.ts';
import { matchText, parseQuery, sanitize } from '../../src/text/index.ts';
import { makeDesk } from './search-steps.ts';

const WORDS = [
  'alpha',
  'Alpha',
  'beta',
  'getUserById',
  'user',
  'by',
  'id',
  'snake_case',
  'case',
  'C++',
  'C',
  "don't",
  'dont',
  'café',
  'cafe',
  'Straße',
  'e-mail',
  'src/a.ts',
  '10.0.0.7',
  '3f1a9c27e4b8',
  '3f1a9c2',
  's1',
  's2',
  '会议讨论',
  '会议',
  '使用OpenClaw部署',
  'OpenClaw',
  'タワー',
  '데이터베이스를',
  '데이터',
  'ภาษาไทย',
  'ไทย',
  '[hidden:credential]',
  'ελλάς',
  '🚀',
  '\ud800',
  '\u200b',
  '—',
  'x'.repeat(70),
  'x'.repeat(66),
];
const word = fc.constantFrom(...WORDS);
const separator = fc.constantFrom(' ', ' ', ' ', ', ', '\n', '-', '/', '');
const text = fc
  .array(fc.tuple(word, separator), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.map(([one, between]) => one + between).join(''));
const term = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 2, arbitrary: fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`) },
  { weight: 1, arbitrary: fc.tuple(word, fc.nat(4)).map(([a, n]) => `${a.slice(0, 2 + n)}*`) },
  { weight: 1, arbitrary: word.map((a) => `-${a}`) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `${a} OR ${b}`) },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);
const query = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(' '));

describe('search equals a scan', () => {
  test('TXT-23: for mixed scripts, identifiers, operators and lone surrogates', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 12 }),
        fc.array(query, { minLength: 1, maxLength: 6 }),
        async (texts, queries) => {
          const desk = await makeDesk();
          try {
            await desk.say('one', ...texts.slice(0, 6));
            if (texts.length > 6) await desk.say('agent:b:two', ...texts.slice(6));
            const all = texts.map((said, index) => ({
              said: sanitize(said.toWellFormed()),
              id: index < 6 ? `a m${index + 1}` : `b m${index - 5}`,
            }));
            for (const typed of queries) {
              const parsed = parsedOrUndefined(typed);
              if (parsed === undefined) continue;
              const { hits } = await desk.search(typed, { exact: true, limit: 100 });
              const expected = all.filter(({ said }) => matchText(parsed, said).complete).map(({ id }) => id);
              expect(hits.map((hit) => `${hit.agentId} ${hit.messageId}`).sort()).toEqual(expected.sort());
            }
          } finally {
            await desk.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 30_000);

  test('TXT-22: for texts of several documents, with words at any place', async () => {
    const filler = 'lorem ipsum dolor '.repeat(4_000);
    const long = fc
      .array(fc.constantFrom('alpha', 'beta', 'gamma', filler, filler), { minLength: 2, maxLength: 5 })
      .map((parts) => parts.join(' '));
    const queries = [
      'alpha beta',
      'alpha -beta',
      '"alpha beta"',
      'alpha beta gamma',
      'lorem alpha',
      'gamma OR beta alpha',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(long, { minLength: 2, maxLength: 3 }), async (texts) => {
        const desk = await makeDesk();
        try {
          await desk.say('one', ...texts);
          for (const typed of queries) {
            const parsed = parseQuery(typed);
            const { hits } = await desk.search(typed, { exact: true, limit: 100 });
            const expected = texts.flatMap((said, n) => (matchText(parsed, said).complete ? [`m${n + 1}`] : []));
            expect(hits.map((hit) => hit.messageId).sort()).toEqual(expected.sort());
          }
        } finally {
          await desk.close();
        }
      }),
      { numRuns: 8 },
    );
  }, 30_000);
});

function parsedOrUndefined(typed: string): ReturnType<typeof parseQuery> | undefined {
  try {
    return parseQuery(typed.trim());
  } catch (error) {
    if (isBackstoryError(error)) return undefined;
    throw error;
  }
}
