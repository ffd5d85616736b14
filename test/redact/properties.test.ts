// What holds for every text, whatever stands in it (MASK-3 … MASK-6, MASK-8, MASK-9).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyMask } from '../../src/redact/masked.ts';
import { Masker } from '../../src/redact/masker.ts';
import { fill } from './notation.ts';

const masker = Masker.credentials();

const fragments = fc.constantFrom(
  ...[
    'ghp_{R36}',
    'AKIA{K16}',
    'sk-ant-api03-{R93}AA',
    'eyJ{R20}.eyJ{R30}.{R43}',
    '{D}BEGIN PRIVATE KEY{D}',
    '{R64}',
  ].map(fill),
  ...['{D}END PRIVATE KEY{D}', 'postgres://u:p4ss@h', '://', '@', 'Bearer ', 'Authorization: '].map(fill),
  ...[
    'password',
    'token',
    'API_KEY',
    '=',
    ': ',
    '"',
    "'",
    '\\"',
    '\\n',
    '\n',
    '\r\n',
    ' ',
    '{',
    '}',
    '(',
    ')',
    ';',
    ',',
  ],
  ...[
    '[hidden:credential]',
    '[hidden:private-key]',
    '[hidden:',
    'hunter2',
    'abc123!x',
    '\u200b',
    '\x1b[31m',
    '$' + '{X}',
    '$X',
  ],
  ...[
    'kind: Secret',
    'data:',
    '\n  x: YWRtaW46cGFzc3dvcmQ=',
    'curl -u ',
    'mysql -p',
    '--token ',
    'пароль',
    '\ud800',
    '\0',
  ],
);
const texts = fc.oneof(
  fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);

describe('every text', () => {
  test('MASK-3: gives a string and never throws', () => {
    for (const text of ['', '\ud800', '\0\0', '\udc00\ud800', 'x'.repeat(1_000_000)])
      expect(masker.mask(text)).toBe(text);
    fc.assert(fc.property(texts, (text) => typeof masker.mask(text) === 'string'));
  });

  test('MASK-5: masked twice is masked once', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = masker.mask(text);
        expect(masker.mask(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  test('MASK-6: keeps the count of line feeds', () => {
    const lineFeeds = (text: string): number => text.split('\n').length;
    fc.assert(
      fc.property(texts, (text) => lineFeeds(masker.mask(text)) === lineFeeds(text)),
      { numRuns: 2000 },
    );
  });

  test('MASK-7: valid JSON stays valid JSON with the same keys', () => {
    const keys = fc.constantFrom('password', 'token', 'x', 'apiKey', 'Authorization', 'kind', 'data', 'url');
    const value = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        texts,
        fc.integer({ min: 0, max: 1e12 }),
        fc.constantFrom('Secret', null, true, 1.5e20),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(keys, tie('json'), { maxKeys: 4 }),
      ),
    })).json;
    const shape = (json: unknown): unknown =>
      Array.isArray(json)
        ? json.map(shape)
        : json !== null && typeof json === 'object'
          ? Object.entries(json).map(([key, inner]) => [key, shape(inner)])
          : 0;
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        expect(shape(JSON.parse(masker.mask(text)))).toEqual(shape(JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('maskers and what they make', () => {
  test('MASK-8: compose runs left to right, and its fingerprint covers the parts and their order', () => {
    const first: Masker = { fingerprint: 'a', mask: (text) => text.replace('one', 'two') };
    const second: Masker = { fingerprint: 'b', mask: (text) => text.replace('two', 'three') };
    expect(Masker.compose(first, second).mask('one')).toBe('three');
    expect(Masker.compose(second, first).mask('one')).toBe('two');
    expect(Masker.compose(first, second).fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(Masker.compose(first, second).fingerprint).not.toBe(Masker.compose(second, first).fingerprint);
  });

  test('MASK-8: compose of nothing is Masker.off, whose fingerprint is off', () => {
    expect(Masker.compose()).toBe(Masker.off);
    expect(Masker.off.fingerprint).toBe('off');
    expect(Masker.off.mask(fill('ghp_{R36}'))).toBe(fill('ghp_{R36}'));
  });

  test('MASK-1: a fingerprint of ours is 32 hex digits and the same in every instance', () => {
    expect(masker.fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(Masker.credentials().fingerprint).toBe(masker.fingerprint);
  });

  test('MASK-9: applyMask masks the whole text', () => {
    const text: string = applyMask(masker, fill('x ghp_{R36}, next'));
    expect(text).toBe('x [hidden:credential], next');
  });

  test('MASK-9: a masker that returns no string is an error, and raw text is not used instead', () => {
    const broken = { fingerprint: 'x', mask: () => undefined } as unknown as Masker;
    expect(() => applyMask(broken, 'text')).toThrow(TypeError);
  });
});
