// Counting, drawing and walking extra texts within a scope (SES-45): the same questions as search.ts answers of messages.
// Opt-in and asked for by few calls, so each row's entry is looked at for its branch; nothing is counted in advance.
import type Database from 'better-sqlite3';
import type { Scope } from '../../access/scope.ts';
import { EXTRA_ROLES, type ExtraEntry, type ExtraProgress, type ExtraReading, type ExtraRole } from '../extra.ts';
import type { Candidate, MessageFilter, SessionFilter } from '../reading.ts';
import { decodeBlocks } from './blocks.ts';
import { PROGRESS } from './extra-writing.ts';
import { lazily, statementsOf } from './lazily.ts';
import { clauseMatch, queryMatch } from './match.ts';
import type { Sight } from './search-scope.ts';

interface ExtraRow {
  readonly id: number;
  readonly session: number;
  readonly at: number;
  readonly text: string;
}

const OF_ENTRY = 'JOIN entry e ON e.id = x.id >> 1';
const FOUND = `FROM extra_fts CROSS JOIN extra x ON x.id = extra_fts.rowid CROSS ${OF_ENTRY}`;
const COLUMNS = 'x.id, e.session, e.at, x.text';
// Sorts by time look at so many matches, as search.ts does.
const TIMED_WINDOW = 20_000;
const MAX_ROWID = 2n ** 62n;

const NEXT_AGAIN = `
  SELECT id, blocks FROM entry WHERE id IN (SELECT entry FROM extra_again ORDER BY entry LIMIT ?)
    AND kind = 0 AND copy_of IS NULL`;
const NEXT = 'SELECT id, kind, copy_of, blocks FROM entry WHERE id > ? ORDER BY id LIMIT ?';
// Messages that may hold some: those whose content is more than one text.
const MAY_HOLD = 'e.kind = 0 AND e.copy_of IS NULL AND e.state < 2 AND e.blocks IS NOT NULL';

// A host's messages have theirs from the moment they are appended.
const NOT_HELD = ' AND NOT EXISTS (SELECT 1 FROM extra x WHERE x.id BETWEEN e.id * 2 AND e.id * 2 + 1)';

