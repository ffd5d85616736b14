import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSequenceAt } from '../../src/text/find.ts';
import {
  documentsOf,
  excerptOf,
  fold,
  indexTokens,
  matchText,
  parseQuery,
  piecesOf,
  relax,
  sanitize,
  tokenize,
} from '../../src/text/index.ts';
import { startsOfSequence } from '../../src/text/sequence.ts';

// No time is asserted: what is quadratic takes minutes here, and the run's own bound ends it. bench/text.mjs measures.
const UNITS = [
  'a',
  'a ',
  'a-',
  '"',
  '-',
  'OR ',
  '\u0301',
  '\ud83d',
  '\x1b',
  '\x1b]',
  '\x1b[',
  '\x9d',
  '会',
  'ก\u0e31',
  '\u1100',
  "a'",
  '_a',
  'aB',
  '[hidden:',
  '👩\u200d',
  'c++ ',
  '٤',
  'ß ',
  'a会',
  '\r\n',
  '“',
];

describe('TXT-78: every function is linear in 256 KiB of', () => {
  test.each(UNITS)('%j', (unit) => {
    const raw = unit.repeat((256 * 1_024) / unit.length);
    const text = sanitize(raw);
    fold(text);
    expect(tokenize(text).main.length).toBeLessThanOrEqual(indexTokens(text).length);
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
    documentsOf(text);
    for (const typed of [`${raw.slice(0, 4_080)} zzz`, 'a zzz']) {
      try {
        const query = parseQuery(typed);
        parseQuery(typed, { mode: 'any' });
        matchText(query, text);
        excerptOf(text, query);
        const words = relax(query, 'words');
        if (words) matchText(words, text);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^query_(empty|too_long)$/) });
      }
    }
  });

  test('TXT-78: a long sequence is found where comparing token by token finds it', () => {
    const word = fc.constantFrom('a', 'b', 'ab', 'abc');
    const token = fc.record({ text: word, prefix: fc.boolean(), cut: fc.constant(false) });
    fc.assert(
      fc.property(
        fc.array(token, { minLength: 1, maxLength: 70 }),
        fc.array(word, { maxLength: 200 }),
        (tokens, noise) => {
          const list = [...noise, ...tokens.map(({ text }) => text), ...noise, ...tokens.map(({ text }) => text)];
          const naive = list.flatMap((_, at) =>
            at + tokens.length <= list.length && isSequenceAt(tokens, list, at) ? [at] : [],
          );
          expect(startsOfSequence(tokens, list)).toEqual(naive);
        },
      ),
      { numRuns: 500 },
    );
  });
});
