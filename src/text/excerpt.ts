// The short text of a hit: the window that shows most of what was asked, made from the masked whole text (TXT-50 … TXT-56).
import { BackstoryError } from '../model/errors.ts';
import { safeCut } from './cut.ts';
import { allSpots, distinctClauses } from './match.ts';
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
// What a phrase may reach over from one stretch into the next.
const OVERLAP = 4_096;
const MAX_OF_ONE = 1_024;
const SLACK = 24;
const SPACE = /\s/;
const MIN_CHARS = 40;
const MAX_CHARS = 2_000;
// Weights are summed as integers: added and taken away any number of times, they stay what they are.
const WEIGHT_UNIT = 1e6;

type Place = { readonly start: number; readonly end: number; readonly clause: number };

/** At most `maxChars` units, ellipses included; well formed (TXT-54). Throws `invalid_argument` out of range (COM-2). */
export function excerptOf(text: string, query: ParsedQuery, options: ExcerptOptions = {}): Excerpt {
  const { maxChars = 300, maxRanges = 32, weights = [] } = options;
  if (!Number.isInteger(maxChars) || maxChars < MIN_CHARS || maxChars > MAX_CHARS) {
    throw new BackstoryError(
      'invalid_argument',
      `maxChars is ${maxChars}; an excerpt holds ${MIN_CHARS} to ${MAX_CHARS} characters.`,
      `Give an integer from ${MIN_CHARS} to ${MAX_CHARS}, or leave it out for 300.`,
      { details: { parameter: 'maxChars', min: MIN_CHARS, max: MAX_CHARS } },
    );
  }
  const places = placesOf(text, query);
  const room = maxChars - 2;
  const [from, to] = windowAround(text, bestSpan(places, weights, room), room, maxChars);
  return collapsed(text, from, to, places, maxRanges);
}

// From the first match on, at most 1 000 000 units are looked at (TXT-51): longer texts stretch by stretch until there is one.
function placesOf(text: string, query: ParsedQuery): Place[] {
  if (text.length <= MAX_LOOKED_AT) return placesIn(text, 0, text.length, query);
  for (let from = 0; from < text.length; from += MAX_LOOKED_AT - OVERLAP) {
    const first = placesIn(text, from, from + MAX_LOOKED_AT, query, 1)[0];
    if (!first) continue;
    const start = wordStart(text, first.start);
    return placesIn(text, start, start + MAX_LOOKED_AT, query);
  }
  return [];
}

function placesIn(text: string, from: number, to: number, query: ParsedQuery, most = mostOf(query)): Place[] {
  const places: Place[] = [];
  let clauses = 0;
  for (const [clause, spots] of allSpots(query, text.slice(from, to), most).entries()) {
    if (spots.length > 0) clauses++;
    for (const { start, end } of spots) places.push({ start: from + start, end: from + end, clause });
  }
  if (clauses < 2) return places;
  return places.sort((a, b) => a.start - b.start || a.end - b.end);
}

// One word shows as well anywhere: a text that repeats it 120 000 times is not looked through (TXT-51).
function mostOf(query: ParsedQuery): number {
  return distinctClauses(query).size === 1 ? MAX_OF_ONE : Number.POSITIVE_INFINITY;
}

// What is looked at begins after white space, so that no half word is taken for a word.
function wordStart(text: string, at: number): number {
  for (let start = at; start > at - OVERLAP; start--) if (start === 0 || SPACE.test(text[start - 1]!)) return start;
  return at;
}

// The stretch with the greatest weight of distinct clauses; on a tie the shorter, then the earlier (TXT-52).
function bestSpan(places: readonly Place[], weights: readonly number[], room: number): [number, number] | undefined {
  let best: [number, number] | undefined;
  let bestWeight = -1;
  const weightOf = ({ clause }: Place): number => Math.round((weights[clause] ?? 1) * WEIGHT_UNIT);
  const counts: number[] = [];
  let weight = 0;
  let left = 0;
  for (const place of places) {
    const seen = counts[place.clause] ?? 0;
    counts[place.clause] = seen + 1;
    if (seen === 0) weight += weightOf(place);
    while (left < places.length) {
      const first = places[left]!;
      const tooWide = place.end - first.start > room && first !== place;
      const count = counts[first.clause]!;
      if (!tooWide && count === 1) break;
      counts[first.clause] = count - 1;
      if (count === 1) weight -= weightOf(first);
      left++;
    }
    const span: [number, number] = [places[left]!.start, place.end];
    const closer = best === undefined || span[1] - span[0] < best[1] - best[0];
    if (weight > bestWeight || (weight === bestWeight && closer)) {
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
    if (SPACE.test((step === 1 ? text[at - 1] : text[at]) ?? ' ')) return at;
  }
  return border;
}

// White space runs become one space (TXT-55); ranges follow their text.
function collapsed(text: string, from: number, to: number, places: readonly Place[], maxRanges: number): Excerpt {
  let start = from;
  let end = to;
  while (start < end && SPACE.test(text[start]!)) start++;
  while (end > start && SPACE.test(text[end - 1]!)) end--;
  const cutStart = text.slice(0, start).trim() !== '';
  const cutEnd = text.slice(end).trim() !== '';
  const map = new Uint32Array(end - start + 1);
  let shown = cutStart ? '…' : '';
  let afterSpace = false;
  for (let at = start; at < end; at++) {
    map[at - start] = shown.length;
    const space = SPACE.test(text[at]!);
    if (!space) shown += text[at];
    else if (!afterSpace) shown += ' ';
    afterSpace = space;
  }
  map[end - start] = shown.length;
  if (cutEnd) shown += '…';
  const ranges: [number, number][] = [];
  for (const place of places) {
    // A match wider than the window is marked as far as it is shown.
    if (place.end <= start || place.start >= end) continue;
    const wide = place.start <= start && place.end >= end;
    if (!wide && (place.start < start || place.end > end)) continue;
    const range: [number, number] = [map[Math.max(0, place.start - start)]!, map[Math.min(end, place.end) - start]!];
    const before = ranges.at(-1);
    if (before && range[0] <= before[1]) before[1] = Math.max(before[1], range[1]);
    else if (ranges.length < maxRanges) ranges.push(range);
    else break;
  }
  return { text: shown.isWellFormed() ? shown : shown.toWellFormed(), ranges, from: start, cutStart, cutEnd };
}
