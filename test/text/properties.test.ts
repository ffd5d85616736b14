import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finderOf } from '../../src/text/fast-find.ts';
import { findInStream } from '../../src/text/find.ts';
import {
  documentsOf,
  excerptOf,
  fold,
  indexTokens,
  matchStream,
  matchText,
  type Occurrences,
  parseQuery,
  parseTurn,
  piecesOf,
  sanitize,
  tokenize,
} from '../../src/text/index.ts';
import { flat } from '../../src/text/tokenize.ts';

const word = fc.constantFrom(
  'getUserById',
  'user',
  'by',
  'id',
  'snake_case',
  '_edge_',
  'E1234',
  '0x1F',
  'v0',
  "don't",
  'l’eau',
  'C++',
  'C#',
  'c',
  'HTTPServer2',
  'deadbeef12',
  '3f1a9c2',
  'error-401',
  'src/a.ts',
  'café',
  'Straße',
  'İ',
  'ﬁle',
  '会议',
  '使用OpenClaw部署',
  'ภาษาไทย',
  '데이터',
  'タワー',
  '[hidden:credential]',
  '🚀',
  '👩‍👩‍👧',
  '⚠️',
  '1️⃣',
  '—',
  '“',
  '"',
  "'",
  '-draft',
  'OR',
  'AND',
  'depl*',
  '*',
  'a'.repeat(70),
  `${'b'.repeat(64)}cc`,
  '\u0000',
  '\ud83d',
  '\x1b[31m',
  '\u202e',
  '٤٢',
  '___',
  "rock'n'roll",
  "'tis",
  "a'_b",
  'x_',
  "_x'y_",
);
const space = fc.constantFrom(' ', '\n', '  ', '\t', '', ',', '. ');
const text = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) }),
      space,
    ),
    { maxLength: 30 },
  )
  .map((pairs) => pairs.flat().join(''));
const queryText = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', '', '-')), { minLength: 1, maxLength: 4 })
  .map((pairs) => pairs.flat().join(''));

/** With the positions that are counted only when asked for. */
function plain({ main, parts, spots }: Occurrences): Occurrences {
  return { main, parts, spots: spots.map(({ position, last, start, end }) => ({ position, last, start, end })) };
}

function parsed(typed: string) {
  try {
    return parseQuery(typed);
  } catch {
    return undefined;
  }
}

