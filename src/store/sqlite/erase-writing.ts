// Removing whole sessions with everything that hangs on them, in a write transaction (SES-170).
import type Database from 'better-sqlite3';
import type { Writing } from '../writing.ts';

const SHARED_OR_TEXT = `
  SELECT id FROM entry
  WHERE session = ? AND (flags & 2 OR EXISTS (SELECT 1 FROM entry c WHERE c.copy_of = entry.id))`;
const REST = [
  'DELETE FROM entry WHERE session = ?',
  'DELETE FROM link WHERE session = ?',
  'DELETE FROM window WHERE session = ?',
  'UPDATE file SET session = NULL WHERE session = ?',
  'DELETE FROM session WHERE no = ?',
];

/** Copies in other sessions that shared a text go on with its body and index rows (SRC-15). */
export function eraseWriting(
  db: Database.Database,
  parts: Pick<Writing, 'remove' | 'setState' | 'index'>,
): Pick<Writing, 'deleteSessions'> {
  const withText = db.prepare<[number], { id: number }>(SHARED_OR_TEXT);
  const messages = db.prepare<[number], { n: number }>(
    'SELECT count(*) AS n FROM entry WHERE session = ? AND kind = 0',
  );
  const rest = REST.map((sql) => db.prepare(sql));
  return {
    deleteSessions(sessions, prepare) {
      let deleted = 0;
      for (const session of sessions) {
        deleted += messages.get(session)?.n ?? 0;
        const entries = withText.all(session).map((row) => row.id);
        parts.setState(entries, 'side');
        parts.index(entries, prepare);
        for (const entry of entries) parts.remove(entry);
        for (const statement of rest) statement.run(session);
      }
      return deleted;
    },
  };
}
