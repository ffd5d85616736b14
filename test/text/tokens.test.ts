import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classOf, FIRST_GROUP } from '../../src/text/characters.ts';
import {
  fold,
  GAP_TOKEN,
  indexTokens,
  matchText,
  parseQuery,
  sanitize,
  TOKENIZER_ID,
  TOKENIZER_VERSION,
  tokenize,
} from '../../src/text/index.ts';
import { generalPartsOf, wholeTokenOf } from '../../src/text/parts.ts';
import { asciiPartsOf } from '../../src/text/parts-ascii.ts';

function finds(typed: string, text: string): boolean {
  return matchText(parseQuery(typed), sanitize(text)).complete;
}

describe('sanitizing', () => {
  test.each([
    ['a CSI sequence', 'a\x1b[1;31mb', 'ab'],
    ['an 8-bit CSI sequence', 'a\x9b31mb', 'ab'],
    ['an OSC to BEL', 'a\x1b]0;title\x07b', 'ab'],
    ['an OSC to ST', 'a\x1b]0;title\x1b\\b', 'ab'],
    ['DCS, APC, PM, SOS', 'a\x1bPx\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e', 'abcde'],
    ['a two-character escape', 'a\x1bMb', 'ab'],
    [
      'bidirectional controls, tags, soft hyphen, joiners of words',
      'a\u202e\u2066\u{e0041}\u00ad\u2060\u200b\ufeffb',
      'ab',
    ],
    ['a joiner between letters stays', 'क\u200dष', 'क\u200dष'],
    ['a joiner elsewhere goes', 'a\u200d b', 'a b'],
    ['NUL, other controls and line separators', 'a\0b\x07c\x7fd\u2028e\u2029f\u0085g', 'a b c d e f g'],
    ['tab and line feed stay', 'a\tb\nc', 'a\tb\nc'],
    ['a lone surrogate', 'a\ud83d b', 'a\ufffd b'],
    ['CR LF and CR', 'a\r\nb\rc', 'a\nb c'],
  ])('TXT-3: %s', (_what, raw, clean) => {
    expect(sanitize(raw)).toBe(clean);
  });

  test('TXT-4: an OSC without end loses its two introducing characters only', () => {
    expect(sanitize('\x1b]52;all of this stays')).toBe('52;all of this stays');
    expect(sanitize(`\x1b]${'x'.repeat(5_000)}\x07`)).toHaveLength(5_001);
  });
});

describe('folding', () => {
  test('TXT-6: accents go where marks are accents, and stay where they are vowels or consonants', () => {
    expect(fold('Ёлка Ἀθῆναι שָׁלוֹם')).toBe('елка αθηναι שלום');
    expect(fold('กำ')).not.toBe(fold('กา'));
    expect(fold('कि')).toBe('कि');
    expect(fold('が')).not.toBe(fold('か'));
  });

  test('TXT-5: decomposed Hangul and kana are the composed ones, in text and in query', () => {
    const decomposed = '한국어 서버'.normalize('NFD');
    for (const typed of ['한국어', '국어', '서버']) {
      expect(finds(typed, decomposed), typed).toBe(true);
      expect(finds(typed.normalize('NFD'), '한국어 서버'), typed).toBe(true);
    }
    expect(finds('が', 'が'.normalize('NFD'))).toBe(true);
    expect(finds('か', 'が'.normalize('NFD'))).toBe(false);
  });

  test.each([
    ['ß ẞ', 'ss ss'],
    ['ſ ς', 's σ'],
    ['İ ı I', 'i i i'],
    ['ø đ ð ł ħ ŧ æ œ þ', 'o d d l h t ae oe th'],
    ['ﬁ ﬃ', 'fi ffi'],
    ['ＡＰＩ１２', 'api12'],
    ['٤٢ ४२ ๔๒ 𝟜𝟚', '42 42 42 42'],
    ['ｶﾞ', 'ガ'],
  ])('TXT-7: %s is %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  test('TXT-7: half-width forms match in every script without spaces', () => {
    expect(finds('ガーデン', 'ｶﾞｰﾃﾞﾝ')).toBe(true);
    expect(finds('aー', 'aｰ')).toBe(true);
  });

  test('TXT-8: joiners inside words and runs are ignored', () => {
    expect(finds('نمیخواهم', 'نمی\u200cخواهم')).toBe(true);
    expect(finds('ภาษาไทย', 'ภาษา\u200cไทย')).toBe(true);
  });
});

