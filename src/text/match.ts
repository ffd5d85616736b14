// The meaning of a query: which texts satisfy it, and where. Every backend must agree with this (TXT-21, TXT-23).
import { finderOf } from './fast-find.ts';
import { findInStream, MAX_SPOTS, type Occurrences, type Spot } from './find.ts';
import type { Clause, ParsedQuery, Term } from './query.ts';
import type { TokenStream } from './tokenize.ts';

/** How one text meets a query. */
export interface Match {
  /** Per clause. */
  readonly found: readonly boolean[];
  /** Every clause is found and no exclusion is. */
  readonly complete: boolean;
  readonly excluded: boolean;
  /** Per clause: how often, and where the first 256 are. */
  readonly occurrences: readonly Occurrences[];
  /** Share of the terms that stand in the text as typed, case aside (TXT-45). */
  readonly literal: number;
}

const OF_EXPRESSION: Match = { found: [], complete: false, excluded: false, occurrences: [], literal: 0 };

/** Matches a masked, sanitized text. */
export function matchText(query: ParsedQuery, text: string): Match {
  if (query.expression) return { ...OF_EXPRESSION, complete: query.expression.test(text) };
  const lower = text.toLowerCase();
  return matchBy(query, lower, finderOf(text, lower));
}

/** The same by the text's token stream: the plain reading of the specification, which `matchText` must equal (TXT-21). */
export function matchStream(query: ParsedQuery, stream: TokenStream, text: string): Match {
  return matchBy(query, text.toLowerCase(), (term) => findInStream(term, stream, text));
}

/** The first occurrences of each clause, without the bound that scores have: for excerpts (TXT-52). A clause that is there again has none. */
export function allSpots(
  query: ParsedQuery,
  text: string,
  most: number = Number.POSITIVE_INFINITY,
): readonly (readonly Pick<Spot, 'start' | 'end'>[])[] {
  if (query.expression) return [query.expression.spots(text)];
  const clauses = distinctClauses(query);
  const find = finderOf(text, undefined, most, true);
  return query.clauses.map((clause) => (clauses.has(clause) ? ofClause(clause, find, most).spots : []));
}

/** Clauses that ask for something no clause before them asks for. */
export function distinctClauses(query: ParsedQuery): ReadonlySet<Clause> {
  const first = new Map<string, Clause>();
  for (const clause of query.clauses) if (!first.has(readingOf(clause).key)) first.set(readingOf(clause).key, clause);
  return new Set(first.values());
}

function matchBy(query: ParsedQuery, lower: string, find: (term: Term) => Occurrences): Match {
  const known = new Map<string, Occurrences>();
  const occurrences = query.clauses.map((clause) => {
    if (query.clauses.length === 1) return ofClause(clause, find, MAX_SPOTS);
    // `a a a …`: what is asked for again is not looked for again (TXT-78).
    const key = readingOf(clause).key;
    const one = known.get(key) ?? ofClause(clause, find, MAX_SPOTS);
    known.set(key, one);
    return one;
  });
  const found = occurrences.map((one) => one.main + one.parts > 0);
  const excluded = query.excluded.some((term) => {
    const one = find(term);
    return one.main + one.parts > 0;
  });
  const complete = !excluded && found.every(Boolean);
  return { found, complete, excluded, occurrences, literal: literalShare(query, found, lower) };
}

function ofClause(clause: Clause, find: (term: Term) => Occurrences, maxSpots: number): Occurrences {
  const [first] = clause.anyOf;
  if (clause.anyOf.length === 1 && first) return find(first);
  const all: Occurrences = { main: 0, parts: 0, spots: [] };
  const spots: Spot[] = [];
  for (const term of readingOf(clause).terms) {
    const one = find(term);
    all.main += one.main;
    all.parts += one.parts;
    for (const spot of one.spots) spots.push(spot);
  }
  all.spots = spots.sort((a, b) => a.start - b.start).slice(0, maxSpots);
  return all;
}

interface Reading {
  /** Clauses of one key have the same occurrences in any text. */
  readonly key: string;
  /** Without those that are there again: `a OR a` is `a`. */
  readonly terms: readonly Term[];
}

// Kept, because a query is matched against thousands of texts.
const READINGS = new WeakMap<Clause, Reading>();

function readingOf(clause: Clause): Reading {
  let reading = READINGS.get(clause);
  if (!reading) {
    const terms = new Map(clause.anyOf.map((term) => [JSON.stringify(term.tokens), term]));
    reading = { key: [...terms.keys()].join(), terms: [...terms.values()] };
    READINGS.set(clause, reading);
  }
  return reading;
}

// Folding found them; what stands there exactly as typed ranks first.
function literalShare(query: ParsedQuery, found: readonly boolean[], lower: string): number {
  let literal = 0;
  for (const [index, clause] of query.clauses.entries()) {
    if (found[index] && clause.anyOf.some((term) => lower.includes(term.typed.toLowerCase()))) literal++;
  }
  return literal / query.clauses.length;
}
