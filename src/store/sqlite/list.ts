// Rows of sessions and their windows: what lists, descriptions and hits say of a session. Reads no message (SES-130).
import type Database from 'better-sqlite3';
import type { Scope } from '../../access/scope.ts';
import type { Origin, SessionKind } from '../../model/session.ts';
import type { Reading, SessionInfo, WindowInfo } from '../reading.ts';
import { lazily, statementsOf } from './lazily.ts';
import type { Condition } from './scope-condition.ts';
import type { Sight } from './search-scope.ts';

type ListReading = Pick<
  Reading,
  'session' | 'sessionOfWindow' | 'list' | 'seen' | 'windows' | 'labels' | 'newestEntry'
>;

const INFO = `
  s.no, s.key, s.kind, s.title, s.created_at, s.last_at, s.archived_at, s.spawned_by, s.parent, s.owner, s.messages, s.origin, s.host_gone, s.dirty_from,
  (SELECT session_id FROM window WHERE session = s.no ORDER BY no DESC LIMIT 1) AS session_id`;
/** Sessions by number, as a JSON list. */
export const INFO_BY_NUMBERS: string = `SELECT ${INFO} FROM session s WHERE s.no IN (SELECT value FROM json_each(?))`;
const BY_KEY = `SELECT ${INFO} FROM session s WHERE s.key = ?`;
const BY_WINDOW = `SELECT ${INFO} FROM session s WHERE s.no = (SELECT session FROM window WHERE session_id = ?)`;
const LABELS = 'SELECT s.no, s.key, s.kind FROM session s WHERE s.no IN (SELECT value FROM json_each(?))';
// Walks session_last from its newest end; the keys of one instant are sorted.
const ORDER = 'ORDER BY s.last_at DESC, s.key LIMIT ?';
const AFTER = '(s.last_at < ? OR (s.last_at = ? AND s.key > ?))';
// The counters of the session answer for its only window, so that a long session is not walked for them.
const WINDOWS = `
  SELECT w.no, w.session_id, w.reason, s.created_at, s.last_at, s.messages
  FROM window w JOIN session s ON s.no = w.session WHERE w.session = ? ORDER BY w.no DESC LIMIT ?`;
const IN_WINDOW = `
  SELECT min(at) AS created_at, max(at) AS last_at, count(*) FILTER (WHERE kind = 0) AS messages
  FROM entry WHERE session = ? AND window = ? AND (state < 2 OR kind IN (1, 2))`;

export interface InfoSql {
  no: number;
  key: string;
  kind: SessionKind;
  title: string | null;
  created_at: number;
  last_at: number;
  archived_at: number | null;
  spawned_by: string | null;
  parent: string | null;
  owner: string | null;
  messages: number;
  origin: string | null;
  host_gone: number | null;
  dirty_from: number | null;
  session_id: string;
}

interface TimesSql {
  created_at: number | null;
  last_at: number | null;
  messages: number;
}

export function listReading(db: Database.Database, sight: Sight): ListReading {
  const windows = lazily<[number, number], TimesSql & { no: number; session_id: string; reason: string }>(db, WINDOWS);
  const inWindow = lazily<[number, number], TimesSql>(db, IN_WINDOW);
  const newest = lazily<[], { id: number | null }>(db, 'SELECT max(id) AS id FROM entry');
  const select: (sql: string) => Database.Statement<unknown[], InfoSql> = statementsOf(db);
  const one = (scope: Scope, sql: string, value: string): SessionInfo | undefined => {
    const visible = sight.sessions(scope);
    const row = select(`${sql} AND ${visible.sql}`).get(value, ...visible.values);
    return row && infoOf(row);
  };

  return {
    session: (scope, key) => one(scope, BY_KEY, key),
    sessionOfWindow: (scope, sessionId) => one(scope, BY_WINDOW, sessionId),
    list(scope, filter, limit, after) {
      const condition = listCondition(sight.sessions(scope, filter), filter);
      const sql = `SELECT ${INFO} FROM session s WHERE ${condition.sql} ${after ? `AND ${AFTER}` : ''} ${ORDER}`;
      const from = after ? [after.lastAt, after.lastAt, after.key] : [];
      return select(sql)
        .all(...condition.values, ...from, limit)
        .map(infoOf);
    },
    seen(scope, keys) {
      const { sql, values } = sight.sessions(scope);
      const found = `SELECT s.key FROM session s WHERE s.key IN (SELECT value FROM json_each(?)) AND ${sql}`;
      return select(found)
        .all(JSON.stringify(keys), ...values)
        .map(({ key }) => key);
    },
    windows(scope, sessionNo, limit) {
      if (!sight.sees(scope, sessionNo)) return [];
      const rows = windows.all(sessionNo, limit);
      if (rows.length === 1) return rows.map((row) => windowOf(row, row));
      return rows.map((row) => windowOf(row, inWindow.get(sessionNo, row.no) ?? row));
    },
    labels(scope, sessions) {
      const { sql, values } = sight.sessions(scope);
      const rows = select(`${LABELS} AND ${sql}`).all(JSON.stringify(sessions), ...values);
      return new Map(rows.map(({ no, key, kind }) => [no, { key, kind }]));
    },
    newestEntry: (scope) => (sight.none(scope) ? 0 : (newest.get()?.id ?? 0)),
  };
}

/** Times of a list are those of a session's last activity (SES-130). */
function listCondition(
  { sql, values }: Condition,
  filter: { readonly since?: number; readonly until?: number },
): Condition {
  // A file without a message makes a session that nobody had: it is not listed.
  const parts = [sql, 'EXISTS (SELECT 1 FROM entry WHERE session = s.no)'];
  const bound = [...values];
  if (filter.since !== undefined) {
    parts.push('s.last_at >= ?');
    bound.push(filter.since);
  }
  if (filter.until !== undefined) {
    parts.push('s.last_at < ?');
    bound.push(filter.until);
  }
  return { sql: parts.join(' AND '), values: bound };
}

export function infoOf(row: InfoSql): SessionInfo {
  const origin = row.origin === null ? undefined : (JSON.parse(row.origin) as Origin);
  return {
    no: row.no,
    key: row.key,
    kind: row.kind,
    createdAt: row.created_at,
    lastAt: row.last_at,
    messages: row.messages,
    sessionId: row.session_id,
    ...(row.dirty_from === null ? {} : { dirty: true as const }),
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.archived_at === null ? {} : { archivedAt: row.archived_at }),
    ...(row.spawned_by === null ? {} : { spawnedBy: row.spawned_by }),
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.owner === null ? {} : { owner: row.owner }),
    ...(origin === undefined
      ? {}
      : { origin: row.host_gone === null ? origin : { ...origin, hostGone: row.host_gone } }),
  };
}

function windowOf(window: { session_id: string; reason: string }, times: TimesSql): WindowInfo {
  return {
    sessionId: window.session_id,
    reason: window.reason,
    from: times.created_at ?? 0,
    to: times.last_at ?? 0,
    entries: times.messages,
  };
}
