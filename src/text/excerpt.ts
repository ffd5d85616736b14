// The short text of a hit: the window that shows most of what was asked, made from the masked whole text (TXT-50 … TXT-56).
import type { Spot } from './find.ts';
import { matchText } from './match.ts';
import type { ParsedQuery } from './query.ts';

export interface ExcerptOptions {
  /** 40 … 2 000, default 300. */
  readonly maxChars?: number;
  /** Default 32. */
  readonly maxRanges?: number;
  /** Weight of each clause, such as its idf; default 1 each. */
  readonly weights?: readonly number[];
}

export interface Excerpt {
  readonly text: string;
  /** Marked ranges in `text`: sorted, apart, no markup (TXT-53). */
  readonly ranges: [start: number, end: number][];
  /** Where it begins in the whole text. */
  readonly from: number;
  readonly cutStart: boolean;
  readonly cutEnd: boolean;
}

const MAX_LOOKED_AT = 1_000_000;
const SLACK = 24;
const MARKER = /\[hidden:[a-z][a-z0-9-]{0,31}\]/g;

type Place = { readonly start: number; readonly end: number; readonly clause: number };

/** At most `maxChars` units, ellipses included; well formed (TXT-54). */
export function excerptOf(text: string, query: ParsedQuery, options: ExcerptOptions = {}): Excerpt {
  const { maxChars = 300, maxRanges = 32, weights = [] } = options;
  const looked = text.length > MAX_LOOKED_AT ? text.slice(0, MAX_LOOKED_AT) : text;
  const places = placesOf(looked, query);
  const room = Math.max(1, maxChars - 2);
  const [from, to] = windowAround(text, bestSpan(places, weights, room), room, maxChars);
  return collapsed(text, from, to, places, maxRanges);
}

function placesOf(text: string, query: ParsedQuery): Place[] {
  const places: Place[] = [];
  for (const [clause, one] of matchText(query, text).occurrences.entries()) {
    for (const { start, end } of one.spots as readonly Spot[]) places.push({ start, end, clause });
  }
  return places.sort((a, b) => a.start - b.start || a.end - b.end);
}

// The stretch with the greatest weight of distinct clauses; on a tie the shorter, then the earlier (TXT-52).
function bestSpan(places: readonly Place[], weights: readonly number[], room: number): [number, number] | undefined {
  let best: [number, number] | undefined;
  let bestWeight = -1;
  const counts = new Map<number, number>();
  let weight = 0;
  let left = 0;
  for (const place of places) {
    const seen = counts.get(place.clause) ?? 0;
    counts.set(place.clause, seen + 1);
    if (seen === 0) weight += weights[place.clause] ?? 1;
    while (left < places.length) {
      const first = places[left]!;
      const tooWide = place.end - first.start > room && first !== place;
      const spare = (counts.get(first.clause) ?? 0) > 1;
      if (!tooWide && !spare) break;
      counts.set(first.clause, counts.get(first.clause)! - 1);
      if (!spare) weight -= weights[first.clause] ?? 1;
      left++;
    }
    const span: [number, number] = [places[left]!.start, place.end];
    const closer = best === undefined || span[1] - span[0] < best[1] - best[0];
    if (weight > bestWeight + 1e-12 || (weight > bestWeight - 1e-12 && closer)) {
      best = span;
      bestWeight = weight;
    }
  }
  return best;
}

function windowAround(
  text: string,
  span: [number, number] | undefined,
  room: number,
  maxChars: number,
): [number, number] {
  if (text.length <= maxChars) return [0, text.length];
  if (!span) return [0, safeCut(text, inward(text, room, -1, 0), -1, 0)];
  const width = Math.min(room, span[1] - span[0]);
  let from = Math.max(0, span[0] - Math.floor((room - width) / 2));
  const to = Math.min(text.length, from + room);
  from = Math.max(0, to - room);
  const start = from === 0 ? 0 : safeCut(text, inward(text, from, 1, span[0]), 1, to);
  const end = to === text.length ? to : safeCut(text, inward(text, to, -1, Math.min(span[1], to)), -1, start);
  return [start, Math.max(start, end)];
}

// A border moves inwards to white space, if there is some near, but not over the match.
function inward(text: string, border: number, step: 1 | -1, limit: number): number {
  for (let moved = 0; moved <= SLACK; moved++) {
    const at = border + step * moved;
    if (step === 1 ? at > limit : at < limit) break;
    if (step === 1 ? /\s/.test(text[at - 1] ?? ' ') : /\s/.test(text[at] ?? ' ')) return at;
  }
  return border;
}

/** A cut near `at`, moved by `step`, that splits no surrogate pair, combining or emoji sequence and no marker (TXT-54). */
export function safeCut(text: string, at: number, step: 1 | -1, limit: number): number {
  let cut = at;
  for (let moved = 0; moved < 32 && cut !== limit && splitsCluster(text, cut); moved++) cut += step;
  if (cut > 0 && isLow(text.charCodeAt(cut)) && isHigh(text.charCodeAt(cut - 1))) cut += step;
  const from = Math.max(0, cut - 45);
  for (const marker of text.slice(from, cut + 45).matchAll(MARKER)) {
    const start = from + marker.index;
    const end = start + marker[0].length;
    if (cut > start && cut < end) return step === 1 ? end : start;
  }
  return cut;
}

// biome-ignore lint/suspicious/noMisleadingCharacterClass: these are the joining code points themselves
const CONTINUES = /^[\p{M}\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]/u;

function splitsCluster(text: string, cut: number): boolean {
  if (cut <= 0 || cut >= text.length) return false;
  if (isLow(text.charCodeAt(cut)) && isHigh(text.charCodeAt(cut - 1))) return true;
  return text.charCodeAt(cut - 1) === 0x200d || CONTINUES.test(text.slice(cut, cut + 2));
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

// White space runs become one space (TXT-55); ranges follow their text.
function collapsed(text: string, from: number, to: number, places: readonly Place[], maxRanges: number): Excerpt {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start]!)) start++;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  const cutStart = text.slice(0, start).trim() !== '';
  const cutEnd = text.slice(end).trim() !== '';
  const map = new Uint32Array(end - start + 1);
  let shown = cutStart ? '…' : '';
  for (let at = start; at < end; at++) {
    map[at - start] = shown.length;
    const space = /\s/.test(text[at]!);
    if (!space) shown += text[at];
    else if (!/\s/.test(text[at - 1] ?? '') || at === start) shown += ' ';
  }
  map[end - start] = shown.length;
  if (cutEnd) shown += '…';
  const ranges: [number, number][] = [];
  for (const place of places) {
    if (place.start < start || place.end > end) continue;
    const range: [number, number] = [map[place.start - start]!, map[place.end - start]!];
    const before = ranges.at(-1);
    if (before && range[0] <= before[1]) before[1] = Math.max(before[1], range[1]);
    else if (ranges.length < maxRanges) ranges.push(range);
    else break;
  }
  return { text: shown.isWellFormed() ? shown : shown.toWellFormed(), ranges, from: start, cutStart, cutEnd };
}
