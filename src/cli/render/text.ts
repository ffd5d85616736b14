// Stored text as a terminal may show it: control sequences harmless, words wrapped, matched ranges kept (SUR-23).
import { cutText } from '../../model/episode.ts';
import { sanitize } from '../../text/sanitize.ts';

/** Without control sequences, control characters and text direction overrides; line feeds and tabs stay. */
export function harmless(text: string): string {
  return sanitize(text);
}

/** On one line, and at most `max` characters. */
export function oneLine(text: string, max: number = Number.POSITIVE_INFINITY): string {
  return cutText(harmless(text).replace(/\s+/g, ' ').trim(), max);
}

/** A text in lines of at most `width` characters, on white space where it can; its own line feeds stay. */
export function wrapped(text: string, width: number): string[] {
  return wrapMarked([{ text, marked: false }], width).map((line) =>
    line
      .map((part) => part.text)
      .join('')
      .trimEnd(),
  );
}

export interface Part {
  readonly text: string;
  readonly marked: boolean;
}

/** An excerpt in parts by its ranges, each made harmless by itself, so that the ranges stay true. */
export function partsOf(excerpt: string, ranges: readonly (readonly [number, number])[]): Part[] {
  const parts: Part[] = [];
  const add = (text: string, marked: boolean): void => {
    const shown = harmless(text).replace(/\s+/g, ' ');
    if (shown !== '') parts.push({ text: shown, marked });
  };
  let from = 0;
  for (const [start, end] of ranges) {
    if (start < from || end > excerpt.length) continue;
    add(excerpt.slice(from, start), false);
    add(excerpt.slice(start, end), true);
    from = end;
  }
  add(excerpt.slice(from), false);
  return parts;
}

export function wrapMarked(parts: readonly Part[], width: number): Part[][] {
  const lines: Part[][] = [[]];
  let used = 0;
  for (const part of parts) {
    for (const piece of part.text.split(/(\n|[ \t]+)/)) {
      if (piece === '') continue;
      if (piece === '\n') {
        lines.push([]);
        used = 0;
        continue;
      }
      const isSpace = /^[ \t]+$/.test(piece);
      if (used > 0 && used + piece.length > width) {
        lines.push([]);
        used = 0;
        if (isSpace) continue;
      }
      lines.at(-1)!.push({ text: piece, marked: part.marked });
      used += piece.length;
    }
  }
  return lines;
}
