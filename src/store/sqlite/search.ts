// Counting and drawing texts by the index, within a scope, newest first, bounded (SES-73, TXT-41, TXT-42).
import type Database from 'better-sqlite3';
import type { Candidate, DrawOrder, MessageFilter, Reading } from '../reading.ts';
import { DOC } from './index-writing.ts';
import { lazily, type Prepare, statementsOf } from './lazily.ts';
import { clauseMatch, queryMatch } from './match.ts';
import type { Condition } from './scope-condition.ts';
import { scanRows } from './search-scan.ts';
import { MANY_LATER, type Plan, type Sight } from './search-scope.ts';
import { LONG, spreadTexts } from './search-spread.ts';

type SearchReading = Pick<Reading, 'frequency' | 'draw' | 'scan' | 'sessionCount'>;

// FTS5 walks rowids down or up and stops at LIMIT; CROSS JOIN keeps the index outermost, so nothing is sorted. Rowids are
// bound as BigInt: a number beyond 32 bits would arrive as REAL, and FTS5 would ignore the bound (40 ms instead of 0.5).
export const DOCS = 'FROM fts CROSS JOIN doc d ON d.id = fts.rowid';
// Most of a draw's time is handing values to JavaScript, 0.3–0.5 µs each (2 000 rows of eight columns 5.5 ms, of which
// SQLite 1.7): so small numbers travel in one, as arrays. Years up to 9999 leave room for them below 2^53. A long text
// stands in many documents: it is read once, after they were joined, not with each of them.
export const COLUMNS: string = `d.id, d.entry, d.session, d.at * 16 + d.flags * 2 + d.role,
  CASE WHEN d.length > ${LONG} THEN NULL ELSE b.text END`;
export const BODY = 'CROSS JOIN body b ON b.entry = d.entry';
const COUNT_DOCS = 'SELECT count(*) AS n FROM (SELECT 1 FROM fts WHERE fts MATCH ? LIMIT ?)';
const ANY_LATER = `
  SELECT EXISTS (SELECT 1 FROM doc d WHERE d.flags & 2
    AND EXISTS (SELECT 1 FROM fts WHERE fts MATCH ? AND rowid = d.id)) AS found`;
/** Sorts by time look at so many matches, those written last (or first) before others: about 20 ms. */
const TIMED_WINDOW = 20_000;
const MAX_ROWID = 2n ** 62n;
/** Numbers of doc.role. */
const SPOKEN = ['user', 'assistant'] as const;

/** A drawn text: COLUMNS as an array. The text is null for a long one. */
export type Drawn = readonly [id: number, entry: number, session: number, packed: number, text: string | null];

/** Conditions on `doc d` beside the MATCH text. */
export interface Kept {
  readonly match: (text: string) => string;
  /** The sessions alone as MATCH text; undefined where they are no tokens. */
  readonly only: string | undefined;
  readonly conditions: readonly string[];
  readonly values: readonly (string | number)[];
}

export function searchReading(db: Database.Database, sight: Sight): SearchReading {
  const prepare = statementsOf(db);
  const { plan: planOf } = sight;
  const body = lazily<[number], { text: string }>(db, 'SELECT text FROM body WHERE entry = ?');

  return {
    frequency(scope, clause, cap) {
      const plan = planOf(scope, {});
      const kept = keptOf(plan, {});
      const match = kept.match(clauseMatch(clause));
      // Nothing to ask of the rows: 2 000 matches are counted in 0.3 ms, not 2.
      if (plan.by !== 'join' && kept.conditions.length === 0) {
        const n = prepare<{ n: number }>(COUNT_DOCS).get(match, cap)!.n;
        const later = sight.laterDocs(scope);
        if (later === 0 || (later < MANY_LATER && prepare<{ found: 0 | 1 }>(ANY_LATER).get(match)!.found === 0))
          return n;
      }
      const where = ['fts MATCH ?', ...kept.conditions].join(' AND ');
      const { n, later } = prepare<{ n: number; later: number | null }>(
        `SELECT count(*) AS n, max(flags & ${DOC.later}) AS later FROM (SELECT d.flags ${DOCS} WHERE ${where} LIMIT ?)`,
      ).get(match, ...kept.values, cap)!;
      if (!later) return n;
      // Some text stands in several documents: count texts.
      const texts = `SELECT count(*) AS n FROM (SELECT DISTINCT d.entry ${DOCS} WHERE ${where} LIMIT ?)`;
      return prepare<{ n: number }>(texts).get(match, ...kept.values, cap)!.n;
    },
    draw(scope, filter, query, require, limit, order = 'written') {
      const plan = planOf(scope, filter);
      const match = queryMatch(query, require);
      if (match === undefined || limit <= 0) return { candidates: [], more: false };
      const kept = keptOf(plan, filter);
      const drawn = order === 'written' ? drawWritten : drawTimed;
      const rows = drawn(prepare, kept, match, limit + 1, order);
      const clauses = require.map((index) => query.clauses[index]!);
      const found =
        sight.laterDocs(scope) === 0
          ? rows
          : spreadTexts(prepare, kept, clauses, query.excluded.length > 0, rows, limit + 1, order);
      const first = found.slice(0, limit);
      return {
        candidates: first.map((row) => candidateOf(row, row[4] ?? body.get(row[1])?.text ?? '')),
        more: found.length > limit,
      };
    },
    scan(scope, filter, clause, range, limit) {
      const kept = keptOf(planOf(scope, filter), filter);
      const rows = scanRows(prepare, kept, clause, range, limit);
      return {
        texts: distinct(rows).map((row) => ({
          document: row[0],
          candidate: candidateOf(row, row[4] ?? body.get(row[1])?.text ?? ''),
        })),
        last: rows.at(-1)?.[0],
        more: rows.length === limit,
      };
    },
    sessionCount(scope, filter) {
      const { sql, values } = sight.couldHold(scope, filter);
      return prepare<{ n: number }>(`SELECT count(*) AS n FROM session s WHERE ${sql}`).get(...values)!.n;
    },
  };
}

