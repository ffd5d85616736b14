// What an index of words alone can decide of a query, on every engine: the rest is told by the masked text (TXT-21).
import type { ParsedQuery, Term } from '../text/index.ts';

/** Whether the index decides a term alone, so that it may also take texts away. */
export function isExact({ tokens }: Term): boolean {
  // The index holds a marker under its own name: a prefix that its name begins with finds it there, and must not (TXT-12).
  const meetsMarker = tokens.some(({ text, prefix }) => prefix && 'hidden'.startsWith(text));
  return !meetsMarker && tokens.every(({ cut, prefix }, index) => !cut && (!prefix || index === tokens.length - 1));
}

/** A word of over 64 units, or a prefix within a term, is told by the text alone. */
export function isDecidedByIndex(query: ParsedQuery): boolean {
  return query.clauses.every(({ anyOf }) =>
    anyOf.every(({ tokens }) => tokens.every(({ cut, prefix }, at) => !cut && (!prefix || at === tokens.length - 1))),
  );
}
