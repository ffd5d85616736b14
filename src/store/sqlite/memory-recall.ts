// Reading by words and by time within one namespace: what recall and timeline are made of. Active, unexpired records only.
import type Database from 'better-sqlite3';
import { MEMORY_KINDS, OUTCOMES } from '../../model/episode.ts';
import { matchText, type ParsedQuery } from '../../text/index.ts';
import { everyClause, isDecidedByIndex } from '../index-decides.ts';
import type { MemoryReading, RecordFilter, TallyBy } from '../memory.ts';
import { type RecordSql, storedOf } from '../memory-rows.ts';
import { statementsOf } from './lazily.ts';
import { clauseMatch, queryMatch } from './match.ts';
import { conditionOf, withMarks } from './memory-filter.ts';
import { RECORD_COLUMNS, RECORD_TABLES, rangeOf } from './memory-rows.ts';

export type RecallReading = Pick<
  MemoryReading,
  'statistics' | 'frequency' | 'holders' | 'places' | 'texts' | 'walk' | 'count' | 'countMatches' | 'nearest' | 'tally'
>;

interface Rowids {
  readonly bounds: readonly [bigint, bigint];
  readonly isAll: boolean;
}

/** A window of so many rows or fewer bounds the rowids that words are looked up in (20 000: 1.5 ms). */
const BOUND_WINDOW = 20_000;
/** A range of rows of which one in so many is wanted is read whole: half the cost of looking each up. */
const RANGE_HOLDS = 1.5;
// FTS5 walks a namespace's rowids down and stops at LIMIT; CROSS JOIN keeps the index outermost.
const MATCHES = 'FROM fts CROSS JOIN record r ON r.no = fts.rowid';
const EXPIRED = `
  SELECT count(*) AS n, total(length) AS characters FROM record INDEXED BY record_expiry
  WHERE ns = ? AND expires_at IS NOT NULL AND expires_at <= ? AND status = 0`;
/** Up to so many rows of numbers come as one text: making 100 000 rows one by one took twice as long. */
const MOST_IN_ONE_TEXT = 1_000_000;
// Keys that are numbers of a list; -1: none.
const CODES: { readonly [by in TallyBy | 'none']?: readonly [sql: string, names: readonly string[]] } = {
  none: ['-1', []],
  outcome: ['coalesce(r.outcome, -1)', OUTCOMES],
  kind: ['r.kind', MEMORY_KINDS],
};
const KEY: Readonly<Record<TallyBy, string>> = {
  outcome: "CASE r.outcome WHEN 0 THEN 'ok' WHEN 1 THEN 'error' WHEN 2 THEN 'cancelled' END",
  kind: "CASE r.kind WHEN 0 THEN 'episodic' WHEN 1 THEN 'semantic' ELSE 'reflection' END",
  tool: 'l.value',
  tag: 'l.value',
  thread: "coalesce(json_extract(b.json, '$.data.threadId'), json_extract(b.json, '$.source.threadId'))",
};

// Names of a record's tools or tags, one row each; one row without a name where it has none.
const NAMES: { readonly [by in TallyBy]?: string } = {
  tool: "LEFT JOIN json_each(CASE r.origin WHEN 0 THEN b.json ELSE '{}' END, '$.data.toolsUsed') l",
  tag: "LEFT JOIN json_each(b.json, '$.tags') l",
};

