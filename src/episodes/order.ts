// The order of recalled records: total, and never by anything outside the namespace (EPI-80 … EPI-83). Pure.
import { idfOf } from '../text/index.ts';

/** The settings under memory.recall that weigh (EPI-20). */
export interface Weights {
  readonly recencyHalfLifeMs: number;
  readonly recencyWeight: number;
  readonly confidenceWeight: number;
}

/** Of the namespace's active, unexpired records: `frequencies` per term, in the order of the query's terms. */
export interface TermStatistics {
  readonly total: number;
  readonly frequencies: readonly number[];
}

/** Where a record stands: what it is compared by, and where a page goes on. */
export interface Place {
  /** It holds every term: before all that lack one, whatever the scores (TXT-46). */
  readonly complete: boolean;
  /** The score in millionths: equal at 6 decimals is equal. */
  readonly points: number;
  /** Event time, ms. */
  readonly at: number;
  readonly id: string;
}

/** Share of the query's weight that a record holds: `coverage` of TXT-43, summed in the order of terms (TXT-47). */
export function relevanceBy({ total, frequencies }: TermStatistics): (found: readonly boolean[]) => number {
  const weights = frequencies.map((frequency) => idfOf(total, frequency));
  let all = 0;
  for (const weight of weights) all += weight;
  return (found) => {
    let held = 0;
    for (let index = 0; index < weights.length; index++) if (found[index]) held += weights[index]!;
    return all === 0 ? 0 : held / all;
  };
}

/** 0 … 1: relevance, moved by recency and confidence but never by more than their weights (EPI-81). */
export function scoreOf(
  relevance: number,
  record: { readonly at: number; readonly confidence: number },
  now: number,
  { recencyHalfLifeMs, recencyWeight, confidenceWeight }: Weights,
): number {
  const recency = 2 ** (-Math.max(0, now - record.at) / recencyHalfLifeMs);
  const confidence = Math.min(1, Math.max(0, record.confidence));
  const weights = 1 + recencyWeight + confidenceWeight;
  return (relevance * (1 + recencyWeight * recency + confidenceWeight * confidence)) / weights;
}

export function pointsOf(score: number): number {
  return Math.round(score * 1e6);
}

/** Whole matches first, then score, then newer, then id (EPI-81). Without a query all are equal but for time and id (EPI-80). */
export function byRank(a: Place, b: Place): number {
  if (a.complete !== b.complete) return a.complete ? -1 : 1;
  return b.points - a.points || b.at - a.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
