// The parts of a word of ASCII, by character codes: code and logs are full of them (TXT-10, TXT-17, TXT-70).

export const MAX_PARTS = 32;

const APART = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const HEX = 4;
const KIND = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const hex = (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46) ? HEX : 0;
  if (code >= 0x61 && code <= 0x7a) KIND[code] = LOWER | hex;
  else if (code >= 0x41 && code <= 0x5a) KIND[code] = UPPER | hex;
  else if (code >= 0x30 && code <= 0x39) KIND[code] = DIGIT;
}

/** Pieces between `_` and apostrophes, each in its humps and numbers; in lower case. */
export function asciiPartsOf(word: string): string[] {
  const lower = word.toLowerCase();
  const parts: string[] = [];
  for (let from = 0; from < word.length && parts.length < MAX_PARTS; ) {
    let to = from;
    let digits = false;
    // Letters and digits part only in a piece with a letter run that is no hexadecimal number (`E1234`, `3f1a9c2`).
    let run = 0;
    let hexadecimal = true;
    let wordlike = false;
    for (; to < word.length; to++) {
      const kind = KIND[word.charCodeAt(to)]!;
      if (kind === APART) break;
      if (kind === DIGIT) {
        digits = true;
        run = 0;
        hexadecimal = true;
        continue;
      }
      run++;
      if ((kind & HEX) === 0) hexadecimal = false;
      if (run > 1 && !hexadecimal) wordlike = true;
    }
    if (to > from) {
      if (digits && !wordlike) parts.push(lower.slice(from, to));
      else pushHumps(word, lower, from, to, parts);
    }
    from = to + 1;
  }
  if (parts.length < 2) return [];
  if (parts.length > MAX_PARTS) parts.length = MAX_PARTS;
  return parts;
}

// `JSONDataReader2` is `json`, `data`, `reader`, `2`: a capital before a small letter begins the next hump.
function pushHumps(word: string, lower: string, from: number, to: number, parts: string[]): void {
  let start = from;
  let before = KIND[word.charCodeAt(from)]! & 3;
  for (let at = from + 1; at < to; at++) {
    const kind = KIND[word.charCodeAt(at)]! & 3;
    if ((kind === UPPER && before !== UPPER) || (kind === DIGIT) !== (before === DIGIT)) {
      parts.push(lower.slice(start, at));
      start = at;
    } else if (kind === LOWER && before === UPPER && at - 1 > start) {
      parts.push(lower.slice(start, at - 1));
      start = at - 1;
    }
    before = kind;
  }
  parts.push(lower.slice(start, to));
}
