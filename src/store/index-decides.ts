// What an index of words alone can decide of a query, on every engine: the rest is told by the masked text (TXT-21).
import type { ParsedQuery, Term } from '../text/index.ts';

/** Whether the index decides a term alone, so that it may also take texts away. */
export function isExact({ tokens }: Term): boolean {
  // The index holds a marker under its own name: a prefix that its name begins with finds it there, and must not (TXT-12).
  const meetsMarker = tokens.some(({ text, prefix }) => prefix && 'hidden'.startsWith(text));
  return !meetsMarker && tokens.every(({ cut, prefix }, index) => !cut && (!prefix || index === tokens.length - 1));
}

/** Else the text alone tells which texts hold these clauses. */
export function isDecidedByIndex(query: ParsedQuery, require: readonly number[] = everyClause(query)): boolean {
  return require.every((index) => query.clauses[index]!.anyOf.every(isExact));
}

/** Numbers of a query's clauses. */
export function everyClause(query: ParsedQuery): number[] {
  return query.clauses.map((_, index) => index);
}