export function extraReading(db: Database.Database, sight: Sight): ExtraReading {
  const prepare = statementsOf(db);
  const progress = lazily<[], { value: string }>(db, PROGRESS);
  const again = lazily<[number], { id: number; blocks: string | null }>(db, NEXT_AGAIN);
  const next = lazily<[number, number], { id: number; kind: number; copy_of: number | null; blocks: string | null }>(
    db,
    NEXT,
  );
  const newest = lazily<[], { id: number | null; again: number }>(
    db,
    'SELECT max(id) AS id, EXISTS (SELECT 1 FROM extra_again) AS again FROM entry',
  );

  const extraProgress = (): ExtraProgress | undefined => {
    const row = progress.get();
    return row && (JSON.parse(row.value) as ExtraProgress);
  };

  /** Conditions on `extra x` and its `entry e`. A message that several sessions share counts for each (SRC-15). */
  const conditionsOf = (
    scope: Scope,
    roles: readonly ExtraRole[],
    filter: SessionFilter & MessageFilter,
  ): { where: string[]; values: (string | number)[] } => {
    const { sql, values } = sight.couldHold(scope, filter);
    const inWindow = filter.sessionId === undefined ? '' : ' AND w.session_id = ?';
    const shown = `EXISTS (SELECT 1 FROM entry c JOIN window w ON w.no = c.window
      WHERE (c.id = e.id OR c.copy_of = e.id) AND c.state < 2${inWindow}
        AND c.session IN (SELECT s.no FROM session s WHERE ${sql}))`;
    const where = ['e.kind = 0', shown];
    const bound = [...(filter.sessionId === undefined ? [] : [filter.sessionId]), ...values];
    const add = (condition: string, value: number): void => {
      where.push(condition);
      bound.push(value);
    };
    const wanted = roles.filter((role) => filter.roles?.includes(role) ?? true);
    const places = EXTRA_ROLES.flatMap((role, place) => (wanted.includes(role) ? [place] : []));
    where.push(`x.id & 1 IN (${places.join(', ')})`);
    if (filter.since !== undefined) add('e.at >= ?', filter.since);
    if (filter.until !== undefined) add('e.at < ?', filter.until);
    if (filter.through !== undefined) add('e.id <= ?', filter.through);
    return { where, values: bound };
  };

  return {
    extraProgress: (scope) => (sight.none(scope) ? undefined : extraProgress()),
    extraNext(after, limit) {
      const changed = again.all(limit);
      if (changed.length > 0) return { entries: changed.map(entryOf), through: after };
      const rows = next.all(after, limit);
      const own = rows.filter((row) => row.kind === 0 && row.copy_of === null && row.blocks !== null);
      return { entries: own.map(entryOf), through: rows.at(-1)?.id ?? after };
    },
    extraTotals(scope, roles) {
      const { where, values } = conditionsOf(scope, roles, {});
      return prepare<{ texts: number; characters: number }>(
        `SELECT count(*) AS texts, coalesce(sum(x.length), 0) AS characters
             FROM extra x ${OF_ENTRY} WHERE ${where.join(' AND ')}`,
      ).get(...values)!;
    },
    extraFrequency(scope, roles, clause, cap) {
      const { where, values } = conditionsOf(scope, roles, {});
      const sql = `SELECT count(*) AS n FROM (SELECT 1 ${FOUND} WHERE extra_fts MATCH ? AND ${where.join(' AND ')} LIMIT ?)`;
      return prepare<{ n: number }>(sql).get(clauseMatch(clause), ...values, cap)!.n;
    },
    extraDraw(scope, roles, filter, query, require, limit, order = 'written') {
      const match = queryMatch(query, require);
      if (match === undefined || limit <= 0) return { candidates: [], more: false };
      const { where, values } = conditionsOf(scope, roles, filter);
      const conditions = where.join(' AND ');
      const down = order === 'oldest' ? 'ASC' : 'DESC';
      const drawn = `SELECT ${COLUMNS} ${FOUND} WHERE extra_fts MATCH ? AND ${conditions} ORDER BY extra_fts.rowid ${down} LIMIT ?`;
      const rows =
        order === 'written'
          ? prepare<ExtraRow>(drawn).all(match, ...values, limit + 1)
          : prepare<ExtraRow>(`SELECT * FROM (${drawn}) ORDER BY at ${down}, id ${down} LIMIT ?`).all(
              match,
              ...values,
              TIMED_WINDOW,
              limit + 1,
            );
      return { candidates: rows.slice(0, limit).map(candidateOf), more: rows.length > limit };
    },
    extraScan(scope, roles, filter, clause, { direction, from, to }, limit) {
      const { where, values } = conditionsOf(scope, roles, filter);
      const [beyond, within, order] = direction === 'down' ? ['<', '>=', 'DESC'] : ['>', '<=', 'ASC'];
      const start = direction === 'down' ? MAX_ROWID : 0n;
      const conditions = [...where, `x.id ${beyond} ?`, ...(to === undefined ? [] : [`x.id ${within} ?`])];
      const bounds = [from === undefined ? start : BigInt(from), ...(to === undefined ? [] : [BigInt(to)])];
      const [source, match] = clause === undefined ? [`FROM extra x ${OF_ENTRY}`, []] : [FOUND, [clauseMatch(clause)]];
      const found = match.length === 0 ? '' : 'extra_fts MATCH ? AND ';
      const sql = `SELECT ${COLUMNS} ${source} WHERE ${found}${conditions.join(' AND ')} ORDER BY x.id ${order} LIMIT ?`;
      const rows = prepare<ExtraRow>(sql).all(...match, ...values, ...bounds, limit);
      return {
        texts: rows.map((row) => ({ document: row.id, candidate: candidateOf(row) })),
        last: rows.at(-1)?.id,
        more: rows.length === limit,
      };
    },
    extraPending(scope, filter, of) {
      const known = extraProgress();
      const isOfIt = known?.of === of;
      const through = isOfIt ? known.through : 0;
      const { id, again: some } = newest.get()!;
      if (through >= (id ?? 0) && some === 0) return { sessions: 0, messages: 0 };
      const { sql, values } = sight.couldHold(scope, filter);
      return prepare<{ sessions: number; messages: number }>(
        `SELECT count(*) AS messages, count(DISTINCT e.session) AS sessions FROM entry e
           WHERE (e.id > ? OR e.id IN (SELECT entry FROM extra_again)) AND ${MAY_HOLD}${isOfIt ? NOT_HELD : ''}
             AND e.session IN (SELECT s.no FROM session s WHERE ${sql})`,
      ).get(through, ...values)!;
    },
  };
}

function entryOf({ id, blocks }: { readonly id: number; readonly blocks: string | null }): ExtraEntry {
  return { id, blocks: decodeBlocks(blocks, ''), version: blocks };
}

function candidateOf({ id, session, at, text }: ExtraRow): Candidate {
  const role = EXTRA_ROLES[id & 1]!;
  // Whoever shares the message is asked for, so that one in scope stands for it; the text was masked when it was stored.
  return { entry: Math.floor(id / 2), sessionNo: session, role, at, text, clean: true, copies: true };
}
