// Which records meet a query, and where each stands: bounded whatever the namespace's size, yet an exact old match is found
// (EPI-81, EPI-83, TXT-42). Reads one snapshot; decides by the text itself.
import type { Clock } from '../model/clock.ts';
import type { MemoryReading, RecordCandidate, RecordFilter } from '../store/memory.ts';
import { matchText, type ParsedQuery } from '../text/index.ts';
import { byRank, type Place, pointsOf, relevanceOf, scoreOf, type TermStatistics, type Weights } from './order.ts';

/** So many records are drawn per step, and a term in so many is common (TXT-41, TXT-42). */
export const CAP = 2_000;
/** Terms that count: the rarest (TXT-35). */
const MAX_TERMS = 64;
// Others get their turn after so much matching.
const TURN_MS = 8;
const TURN_TEXTS = 64;

export interface Match {
  readonly no: number;
  readonly place: Place;
}

export interface Matches {
  /** In the order of EPI-81. */
  readonly list: readonly Match[];
  readonly statistics: TermStatistics;
  readonly considered: number;
  /** No bound was reached: the list is all that hold a term. */
  readonly complete: boolean;
}

export interface MatchRequest {
  readonly namespaceNo: number;
  readonly filter: RecordFilter;
  readonly query: ParsedQuery;
  /** Ages are counted against it. */
  readonly now: number;
  readonly weights: Weights;
  /** How many the answer asks for: common terms are drawn by themselves only when nothing rarer gives as many. */
  readonly asks: number;
  /** Of the first page, where this is a later one. */
  readonly statistics?: TermStatistics | undefined;
}

export async function findMatches(reading: MemoryReading, clock: Clock, request: MatchRequest): Promise<Matches> {
  const statistics = request.statistics ?? (await statisticsOf(reading, request));
  const query = rarest(request.query, statistics.frequencies);
  const terms: TermStatistics = {
    total: statistics.total,
    frequencies: query.kept.map((index) => statistics.frequencies[index]!),
  };
  const drawn = await draw(reading, { ...request, query: query.query }, terms.frequencies);
  const list: Match[] = [];
  let turn = clock.elapsed();
  let done = 0;
  for (const candidate of drawn.candidates.values()) {
    const { found } = matchText(query.query, candidate.text);
    if (found.some(Boolean)) {
      const score = scoreOf(relevanceOf(found, terms), candidate, request.now, request.weights);
      const { no, id, at } = candidate;
      list.push({ no, place: { complete: found.every(Boolean), points: pointsOf(score), at, id } });
    }
    if (++done % TURN_TEXTS === 0) turn = await otherTurns(clock, turn);
  }
  list.sort((a, b) => byRank(a.place, b.place));
  return { list, statistics, considered: drawn.candidates.size, complete: drawn.complete };
}

/** N and df over the namespace's active, unexpired records, whatever the request filters by. */
async function statisticsOf(reading: MemoryReading, request: MatchRequest): Promise<TermStatistics> {
  const { namespaceNo, filter, query } = request;
  const { total } = await reading.statistics(namespaceNo, filter.now);
  const frequencies: number[] = [];
  for (const clause of query.clauses) {
    frequencies.push(await reading.frequency(namespaceNo, clause, filter.now, CAP));
  }
  return { total, frequencies };
}

/** The query with its rarest terms only, in their order; `kept` are their places in the whole query. */
function rarest(query: ParsedQuery, frequencies: readonly number[]): { query: ParsedQuery; kept: readonly number[] } {
  const all = query.clauses.map((_, index) => index);
  if (all.length <= MAX_TERMS) return { query, kept: all };
  // A term that no record holds finds nothing, however rare: it takes no place from one that does.
  const rarity = (index: number): number => frequencies[index]! || Number.MAX_SAFE_INTEGER;
  const byFrequency = [...all].sort((a, b) => rarity(a) - rarity(b) || a - b);
  const kept = byFrequency.slice(0, MAX_TERMS).sort((a, b) => a - b);
  return { query: { ...query, clauses: kept.map((index) => query.clauses[index]!) }, kept };
}

/**
 * Step 3 of TXT-42: the newest records that hold every term; all records of each term that is not common, rarest first;
 * and where that is fewer than asked for, the newest of the common ones. What is drawn depends on the request alone and
 * not on the page, so that all pages rank the same records.
 */
async function draw(
  reading: MemoryReading,
  { namespaceNo, filter, query, asks }: MatchRequest,
  frequencies: readonly number[],
): Promise<{ candidates: ReadonlyMap<number, RecordCandidate>; complete: boolean }> {
  const candidates = new Map<number, RecordCandidate>();
  const present = query.clauses.map((_, index) => index).filter((index) => frequencies[index]! > 0);
  present.sort((a, b) => frequencies[a]! - frequencies[b]! || a - b);
  let complete = true;
  let budget = CAP;
  const take = async (require: readonly number[], limit: number): Promise<void> => {
    const drawn = await reading.draw(namespaceNo, filter, query, require, limit);
    if (drawn.more) complete = false;
    for (const candidate of drawn.candidates) {
      if (require.length === 1 && !candidates.has(candidate.no)) budget--;
      candidates.set(candidate.no, candidate);
    }
  };
  const rare = present.filter((index) => frequencies[index]! < CAP);
  const common = present.filter((index) => frequencies[index]! >= CAP);
  // What holds every term holds the rarest, of which all records are drawn anyway where it is not common. (The index walks
  // the whole list of a common word to meet it with a rare one: 30 ms at 100 000 records.)
  const asksForAll = rare.length === 0 && present.length === query.clauses.length && present.length > 1;
  if (asksForAll) await take(present, CAP);
  for (const index of rare) {
    if (budget > 0) await take([index], budget);
    else complete = false;
  }
  if (common.length === 0) return { candidates, complete };
  // Records of common terms that hold no rarer one and not all of them: looked at only where there is room for them.
  if (candidates.size >= asks) return { candidates, complete: false };
  for (const [at, index] of common.entries()) {
    // Shared, so that each of the words leads to some (T-71a).
    if (budget > 0) await take([index], Math.ceil(budget / (common.length - at)));
    else complete = false;
  }
  return { candidates, complete };
}

/** Lets the event loop turn when this recall has held it for long. */
async function otherTurns(clock: Clock, since: number): Promise<number> {
  if (clock.elapsed() - since < TURN_MS) return since;
  await new Promise((resolve) => setImmediate(resolve));
  return clock.elapsed();
}
