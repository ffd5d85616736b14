// Where words are in a text, and what of them is written without spaces: the ranges that tokens are made from (TXT-10, TXT-13).
import { APOSTROPHE, classOf, codeAt, DIGIT, FIRST_GROUP, JOINER, LETTER, MARK, UNDERSCORE } from './characters.ts';

/** A piece of text that becomes tokens: a marker, a word, or a run of a script without spaces. */
export interface Word {
  readonly kind: 'word' | 'run' | 'marker';
  readonly start: number;
  readonly end: number;
  /** Only ASCII, and without anything that makes parts or is dropped: lower case is its token. */
  readonly plain: boolean;
  /** Letters only, of scripts whose capitals all have a small letter: without capitals inside it has no parts. */
  readonly simple: boolean;
}

const MARKER = /\[hidden:[a-z][a-z0-9-]{0,31}\]/y;
const BRACKET = 0x5b;
const LOW_H = 0x68;

/** Calls `take` for each word of the text, in order. One pass, each character looked at once or twice. */
export function forEachWord(text: string, take: (word: Word) => void): void {
  const { length } = text;
  for (let at = 0; at < length; ) {
    const code = codeAt(text, at);
    const kind = classOf(code);
    if (kind >= FIRST_GROUP) {
      const end = runEnd(text, at, kind);
      take({ kind: 'run', start: at, end, plain: false, simple: false });
      at = end;
    } else if (kind === LETTER || kind === DIGIT || kind === UNDERSCORE) at = takeWord(text, at, take);
    else if (code === BRACKET && text.charCodeAt(at + 1) === LOW_H) at = takeMarker(text, at, take);
    else at += code > 0xffff ? 2 : 1;
  }
}

function takeMarker(text: string, at: number, take: (word: Word) => void): number {
  MARKER.lastIndex = at;
  if (!MARKER.test(text)) return at + 1;
  const end = MARKER.lastIndex;
  take({ kind: 'marker', start: at, end, plain: false, simple: false });
  return end;
}

// Characters of one group with their marks. Joiners inside are ignored, at the end they are no part of it.
function runEnd(text: string, start: number, group: number): number {
  let end = start;
  for (let at = start; at < text.length; ) {
    const code = codeAt(text, at);
    const kind = classOf(code);
    if (kind !== group && kind !== MARK && kind !== JOINER) break;
    at += code > 0xffff ? 2 : 1;
    if (kind !== JOINER) end = at;
  }
  return end;
}

// A longest run of letters, marks, digits and `_`, with apostrophes between letters; `_` at its ends is no part of it.
function takeWord(text: string, from: number, take: (word: Word) => void): number {
  const { length } = text;
  let at = from;
  let before = 0;
  let plain = true;
  let simple = true;
  let letters = false;
  let digits = false;
  while (at < length) {
    const code = codeAt(text, at);
    const kind = classOf(code);
    if (kind === LETTER) {
      letters = true;
      if (code > 0x7f) {
        plain = false;
        if (code >= 0x2000 || (code >= 0x3d2 && code <= 0x3d4)) simple = false;
      } else if (code <= 0x5a && at > from) plain = false;
    } else if (kind === DIGIT) {
      digits = true;
      simple = false;
      if (code > 0x7f) plain = false;
    } else if (kind === APOSTROPHE) {
      const between =
        (before === LETTER || before === MARK) && at + 1 < length && classOf(codeAt(text, at + 1)) === LETTER;
      if (!between) break;
      plain = false;
      simple = false;
    } else if (kind === UNDERSCORE) {
      plain = false;
      simple = false;
    } else if (kind === MARK || kind === JOINER) plain = false;
    else break;
    at += code > 0xffff ? 2 : 1;
    before = kind;
  }
  let start = from;
  let end = at;
  while (start < end && text.charCodeAt(start) === 0x5f) start++;
  while (end > start && text.charCodeAt(end - 1) === 0x5f) end--;
  if (start === end) return at;
  take({ kind: 'word', start, end, plain: plain && !(letters && digits), simple });
  return at;
}