describe('text properties', () => {
  test('TXT-32: the parser throws nothing but query_empty and query_too_long, for any string', () => {
    fc.assert(
      fc.property(fc.oneof(text, queryText, fc.string({ unit: 'binary', maxLength: 5_000 })), (typed) => {
        try {
          const query = parseQuery(typed);
          expect(query.clauses.length).toBeGreaterThan(0);
          for (const clause of query.clauses)
            for (const term of clause.anyOf) expect(term.tokens.length).toBeGreaterThan(0);
          query.explain();
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^query_(empty|too_long)$/);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  test('TXT-4: sanitize is idempotent, keeps line feeds, and leaves no control or format character', () => {
    fc.assert(
      fc.property(text, (input) => {
        const once = sanitize(input);
        expect(sanitize(once)).toBe(once);
        expect(once.split('\n').length).toBe(input.split('\n').length);
        expect(once.isWellFormed()).toBe(true);
        expect(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\u202a-\u202e]/.test(once)).toBe(false);
      }),
      { numRuns: 1_500 },
    );
  });

  test('TXT-5: folding is idempotent', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary', maxLength: 20 })), (input) => {
        const once = fold(input);
        expect(fold(once)).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  test('TXT-17: the ASCII path yields the stream of the general path', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary-ascii', maxLength: 60 })), (input) => {
        const ascii = sanitize(input).replace(/[^\x00-\x7f]/g, '.');
        expect(indexTokens(ascii)).toEqual(flat(tokenize(ascii)));
      }),
      { numRuns: 3_000 },
    );
  });

  test('TXT-9: ranges lie in the text, in order, and tokens hold at most 64 units', () => {
    fc.assert(
      fc.property(text, (input) => {
        const clean = sanitize(input);
        const stream = tokenize(clean);
        for (const [n, token] of stream.main.entries()) {
          expect(stream.starts[n]!).toBeLessThan(stream.ends[n]!);
          expect(stream.ends[n]!).toBeLessThanOrEqual(clean.length);
          expect(token.length).toBeLessThanOrEqual(66);
        }
      }),
    );
  });

  test('TXT-21: finding without tokenising finds what the token stream holds, and matchText is matchStream', () => {
    fc.assert(
      fc.property(text, queryText, (input, typed) => {
        const clean = sanitize(input);
        const query = parsed(typed);
        if (!query) return;
        const stream = tokenize(clean);
        const find = finderOf(clean);
        for (const term of [...query.clauses.flatMap((clause) => clause.anyOf), ...query.excluded]) {
          expect(plain(find(term))).toEqual(findInStream(term, stream, clean));
        }
        const fast = matchText(query, clean);
        expect({ ...fast, occurrences: fast.occurrences.map(plain) }).toEqual(matchStream(query, stream, clean));
      }),
      { numRuns: 5_000 },
    );
  });

  test('TXT-11: every word of a text finds it', () => {
    fc.assert(
      fc.property(text, fc.nat(), (input, n) => {
        const clean = sanitize(input);
        const stream = tokenize(clean);
        if (stream.main.length === 0) return;
        const at = n % stream.main.length;
        const query = parsed(`"${clean.slice(stream.starts[at], stream.ends[at]).replace(/["“”„«»「」]/g, ' ')}"`);
        if (query) expect(matchText(query, clean).complete).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });

  test('TXT-51 TXT-54 TXT-55: an excerpt is within its bound, well formed, one line, with sorted ranges inside it', () => {
    fc.assert(
      fc.property(text, queryText, fc.integer({ min: 40, max: 300 }), (input, typed, maxChars) => {
        const query = parsed(typed);
        if (!query) return;
        const excerpt = excerptOf(sanitize(input.repeat(4)), query, { maxChars });
        expect(excerpt.text.length).toBeLessThanOrEqual(maxChars);
        expect(excerpt.text.isWellFormed()).toBe(true);
        expect(/[\n\t]| {2}/.test(excerpt.text)).toBe(false);
        let last = -1;
        for (const [start, end] of excerpt.ranges) {
          expect(start).toBeGreaterThan(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(excerpt.text.length);
          last = end;
        }
        expect((excerpt.text.match(/\[hidden:[a-z-]*$/) ?? []).length).toBe(0);
      }),
      { numRuns: 1_500 },
    );
  });

  test('TXT-60 TXT-22: pieces joined are the line; documents cover the text, each within its bound', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 50, max: 400 }), (input, max) => {
        const line = sanitize(input.repeat(5)).replaceAll('\n', ' ');
        const pieces = piecesOf(line, max);
        expect(pieces.map((piece) => piece.text).join('')).toBe(line);
        for (const piece of pieces) {
          expect(piece.text.length).toBeLessThanOrEqual(max);
          expect(piece.text.isWellFormed()).toBe(true);
        }
      }),
    );
    const long = `${'word '.repeat(40_000)}${'x'.repeat(100_000)}😀`.repeat(2);
    const documents = documentsOf(long);
    let covered = 0;
    for (const { from, text: part } of documents) {
      expect(from).toBeLessThanOrEqual(covered);
      expect(long.startsWith(part, from)).toBe(true);
      expect(part.length).toBeLessThanOrEqual(65_536);
      covered = from + part.length;
    }
    expect(covered).toBe(long.length);
  });
});

test('RUN-59: a turn that is read in steps is read as in one go', async () => {
  const told = async (read: () => unknown): Promise<unknown> => {
    try {
      return JSON.parse(JSON.stringify(await read()));
    } catch (error) {
      return (error as Error).message;
    }
  };
  await fc.assert(
    fc.asyncProperty(text, async (typed) => {
      let pauses = 0;
      const inSteps = await told(() => parseTurn(typed, () => void pauses++));
      expect(inSteps).toEqual(await told(() => parseQuery(typed, { mode: 'any' })));
      expect(pauses).toBeLessThanOrEqual(typed.length);
    }),
  );
});
