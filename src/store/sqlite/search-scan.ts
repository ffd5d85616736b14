// Walking the texts in scope in the order of writing, where a regular expression decides (TXT-40).
import type { Clause } from '../../text/index.ts';
import type { ScanRange } from '../reading.ts';
import type { Prepare } from './lazily.ts';
import { clauseMatch } from './match.ts';
import { BODY, COLUMNS, DOCS, type Drawn, type Kept } from './search.ts';

/** Down or up the rowids, by the index where a clause or the sessions are told by it. Streams; nothing is sorted. */
export function scanRows(
  prepare: Prepare,
  kept: Kept,
  clause: Clause | undefined,
  { direction, from, to }: ScanRange,
  limit: number,
): readonly Drawn[] {
  const match = clause === undefined ? kept.only : kept.match(clauseMatch(clause));
  const [source, id] = match === undefined ? ['FROM doc d', 'd.id'] : [DOCS, 'fts.rowid'];
  const [beyond, within, order] = direction === 'down' ? ['<', '>=', 'DESC'] : ['>', '<=', 'ASC'];
  const where = [...(match === undefined ? [] : ['fts MATCH ?']), ...kept.conditions];
  const values: (string | number | bigint)[] = [...(match === undefined ? [] : [match]), ...kept.values];
  if (from !== undefined) {
    where.push(`${id} ${beyond} ?`);
    values.push(BigInt(from));
  }
  if (to !== undefined) {
    where.push(`${id} ${within} ?`);
    values.push(BigInt(to));
  }
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const sql = `SELECT ${COLUMNS} ${source} ${BODY} ${condition} ORDER BY ${id} ${order} LIMIT ?`;
  return prepare<Drawn>(sql)
    .raw()
    .all(...values, limit);
}
