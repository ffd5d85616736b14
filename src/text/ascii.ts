// The fast path for text of ASCII only: the same flat stream as the general path, by character codes (TXT-17).
import { MAX_TOKEN, partsOf } from './parts.ts';

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const UNDERSCORE = 4;
const CLASS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if (code >= 0x61 && code <= 0x7a) CLASS[code] = LOWER;
  else if (code >= 0x41 && code <= 0x5a) CLASS[code] = UPPER;
  else if (code >= 0x30 && code <= 0x39) CLASS[code] = DIGIT;
  else if (code === 0x5f) CLASS[code] = UNDERSCORE;
}
const MARKER = /\[hidden:[a-z][a-z0-9-]{0,31}\]/y;

export function indexAscii(text: string, gap: string): string[] {
  const tokens: string[] = [];
  const parts: string[] = [];
  const { length } = text;
  let at = 0;
  while (at < length) {
    const first = CLASS[text.charCodeAt(at)]!;
    if (first === 0) {
      if (text.charCodeAt(at) === 0x5b && text.charCodeAt(at + 1) === 0x68) {
        MARKER.lastIndex = at;
        const marker = MARKER.exec(text)?.[0];
        if (marker) {
          tokens.push(marker.slice(1, -1));
          at += marker.length;
          continue;
        }
      }
      at++;
      continue;
    }
    let start = at;
    let kinds = 0;
    let turns = 0;
    let apostrophe = false;
    let before = 0;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      const kind = CLASS[code]!;
      if (kind !== 0) {
        kinds |= 1 << kind;
        // A word that may have humps: a capital that is not its first letter, beside a small one.
        if (kind === UPPER && before !== 0) turns++;
        before = kind;
      } else if (
        code === 0x27 &&
        (before === LOWER || before === UPPER) &&
        at + 1 < length &&
        (CLASS[text.charCodeAt(at + 1)] === LOWER || CLASS[text.charCodeAt(at + 1)] === UPPER)
      ) {
        apostrophe = true;
      } else break;
    }
    let end = at;
    if ((kinds & (1 << UNDERSCORE)) !== 0) {
      while (start < end && text.charCodeAt(start) === 0x5f) start++;
      while (end > start && text.charCodeAt(end - 1) === 0x5f) end--;
      if (start === end) continue;
    }
    const source = text.slice(start, end);
    const upper = (kinds & (1 << UPPER)) !== 0;
    if (end - start === 1 && (kinds & (1 << DIGIT)) === 0) {
      const sharp = sharpAfter(text, end);
      if (sharp !== '') {
        const letter = upper ? source.toLowerCase() : source;
        tokens.push(letter + sharp);
        parts.push(gap, letter);
        at = end;
        continue;
      }
    }
    const folded = upper ? source.toLowerCase() : source;
    const whole = apostrophe ? folded.replaceAll("'", '') : folded;
    tokens.push(whole.length > MAX_TOKEN ? whole.slice(0, MAX_TOKEN) : whole);
    const digits = (kinds & (1 << DIGIT)) !== 0 && (kinds & ((1 << LOWER) | (1 << UPPER))) !== 0;
    if (apostrophe || digits || turns > 0 || (kinds & (1 << UNDERSCORE)) !== 0) {
      const found = partsOf(source);
      if (found.length > 0) parts.push(gap, ...found);
    }
  }
  for (const part of parts) tokens.push(part);
  return tokens;
}

function sharpAfter(text: string, end: number): '' | '++' | '#' {
  const code = text.charCodeAt(end);
  const mark = code === 0x23 ? '#' : code === 0x2b && text.charCodeAt(end + 1) === 0x2b ? '++' : '';
  if (mark === '') return '';
  const after = text.charCodeAt(end + mark.length);
  const kind = after < 128 ? CLASS[after]! : 0;
  return kind === LOWER || kind === UPPER || kind === DIGIT ? '' : mark;
}
