// Which texts are looked at, and which of them meet the query: bounded whatever the stores' size (TXT-41, TXT-42, TXT-39).
import type { SessionKind } from '../model/session.ts';
import { makeTurn } from '../model/turn.ts';
import type { Candidate, DrawOrder, MessageFilter, SessionFilter } from '../store/reading.ts';
import { type Clause, idfOf, matchText, type ParsedQuery, type Statistics, scoreOf } from '../text/index.ts';
import type { ReadContext } from './page-context.ts';
import type { Snapshot, Snapshots } from './page-snapshots.ts';
import type { Ranked } from './rank.ts';

/** `df` is counted so far, and so many texts are drawn; a word beyond is common (TXT-41). */
export const CAP = 2_000;
const MAX_PAIRS = 16;
// What one search may cost, whatever is pasted: 128 beginnings of words took 34 s over 30 000 messages. So a beginning of
// few letters counts for several words, only some of them are counted in the index (the others pass for common, and are
// looked for in the texts), and queries of more than 16 words look at fewer texts.
const SHORT_PREFIX = 7;
const COUNTED_PREFIXES = 4;
const PREFIX_COST = 4;
const FULL_COST = 16;
// Others get their turn after so much matching; SES-86 allows 20 ms.
export const TURN_MS = 8;
const TURN_TEXTS = 64;

export interface Search {
  readonly context: ReadContext;
  readonly snapshots: Snapshots;
  readonly query: ParsedQuery;
  readonly statistics: Statistics;
  /** Of each store alone: a store without one of the words is not drawn from. */
  readonly frequencies: ReadonlyMap<Snapshot, readonly number[]>;
  readonly filterOf: (snapshot: Snapshot) => SessionFilter & MessageFilter;
  readonly order: DrawOrder;
  readonly halved: readonly SessionKind[];
  /** Masks and sanitizes a stored text. */
  readonly prepare: (text: string) => string;
  /** A store whose index was made with other maskers: each text is masked again before it counts (SES-153). */
  readonly isStale: (snapshot: Snapshot) => boolean;
}

export interface Found {
  readonly matches: readonly Match[];
  readonly considered: number;
  /** No bound was reached. */
  readonly complete: boolean;
}

export type Match = Omit<Ranked, 'key' | 'kind' | 'points'>;

const NONE: readonly number[] = [];

/** Counted once per clause, for all stages that share it. */
export type Counted = Map<Clause, ReadonlyMap<Snapshot, number>>;

/** Frequencies of each store, and the statistics over all of them (SES-75). */
export async function frequenciesOf(
  context: ReadContext,
  snapshots: Snapshots,
  query: ParsedQuery,
  counted: Counted,
): Promise<{ each: Map<Snapshot, number[]>; all: number[] }> {
  const each = new Map(snapshots.open.map((snapshot) => [snapshot, [] as number[]]));
  const all: number[] = [];
  // A loosened query that lacks one word has no match: a prefix of a common word would be the dearest count of all.
  let lost = false;
  const uncounted = uncountedOf(query);
  for (const [index, clause] of query.clauses.entries()) {
    if (uncounted.has(index)) {
      for (const list of each.values()) list.push(CAP);
      all.push(CAP);
      continue;
    }
    const known = counted.get(clause);
    const counts: ReadonlyMap<Snapshot, number> =
      known ?? (lost ? new Map() : await snapshots.ask(({ reading }) => reading.frequency(context.scope, clause, CAP)));
    if (!lost) counted.set(clause, counts);
    let sum = 0;
    for (const [snapshot, list] of each) {
      list.push(counts.get(snapshot) ?? 0);
      sum += list.at(-1)!;
    }
    all.push(Math.min(CAP, sum));
    if (sum === 0 && query.stage !== undefined && query.stage !== 'some') lost = true;
  }
  return { each, all };
}

/** Draws, and keeps what meets the query. */
export async function findMatches(search: Search): Promise<Found> {
  const matches: Match[] = [];
  let considered = 0;
  let complete = true;
  const { query } = search;
  const cap = capOf(query);
  const draws = query.stage === 'some' ? drawsOfSome(search, cap) : [{ require: rarestFirst(search), limit: cap }];
  const limits = limitsOf(search);
  const seen = new Map<Snapshot, Set<number>>();
  const turn = makeTurn(search.context.clock, TURN_MS);
  for (const { require, limit } of draws) {
    if (considered >= cap && draws.length > 1) {
      complete = false;
      break;
    }
    for (const snapshot of [...search.snapshots.open]) {
      const counts = search.frequencies.get(snapshot);
      if (counts === undefined || require.some((index) => counts[index] === 0)) continue;
      const most = Math.min(limit, limits.get(snapshot) ?? CAP);
      const drawn = await drawFrom(search, snapshot, require, most);
      if (drawn === undefined) continue;
      if (drawn.more) complete = false;
      const known = seen.get(snapshot) ?? new Set();
      seen.set(snapshot, known);
      for (const candidate of drawn.candidates) {
        if (known.has(candidate.entry)) continue;
        known.add(candidate.entry);
        considered++;
        const match = matchOf(search, snapshot, candidate);
        if (match !== undefined) matches.push(match);
        if (considered % TURN_TEXTS === 0 && turn.isDue()) await turn.give();
      }
    }
  }
  return { matches, considered, complete };
}

