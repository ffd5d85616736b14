// Text → tokens, one way for all three kinds of history and both engines (TXT-10 … TXT-20). Knows no store.
import { indexAscii } from './ascii.ts';
import { fold } from './fold.ts';
import { cutToken, partsOf, tokenOf } from './parts.ts';
import { forEachWord, type Word } from './words.ts';

/** Raised by any change to what tokens a text has: an index of another version is made anew (TXT-1). */
export const TOKENIZER_VERSION = 1;
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
const CLUSTER = /\P{M}\p{M}*/gu;
const WORDLIKE = /[\p{L}\p{Nd}]/u;

/** The stream of a sanitized text. */
export function tokenize(text: string): TokenStream {
  const main: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const parts: string[][] = [];
  const partOf: number[] = [];
  const push = (token: string, start: number, end: number): void => {
    main.push(token);
    starts.push(start);
    ends.push(end);
  };
  forEachWord(text, (word) => {
    if (word.kind === 'marker') push(text.slice(word.start + 1, word.end - 1), word.start, word.end);
    else if (word.kind === 'run') pushRun(text, word, push);
    else {
      const source = text.slice(word.start, word.end);
      const sharp = sharpened(text, word);
      const token = sharp === '' ? tokenOf(source) : fold(source) + sharp;
      if (!WORDLIKE.test(token)) return;
      const found = sharp === '' ? partsOf(source) : [fold(source)];
      if (found.length > 0) {
        parts.push(found);
        partOf.push(main.length);
      }
      push(token, word.start, word.end + sharp.length);
    }
  });
  return { main, starts, ends, parts, partOf };
}

/** The flat stream a backend stores: main tokens, then for each word with parts the gap token and its parts (TXT-20). */
export function indexTokens(text: string): string[] {
  if (ASCII.test(text)) return indexAscii(text, GAP_TOKEN);
  return flat(tokenize(text));
}

/** The general path of `indexTokens`. */
export function flat(stream: TokenStream): string[] {
  const tokens = [...stream.main];
  for (const parts of stream.parts) tokens.push(GAP_TOKEN, ...parts);
  return tokens;
}

// Each character has a position: the bigram that begins there, and for the last one the character itself (TXT-13).
function pushRun(text: string, run: Word, push: (token: string, start: number, end: number) => void): void {
  const source = text.slice(run.start, run.end);
  const characters: { text: string; start: number; end: number }[] = [];
  for (const match of source.matchAll(CLUSTER)) {
    const start = run.start + match.index;
    const folded = fold(match[0]);
    const before = characters.at(-1);
    // Half-width kana write the voicing as a letter of its own: it joins the character before it.
    const joined = before && /^\p{M}/u.test(folded) ? (before.text + folded).normalize('NFC') : undefined;
    if (before && joined !== undefined) {
      before.text = joined;
      before.end = start + match[0].length;
    } else characters.push({ text: folded, start, end: start + match[0].length });
  }
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    push(cutToken(next ? character.text + next.text : character.text), character.start, next?.end ?? character.end);
  }
}

/** `++` or `#` after a word of one letter, when no letter or digit follows: `C++`, `C#` (TXT-10). */
export function sharpened(text: string, word: { readonly start: number; readonly end: number }): '' | '++' | '#' {
  const next = text.charCodeAt(word.end);
  if (next !== 0x2b && next !== 0x23) return '';
  const mark = next === 0x23 ? '#' : text.charCodeAt(word.end + 1) === 0x2b ? '++' : '';
  if (mark === '' || !/^\p{L}$/u.test(text.slice(word.start, word.end))) return '';
  const after = text.codePointAt(word.end + mark.length);
  return after !== undefined && WORDLIKE.test(String.fromCodePoint(after)) ? '' : mark;
}
