// Texts in which invisible characters split a secret: the passes run on a copy without them (MASK-20).
import type { Range } from './ranges.ts';

export interface Visible {
  readonly text: string;
  /** The place in the original of a range of the copy, the invisible characters in it included. */
  original(range: Range): Range;
}

// Whole colour sequences first, then control characters other than tab and line feed, then format characters; and the
// escapes that stand for them in JSON and in code (MASK-21).
const ESCAPED =
  /\\{1,7}(?:u00(?:0[0-8b-f]|1[\da-f]|7f|[89][\da-f]|ad)|u(?:200[b-f]|202[a-e]|206[\da-f]|feff)|x(?:0[0-8b-f]|1[\da-f]))/;
const INVISIBLE = new RegExp(
  String.raw`(?:\x1b|\\{1,7}(?:u001b|x1b|033|e))\[[\d;?]{0,24}[A-Za-z]|[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cf}|${ESCAPED.source}`,
  'giu',
);

/** Beginnings of those escapes. */
export const ESCAPE_HINTS: readonly string[] = ['\\u00', '\\u20', '\\ufeff', '\\x0', '\\x1', '\\033[', '\\e['];

/** The text without control and format characters; undefined when it holds none. A CR before a LF counts as a line's end. */
export function withoutInvisible(text: string): Visible | undefined {
  let visible = '';
  let kept = 0;
  // For each piece of the copy: where it begins there and in the original.
  const copies: number[] = [];
  const originals: number[] = [];
  const keep = (start: number, end: number): void => {
    if (start >= end) return;
    copies.push(visible.length);
    originals.push(start);
    visible += text.slice(start, end);
  };
  for (const match of text.matchAll(INVISIBLE)) {
    const end = match.index + match[0].length;
    if (match[0] === '\r' && text[end] === '\n') continue;
    keep(kept, match.index);
    kept = end;
  }
  if (kept === 0) return undefined;
  keep(kept, text.length);
  const place = (at: number): number => {
    const piece = lastAtMost(copies, at);
    return originals[piece]! + at - copies[piece]!;
  };
  return {
    text: visible,
    original: (range) => ({
      start: place(range.start),
      end: place(range.end - 1) + 1,
      ...(range.delimiter === undefined ? {} : { delimiter: range.delimiter }),
    }),
  };
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
