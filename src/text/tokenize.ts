// Text → tokens, one way for all three kinds of history and both engines (TXT-10 … TXT-20). Knows no store.
import { indexAscii } from './ascii.ts';
import { classOf, codeAt, DIGIT, FIRST_GROUP, LETTER, OTHER } from './characters.ts';
import { fold } from './fold.ts';
import { cutToken, partsOf, tokenOf } from './parts.ts';
import { pushRun } from './runs.ts';
import { forEachWord } from './words.ts';

/** Raised by any change to what tokens a text has: an index of another version is made anew (TXT-1). */
export const TOKENIZER_VERSION = 2;
/** What the index stores: Unicode's version is part of it. */
export const TOKENIZER_ID: string = `${TOKENIZER_VERSION}/${process.versions.unicode ?? ''}`;
/** Between the words and each identifier's parts, so that no phrase matches across; no text and no query yields it. */
export const GAP_TOKEN = '\u{f8ff}';

export interface TokenStream {
  /** Main tokens: positions 0 … n − 1. */
  readonly main: readonly string[];
  /** UTF-16 ranges of the main tokens in the text (TXT-9). */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** One list per word that has parts, and the main position of each. */
  readonly parts: readonly (readonly string[])[];
  readonly partOf: readonly number[];
}

const ASCII = /^[\x00-\x7f]*$/;
const WORDLIKE = /[\p{L}\p{Nd}]/u;
const NO_PARTS: readonly string[] = [];

/** The stream of a sanitized text. */
export function tokenize(text: string): TokenStream {
  const main: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const parts: (readonly string[])[] = [];
  const partOf: number[] = [];
  const push = (token: string, start: number, end: number): void => {
    main.push(token);
    starts.push(start);
    ends.push(end);
  };
  forEachWord(text, (word) => {
    const { start, end } = word;
    if (word.kind === 'run') return pushRun(text, word, push);
    if (word.kind === 'marker') return push(text.slice(start + 1, end - 1), start, end);
    const source = text.slice(start, end);
    const sharp = sharpened(text, word);
    if (word.plain && sharp === '') return push(cutToken(source.toLowerCase()), start, end);
    const token = sharp === '' ? tokenOf(source) : fold(source) + sharp;
    if (!WORDLIKE.test(token)) return;
    const found =
      sharp !== '' ? [fold(source)] : word.simple && hasNoCapitalInside(source) ? NO_PARTS : partsOf(source);
    if (found.length > 0) {
      parts.push(found);
      partOf.push(main.length);
    }
    push(token, start, end + sharp.length);
  });
  return { main, starts, ends, parts, partOf };
}

function hasNoCapitalInside(word: string): boolean {
  const tail = word.slice(1);
  return tail === tail.toLowerCase();
}

/** The flat stream a backend stores: main tokens, then for each word with parts the gap token and its parts (TXT-20). */
export function indexTokens(text: string): string[] {
  if (ASCII.test(text)) return indexAscii(text, GAP_TOKEN);
  return flat(tokenize(text));
}

/** The general path of `indexTokens`. */
export function flat(stream: TokenStream): string[] {
  const tokens = stream.main as string[];
  if (stream.parts.length === 0) return tokens;
  const all = tokens.slice();
  for (const parts of stream.parts) {
    all.push(GAP_TOKEN);
    for (const part of parts) all.push(part);
  }
  return all;
}

/** `++` or `#` after a word of one letter, when no letter or digit follows: `C++`, `C#` (TXT-10). */
export function sharpened(text: string, word: { readonly start: number; readonly end: number }): '' | '++' | '#' {
  const next = text.charCodeAt(word.end);
  if (next !== 0x2b && next !== 0x23) return '';
  if (word.end - word.start > 2 || classOf(codeAt(text, word.start)) !== LETTER) return '';
  const mark = next === 0x23 ? '#' : text.charCodeAt(word.end + 1) === 0x2b ? '++' : '';
  const isLetter = word.end - word.start === (codeAt(text, word.start) > 0xffff ? 2 : 1);
  if (mark === '' || !isLetter) return '';
  const after = word.end + mark.length;
  const kind = after < text.length ? classOf(codeAt(text, after)) : OTHER;
  return kind === LETTER || kind === DIGIT || kind >= FIRST_GROUP ? '' : mark;
}
