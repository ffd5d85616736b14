// What a pass found, and how it is hidden: markers, line feeds that stay, markers that are never touched (MASK-6, MASK-12).

import type { Noted } from './sections.ts';

/** `credential`, `private-key`, `value`, or the name of a group or of a host's rule. */
export type MarkerKind = string;

/** Units [start, end) of a text. `delimiter`: the marker is put in these quotes, where a bare JSON number stood (MASK-7). */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly delimiter?: string;
  /** What found it, for `--explain` and counters. */
  readonly rule?: string;
  /** Its marker stands in the section before (MASK-24). */
  readonly goesOn?: true;
}

/** `[hidden:credential]` and its like (MASK-10). */
export function markerOf(kind: MarkerKind): string {
  return `[hidden:${kind}]`;
}

/** True when the whole value is one marker of anybody's, a host's rules included. */
export function isMarker(value: string): boolean {
  return /^\[hidden:[a-z][a-z0-9-]{0,31}\]$/.test(value);
}

/**
 * The text with the ranges hidden. Overlapping and touching ranges become one marker; a marker that stands in the text
 * stays as it is, and a range that touches one of the same kind goes into it.
 */
export function hide(text: string, found: readonly Range[], kind: MarkerKind, note?: Noted): string {
  if (found.length === 0) return text;
  const marker = markerOf(kind);
  const standing = standingMarkers(text);
  const output: string[] = [];
  let kept = 0;
  // What was put out last is a marker of this kind, ours or one that stood there.
  let behindMarker = false;
  for (const range of merged(found)) {
    for (const piece of outside(text, range, standing)) {
      const before = text.slice(kept, piece.start);
      if (before !== '') behindMarker = before.endsWith(marker);
      const delimiter = range.delimiter ?? '';
      const joins: boolean = behindMarker || range.goesOn === true || text.startsWith(marker, piece.end);
      const lineFeeds = lineFeedsOf(text, piece.start, piece.end);
      note?.({ rule: range.rule ?? kind, marker, at: piece.start, text });
      output.push(before, joins ? '' : delimiter + marker + delimiter, lineFeeds);
      behindMarker = (behindMarker || !joins) && delimiter + lineFeeds === '';
      kept = piece.end;
    }
  }
  output.push(text.slice(kept));
  return output.join('');
}

function merged(found: readonly Range[]): Range[] {
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Range[] = [];
  for (const range of sorted) {
    const last = result[result.length - 1];
    if (last && range.start <= last.end) {
      if (range.end <= last.end) continue;
      const { delimiter: _, ...rest } = last;
      result[result.length - 1] = { ...rest, end: range.end };
    } else if (range.end > range.start) {
      result.push(range);
    }
  }
  return result;
}

function standingMarkers(text: string): readonly Range[] {
  if (!text.includes('[hidden:')) return [];
  const markers: Range[] = [];
  for (const match of text.matchAll(/\[hidden:[a-z][a-z0-9-]{0,31}\]/g)) {
    markers.push({ start: match.index, end: match.index + match[0].length });
  }
  return markers;
}

/** The parts of a range that are no marker; parts that hold nothing but punctuation and escapes beside one are let be. */
function outside(text: string, range: Range, markers: readonly Range[]): readonly Range[] {
  let index = firstEndingAfter(markers, range.start);
  if (index === markers.length || markers[index]!.start >= range.end) return [range];
  const pieces: Range[] = [];
  let from = range.start;
  for (; index < markers.length && markers[index]!.start < range.end; index++) {
    pieces.push({ start: from, end: markers[index]!.start });
    from = markers[index]!.end;
  }
  pieces.push({ start: from, end: range.end });
  return pieces.filter((piece) => piece.end > piece.start && holdsValue(text.slice(piece.start, piece.end)));
}

function firstEndingAfter(markers: readonly Range[], position: number): number {
  let low = 0;
  let high = markers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (markers[middle]!.end > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

function holdsValue(piece: string): boolean {
  return /[\p{L}\p{N}]/u.test(piece.replace(/\\+[nrt]/g, ''));
}

function lineFeedsOf(text: string, start: number, end: number): string {
  return '\n'.repeat(countLineFeeds(text.slice(start, end)));
}

export function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
