// Exact values in their common encodings (MASK-50).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';

const VALUE = 'p&ss"w0rd';
const masker = Masker.values([VALUE]);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('known values', () => {
  test.each([
    ['M-129', 'JSON with escapes for HTML', String.raw`a p\u0026ss\"w0rd b`],
    ['M-129', 'URL-encoded', 'a p%26ss%22w0rd b'],
    ['M-129', 'base64', `a ${base64(VALUE)} b`],
    ['MASK-50', 'raw', `a ${VALUE} b`],
    ['MASK-50', 'two levels of JSON', `a ${JSON.stringify(JSON.stringify(VALUE)).slice(3, -3)} b`],
    ['MASK-50', 'lower-case percent-encoding', 'a %70&ss%22w0rd b'],
    ['MASK-50', 'markup', 'a p&amp;ss&quot;w0rd b'],
    ['MASK-50', 'hex', `a ${Buffer.from(VALUE).toString('hex')} b`],
    ['MASK-50', 'hex in capitals', `a ${Buffer.from(VALUE).toString('hex').toUpperCase()} b`],
    ['MASK-20', 'split by an invisible character', `a p&ss\u200b"w0rd b`],
  ])('%s: %s', (_id, _name, text) => {
    expect(masker.mask(text)).toBe('a [hidden:value] b');
  });

  test.each([0, 1, 2])('MASK-50: base64 at alignment %i of a longer text leaves no eight units of it', (shift) => {
    const encoded = base64(`${'x'.repeat(shift)}${VALUE} and on`);
    const masked = masker.mask(encoded);
    expect(masked).toContain('[hidden:value]');
    // What is left decodes to nothing of the value but a bit or two at its ends.
    for (let at = 0; at + 4 <= VALUE.length; at++) {
      const left = masked.split('[hidden:value]').map((part) => Buffer.from(part, 'base64').toString('latin1'));
      for (const part of left) expect(part).not.toContain(VALUE.slice(at, at + 4));
    }
  });

  test('MASK-50: each line of a value of several, and each text of a JSON object', () => {
    const lines = Masker.values(['first line here\nsecond line here']);
    expect(lines.mask('x second line here y')).toBe('x [hidden:value] y');
    expect(lines.mask('first line here\nsecond line here')).toBe('[hidden:value]\n');
    const object = Masker.values(['{"user":"somebody","key":"abcdefgh-1"}']);
    expect(object.mask('x abcdefgh-1 y')).toBe('x [hidden:value] y');
  });

  test('M-128 (MASK-50): a value that is too short is refused by its index, and is not in the error', () => {
    const refused = (): Masker => Masker.values(['long enough', 'tiny'], { minLength: 8 });
    expect(refused).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('1') }),
    );
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringContaining('tiny') }));
    expect(() => Masker.values(['tiny'])).toThrow(/Known value 0/);
    expect(() => Masker.values([], { minLength: 3 })).toThrow(/minLength/);
    expect(Masker.values(['four'], { minLength: 4 }).mask('a four b')).toBe('a [hidden:value] b');
  });

  test('MASK-50: of values that begin alike the longest is hidden, and touching ones are one marker', () => {
    const both = Masker.values(['abcdefgh', 'abcdefghijkl', 'mnopqrst']);
    expect(both.mask('abcdefghijkl abcdefghij mnopqrstabcdefgh')).toBe(
      '[hidden:value] [hidden:value]ij [hidden:value]',
    );
  });

  test('MASK-12: a value that is a word of a marker hides no marker', () => {
    const word = Masker.values(['credential', 'hidden:value']);
    expect(word.mask('[hidden:credential] credential')).toBe('[hidden:credential] [hidden:value]');
  });

  test('MASK-50: ten thousand values are looked for like one', () => {
    const many = Masker.values(Array.from({ length: 10_000 }, (_, index) => `known-${index * 7919}-value`));
    const text = `known- and known-${7919 * 41}-value, known-0-valu `.repeat(2_000);
    const masked = many.mask(text);
    expect(masked).toBe('known- and [hidden:value], known-0-valu '.repeat(2_000));
  });

  test('MASK-5, MASK-6: masked twice is masked once, and line feeds stay', () => {
    const values = ['aaaaaaaa', 'ab\nabababab', 'a"b\\c&d%e', '\ud83d\ude00 smile'];
    const some = Masker.values(values);
    const parts = fc.constantFrom(
      ...values,
      'a',
      'b',
      '\n',
      '%61',
      '\\u0061',
      '[hidden:value]',
      '\u200b',
      'YWFhYWFhYWE=',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
        const once = some.mask(pieces.join(''));
        expect(some.mask(once)).toBe(once);
        expect(once.split('\n').length).toBe(pieces.join('').split('\n').length);
      }),
      { numRuns: 500 },
    );
  });

  test('MASK-1: the fingerprint follows the values and not their order', () => {
    expect(Masker.values(['value one', 'value two']).fingerprint).toBe(
      Masker.values(['value two', 'value one']).fingerprint,
    );
    expect(Masker.values(['value one']).fingerprint).not.toBe(Masker.values(['value two']).fingerprint);
  });
});