describe('tokens', () => {
  test.each([
    ['deployment', ['deployment'], []],
    ['getUserById', ['getuserbyid'], [['get', 'user', 'by', 'id']]],
    ['RESTAURANT_SIGNALS', ['restaurant_signals'], [['restaurant', 'signals']]],
    ['JSONDataReader', ['jsondatareader'], [['json', 'data', 'reader']]],
    ['HTTPServer2', ['httpserver2'], [['http', 'server', '2']]],
    ['E1234 0x1F v0 3f1a9c2', ['e1234', '0x1f', 'v0', '3f1a9c2'], []],
    ["don't", ['dont'], [['don', 't']]],
    ['l’eau', ['leau'], [['l', 'eau']]],
    ['C++ C# F#', ['c++', 'c#', 'f#'], [['c'], ['c'], ['f']]],
    ['c++x c#1', ['c', 'x', 'c', '1'], []],
    ['src/a.ts error-401 10.0.0.7', ['src', 'a', 'ts', 'error', '401', '10', '0', '0', '7'], []],
    ['v0.18.6 a@b.c Main.java:12', ['v0', '18', '6', 'a', 'b', 'c', 'main', 'java', '12'], []],
    ['[hidden:private-key]', ['hidden:private-key'], []],
    ['__init__ _', ['init'], []],
    ['🚀 — *** \u{f8ff}', [], []],
    ['caf\u0065\u0301Bar', ['cafebar'], [['cafe', 'bar']]],
  ])('TXT-10: %s', (text, main, parts) => {
    const stream = tokenize(text);
    expect(stream.main).toEqual(main);
    expect(stream.parts).toEqual(parts);
  });

  test('TXT-13: each character of a run has a position; the last one its own', () => {
    expect(tokenize('认证系统').main).toEqual(['认证', '证系', '系统', '统']);
    expect(tokenize('使用OpenClaw部署').main).toEqual(['使用', '用', 'openclaw', '部署', '署']);
    expect(tokenize('カタカナー漢字한국').main).toEqual([
      'カタ',
      'タカ',
      'カナ',
      'ナー',
      'ー漢',
      '漢字',
      '字',
      '한국',
      '국',
    ]);
    expect(tokenize('ที่นี่').main).toEqual(['ที่นี่', 'นี่']);
    expect(tokenize('二〇二六').main).toEqual(['二〇', '〇二', '二六', '六']);
  });

  test('TXT-9: ranges are those of the text, however folding changes lengths', () => {
    const { main, starts, ends } = tokenize('İx ﬃ Straße');
    expect(main).toEqual(['ix', 'ffi', 'strasse']);
    expect([...starts]).toEqual([0, 3, 5]);
    expect([...ends]).toEqual([2, 4, 11]);
  });

  test('TXT-15: a long word keeps 64 units, its parts are at most 32 of its first 1 024 units', () => {
    expect(tokenize('x'.repeat(90_000)).main).toEqual(['x'.repeat(64)]);
    expect(tokenize(`${'b'.repeat(63)}\u{10400}`).main[0]).toHaveLength(63);
    expect(tokenize('partOf'.repeat(100)).parts[0]).toHaveLength(32);
    expect(tokenize(`${'x'.repeat(1_100)}_tail`).parts).toEqual([]);
  });

  test('TXT-15 TXT-21: a query word of over 64 units is checked on the text, also in parts, also as a prefix', () => {
    const long = 'a'.repeat(70);
    expect(finds(long, 'a'.repeat(70))).toBe(true);
    expect(finds(long, 'a'.repeat(71))).toBe(false);
    expect(finds(`${long}*`, 'a'.repeat(71))).toBe(true);
    expect(finds(`${long}*`, 'a'.repeat(69))).toBe(false);
    expect(finds(long, `x_${long}`)).toBe(true);
    expect(finds(long, `x_${long}a`)).toBe(false);
    expect(finds('ß'.repeat(40), 'ß'.repeat(40))).toBe(true);
    expect(finds('ß'.repeat(40), 'ß'.repeat(41))).toBe(false);
  });

  test('TXT-16: no stemming, no stop words', () => {
    expect(finds('deploy', 'deployed')).toBe(false);
    expect(finds('the', 'the end')).toBe(true);
  });

  test('TXT-20: parts stand after the text, each word behind a gap token that no text yields', () => {
    const stream = ['getuser', 'snake_case', 'x', GAP_TOKEN, 'get', 'user', GAP_TOKEN, 'snake', 'case'];
    expect(indexTokens('getUser snake_case x')).toEqual(stream);
    expect(indexTokens('getUser snake_case x é')).toEqual([...stream.slice(0, 3), 'e', ...stream.slice(3)]);
    expect(indexTokens(GAP_TOKEN)).toEqual([]);
    expect(finds('"user snake"', 'getUser snake_case')).toBe(false);
  });

  test('TXT-1: the stored form names the version and Unicode; a change to the tokens below changes the version', () => {
    expect(TOKENIZER_ID).toBe(`${TOKENIZER_VERSION}/${process.versions.unicode}`);
    expect(TOKENIZER_VERSION).toBe(2);
  });
});

describe('fast paths', () => {
  const identifier = fc.string({
    unit: fc.constantFrom(...'abxyzABXZ0_9', "'"),
    minLength: 1,
    maxLength: 14,
  });

  test('TXT-17: parts by character codes are the parts of the general path', () => {
    fc.assert(
      fc.property(identifier, (word) => {
        expect(asciiPartsOf(word)).toEqual(generalPartsOf(word));
      }),
      { numRuns: 5_000 },
    );
  });

  test('TXT-17: a word folded by character is the word folded as a whole', () => {
    const letter = fc.constantFrom(...'aZßẞİıſςøÆœÞéŁДёЙαΏΐΰאשԱﬁﬃＡǅŉĲ０４𝐀𐐀कক', 'ﷺ', 'ͺ', 'e\u0301', 'ﬀ', 'ऩ', 'ѓ');
    fc.assert(
      fc.property(fc.array(letter, { minLength: 1, maxLength: 8 }), (letters) => {
        const word = letters.join('');
        expect(wholeTokenOf(word)).toBe(fold(word).replace(/[^\p{L}\p{M}\p{Nd}\p{Nl}_]/gu, ''));
      }),
      { numRuns: 5_000 },
    );
  });

  test('TXT-13: characters that are taken as they are, are folded already', () => {
    const wrong: string[] = [];
    for (let code = 0xe00; code <= 0xd7ff; code++) {
      if (classOf(code) < FIRST_GROUP) continue;
      const character = String.fromCharCode(code);
      if (tokenize(character).main[0] !== fold(character)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});
