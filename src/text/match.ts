// The meaning of a query: which texts satisfy it, and where. Every backend must agree with this (TXT-21, TXT-23).
import { finderOf } from './fast-find.ts';
import { MAX_SPOTS, type Occurrences, type Spot } from './find.ts';
import type { Clause, ParsedQuery, Term } from './query.ts';

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

/** Matches a masked, sanitized text. */
export function matchText(query: ParsedQuery, text: string): Match {
  const lower = text.toLowerCase();
  const find = finderOf(text, lower);
  const occurrences = query.clauses.map((clause) => ofClause(clause, find));
  const found = occurrences.map((one) => one.main + one.parts > 0);
  const excluded = query.excluded.some((term) => {
    const one = find(term);
    return one.main + one.parts > 0;
  });
  const complete = !excluded && found.every(Boolean);
  return { found, complete, excluded, occurrences, literal: literalShare(query, found, lower) };
}

function ofClause(clause: Clause, find: (term: Term) => Occurrences): Occurrences {
  const [first] = clause.anyOf;
  if (clause.anyOf.length === 1 && first) return find(first);
  const all: Occurrences = { main: 0, parts: 0, spots: [] };
  const spots: Spot[] = [];
  for (const term of clause.anyOf) {
    const one = find(term);
    all.main += one.main;
    all.parts += one.parts;
    spots.push(...one.spots);
  }
  all.spots = spots.sort((a, b) => a.start - b.start).slice(0, MAX_SPOTS);
  return all;
}

// Folding found them; what stands there exactly as typed ranks first.
function literalShare(query: ParsedQuery, found: readonly boolean[], lower: string): number {
  let literal = 0;
  for (const [index, clause] of query.clauses.entries()) {
    if (found[index] && clause.anyOf.some((term) => lower.includes(term.typed.toLowerCase()))) literal++;
  }
  return literal / query.clauses.length;
}
