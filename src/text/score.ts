// How well a text meets a query: the formula of TXT-43, and nothing that depends on what the caller may not see.
import type { Occurrences } from './find.ts';
import type { Match } from './match.ts';
import type { ParsedQuery } from './query.ts';

/** Of the texts in scope. `documentFrequency` per clause, counted up to a cap that is the same for every plan (TXT-41). */
export interface Statistics {
  readonly total: number;
  readonly averageLength: number;
  readonly documentFrequency: readonly number[];
}

// Measured by bench/quality.mjs: with 0.4 for each, and nearness by the gap alone, fewer questions had their message first than in
// plain FTS5 (0.62 against 0.66 of those whose words are all in it); with these, more.
const PART_WEIGHT = 0.2;
const LENGTH_SHARE = 0.75;
const NEAR_WEIGHT = 0.1;
const MAX_NEAR = 5;
// Up to here a list is searched faster than a set is made.
const FEW = 8;

export function idfOf(total: number, frequency: number): number {
  return Math.log(1 + (Math.max(total, frequency) - frequency + 0.5) / (frequency + 0.5));
}

/** 0 … 2.2. `length`: characters of the whole text. Sums run in the order of the query's terms (TXT-47). */
export function scoreOf(query: ParsedQuery, match: Match, length: number, statistics: Statistics): number {
  // An expression matches or does not (TXT-40): what then decides are the tie-breaks of TXT-46.
  if (query.expression) return match.complete ? 1 : 0;
  let all = 0;
  let found = 0;
  let weighted = 0;
  const relative = statistics.averageLength > 0 ? length / statistics.averageLength : 1;
  for (let index = 0; index < query.clauses.length; index++) {
    const idf = idfOf(statistics.total, statistics.documentFrequency[index] ?? 0);
    all += idf;
    const occurrences = match.occurrences[index]!;
    const frequency = occurrences.main + PART_WEIGHT * occurrences.parts;
    if (frequency === 0) continue;
    found += idf;
    weighted += (idf * frequency) / (frequency + 1.2 * (1 - LENGTH_SHARE + LENGTH_SHARE * relative));
  }
  if (all === 0) return 0;
  const { exact, near } = nearness(match);
  return (found / all) * (weighted / all + 0.5 * exact + NEAR_WEIGHT * near + 0.2 * match.literal);
}

/** Descending; equal at 6 decimals is equal (TXT-46). */
export function compareScores(a: number, b: number): number {
  return Math.round(b * 1e6) - Math.round(a * 1e6);
}

function nearness({ occurrences }: Match): { exact: number; near: number } {
  const present = occurrences.filter((one) => one.spots.length > 0);
  if (present.length === 0) return { exact: 0, near: 0 };
  // Positions are not asked for where one clause alone is found: it is near itself.
  if (present.length === 1) return { exact: occurrences.length === 1 ? 1 : 0, near: 1 };
  const exact = present.length === occurrences.length && areSideBySide(occurrences) ? 1 : 0;
  const { gap, own } = exact === 1 ? { gap: 0, own: 1 } : smallestWindow(present);
  return { exact, near: (Math.min(MAX_NEAR, present.length) * own) / (own + gap) };
}

// Every clause directly after the one before it, in the query's order.
function areSideBySide(occurrences: readonly Occurrences[]): boolean {
  let ends: readonly number[] = occurrences[0]!.spots.map((spot) => spot.last);
  for (let clause = 1; clause < occurrences.length; clause++) {
    const known = ends.length > FEW ? new Set(ends) : undefined;
    const next: number[] = [];
    for (const spot of occurrences[clause]!.spots) {
      const before = spot.position - 1;
      if (known ? known.has(before) : ends.includes(before)) next.push(spot.last);
    }
    if (next.length === 0) return false;
    ends = next;
  }
  return true;
}

// The smallest window that holds one occurrence of each found clause, of two or more: its foreign words and its own.
function smallestWindow(present: readonly Occurrences[]): { readonly gap: number; readonly own: number } {
  const all: { readonly position: number; readonly last: number; readonly clause: number }[] = [];
  let own = 0;
  for (const [clause, one] of present.entries()) {
    for (const { position, last } of one.spots) all.push({ position, last, clause });
    const first = all[all.length - one.spots.length]!;
    own += first.last - first.position + 1;
  }
  all.sort((a, b) => a.position - b.position || a.clause - b.clause);
  const counts = new Array<number>(present.length).fill(0);
  let kinds = 0;
  let left = 0;
  let best = Number.POSITIVE_INFINITY;
  for (const spot of all) {
    if (counts[spot.clause]!++ === 0) kinds++;
    while (kinds === present.length) {
      const first = all[left++]!;
      best = Math.min(best, Math.max(spot.last, first.last) - first.position + 1 - own);
      if (--counts[first.clause]! === 0) kinds--;
    }
  }
  return { gap: Math.max(0, best), own };
}
