// Long texts whose words lie in different index documents: together they may satisfy a query that no one document does
// (TXT-22). Rare, and found without slowing the common case.
import { type Clause, MAX_DOCUMENT_CHARS } from '../../text/index.ts';
import type { DrawOrder } from '../reading.ts';
import type { Prepare } from './lazily.ts';
import { clauseMatch } from './match.ts';
import { type Drawn, type Kept, timeOf } from './search.ts';

/** Longer texts are several documents. */
export const LONG: number = MAX_DOCUMENT_CHARS;

const MAX_LONG = 2_000;
const RANGE = 'SELECT min(id) AS first, max(id) AS last FROM doc WHERE entry = ?';
const IN_RANGE = 'SELECT 1 FROM fts WHERE fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT 1';

/** The drawn rows, and the long texts that belong among them, in the order of the draw and at most `limit`. */
export function spreadTexts(
  prepare: Prepare,
  kept: Kept,
  clauses: readonly Clause[],
  excludes: boolean,
  drawn: readonly Drawn[],
  limit: number,
  order: DrawOrder,
): readonly Drawn[] {
  const [rarest, ...others] = clauses;
  // An exclusion is judged on the whole text as well: where a document begins inside a word, the index may see another.
  if (rarest === undefined || (others.length === 0 && !excludes)) return drawn;
  const known = new Set(drawn.map(([, entry]) => entry));
  const matches = others.map(clauseMatch);
  const added: Drawn[] = [];
  for (const [, entry, session, packed, text] of longTextsWith(prepare, kept, rarest, drawn, limit, order)) {
    if (known.has(entry)) continue;
    known.add(entry);
    const { first, last } = prepare<{ first: number; last: number }>(RANGE).get(entry)!;
    const inRange = prepare<unknown>(IN_RANGE);
    const all = matches.every((match) => inRange.get(match, BigInt(first), BigInt(last)) !== undefined);
    if (all) added.push([last, entry, session, packed, text]);
  }
  if (added.length === 0) return drawn;
  return [...drawn, ...added].sort(COMPARE[order]).slice(0, limit);
}

const COMPARE: Readonly<Record<DrawOrder, (a: Drawn, b: Drawn) => number>> = {
  written: (a, b) => b[0] - a[0],
  newest: (a, b) => timeOf(b) - timeOf(a) || b[0] - a[0],
  oldest: (a, b) => timeOf(a) - timeOf(b) || a[0] - b[0],
};

/**
 * Walks the rarest clause. When the draw is full, only as far as the draw went, so that two words of which everything
 * is full do not cost a walk through all of them.
 */
function longTextsWith(
  prepare: Prepare,
  kept: Kept,
  clause: Clause,
  drawn: readonly Drawn[],
  limit: number,
  order: DrawOrder,
): readonly Drawn[] {
  const last = drawn.length < limit ? undefined : drawn.at(-1);
  const bound = last === undefined ? [] : [BOUND[order]];
  const value = last === undefined ? [] : [order === 'written' ? BigInt(last[0]) : timeOf(last)];
  const where = ['fts MATCH ?', ...kept.conditions, `d.length > ${LONG}`, ...bound].join(' AND ');
  const sql = `
    SELECT d.id, d.entry, d.session, d.at * 16 + d.flags * 2 + d.role, NULL
    FROM fts CROSS JOIN doc d ON d.id = fts.rowid WHERE ${where} ORDER BY fts.rowid DESC LIMIT ${MAX_LONG}`;
  return prepare<Drawn>(sql)
    .raw()
    .all(kept.match(clauseMatch(clause)), ...kept.values, ...value);
}

const BOUND: Readonly<Record<DrawOrder, string>> = {
  written: 'fts.rowid > ?',
  newest: 'd.at >= ?',
  oldest: 'd.at <= ?',
};
