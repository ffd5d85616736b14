// Reads of a run index: what a turn may see, how often its words occur there, and the newest pieces that hold them. Every
// read of pieces takes the groups that may be seen, so nothing else is drawn, weighed or counted (RUN-39).
import type Database from 'better-sqlite3';
import {
  type CopyPlace,
  type DrawnPiece,
  RECORD_KINDS,
  type RecordDetails,
  type RunReading,
  type Turn,
  type Visible,
} from '../run-index.ts';
import { statementsOf } from './lazily.ts';
import { clausesText, clauseText, MOST_SCOPE_TOKENS, within } from './run-match.ts';

const UNKNOWN = 0;
const NONE = 1;
const FILE_OF = '(r.no >> 32)';
const FOUND = 'FROM fts CROSS JOIN piece p ON p.id = fts.rowid';
// Neighbours of a piece of a cut line, for words and phrases across the cut; null for all others, which costs nothing.
const NEXT = `(SELECT group_concat(q.text, '') FROM (
  SELECT n.text FROM piece n WHERE n.id > p.id AND n.id <= p.id + 4 AND n.record = p.record AND n.line = p.line
  ORDER BY n.id) q)`;
const BEFORE = `(SELECT n.text FROM piece n WHERE n.id = p.id - 1 AND n.record = p.record AND n.line = p.line)`;
const COLUMNS = `p.record, p.id & 2097151, p.line, p."column", p.sides, p.text,
  CASE WHEN p.sides & 1 THEN ${BEFORE} END, CASE WHEN p.sides & 2 THEN ${NEXT} END`;
const IS_ECHO = 'EXISTS (SELECT 1 FROM record e WHERE e.no = p.record AND e.kind = 1 AND e.digest = ?)';
const IS_HIDDEN = '(p.record >> 32) IN (SELECT no FROM file WHERE hidden)';
const IN_GROUPS = '(SELECT g."group" FROM record g WHERE g.no = p.record) IN (SELECT value FROM json_each(?))';
const DETAILS = `
  SELECT r.no, r.line, r.kind, CAST(r.digest AS TEXT) AS digest, r.at, r.level, l.text AS state, g.episode,
    CASE WHEN g.is_record THEN c.shown END AS conversation, f.shown AS file, hex(f.name) AS fileName
  FROM json_each(?) j CROSS JOIN record r ON r.no = j.value
  JOIN "group" g ON g.no = r."group" JOIN conversation c ON c.no = g.conversation
  JOIN file f ON f.no = ${FILE_OF} LEFT JOIN label l ON l.no = r.state`;
const COPIES = `
  SELECT r.no AS record, r.line, r.at, g.episode, CASE WHEN g.is_record THEN c.shown END AS conversation,
    f.shown AS file, hex(f.name) AS fileName
  FROM record r JOIN "group" g ON g.no = r."group" JOIN conversation c ON c.no = g.conversation
  JOIN file f ON f.no = ${FILE_OF}
  WHERE r.digest = ? AND NOT f.hidden AND r."group" IN (SELECT value FROM json_each(?))`;

type Drawn = readonly [number, number, number, number, number, string, string | null, string | null];

interface DetailsSql {
  no: number;
  line: number;
  kind: number;
  digest: string;
  at: number | null;
  level: number | null;
  state: string | null;
  episode: number | null;
  conversation: string | null;
  file: string;
  fileName: string;
}

