// Session and window rows of a write transaction.
import type Database from 'better-sqlite3';
import type { Origin, SessionKind } from '../../model/session.ts';
import type { SessionChange, SessionRecord, Writing } from '../writing.ts';
import { branchStamps } from './branch-stamps.ts';
import { lazily } from './lazily.ts';

type SessionWriting = Pick<Writing, 'session' | 'createSession' | 'updateSession'>;

const BY_KEY = `
  SELECT s.no, s.key, s.kind, s.title, s.title_rank, s.created_at, s.last_at, s.leaf, s.spawned_by, s.origin,
         w.no AS window, w.session_id
  FROM session s JOIN window w ON w.no = (SELECT max(no) FROM window WHERE session = s.no)
  WHERE s.key = ?`;
const INSERT_SESSION = 'INSERT INTO session (key, kind, created_at, last_at) VALUES (?, ?, ?, ?)';
const INSERT_WINDOW = 'INSERT INTO window (session, session_id, reason) VALUES (?, ?, ?)';
const FREE_WINDOW = 'SELECT 1 FROM window WHERE session_id = ?';

interface SessionSql {
  no: number;
  key: string;
  kind: SessionKind;
  title: string | null;
  title_rank: number | null;
  created_at: number;
  last_at: number;
  leaf: number | null;
  spawned_by: string | null;
  origin: string | null;
  window: number;
  session_id: string;
}

export function sessionWriting(db: Database.Database): SessionWriting {
  const byKey = lazily<[string], SessionSql>(db, BY_KEY);
  const insertSession = lazily(db, INSERT_SESSION);
  const insertWindow = lazily(db, INSERT_WINDOW);
  const stamps = branchStamps(db);
  const windowTaken = lazily(db, FREE_WINDOW);
  const addMessages = lazily(db, 'UPDATE session SET messages = messages + ? WHERE no = ?');
  const updates = new Map<string, Database.Statement>();

  const session = (key: string): SessionRecord | undefined => {
    const row = byKey.get(key);
    return row && recordOf(row);
  };
  return {
    session,
    createSession(made) {
      const no = Number(insertSession.run(made.key, made.kind, made.createdAt, made.createdAt).lastInsertRowid);
      // Two native ids may be written as one session id: the key is theirs alone, so the id gets a number (SES-5).
      let sessionId = made.sessionId;
      for (let n = 2; windowTaken.get(sessionId); n++) sessionId = `${made.sessionId.slice(0, 120)}.${n}`;
      insertWindow.run(no, sessionId, made.reason);
      stamps.moved(no);
      return session(made.key)!;
    },
    updateSession(no, change) {
      if (change.messagesAdded) addMessages.run(change.messagesAdded, no);
      const columns = columnsOf(change);
      const names = Object.keys(columns);
      if (names.length === 0) return;
      const sql = `UPDATE session SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE no = ?`;
      const statement = updates.get(sql) ?? db.prepare(sql);
      updates.set(sql, statement);
      statement.run(...Object.values(columns), no);
    },
  };
}

function recordOf(row: SessionSql): SessionRecord {
  return {
    no: row.no,
    key: row.key,
    kind: row.kind,
    window: row.window,
    sessionId: row.session_id,
    createdAt: row.created_at,
    lastAt: row.last_at,
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.title_rank === null ? {} : { titleRank: row.title_rank }),
    ...(row.leaf === null ? {} : { leaf: row.leaf }),
    ...(row.spawned_by === null ? {} : { spawnedBy: row.spawned_by }),
    ...(row.origin === null ? {} : { origin: JSON.parse(row.origin) as Origin }),
  };
}

function columnsOf(change: SessionChange): Record<string, string | number | null> {
  const columns: Record<string, string | number | null> = {};
  const set = (name: string, value: string | number | null | undefined): void => {
    if (value !== undefined) columns[name] = value;
  };
  set('title', change.title);
  set('title_rank', change.titleRank);
  set('created_at', change.createdAt);
  set('last_at', change.lastAt);
  set('leaf', change.leaf);
  set('spawned_by', change.spawnedBy);
  set('archived_at', change.archivedAt);
  set('host_gone', change.hostGone);
  if (change.origin) {
    set('source', change.origin.source);
    set('project', change.origin.project ?? null);
    set('native_key', change.origin.nativeKey ?? null);
    set('origin', JSON.stringify(change.origin));
  }
  return columns;
}
