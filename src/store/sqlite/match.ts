// A query as FTS5 MATCH text. Every token stands between quotes, so nothing typed can become an operator (TXT-24).
import type { Clause, ParsedQuery, Term } from '../../text/index.ts';
import { isExact } from '../index-decides.ts';

// FTS5's tokenizer (`ascii tokenchars '_'`) splits at ASCII punctuation. Private-use letters never stand in a token
// (text/ reads them as punctuation), so each such character has one of its own.
const PRIVATE_USE = 0xe000;
const SPLITTING = /[^A-Za-z0-9_\u{80}-\u{10ffff}]/gu;
const PLAIN = /^[A-Za-z0-9_\u{80}-\u{10ffff}]*$/u;

/** A token as the index holds it: `c++` and `hidden:private-key` under private-use letters, others as they are (TXT-20). */
export function ftsToken(token: string): string {
  if (PLAIN.test(token)) return token;
  return token.replace(SPLITTING, (character) => String.fromCharCode(PRIVATE_USE + character.charCodeAt(0)));
}

/** A clause on its own: any of its terms. */
export function clauseMatch(clause: Clause): string {
  return inText(anyOf(clause));
}

/**
 * The required clauses together, without what is excluded; undefined when nothing is required. Finds at least every text
 * that satisfies them, when its words lie in one index document; `matchText` decides.
 */
export function queryMatch(query: ParsedQuery, require: readonly number[]): string | undefined {
  const clauses = require.map((index) => query.clauses[index]).filter((clause) => clause !== undefined);
  if (clauses.length === 0) return undefined;
  const needed = clauses.map(anyOf).join(' AND ');
  const excluded = query.excluded.filter(isExact).map(termMatch);
  return inText(excluded.length === 0 ? needed : `(${needed}) NOT (${excluded.join(' OR ')})`);
}

// Without the column a word such as `s12` would be found among the scope tokens.
function inText(match: string): string {
  return `text : (${match})`;
}

function anyOf({ anyOf: terms }: Clause): string {
  return terms.length === 1 ? termMatch(terms[0]!) : `(${terms.map(termMatch).join(' OR ')})`;
}

/** One phrase. FTS5 knows a prefix at its end only: after one in the middle the rest is a phrase of its own. */
function termMatch({ tokens }: Term): string {
  const phrases: string[] = [];
  let words: string[] = [];
  for (const [index, { text, prefix }] of tokens.entries()) {
    words.push(ftsToken(text));
    if (!prefix && index < tokens.length - 1) continue;
    phrases.push(`"${words.join(' ').replaceAll('"', '""')}"${prefix ? ' *' : ''}`);
    words = [];
  }
  return phrases.length === 1 ? phrases[0]! : `(${phrases.join(' AND ')})`;
}