export function recallReading(db: Database.Database): RecallReading {
  const prepare = statementsOf(db);
  const expired = db.prepare<[number, number], { n: number; characters: number }>(EXPIRED);
  const counts = db.prepare<[number], { active: number; characters: number }>(
    'SELECT active, characters FROM namespace WHERE no = ?',
  );

  // The rowids to look in: the namespace's, or those of a window that is small enough to ask for. `isAll`: whatever of the
  // index lies there is in the window.
  const rowidsOf = (ns: number, { since, until }: RecordFilter): Rowids | undefined => {
    const whole = rangeOf(ns);
    if (since === undefined && until === undefined) return { bounds: whole, isAll: true };
    const sql = `SELECT min(no) AS first, max(no) AS last, count(*) AS n FROM (
      SELECT no FROM record WHERE ns = ? AND status = 0 AND at >= ? AND at < ? LIMIT ${BOUND_WINDOW + 1})`;
    const row = prepare<{ first: number | null; last: number | null; n: number }>(sql).get(
      ns,
      since ?? Number.MIN_SAFE_INTEGER,
      until ?? Number.MAX_SAFE_INTEGER,
    )!;
    if (row.first === null || row.last === null) return undefined;
    if (row.n > BOUND_WINDOW) return { bounds: whole, isAll: false };
    return { bounds: [BigInt(row.first), BigInt(row.last)], isAll: row.last - row.first + 1 === row.n };
  };

  /** Rows that hold the clauses. `select` reads columns of `record r` and `body b`. */
  const matching = <Row>(
    ns: number,
    filter: RecordFilter,
    query: ParsedQuery,
    require: readonly number[],
    select: string,
  ): readonly Row[] => {
    const match = queryMatch(query, require);
    const rowids = match === undefined ? undefined : rowidsOf(ns, filter);
    if (match === undefined || rowids === undefined) return [];
    const kept = conditionOf(ns, filter, 'word');
    const where = `fts MATCH ? AND fts.rowid BETWEEN ? AND ? AND ${kept.sql}`;
    const among = withMarks(match, filter);
    const sql = `SELECT ${select} ${MATCHES} CROSS JOIN body b ON b.no = r.no WHERE ${where}`;
    return prepare<Row>(sql).all(among, ...rowids.bounds, ...kept.values);
  };

  return {
    statistics(ns, now) {
      const all = counts.get(ns) ?? { active: 0, characters: 0 };
      const gone = expired.get(ns, now)!;
      const total = all.active - gone.n;
      return { total, averageLength: total > 0 ? (all.characters - gone.characters) / total : 0 };
    },
    frequency(ns, clause, now, cap) {
      const range = rangeOf(ns);
      const match = clauseMatch(clause);
      // Without expired rows the index alone decides.
      if (expired.get(ns, now)!.n === 0) {
        const alone =
          'SELECT count(*) AS n FROM (SELECT 1 FROM fts WHERE fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)';
        return prepare<{ n: number }>(alone).get(match, ...range, cap)!.n;
      }
      const joined = `SELECT count(*) AS n FROM (SELECT 1 ${MATCHES} WHERE fts MATCH ? AND fts.rowid BETWEEN ? AND ?
        AND (r.expires_at IS NULL OR r.expires_at > ?) LIMIT ?)`;
      return prepare<{ n: number }>(joined).get(match, ...range, now, cap)!.n;
    },
    holders(ns, filter, query, require, limit) {
      const decided = isDecidedByIndex(query, require);
      const match = queryMatch(query, require);
      const rowids = match === undefined || limit <= 0 ? undefined : rowidsOf(ns, filter);
      if (match === undefined || rowids === undefined) return { numbers: [], more: false, decided };
      const found = `fts MATCH ? AND fts.rowid BETWEEN ? AND ?`;
      const { now: _, since: __, until: ___, tags: ____, tool: _____, ...others } = filter;
      // Where nothing is expired, and nothing but words, marks and a window chooses, the index alone decides.
      const isAlone = rowids.isAll && Object.keys(others).length === 0 && expired.get(ns, filter.now)!.n === 0;
      const kept = isAlone ? { sql: '1', values: [] } : conditionOf(ns, filter, 'word');
      const from = isAlone ? 'FROM fts' : MATCHES;
      const sql = `SELECT fts.rowid ${from} WHERE ${found} AND ${kept.sql} ORDER BY fts.rowid DESC LIMIT ?`;
      const values = [withMarks(match, filter), ...rowids.bounds, ...kept.values, limit + 1];
      const numbers = prepare<number>(sql)
        .pluck()
        .all(...values);
      return { numbers: numbers.slice(0, limit), more: numbers.length > limit, decided };
    },
    places(numbers) {
      if (numbers.length === 0) return [];
      // As two texts: making 2 000 rows one by one took twice as long. A range of rows is read as one.
      const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
      const isRange = (last - first) / RANGE_HOLDS < numbers.length;
      const among = isRange ? 'BETWEEN ? AND ?' : 'IN (SELECT value FROM json_each(?))';
      const sql = `SELECT group_concat(no || ',' || at || ',' || format('%!.17g', confidence)) AS numbers,
        group_concat(json_quote(id)) AS ids FROM record WHERE no ${among}`;
      const row = prepare<{ numbers: string | null; ids: string | null }>(sql).get(
        ...(isRange ? [first, last] : [JSON.stringify(numbers)]),
      )!;
      const flat = JSON.parse(`[${row.numbers ?? ''}]`) as number[];
      const ids = JSON.parse(`[${row.ids ?? ''}]`) as string[];
      const wanted = isRange ? new Set(numbers) : undefined;
      const places = ids.map((id, at) => {
        return { no: flat[3 * at]!, id, at: flat[3 * at + 1]!, confidence: flat[3 * at + 2]! };
      });
      return wanted === undefined ? places : places.filter(({ no }) => wanted.has(no));
    },
    texts(numbers) {
      const sql = 'SELECT no, text FROM body WHERE no IN (SELECT value FROM json_each(?))';
      return new Map(prepare<[number, string]>(sql).raw().all(JSON.stringify(numbers)));
    },
    walk(ns, filter, limit, after) {
      const kept = conditionOf(ns, filter, 'time');
      const next = after === undefined ? '' : 'AND r.at <= ? AND (r.at < ? OR r.id > ?)';
      const bound = after === undefined ? [] : [after.at, after.at, after.id];
      const sql = `SELECT ${RECORD_COLUMNS} FROM ${RECORD_TABLES} WHERE ${kept.sql} ${next} ORDER BY r.at DESC, r.id LIMIT ?`;
      return prepare<RecordSql>(sql)
        .all(...kept.values, ...bound, limit)
        .map(storedOf);
    },
    count(ns, filter, cap = -1) {
      const kept = conditionOf(ns, filter, 'time');
      const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM record r WHERE ${kept.sql} LIMIT ?)`;
      return prepare<{ n: number }>(sql).get(...kept.values, cap)!.n;
    },
    countMatches(ns, filter, query) {
      if (isDecidedByIndex(query)) {
        return matching<{ n: number }>(ns, filter, query, everyClause(query), 'count(*) AS n')[0]?.n ?? 0;
      }
      const rows = matching<{ text: string }>(ns, filter, query, everyClause(query), 'b.text');
      return rows.filter(({ text }) => matchText(query, text).complete).length;
    },
    nearest(ns, filter, at) {
      const kept = conditionOf(ns, filter, 'time');
      const sql = (side: string, of: string): string =>
        `SELECT ${of} AS at FROM record r WHERE ${kept.sql} AND r.at ${side} ?`;
      const before = prepare<{ at: number | null }>(sql('<', 'max(r.at)')).get(...kept.values, at)!.at;
      const after = prepare<{ at: number | null }>(sql('>=', 'min(r.at)')).get(...kept.values, at)!.at;
      return { ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) };
    },
    tally(ns, filter, by, query) {
      const labels = by === undefined ? '' : (NAMES[by] ?? '');
      const key = by === undefined ? 'NULL' : KEY[by];
      const undefinedFor = (rows: readonly [number, string | null, number][]): [number, string | undefined, number][] =>
        rows.map(([at, name, no]) => [at, name ?? undefined, no]);
      if (query === undefined) {
        const kept = conditionOf(ns, filter, 'time');
        const codes = CODES[by ?? 'none'];
        if (codes !== undefined && (counts.get(ns)?.active ?? 0) <= MOST_IN_ONE_TEXT) {
          const one = `SELECT group_concat(r.at || ',' || ${codes[0]} || ',' || r.no) AS rows FROM record r WHERE ${kept.sql}`;
          return rowsOf(prepare<{ rows: string | null }>(one).get(...kept.values)?.rows ?? '', codes[1]);
        }
        const body = by === 'thread' || labels !== '' ? 'JOIN body b ON b.no = r.no' : '';
        const sql = `SELECT r.at, ${key}, r.no FROM record r ${body} ${labels} WHERE ${kept.sql}`;
        return undefinedFor(
          prepare<[number, string | null, number]>(sql)
            .raw()
            .all(...kept.values),
        );
      }
      const match = queryMatch(query, everyClause(query));
      const rowids = match === undefined ? undefined : rowidsOf(ns, filter);
      if (match === undefined || rowids === undefined) return [];
      const kept = conditionOf(ns, filter, 'word');
      const sql = `SELECT r.at, ${key}, r.no, b.text ${MATCHES} CROSS JOIN body b ON b.no = r.no ${labels}
        WHERE fts MATCH ? AND fts.rowid BETWEEN ? AND ? AND ${kept.sql}`;
      const rows = prepare<[number, string | null, number, string]>(sql)
        .raw()
        .all(withMarks(match, filter), ...rowids.bounds, ...kept.values);
      const found = isDecidedByIndex(query) ? rows : rows.filter(([, , , text]) => matchText(query, text).complete);
      return found.map(([at, name, no]) => [at, name ?? undefined, no] as const);
    },
  };
}

/** Rows of an event time, a number of `names` and a record's number, all in one list. */
function rowsOf(list: string, names: readonly string[]): [number, string | undefined, number][] {
  const numbers = JSON.parse(`[${list}]`) as number[];
  const rows: [number, string | undefined, number][] = [];
  for (let at = 0; at < numbers.length; at += 3) rows.push([numbers[at]!, names[numbers[at + 1]!], numbers[at + 2]!]);
  return rows;
}
