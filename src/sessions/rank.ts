// The order of found texts: total, so that the same store, query and caller give the same answer (SES-76 … SES-79).
import type { SessionKind } from '../model/session.ts';
import type { Candidate } from '../store/reading.ts';
import type { Snapshot } from './page-snapshots.ts';

/** A text that meets the query, before it is located. */
export interface Ranked {
  readonly snapshot: Snapshot;
  readonly candidate: Candidate;
  /** Masked and sanitized: what is matched and cut from. */
  readonly text: string;
  /** Of the session that stands for the message in this answer. */
  readonly key: string;
  readonly kind: SessionKind;
  readonly score: number;
  /** The score in millionths: equal at 6 decimals is equal (TXT-46). */
  readonly points: number;
  /** Clauses it lacks, in a relaxed answer. */
  readonly missing: readonly number[];
}

/** Hits of a session that come before the rest of any (SES-79). */
export const FIRST_OF_SESSION = 3;

/** A score in millionths. */
export function pointsOf({ score }: { readonly score: number }): number {
  return Math.round(score * 1e6);
}

/** Sorted, in place of nothing: the whole list that pages are cut from. */
export function ordered(found: readonly Ranked[], sort: 'relevance' | 'newest' | 'oldest'): Ranked[] {
  return [...found].sort(sort === 'relevance' ? byRelevance : sort === 'newest' ? byTime(-1) : byTime(1));
}

/** The first three hits of every session before the fourth of any (SES-79). */
export function spread(list: readonly Ranked[]): Ranked[] {
  const counts = new Map<string, number>();
  const first: Ranked[] = [];
  const rest: Ranked[] = [];
  for (const item of list) {
    const count = counts.get(item.key) ?? 0;
    counts.set(item.key, count + 1);
    (count < FIRST_OF_SESSION ? first : rest).push(item);
  }
  return [...first, ...rest];
}

/** At most `max` of each session. */
export function perSession(list: readonly Ranked[], max: number): Ranked[] {
  const counts = new Map<string, number>();
  return list.filter((item) => {
    const count = (counts.get(item.key) ?? 0) + 1;
    counts.set(item.key, count);
    return count <= max;
  });
}

/** How many hits each session has (SES-78). */
export function countsOf(list: readonly Ranked[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(item.key, (counts.get(item.key) ?? 0) + 1);
  return counts;
}

/** Keys compare by their UTF-8 bytes (SES-76). */
export function compareKeys(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// Texts with every word first, then the score at 6 decimals, then newer, then the key, then the later one (TXT-46).
function byRelevance(a: Ranked, b: Ranked): number {
  return (
    (a.missing === b.missing ? 0 : Number(a.missing.length > 0) - Number(b.missing.length > 0)) ||
    b.points - a.points ||
    b.candidate.at - a.candidate.at ||
    compareKeys(a.key, b.key) ||
    b.candidate.entry - a.candidate.entry
  );
}

function byTime(sign: 1 | -1): (a: Ranked, b: Ranked) => number {
  return (a, b) =>
    sign * (a.candidate.at - b.candidate.at) ||
    compareKeys(a.key, b.key) ||
    sign * (a.candidate.entry - b.candidate.entry);
}
