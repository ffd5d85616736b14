// What a character is to the tokenizer, looked up by its code instead of by a regular expression (TXT-10, TXT-13).
// Pages of 256 are made when a text first needs them, so that a start pays for none.

export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
export const UNDERSCORE = 3;
export const MARK = 4;
/** U+200C, U+200D: inside a word they are ignored (TXT-8). */
export const JOINER = 5;
export const APOSTROPHE = 6;
/** From here on: one class per group of scripts without spaces. Han and kana are one. */
export const FIRST_GROUP = 8;

const GROUPS: readonly RegExp[] = [
  /[[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ーｰ]&&[\p{L}\p{Nl}]]/v,
  /[\p{sc=Hangul}&&\p{L}]/v,
  /[\p{sc=Thai}&&\p{L}]/v,
  /[\p{sc=Lao}&&\p{L}]/v,
  /[\p{sc=Khmer}&&\p{L}]/v,
  /[\p{sc=Myanmar}&&\p{L}]/v,
];
// Vowels and finals of decomposed Hangul and voicing marks of half-width kana are letters to Unicode; here they belong to
// the character before them, so that decomposed and composed spellings are one (TXT-5).
const CONTINUING = /[\p{M}\u1160-\u11ff\ud7b0-\ud7fb\uff9e\uff9f\uffc2-\uffdc]/u;
// Ideographs and syllables: their pages are of one class.
const WHOLE_PAGE: readonly RegExp[] = [/^[\p{sc=Han}&&\p{L}]+$/v, /^[\uac00-\ud7a3]+$/];

const PAGES: (Uint8Array | undefined)[] = [];

export function classOf(code: number): number {
  return (PAGES[code >> 8] ?? pageOf(code >> 8))[code & 0xff]!;
}

/** The code point at an offset of a text; a lone surrogate is itself. */
export function codeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0xd800 || code > 0xdbff ? code : text.codePointAt(at)!;
}

function pageOf(number: number): Uint8Array {
  const page = new Uint8Array(256);
  PAGES[number] = page;
  const first = number << 8;
  // Surrogates are no characters.
  if (first >= 0xd800 && first <= 0xdf00 && first !== 0xd700) return page;
  const characters = Array.from({ length: 256 }, (_, n) => String.fromCodePoint(first + n));
  const whole = WHOLE_PAGE.findIndex((pattern) => pattern.test(characters.join('')));
  if (whole >= 0) return page.fill(FIRST_GROUP + whole);
  for (const [n, character] of characters.entries()) page[n] = judged(character);
  return page;
}

function judged(character: string): number {
  if (/\p{Nd}/u.test(character)) return DIGIT;
  if (CONTINUING.test(character)) return MARK;
  const group = GROUPS.findIndex((pattern) => pattern.test(character));
  if (group >= 0) return FIRST_GROUP + group;
  if (/\p{L}/u.test(character)) return LETTER;
  if (character === '_') return UNDERSCORE;
  if (character === "'" || character === '’') return APOSTROPHE;
  return character === '\u200c' || character === '\u200d' ? JOINER : OTHER;
}
