// Reading by words and by time within one namespace: what recall and timeline are made of. Active, unexpired records only.
import { MEMORY_KINDS, OUTCOMES } from '../../model/episode.ts';
import { traceOf } from '../../model/episode-ids.ts';
import { matchText } from '../../text/index.ts';
import { everyClause, isDecidedByIndex } from '../index-decides.ts';
import type { MemoryReading, RecordFilter, TallyBy } from '../memory.ts';
import { type Body, MARK, markOf, type RecordSql } from '../memory-rows.ts';
import { type Sql, unbound } from './connection.ts';
import { allOf, marksWanted, placeOf, quoted, requiredOf, type Wanted, wantedOf } from './match.ts';
import { RECORD_COLUMNS, RECORD_TABLES, recordOf } from './memory-rows.ts';

type RecallReading = Pick<
  MemoryReading,
  'statistics' | 'frequency' | 'holders' | 'places' | 'texts' | 'walk' | 'count' | 'countMatches' | 'nearest' | 'tally'
>;

interface Condition {
  readonly where: string;
  readonly values: readonly unknown[];
}

// Of every active record, and of those among them that expired.
const STATISTICS = `
  SELECT coalesce(n.active, 0) - e.records AS total, coalesce(n.characters, 0) - e.characters AS characters
  FROM (SELECT count(*) AS records, coalesce(sum(length), 0)::bigint AS characters FROM record
        WHERE agent = $1 AND ns = $2 AND expires_at <= $3 AND status = 0) e
  LEFT JOIN namespace n ON n.agent = $1 AND n.no = $2`;
const INEXACT = `
  SELECT r.no, r.searched FROM record r
  WHERE r.agent = $1 AND r.ns = $2 AND NOT r.exact AND r.status = 0 AND r.words @@ $3::tsquery`;

/** Of one agent. */
export function recallReading(sql: Sql, agent: string): RecallReading {
  const filtered = (ns: number, filter: RecordFilter): Condition => {
    const values: unknown[] = [agent, ns, filter.now];
    const parts = ['r.agent = $1 AND r.ns = $2 AND r.status = 0 AND (r.expires_at IS NULL OR r.expires_at > $3)'];
    const add = (condition: string, value: unknown): void => void parts.push(`${condition} $${values.push(value)}`);
    if (filter.since !== undefined) add('r.at >=', filter.since);
    if (filter.until !== undefined) add('r.at <', filter.until);
    if (filter.kind !== undefined) add('r.kind =', MEMORY_KINDS.indexOf(filter.kind));
    if (filter.outcome !== undefined) add('r.outcome =', OUTCOMES.indexOf(filter.outcome));
    if (filter.threadId !== undefined) parts.push('r.origin = 0');
    return { where: parts.join(' AND '), values };
  };
  const byTime = (ns: number, filter: RecordFilter): Condition => {
    const { where, values } = filtered(ns, filter);
    const marks = marksOf(filter);
    if (marks === '') return { where, values };
    const query = allOf(quoted(placeOf(agent, ns)), marks);
    return { where: `${where} AND r.words @@ $${values.length + 1}::tsquery`, values: [...values, query] };
  };
  // Numbers of rows whose positions are not all kept, which `loose` finds and the text does not hold (TXT-21).
  const refused = async (ns: number, { loose, holds }: Wanted): Promise<number[]> => {
    const among = allOf(quoted(placeOf(agent, ns)), loose);
    const rows = await sql.rows<{ no: number; searched: string }>(INEXACT, [agent, ns, among]);
    return rows.filter(({ searched }) => !holds(searched)).map(({ no }) => no);
  };
  const byWords = async (ns: number, filter: RecordFilter, wanted: Wanted): Promise<Condition> => {
    const { where, values } = filtered(ns, filter);
    const { length } = values;
    const { strict = wanted.loose, loose } = wanted;
    return {
      where: `${where} AND r.words @@ $${length + 1}::tsquery
        AND (NOT r.exact OR r.words @@ $${length + 2}::tsquery) AND r.no <> ALL($${length + 3}::bigint[])`,
      values: [...values, allOf(quoted(placeOf(agent, ns)), loose, marksOf(filter)), strict, await refused(ns, wanted)],
    };
  };
  const newest = async <Row extends object>(
    columns: string,
    { where, values }: Condition,
    limit: number,
  ): Promise<Row[]> => {
    const text = `SELECT ${columns} FROM record r WHERE ${where} ORDER BY r.no DESC LIMIT $${values.length + 1}`;
    return sql.rows<Row>(text, [...values, limit + 1]);
  };

  return {
    async statistics(ns, now) {
      const row = await sql.row<{ total: number; characters: number }>(STATISTICS, [agent, ns, now]);
      const { total, characters } = row!;
      return { total, averageLength: total > 0 ? characters / total : 0 };
    },
    async frequency(ns, clause, now, cap) {
      const wanted = wantedOf([clause])!;
      const { where, values } = await byWords(ns, { now }, wanted);
      const text = `SELECT count(*) AS n FROM (SELECT 1 FROM record r WHERE ${where} LIMIT $${values.length + 1}) found`;
      return (await sql.row<{ n: number }>(text, [...values, cap]))!.n;
    },
    async holders(ns, filter, query, require, limit) {
      const decided = isDecidedByIndex(query, require);
      const wanted = requiredOf(query, require);
      if (wanted === undefined || limit <= 0) return { numbers: [], more: false, decided };
      const rows = await newest<{ no: number }>('r.no', await byWords(ns, filter, wanted), limit);
      return { numbers: rows.slice(0, limit).map(({ no }) => no), more: rows.length > limit, decided };
    },
    async places(numbers) {
      const text = 'SELECT no, id, at, confidence FROM record WHERE agent = $1 AND no = ANY($2::bigint[])';
      const rows = await sql.rows<{ no: number; id: string; at: number; confidence: number }>(text, [agent, numbers]);
      return rows.map(plainId);
    },
    async texts(numbers) {
      const text = 'SELECT no, searched FROM record WHERE agent = $1 AND no = ANY($2::bigint[])';
      const rows = await sql.rows<{ no: number; searched: string }>(text, [agent, numbers]);
      return new Map(rows.map(({ no, searched }) => [no, searched]));
    },
    async walk(ns, filter, limit, after) {
      const { where, values } = byTime(ns, filter);
      const { length } = values;
      const next =
        after === undefined ? '' : `AND r.at <= $${length + 1} AND (r.at < $${length + 1} OR r.id > $${length + 2})`;
      const bound = after === undefined ? [] : [after.at, after.id];
      const text = `SELECT ${RECORD_COLUMNS} FROM ${RECORD_TABLES} WHERE ${where} ${next}
        ORDER BY r.at DESC, r.id LIMIT $${length + bound.length + 1}`;
      return (await sql.rows<RecordSql>(text, [...values, ...bound, limit])).map(recordOf);
    },
    async count(ns, filter, cap) {
      const { where, values } = byTime(ns, filter);
      const text = `SELECT count(*) AS n FROM (SELECT 1 FROM record r WHERE ${where} LIMIT $${values.length + 1}) found`;
      return (await sql.row<{ n: number }>(text, [...values, cap ?? null]))!.n;
    },
    async countMatches(ns, filter, query) {
      const wanted = requiredOf(query, everyClause(query));
      if (wanted === undefined) return 0;
      const { where, values } = await byWords(ns, filter, wanted);
      if (isDecidedByIndex(query)) {
        return (await sql.row<{ n: number }>(`SELECT count(*) AS n FROM record r WHERE ${where}`, values))!.n;
      }
      const rows = await sql.rows<{ text: string }>(`SELECT r.searched AS text FROM record r WHERE ${where}`, values);
      return rows.filter(({ text }) => matchText(query, text).complete).length;
    },
    async nearest(ns, filter, at) {
      const { where, values } = byTime(ns, filter);
      const side = `$${values.length + 1}`;
      const text = `SELECT (SELECT max(r.at) FROM record r WHERE ${where} AND r.at < ${side}) AS before,
        (SELECT min(r.at) FROM record r WHERE ${where} AND r.at >= ${side}) AS after`;
      const { before, after } = (await sql.row<{ before: number | null; after: number | null }>(text, [
        ...values,
        at,
      ]))!;
      return { ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) };
    },
    async tally(ns, filter, by, query) {
      const wanted = query === undefined ? undefined : requiredOf(query, everyClause(query));
      if (query !== undefined && wanted === undefined) return [];
      const { where, values } = wanted === undefined ? byTime(ns, filter) : await byWords(ns, filter, wanted);
      const asksText = query !== undefined && !isDecidedByIndex(query);
      const columns = ['r.no, r.at', ...keyColumns(by), ...(asksText ? ['r.searched'] : [])].join(', ');
      const rows = await sql.rows<TallyRow>(`SELECT ${columns} FROM record r WHERE ${where}`, values);
      const found = asksText ? rows.filter(({ searched }) => matchText(query, searched).complete) : rows;
      return found.flatMap((row) => keysOf(row, by).map((key) => [row.at, key, row.no] as const));
    },
  };
}

