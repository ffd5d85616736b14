// Where words are in a text, and what of them is written without spaces: the ranges that tokens are made from (TXT-10, TXT-13).

/** A piece of text that becomes tokens: a marker, a word, or a run of a script without spaces. */
export interface Word {
  readonly kind: 'word' | 'run' | 'marker';
  readonly start: number;
  readonly end: number;
}

const FIRST = '\\p{L}\\p{Nd}_';
const LETTERS = `${FIRST}\\p{M}\\u200c\\u200d`;
// A mask marker, or a longest run of letters, marks, digits and `_`, with apostrophes between
// letters. A mark after a symbol is no beginning of a word.
const WORD = new RegExp(
  `\\[hidden:[a-z][a-z0-9-]{0,31}\\]|[${FIRST}][${LETTERS}]*(?:(?<=[\\p{L}\\p{M}])['’](?=\\p{L})[${LETTERS}]+)*`,
  'gu',
);
const GROUPS = [
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ーｰﾞﾟ々',
  '\\p{sc=Hangul}',
  '\\p{sc=Thai}',
  '\\p{sc=Lao}',
  '\\p{sc=Khmer}',
  '\\p{sc=Myanmar}',
].map((group) => `(?:[${group}]\\p{M}*)+`);
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const RUNS = new RegExp(GROUPS.join('|'), 'gu');

/** Calls `take` for each word of the text, in order, with the ranges it covers in the text. */
export function forEachWord(text: string, take: (word: Word) => void): void {
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    const last = WORD.lastIndex;
    const found = match[0];
    if (found.charCodeAt(0) === 0x5b) take({ kind: 'marker', start: match.index, end: match.index + found.length });
    else if (!UNSPACED.test(found)) trimmed(text, match.index, match.index + found.length, take);
    else splitRuns(text, found, match.index, take);
    WORD.lastIndex = last;
  }
}

// A run is cut from its neighbours, so `使用OpenClaw部署` holds a word between two runs (TXT-13).
function splitRuns(text: string, found: string, offset: number, take: (word: Word) => void): void {
  let at = 0;
  for (const run of found.matchAll(RUNS)) {
    if (run.index > at) trimmed(text, offset + at, offset + run.index, take);
    take({ kind: 'run', start: offset + run.index, end: offset + run.index + run[0].length });
    at = run.index + run[0].length;
  }
  if (at < found.length) trimmed(text, offset + at, offset + found.length, take);
}

// `_` at the ends is not part of the word.
function trimmed(text: string, from: number, to: number, take: (word: Word) => void): void {
  let start = from;
  let end = to;
  while (start < end && text.charCodeAt(start) === 0x5f) start++;
  while (end > start && text.charCodeAt(end - 1) === 0x5f) end--;
  if (start < end) take({ kind: 'word', start, end });
}
