// Makes spellings equal: case, accents, width, ligatures, digits of other scripts (TXT-5 … TXT-7). A pure function.
import { classOf, MARK } from './characters.ts';

const ASCII = /^[\x00-\x7f]*$/;
// Accents are marks after a letter of these scripts; elsewhere marks are vowels or other consonants (TXT-6).
const ACCENTED =
  /([[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Hebrew}\p{sc=Arabic}]&&\p{L}])\p{M}+/gv;
const OTHER_DIGIT = /[\p{Nd}--[0-9]]/gv;
const DECIMAL = /\p{Nd}/u;
// Letters without a decomposition that people type without their stroke (TXT-7).
const STROKES: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
};
const STROKED = /[øđðłħŧæœþς]/g;
const DIGITS = new Map<string, string>();

/** NFKD, accents off, full case folding, NFC. Idempotent; may be longer or shorter than the text (TXT-9). */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = withoutAccents(text.normalize('NFKD'));
  // Down, up and down: `ß` and `ẞ`, `ſ`, `ı` and final sigma meet their partners, as full case folding asks.
  const folded = withoutAccents(bare.toLowerCase().toUpperCase().toLowerCase()).replace(STROKED, strokeless);
  return folded.replace(OTHER_DIGIT, asciiDigit).normalize('NFC');
}

// Looking each character up costs a fiftieth of looking for accented letters by a pattern.
function withoutAccents(text: string): string {
  return holdsMark(text) ? text.replace(ACCENTED, '$1') : text;
}

// One of two units may be a mark.
function holdsMark(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x300 && ((code >= 0xd800 && code <= 0xdfff) || classOf(code) === MARK)) return true;
  }
  return false;
}

function strokeless(letter: string): string {
  return STROKES[letter] ?? letter;
}

// Decimal digits of a script stand in runs of ten from its zero on; such runs may touch (Unicode 16, U+116D0 to 116E3).
function asciiDigit(digit: string): string {
  const known = DIGITS.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (DECIMAL.test(String.fromCodePoint(code - before - 1))) before++;
  const value = String(before % 10);
  DIGITS.set(digit, value);
  return value;
}