/** How a plan and a filter show in MATCH text and in conditions on `doc d`. */
function keptOf(plan: Plan, filter: MessageFilter): Kept {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (sql: string, ...bound: (string | number)[]): void => {
    conditions.push(sql);
    values.push(...bound);
  };
  if (plan.by === 'join') add(inSessions(plan.condition), ...plan.condition.values, ...plan.condition.values);
  if (plan.by === 'tokens' && plan.sessions.length === 0) add('0');
  if (filter.roles)
    add(`d.role IN (${SPOKEN.flatMap((role, no) => (filter.roles!.includes(role) ? [no] : [])).join(', ')})`);
  if (filter.since !== undefined) add('d.at >= ?', filter.since);
  if (filter.until !== undefined) add('d.at < ?', filter.until);
  if (filter.through !== undefined) add('d.entry <= ?', filter.through);
  if (filter.sessionId !== undefined) add(IN_WINDOW, filter.sessionId);
  const tokens = plan.by === 'tokens' ? plan.sessions.map((no) => `"s${no}"`).join(' OR ') : '';
  const match = (text: string): string => (tokens === '' ? text : `(${text}) AND scope : (${tokens})`);
  return { match, only: tokens === '' ? undefined : `scope : (${tokens})`, conditions, values };
}

// A text that several sessions share has one row, of the session that wrote it first: its copies count as well (SRC-15).
function inSessions({ sql }: Condition): string {
  const sessions = `(SELECT s.no FROM session s WHERE ${sql})`;
  return `(d.session IN ${sessions} OR (d.flags & ${DOC.copies} AND EXISTS (
    SELECT 1 FROM entry c WHERE c.copy_of = d.entry AND c.state < 2 AND c.session IN ${sessions})))`;
}

const IN_WINDOW = `EXISTS (
  SELECT 1 FROM entry e JOIN window w ON w.no = e.window
  WHERE (e.id = d.entry OR e.copy_of = d.entry) AND e.state < 2 AND w.session_id = ?)`;

/** The last written, streaming down the rowids; texts of several documents once. */
function drawWritten(prepare: Prepare, kept: Kept, match: string, limit: number): readonly Drawn[] {
  const where = ['fts MATCH ?', ...kept.conditions, 'fts.rowid < ?'].join(' AND ');
  const sql = `SELECT ${COLUMNS} ${DOCS} ${BODY} WHERE ${where} ORDER BY fts.rowid DESC LIMIT ?`;
  const select = prepare<Drawn>(sql).raw();
  let found: readonly Drawn[] = [];
  for (let below = MAX_ROWID; found.length < limit; ) {
    const asked = limit - found.length;
    const rows = select.all(kept.match(match), ...kept.values, below, asked);
    found = distinct(found.length === 0 ? rows : [...found, ...rows]);
    const last = rows.at(-1);
    if (last === undefined || rows.length < asked) break;
    below = BigInt(last[0]);
  }
  return found;
}

/** The newest or oldest by their own time, among the TIMED_WINDOW written last or first. */
function drawTimed(prepare: Prepare, kept: Kept, match: string, limit: number, order: DrawOrder): readonly Drawn[] {
  const where = ['fts MATCH ?', ...kept.conditions].join(' AND ');
  const direction = order === 'newest' ? 'DESC' : 'ASC';
  const sql = `
    SELECT ${COLUMNS} FROM (
      SELECT id FROM (
        SELECT d.id, d.at ${DOCS} WHERE ${where} ORDER BY fts.rowid ${direction} LIMIT ${TIMED_WINDOW}
      ) ORDER BY at ${direction}, id ${direction} LIMIT ?
    ) AS chosen CROSS JOIN doc d ON d.id = chosen.id ${BODY}`;
  return distinct(
    prepare<Drawn>(sql)
      .raw()
      .all(kept.match(match), ...kept.values, limit),
  );
}

// Only a long text, whose row comes without it, stands in several documents.
function distinct(rows: readonly Drawn[]): readonly Drawn[] {
  if (rows.every((row) => row[4] !== null)) return rows;
  const seen = new Set<number>();
  return rows.filter((row) => row[4] !== null || (!seen.has(row[1]) && seen.add(row[1])));
}

/** Time of a drawn text, in ms. */
export function timeOf([, , , packed]: Drawn): number {
  return Math.floor(packed / 16);
}

function candidateOf([, entry, sessionNo, packed]: Drawn, text: string): Candidate {
  const at = Math.floor(packed / 16);
  const small = packed - at * 16;
  return {
    entry,
    sessionNo,
    role: (small & 1) === 0 ? 'user' : 'assistant',
    at,
    text,
    clean: (small & (DOC.clean * 2)) !== 0,
    copies: (small & (DOC.copies * 2)) !== 0,
  };
}
