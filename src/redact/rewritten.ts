// A copy of a text with parts replaced, and the way back from places in the copy to places in the text (MASK-20).
import type { Range } from './ranges.ts';

export interface Rewritten {
  readonly text: string;
  /** The place in the original of a range of the copy, with all that was replaced in it. */
  original(range: Range): Range;
}

/** `replace` gives what stands for a match, or undefined to leave it. Undefined when nothing was replaced. */
export function rewritten(
  text: string,
  pattern: RegExp,
  replace: (match: string, end: number) => string | undefined,
): Rewritten | undefined {
  const pieces: string[] = [];
  // For each piece: where it begins in the copy and in the original, and where it ends in the original.
  const copies: number[] = [];
  const originals: number[] = [];
  const ends: number[] = [];
  let length = 0;
  let kept = 0;
  const add = (piece: string, start: number, end: number): void => {
    if (piece === '') return;
    copies.push(length);
    originals.push(start);
    ends.push(end);
    pieces.push(piece);
    length += piece.length;
  };
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    const replaced = replace(match[0], end);
    if (replaced === undefined) continue;
    add(text.slice(kept, match.index), kept, match.index);
    add(replaced, match.index, end);
    kept = end;
  }
  if (kept === 0) return undefined;
  add(text.slice(kept), kept, text.length);
  const pieceAt = (at: number): number => lastAtMost(copies, at);
  const isCopy = (piece: number): boolean =>
    (copies[piece + 1] ?? length) - copies[piece]! === ends[piece]! - originals[piece]!;
  return {
    text: pieces.join(''),
    original: (range) => {
      const [first, last] = [pieceAt(range.start), pieceAt(range.end - 1)];
      return {
        ...range,
        // A replaced part is hidden whole.
        start: isCopy(first) ? originals[first]! + range.start - copies[first]! : originals[first]!,
        end: isCopy(last) ? originals[last]! + range.end - copies[last]! : ends[last]!,
      };
    },
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
