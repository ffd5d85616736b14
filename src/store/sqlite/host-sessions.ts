// Sessions and windows as their host writes them: whole rows, without a scope.
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { SessionKind } from '../../model/session.ts';
import type { HostChange, HostReading, HostSession, HostWriting } from '../host.ts';
import { messageIdOf } from './blocks.ts';
import { branchStamps } from './branch-stamps.ts';
import { lazily } from './lazily.ts';

type SessionPart = Pick<
  HostWriting,
  'hostSession' | 'hostCreate' | 'hostUpdate' | 'windowOwner' | 'openWindow' | 'isGone'
>;

const BY_KEY = `
  SELECT s.no, s.key, s.kind, s.created_at, coalesce(s.first_at, s.created_at) AS first_at, s.last_at, s.spawned_by,
         s.parent, s.owner, s.people, s.title, s.archived_at, s.unknown, w.no AS window, w.session_id,
         e.id AS leaf, e.native AS leaf_native
  FROM session s JOIN window w ON w.no = (SELECT max(no) FROM window WHERE session = s.no)
  LEFT JOIN entry e ON e.id = s.leaf
  WHERE s.key = ? AND s.deleting = 0`;
const INSERT = 'INSERT INTO session (key, kind, created_at, last_at, spawned_by) VALUES (?, ?, ?, ?, ?)';
const INSERT_WINDOW = 'INSERT INTO window (session, session_id, previous, reason) VALUES (?, ?, ?, ?)';
// What every append writes, in one statement.
const STEP = 'UPDATE session SET leaf = ?, last_at = max(last_at, ?), messages = messages + ? WHERE no = ?';
const IS_GONE = 'SELECT 1 AS found FROM gone WHERE digest = ? AND (until IS NULL OR until > ?)';

interface SessionSql {
  no: number;
  key: string;
  kind: SessionKind;
  created_at: number;
  first_at: number;
  last_at: number;
  spawned_by: string | null;
  parent: string | null;
  owner: string | null;
  people: string | null;
  title: string | null;
  archived_at: number | null;
  unknown: string | null;
  window: number;
  session_id: string;
  leaf: number | null;
  leaf_native: string | Buffer | null;
}

export function hostSessionWriting(db: Database.Database): SessionPart {
  const byKey = lazily<[string], SessionSql>(db, BY_KEY);
  const insert = lazily(db, INSERT);
  const insertWindow = lazily(db, INSERT_WINDOW);
  const stamps = branchStamps(db);
  const windowOwner = lazily<[string], { session: number }>(db, 'SELECT session FROM window WHERE session_id = ?');
  const step = lazily(db, STEP);
  const addMessages = lazily(db, 'UPDATE session SET messages = messages + ? WHERE no = ?');
  const gone = lazily<[Uint8Array, number], { found: 1 }>(db, IS_GONE);
  const updates = new Map<string, Database.Statement>();
  const hostSession = (key: string): HostSession | undefined => {
    const row = byKey.get(key);
    return row && sessionOf(row);
  };
  return {
    hostSession,
    hostCreate({ key, kind, sessionId, createdAt, spawnedBy }) {
      const no = Number(insert.run(key, kind, createdAt, createdAt, spawnedBy ?? null).lastInsertRowid);
      insertWindow.run(no, sessionId, null, 'initial');
      stamps.moved(no);
      return hostSession(key)!;
    },
    hostUpdate(no, change) {
      const { leaf, lastAt, messagesAdded = 0, ...rest } = change;
      if (leaf !== undefined && lastAt !== undefined) step.run(leaf, lastAt, messagesAdded, no);
      else if (messagesAdded !== 0) addMessages.run(messagesAdded, no);
      const columns = columnsOf(leaf === undefined ? { ...rest, ...(lastAt === undefined ? {} : { lastAt }) } : rest);
      if (columns.length === 0) return;
      const sql = `UPDATE session SET ${columns.map(([name]) => `${name} = ?`).join(', ')} WHERE no = ?`;
      const statement = updates.get(sql) ?? db.prepare(sql);
      updates.set(sql, statement);
      statement.run(...columns.map(([, value]) => value), no);
    },
    windowOwner: (sessionId) => windowOwner.get(sessionId)?.session,
    isGone: (sessionId, now) => gone.get(goneDigest('session', sessionId), now) !== undefined,
    openWindow: (session, sessionId, previous, reason) =>
      Number(insertWindow.run(session, sessionId, previous, reason).lastInsertRowid),
  };
}

/** What is kept of an id that was deleted: nothing that tells the id (SES-174). */
export function goneDigest(what: 'session' | 'key', id: string): Uint8Array {
  return createHash('sha256').update(`${what}\n${id}`).digest().subarray(0, 16);
}

export function hostSessionReading(db: Database.Database): Pick<HostReading, 'hostSession'> {
  const byKey = lazily<[string], SessionSql>(db, BY_KEY);
  return {
    hostSession(key) {
      const row = byKey.get(key);
      return row && sessionOf(row);
    },
  };
}

function sessionOf(row: SessionSql): HostSession {
  return {
    no: row.no,
    key: row.key,
    kind: row.kind,
    window: row.window,
    sessionId: row.session_id,
    createdAt: row.created_at,
    firstAt: row.first_at,
    lastAt: row.last_at,
    ...(row.leaf === null ? {} : { leaf: { id: row.leaf, messageId: messageIdOf(row.leaf_native) } }),
    ...(row.spawned_by === null ? {} : { spawnedBy: row.spawned_by }),
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.owner === null ? {} : { owner: row.owner }),
    ...(row.people === null ? {} : { people: JSON.parse(row.people) as string[] }),
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.archived_at === null ? {} : { archivedAt: row.archived_at }),
    ...(row.unknown === null ? {} : { unknown: JSON.parse(row.unknown) as Record<string, number> }),
  };
}

const COLUMNS: Readonly<Record<string, string>> = {
  lastAt: 'last_at',
  firstAt: 'first_at',
  parent: 'parent',
  owner: 'owner',
  people: 'people',
  title: 'title',
  archivedAt: 'archived_at',
  unknown: 'unknown',
};

function columnsOf(change: Omit<HostChange, 'leaf' | 'messagesAdded'>): [string, string | number | null][] {
  return Object.entries(change).map(([name, value]: [string, unknown]) => [
    COLUMNS[name]!,
    typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as string | number | null),
  ]);
}
