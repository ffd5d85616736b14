// A clause of a turn as FTS5 MATCH text over the columns of a run index (RUN-58, TXT-24), within the groups that a turn may
// see. Knows no row.
import type { Clause, ParsedQuery, Term } from '../../text/index.ts';
import { ftsToken } from './match.ts';

/** Tokens of a phrase that the index looks for; the text decides about the rest. Those around a cut are one fewer a side. */
export const PHRASE_TOKENS = 64;

/** Up to so many groups are named in the MATCH text: beyond, a join costs less (search-engine.md §1). */
export const MOST_SCOPE_TOKENS = 400;

/** A clause on its own: any of its terms. */
export function clauseText({ anyOf }: Clause): string {
  return anyOf.length === 1 ? termText(anyOf[0]!) : `(${anyOf.map(termText).join(' OR ')})`;
}

/** All of the clauses together. */
export function clausesText(query: ParsedQuery, require: readonly number[]): string {
  return require.map((index) => clauseText(query.clauses[index]!)).join(' AND ');
}

/** The same text for pieces of some groups only, or of all but some. */
export function within(match: string, groups: readonly number[], how: 'these' | 'not these'): string {
  const scope = `scope : (${groups.map((no) => `"g${no}"`).join(' OR ')})`;
  return how === 'these' ? `(${match}) AND ${scope}` : `(${match}) NOT ${scope}`;
}

// One phrase. FTS5 knows a prefix at its end only: after one in the middle the rest is a phrase of its own.
function termText({ tokens }: Term): string {
  const column = tokens.length > 1 ? '{text over}' : 'text';
  const phrases: string[] = [];
  let words: string[] = [];
  const looked = tokens.slice(0, PHRASE_TOKENS);
  for (const [index, { text, prefix }] of looked.entries()) {
    words.push(ftsToken(text));
    if (!prefix && index < looked.length - 1) continue;
    phrases.push(`${column} : "${words.join(' ').replaceAll('"', '""')}"${prefix ? ' *' : ''}`);
    words = [];
  }
  return phrases.length === 1 ? phrases[0]! : `(${phrases.join(' AND ')})`;
}
