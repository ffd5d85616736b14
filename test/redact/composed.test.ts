// What holds for every text of every composition: total, idempotent, line feeds, JSON, markers (MASK-3 … MASK-8, MASK-12).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';
import { fill } from './notation.ts';

const maskers: readonly (readonly [string, Masker])[] = [
  ['paths', Masker.paths({ inside: '/home/ann/runs/r1' })],
  ['paths that keep names', Masker.paths({ inside: '/home/ann/runs/r1', keepBaseName: true })],
  ['hidingOutside', Masker.hidingOutside('/home/ann/runs/r1')],
  [
    'everything',
    Masker.compose(
      Masker.values(['known value one', 'hidden:path']),
      Masker.credentials({ cards: true, iban: true, emails: true, phones: true, entropy: true }),
      Masker.rules([{ name: 'acme', pattern: /ACME-\w{1,20}/ }]),
      Masker.paths({ inside: '/home/ann/runs/r1' }),
    ),
  ],
];
const pieces = fc.constantFrom(
  ...[
    '/home/ann/runs/r1',
    '/home/bob',
    '/',
    '\\',
    '\\\\',
    'C:\\Users\\x',
    'C:',
    '../',
    '..',
    '~/',
    '$HOME/',
    'file://',
    '%2F',
  ],
  ...[
    'https://h/',
    ' ',
    '"',
    "'",
    '\\"',
    '\\n',
    '\n',
    ':12',
    '(1,2)',
    '.',
    ',',
    ')',
    '(',
    '<',
    '>',
    '<run>',
    'a b/c',
    'x',
    'tmp',
  ],
  ...[
    '[hidden:path]',
    '[hidden:credential]',
    'known value one',
    'ACME-1',
    'token=',
    'hunter2!',
    '%USERPROFILE%\\',
    '\u200b',
  ],
  ...[
    '\\\\host\\share\\',
    '\\\\\\\\host\\\\share',
    'GET ',
    'path: ',
    '{"p":"',
    '"}',
    'é',
    '\ud800',
    fill('ghp_{R36}'),
    'a@b.example',
  ],
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);

describe.each(maskers)('%s', (_name, masker) => {
  test('MASK-3, MASK-5, MASK-6: gives a string, twice is once, line feeds stay', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = masker.mask(text);
        expect(masker.mask(once)).toBe(once);
        expect(once.split('\n').length).toBe(text.split('\n').length);
      }),
      { numRuns: 1_500 },
    );
  });

  test('MASK-7: valid JSON stays valid JSON with the same keys', () => {
    const keys = (json: unknown): unknown =>
      json !== null && typeof json === 'object' ? Object.entries(json).map(([key, inner]) => [key, keys(inner)]) : 0;
    fc.assert(
      fc.property(fc.array(fc.record({ path: texts, other: texts }), { maxLength: 3 }), (json) => {
        expect(keys(JSON.parse(masker.mask(JSON.stringify(json))))).toEqual(keys(json));
      }),
      { numRuns: 600 },
    );
  });

  test('MASK-12: a marker stays whole, and none is within another', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(masker.mask(text)).not.toMatch(/\[hidden:[a-z-]*\[hidden:/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('composition', () => {
  test('MASK-8: a part without maskPart leaves the whole without; foreign parts go on over parts', () => {
    const plain: Masker = { fingerprint: 'x', mask: (text) => text };
    expect(Masker.compose(Masker.credentials(), plain).maskPart).toBeUndefined();
    const upper: Masker = {
      fingerprint: 'upper',
      mask: (text) => text.toUpperCase(),
      maskPart: (text, state) => ({ text: text.toUpperCase(), state, held: 0 }),
    };
    const both = Masker.compose(Masker.credentials(), upper);
    const text = `${'a line of text\n'.repeat(6_000)}token=abc12345`;
    const first = both.maskPart!(text.slice(0, 70_000), '', false);
    const second = both.maskPart!(text.slice(70_000 - first.held), first.state, true);
    expect(first.text + second.text).toBe(both.mask(text));
    expect(both.mask(text).endsWith('TOKEN=[HIDDEN:CREDENTIAL]')).toBe(true);
  });
});