function plainId<Row extends { readonly id: string }>(row: Row): Row {
  return row.id.includes('\u0001') ? { ...row, id: unbound(row.id) } : row;
}

function marksOf({ tags, tool, threadId }: RecordFilter): string {
  return marksWanted([
    // None of no tags is nothing.
    ...(tags === undefined ? [] : [tags.length === 0 ? ['none'] : tags.map((tag) => markOf('tag', tag))]),
    ...(tool === undefined ? [] : [[markOf('tool', tool)]]),
    ...(threadId === undefined ? [] : [[MARK.trace + traceOf('thread', threadId)]]),
  ]);
}

interface TallyRow {
  readonly no: number;
  readonly at: number;
  readonly searched: string;
  readonly outcome: number | null;
  readonly kind: number;
  readonly origin: number;
  readonly json: string;
}

function keyColumns(by: TallyBy | undefined): readonly string[] {
  if (by === undefined) return [];
  if (by === 'outcome' || by === 'kind') return [`r.${by}`];
  // Read here: PostgreSQL's functions of json refuse an escaped NUL.
  return ['r.origin', 'r.body::text AS json'];
}

/** Keys of one row; one that is undefined where it has none. */
function keysOf(row: TallyRow, by: TallyBy | undefined): readonly (string | undefined)[] {
  if (by === undefined) return [undefined];
  if (by === 'outcome') return [row.outcome === null ? undefined : OUTCOMES[row.outcome]];
  if (by === 'kind') return [MEMORY_KINDS[row.kind]];
  const body = JSON.parse(row.json) as Body;
  if (by === 'thread') return [textOf(body.data.threadId) ?? body.source.threadId];
  const tools = row.origin === 0 ? body.data.toolsUsed : undefined;
  const names = by === 'tag' ? (body.tags ?? []) : Array.isArray(tools) ? tools.map(String) : [];
  return names.length === 0 ? [undefined] : names;
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