export function runReading(db: Database.Database): RunReading {
  const prepare = statementsOf(db);
  const hasHidden = (): boolean => prepare('SELECT 1 FROM file WHERE hidden LIMIT 1').get() !== undefined;

  /** MATCH text and conditions for pieces of visible groups and files. */
  const kept = (visible: Visible, match: string): { where: string; values: unknown[] } => {
    const conditions = ['fts MATCH ?'];
    const values: unknown[] = [match];
    const { groups, others } = visible;
    if (others.length === 0) values[0] = match;
    else if (others.length <= Math.min(groups.length, MOST_SCOPE_TOKENS)) {
      values[0] = within(match, others, 'not these');
    } else if (groups.length <= MOST_SCOPE_TOKENS) values[0] = within(match, groups, 'these');
    else {
      conditions.push(IN_GROUPS);
      values.push(JSON.stringify(groups));
    }
    if (hasHidden()) conditions.push(`NOT ${IS_HIDDEN}`);
    return { where: conditions.join(' AND '), values };
  };

  return {
    visible(turn) {
      const { sql, values } = visibleCondition(turn, conversationNo(prepare, turn));
      const rows = prepare<{ no: number; sees: number }>(`SELECT no, ${sql} AS sees FROM "group" ORDER BY no`).all(
        ...values,
      );
      return {
        groups: rows.filter(({ sees }) => sees).map(({ no }) => no),
        others: rows.filter(({ sees }) => !sees).map(({ no }) => no),
      };
    },
    totals({ groups }) {
      const list = JSON.stringify(groups);
      const sums = prepare<{ pieces: number | null; characters: number | null }>(
        'SELECT sum(pieces) AS pieces, sum(characters) AS characters FROM "group" WHERE no IN (SELECT value FROM json_each(?))',
      ).get(list)!;
      const hidden = prepare<{ pieces: number | null; characters: number | null }>(
        `SELECT sum(t.pieces) AS pieces, sum(t.characters) AS characters FROM file f JOIN tally t ON t.file = f.no
         WHERE f.hidden AND t."group" IN (SELECT value FROM json_each(?))`,
      ).get(list)!;
      return {
        pieces: (sums.pieces ?? 0) - (hidden.pieces ?? 0),
        characters: (sums.characters ?? 0) - (hidden.characters ?? 0),
      };
    },
    frequency(visible, query, clause, cap) {
      if (visible.groups.length === 0) return 0;
      const { where, values } = kept(visible, clauseText(query.clauses[clause]!));
      // Without a condition on pieces the index alone is walked.
      const from = where.includes('p.record') ? FOUND : 'FROM fts';
      const sql = `SELECT count(*) AS n FROM (SELECT 1 ${from} WHERE ${where} LIMIT ?)`;
      return prepare<{ n: number }>(sql).get(...values, cap)!.n;
    },
    draw(visible, query, require, { echo = [], limit }) {
      if (visible.groups.length === 0 || limit <= 0 || require.length === 0) return [];
      const { where, values } = kept(visible, clausesText(query, require));
      const not = echo.map(() => ` AND NOT ${IS_ECHO}`).join('');
      const sql = `SELECT ${COLUMNS} ${FOUND} WHERE ${where}${not} ORDER BY fts.rowid DESC LIMIT ?`;
      const bound = [...values, ...echo.map((digest) => BigInt.asIntN(64, digest)), limit];
      return prepare<Drawn>(sql)
        .raw()
        .all(...bound)
        .map((row) => drawnOf(row as Drawn));
    },
    details(records) {
      const rows = prepare<DetailsSql>(DETAILS).all(JSON.stringify(records));
      return new Map(rows.map((row) => [row.no, detailsOf(row)]));
    },
    copies({ groups }, digest) {
      const rows = prepare<CopySql>(COPIES).all(BigInt(digest), JSON.stringify(groups));
      return rows.map(
        ({ at, episode, conversation, ...row }): CopyPlace => ({
          ...row,
          ...(at === null ? {} : { at }),
          ...(episode === null ? {} : { episode }),
          ...(conversation === null ? {} : { conversation }),
        }),
      );
    },
    unclaimed({ scope, episode, conversation }) {
      if (episode === undefined || conversation === undefined) return [];
      const own = scope === 'run' ? '(g.episode = ? OR g.episode IS NULL)' : 'g.episode = ?';
      return prepare<string>(
        `SELECT DISTINCT f.shown FROM "group" g JOIN tally t ON t."group" = g.no JOIN file f ON f.no = t.file
         WHERE g.conversation = ${UNKNOWN} AND g.is_record AND g.enclosing IS NULL AND ${own} AND t.pieces > 0
           AND NOT f.hidden ORDER BY f.shown`,
      )
        .pluck()
        .all(episode) as string[];
    },
  };
}

interface CopySql {
  record: number;
  line: number;
  at: number | null;
  episode: number | null;
  conversation: string | null;
  file: string;
  fileName: string;
}

type PrepareStatement = <Row>(sql: string) => Database.Statement<unknown[], Row>;

function conversationNo(prepare: PrepareStatement, { conversation }: Turn): number | undefined {
  if (conversation === undefined) return undefined;
  const found = prepare<{ no: number }>('SELECT no FROM conversation WHERE name = ?').get(conversation);
  // One that no record has: what is outside any conversation may still be seen.
  return found?.no ?? -1;
}

/** The table of RUN-37 for a group. */
function visibleCondition(turn: Turn, conversation: number | undefined): { sql: string; values: number[] } {
  const { scope, episode } = turn;
  if (episode === undefined) return { sql: scope === 'run' ? 'NOT is_record' : '0', values: [] };
  const other = scope === 'run' ? 'NOT is_record' : '(NOT is_record AND episode IS ?)';
  const otherValues = scope === 'run' ? [] : [episode];
  if (conversation === undefined) return { sql: other, values: otherValues };
  const own = `(conversation IN (${NONE}, ?) AND coalesce(enclosing, ${NONE}) IN (${NONE}, ?))`;
  const current = [conversation, conversation];
  if (scope === 'episode') {
    return { sql: `(${other} OR (is_record AND episode IS ? AND ${own}))`, values: [episode, episode, ...current] };
  }
  // An unknown episode is judged as the current one.
  const elsewhere = 'coalesce(episode <> ?, 0)';
  return { sql: `(${other} OR (is_record AND (${elsewhere} OR ${own})))`, values: [episode, ...current] };
}

function drawnOf([record, place, line, column, sides, text, before, after]: Drawn): DrawnPiece {
  return { record, place, line, column, sides, text, before: before ?? '', after: after ?? '' };
}

function detailsOf(row: DetailsSql): RecordDetails {
  return {
    line: row.line,
    kind: RECORD_KINDS[row.kind]!,
    digest: row.digest,
    file: row.file,
    fileName: row.fileName,
    ...(row.at === null ? {} : { at: row.at }),
    ...(row.level === null ? {} : { level: row.level }),
    ...(row.state === null ? {} : { state: row.state }),
    ...(row.episode === null ? {} : { episode: row.episode }),
    ...(row.conversation === null ? {} : { conversation: row.conversation }),
  };
}