async function drawFrom(
  { snapshots, context, filterOf, query, order }: Search,
  snapshot: Snapshot,
  require: readonly number[],
  limit: number,
): Promise<{ readonly candidates: readonly Candidate[]; readonly more: boolean } | undefined> {
  try {
    return await snapshot.reading.draw(context.scope, filterOf(snapshot), query, require, limit, order);
  } catch (error) {
    snapshots.leaveOut(snapshot, error);
    return undefined;
  }
}

/** Masks a text whose index was made otherwise, matches and scores it. */
export function matchOf(search: Search, snapshot: Snapshot, candidate: Candidate): Match | undefined {
  const { query, statistics } = search;
  const clean = candidate.clean && !search.isStale(snapshot);
  const text = clean ? candidate.text : search.prepare(candidate.text);
  const match = matchText(query, text);
  if (match.excluded) return undefined;
  if (query.stage === 'some' ? !hasEnough(match.found, statistics) : !match.complete) return undefined;
  const score = scoreOf(query, match, text.length, statistics);
  const missing = match.complete ? NONE : match.found.flatMap((is, index) => (is ? [] : [index]));
  return { snapshot, candidate, text, score, missing };
}

/**
 * At least half of the idf weight of the words, and two words (TXT-39, stage 3). Words that nothing in scope holds weigh
 * nothing here: they would outweigh all others of a question, and no text can have them (T-55).
 */
function hasEnough(found: readonly boolean[], { total, documentFrequency }: Statistics): boolean {
  let all = 0;
  let held = 0;
  let words = 0;
  for (const [index, is] of found.entries()) {
    const weight = documentFrequency[index] === 0 ? 0 : idfOf(total, documentFrequency[index]!);
    all += weight;
    if (!is) continue;
    held += weight;
    words++;
  }
  return words >= Math.min(2, found.length) && held * 2 >= all;
}

function isShortPrefix({ anyOf }: Clause): boolean {
  return anyOf.some(({ tokens }) => tokens.some(({ text, prefix }) => prefix && text.length < SHORT_PREFIX));
}

function uncountedOf({ clauses }: ParsedQuery): ReadonlySet<number> {
  const prefixes = clauses.flatMap((clause, index) => (isShortPrefix(clause) ? [index] : []));
  return new Set(prefixes.slice(COUNTED_PREFIXES));
}

/** How many texts a query of so many words looks at. */
function capOf({ clauses }: ParsedQuery): number {
  const cost = clauses.reduce((sum, clause) => sum + (isShortPrefix(clause) ? PREFIX_COST : 1), 0);
  return Math.ceil((CAP * FULL_COST) / Math.max(FULL_COST, cost));
}

function rarestFirst({ query, statistics }: Search): number[] {
  const uncounted = uncountedOf(query);
  const indices = query.clauses.map((_, index) => index).filter((index) => !uncounted.has(index));
  return indices.sort((a, b) => statistics.documentFrequency[a]! - statistics.documentFrequency[b]!);
}

/** Texts of every rare word, rarest first; and pairs of common ones, since two words are asked for. */
function drawsOfSome(search: Search, cap: number): { require: readonly number[]; limit: number }[] {
  const { documentFrequency } = search.statistics;
  const held = rarestFirst(search).filter((index) => documentFrequency[index]! > 0);
  const rare = held.filter((index) => documentFrequency[index]! < CAP);
  const common = held.filter((index) => documentFrequency[index]! >= CAP);
  const pairs = common.flatMap((one, at) => common.slice(at + 1).map((other) => [one, other]));
  return [...rare.map((index) => [index]), ...pairs.slice(0, MAX_PAIRS)].map((require) => ({ require, limit: cap }));
}

/**
 * How many texts each store gives: what its rarest word allows, as a share of CAP when the stores together hold more.
 * So a search over fifty agents looks at no more texts than one over a single store.
 */
function limitsOf({ frequencies, snapshots, query }: Search): ReadonlyMap<Snapshot, number> {
  if (query.stage === 'some' || snapshots.open.length < 2) return new Map();
  const most = new Map([...frequencies].map(([snapshot, counts]) => [snapshot, Math.min(...counts)]));
  const total = [...most.values()].reduce((sum, count) => sum + count, 0);
  if (total <= CAP) return new Map();
  return new Map([...most].map(([snapshot, count]) => [snapshot, Math.ceil((CAP * count) / total)]));
}
