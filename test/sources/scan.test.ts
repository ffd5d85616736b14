import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isNull, isText, plainString, scannerOf } from '../../src/sources/scan.ts';

const KEYS = ['type', 'id', 'message', 'n'] as const;
const scanner = scannerOf({
  keys: KEYS,
  inner: ['message', { keys: ['role', 'content'], list: ['content', { keys: ['type', 'id'] }] }],
});
const TYPE = 0;
const MESSAGE = 2;

const scan = (line: string): boolean => scanner.scan(Buffer.from(line));
const valueAt = (line: Buffer, places: Int32Array, key: number): unknown =>
  JSON.parse(line.toString('utf8', places[key * 2], places[key * 2 + 1]));

describe('the scanner', () => {
  test('SRC-60: finds the values of the keys it knows, at the top, in one object and in the objects of its list', () => {
    const record = {
      other: { type: 'decoy', list: [1, [2, { id: 'x' }]] },
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'a', id: '1' },
          { id: '2', deep: { type: 'no' }, type: 'b' },
        ],
      },
      n: -1.5e3,
      last: null,
    };
    const line = Buffer.from(JSON.stringify(record));
    expect(scanner.scan(line)).toBe(true);
    expect(valueAt(line, scanner.fields, TYPE)).toBe('user');
    expect(valueAt(line, scanner.fields, 3)).toBe(-1500);
    expect(scanner.fields[2]).toBe(0);
    expect(valueAt(line, scanner.fields, MESSAGE)).toEqual(record.message);
    expect(valueAt(line, scanner.inner, 0)).toBe('user');
    expect(scanner.listed).toBe(2);
    expect(scanner.list.slice(0, 2).map((places) => plainString(line, places, 0))).toEqual(['a', 'b']);
    expect(isText(line, scanner.fields, TYPE, 'user')).toBe(true);
    expect(isText(line, scanner.fields, TYPE, 'use')).toBe(false);
  });

  test.each([
    ['an escape in a key', '{"ty\\u0070e":"user"}'],
    ['a known key twice', '{"type":"user","type":"assistant"}'],
    ['a known key twice, deeper', '{"message":{"role":"a","role":"b"}}'],
    ['white space after a colon', '{"type": "user"}'],
    ['white space after a comma', '{"type":"user", "id":"1"}'],
    ['white space in a value that is passed over', '{"x":{"a": 1}}'],
    ['white space at the end', '{"type":"user"} '],
    ['two objects', '{"type":"user"}{"type":"user"}'],
    ['a torn object', '{"type":"user","message":{"role":"us'],
    ['a torn string that ends in an escape', '{"type":"user\\'],
    ['no object', '["type"]'],
    ['nothing', ''],
    ['a trailing comma', '{"type":"user",}'],
    ['a trailing comma in a value that is passed over', '{"x":[1,]}'],
    ['brackets that do not match', '{"x":[1}]}'],
    ['a key without a value', '{"x":{"a"}}'],
    ['a number with a leading zero', '{"x":01}'],
    ['a word that is none of JSON’s', '{"x":[nul]}'],
    ['a control character in a key', '{"a\u0001":1}'],
    ['a list of things that are no objects', '{"message":{"content":["text"]}}'],
    ['501 levels', `{"x":${'['.repeat(501)}${']'.repeat(501)}}`],
  ])('SRC-62: gives up on %s', (_, line) => {
    expect(scan(line)).toBe(false);
  });

  test('SRC-62: a value that would need decoding is not given as plain text', () => {
    for (const value of ['"a\\"b"', '"é"', '"a\\u0062"', '12', 'null', '{}']) {
      const line = Buffer.from(`{"type":${value}}`);
      expect(scanner.scan(line), value).toBe(true);
      expect(plainString(line, scanner.fields, TYPE), value).toBeUndefined();
      expect(isNull(line, scanner.fields, TYPE), value).toBe(value === 'null');
    }
  });

  test('SRC-62 SRC-63: of any JSON text it finds what JSON.parse finds, or gives up', () => {
    const runs = fc
      .array(fc.constantFrom('\\', '"', '{', '}', '[', ']', ',', ':', 'é', '😀', '\n', 'a', '"type":"x"'), {
        maxLength: 60,
      })
      .map((parts) => parts.join(''));
    const key = fc.oneof(fc.constantFrom(...KEYS, 'role', 'content', ''), runs);
    const value = fc.oneof(fc.jsonValue(), runs);
    const message = fc.record(
      { role: runs, content: fc.array(fc.dictionary(fc.oneof(key, fc.constantFrom('type', 'id')), value)) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.option(message), (some, more) => {
        const record = more ? { ...some, message: more } : some;
        const line = Buffer.from(JSON.stringify(record));
        if (!scanner.scan(line)) {
          // Only keys that are written with an escape, and lists of other things, are beyond it.
          const content = (record as { message?: { content?: unknown } }).message?.content;
          const plain =
            !Array.isArray(content) ||
            content.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
          expect(!plain || line.includes('\\')).toBe(true);
          return;
        }
        for (const [index, name] of KEYS.entries()) {
          const found = scanner.fields[index * 2] === 0 ? undefined : valueAt(line, scanner.fields, index);
          const parsed = JSON.parse(line.toString('utf8')) as Record<string, unknown>;
          expect(found).toEqual(Object.hasOwn(parsed, name) ? parsed[name] : undefined);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('SRC-62: of any bytes cut from a line it never takes a part for the whole', () => {
    const line = Buffer.from(
      JSON.stringify({ type: 'user', message: { role: 'a"b\\', content: [{ type: '\\"', id: '😀' }] }, x: ['{', '}'] }),
    );
    for (let end = 0; end < line.length; end++) expect(scanner.scan(line.subarray(0, end))).toBe(false);
    expect(scanner.scan(line)).toBe(true);
  });
});
