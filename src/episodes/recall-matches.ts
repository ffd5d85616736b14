// Which records meet a query, and where each stands: bounded whatever the namespace's size, yet an exact old match is found
// (EPI-81, EPI-83, TXT-42). Reads one snapshot; decides by the text itself.
import type { Clock } from '../model/clock.ts';
import { makeTurn } from '../model/turn.ts';
import type { Holders, MemoryReading, RecordFilter } from '../store/memory.ts';
import { matchText, type ParsedQuery } from '../text/index.ts';
import { byRank, type Place, pointsOf, relevanceBy, scoreOf, type TermStatistics, type Weights } from './order.ts';

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
  const { statistics, lists } = await statisticsOf(reading, request);
  const { query, kept } = rarest(request.query, statistics.frequencies);
  const terms: TermStatistics = {
    total: statistics.total,
    frequencies: kept.map((index) => statistics.frequencies[index]!),
  };
  const known = kept.map((index) => lists[index]);
  const drawn = await draw(reading, { ...request, query }, terms.frequencies, known);
  const held = await heldBy(reading, clock, query, drawn);
  const relevance = relevanceBy(terms);
  const list: Match[] = [];
  for (const { no, id, at, confidence } of await reading.places([...held.keys()])) {
    const found = held.get(no)!;
    const score = scoreOf(relevance(found), { at, confidence }, request.now, request.weights);
    list.push({ no, place: { complete: found.every(Boolean), points: pointsOf(score), at, id } });
  }
  list.sort((a, b) => byRank(a.place, b.place));
  return { list, statistics, considered: drawn.candidates.size, complete: drawn.complete };
}

/**
 * N and df over the namespace's active, unexpired records, whatever the request filters by. Where it filters by nothing and
 * no term can be common, the records of each are drawn anyway: they are counted, and come with it.
 */
async function statisticsOf(
  reading: MemoryReading,
  { namespaceNo, filter, query, statistics }: MatchRequest,
): Promise<{ readonly statistics: TermStatistics; readonly lists: readonly (Holders | undefined)[] }> {
  if (statistics !== undefined) return { statistics, lists: [] };
  const { total } = await reading.statistics(namespaceNo, filter.now);
  const frequencies: number[] = [];
  const lists: Holders[] = [];
  const isDrawn = total < CAP && Object.keys(filter).length === 1;
  for (const [index, clause] of query.clauses.entries()) {
    if (isDrawn) lists.push(await reading.holders(namespaceNo, filter, query, [index], CAP));
    frequencies.push(lists[index]?.numbers.length ?? (await reading.frequency(namespaceNo, clause, filter.now, CAP)));
  }
  return { statistics: { total, frequencies }, lists };
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

interface Drawn {
  readonly candidates: ReadonlySet<number>;
  /** Those that were drawn for holding all terms. */
  readonly whole: ReadonlySet<number>;
  /** Per term: the records drawn for it. */
  readonly terms: readonly TermRecords[];
  /** No bound was reached. */
  readonly complete: boolean;
}

interface TermRecords {
  readonly numbers: ReadonlySet<number>;
  /** Of records from this number on it is known whether they hold the term. */
  readonly from: number;
}

const UNKNOWN: TermRecords = { numbers: new Set(), from: Number.POSITIVE_INFINITY };
const NONE: TermRecords = { numbers: new Set(), from: 0 };

/**
 * Step 3 of TXT-42: the newest records that hold every term; all records of each term that is not common, rarest first;
 * and where that is fewer than asked for, the newest of the common ones. What is drawn depends on the request alone and
 * not on the page, so that all pages rank the same records. `lists`: of terms whose records are drawn already.
 */
async function draw(
  reading: MemoryReading,
  { namespaceNo, filter, query, asks }: MatchRequest,
  frequencies: readonly number[],
  lists: readonly (Holders | undefined)[],
): Promise<Drawn> {
  const candidates = new Set<number>();
  const whole = new Set<number>();
  const terms = frequencies.map((frequency) => (frequency === 0 ? NONE : UNKNOWN));
  let complete = true;
  let budget = CAP;
  const drawn = (): Drawn => ({ candidates, whole, terms, complete });
  const present = query.clauses.map((_, index) => index).filter((index) => frequencies[index]! > 0);
  present.sort((a, b) => frequencies[a]! - frequencies[b]! || a - b);
  const rare = present.filter((index) => frequencies[index]! < CAP);
  const common = present.filter((index) => frequencies[index]! >= CAP);

  const take = async (index: number, limit: number): Promise<void> => {
    if (budget <= 0) {
      complete = false;
      return;
    }
    const all = lists[index] ?? (await reading.holders(namespaceNo, filter, query, [index], limit));
    const numbers = all.numbers.length > limit ? all.numbers.slice(0, limit) : all.numbers;
    const more = all.more || numbers.length < all.numbers.length;
    if (more) complete = false;
    if (all.decided) terms[index] = { numbers: new Set(numbers), from: more ? (numbers.at(-1) ?? 0) : 0 };
    for (const no of numbers) {
      if (!candidates.has(no)) budget--;
      candidates.add(no);
    }
  };

  // What holds every term holds the rarest, of which all records are drawn anyway where it is not common. (The index walks
  // the whole list of a common word to meet it with a rare one: 30 ms at 100 000 records.)
  if (rare.length === 0 && present.length === query.clauses.length && present.length > 1) {
    const { numbers, more, decided } = await reading.holders(namespaceNo, filter, query, present, CAP);
    if (more) complete = false;
    for (const no of numbers) {
      candidates.add(no);
      if (decided) whole.add(no);
    }
  }
  for (const index of rare) await take(index, budget);
  if (common.length === 0) return drawn();
  // Records of common terms that hold no rarer one and not all of them: looked at only where there is room for them.
  if (candidates.size >= asks) {
    complete = false;
    return drawn();
  }
  // Shared, so that each of the words leads to some (T-71a).
  for (const [at, index] of common.entries()) await take(index, Math.ceil(budget / (common.length - at)));
  return drawn();
}

/** Which terms the candidates hold, where any: by what was drawn, and by the text where that does not tell. */
async function heldBy(
  reading: MemoryReading,
  clock: Clock,
  query: ParsedQuery,
  { candidates, whole, terms }: Drawn,
): Promise<ReadonlyMap<number, readonly boolean[]>> {
  const held = new Map<number, readonly boolean[]>();
  const untold: number[] = [];
  const every = terms.map(() => true);
  for (const no of candidates) {
    if (whole.has(no)) held.set(no, every);
    else if (terms.every(({ numbers, from }) => no >= from || numbers.has(no))) {
      held.set(
        no,
        terms.map(({ numbers }) => numbers.has(no)),
      );
    } else untold.push(no);
  }
  if (untold.length === 0) return held;
  const turn = makeTurn(clock, TURN_MS);
  let done = 0;
  for (const [no, text] of await reading.texts(untold)) {
    const { found } = matchText(query, text);
    if (found.some(Boolean)) held.set(no, found);
    if (++done % TURN_TEXTS === 0 && turn.isDue()) await turn.give();
  }
  return held;
}
