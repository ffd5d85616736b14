// Removing whole sessions with everything that hangs on them, in a write transaction (SES-170).
import type Database from 'better-sqlite3';
import type { Writing } from '../writing.ts';
import { lazily } from './lazily.ts';

const SHARED_OR_TEXT = `
  SELECT id FROM entry
  WHERE session = ? AND (flags & 2 OR EXISTS (SELECT 1 FROM entry c WHERE c.copy_of = entry.id))`;
// Subagents that stand in the file of their parent: sessions of their own, without a file of their own (SRC-52).
const PARTS = `
  SELECT p.no FROM session s JOIN session p ON p.key >= s.key || ':agent:' AND p.key < s.key || ':agent;'
  WHERE s.no = ? AND p.no NOT IN (SELECT session FROM file WHERE session IS NOT NULL AND session <> ? AND gone_at IS NULL)`;
const REST = [
  'DELETE FROM copy WHERE entry IN (SELECT id FROM entry WHERE session = ?)',
  'DELETE FROM entry WHERE session = ?',
  'DELETE FROM link WHERE session = ?',
  'DELETE FROM window WHERE session = ?',
  // What is left of its files is read from the start when it comes up again.
  "UPDATE file SET session = NULL, state = NULL, settled = 0, outcome = 'unfinished', version = version + 1 WHERE session = ?",
  'DELETE FROM session WHERE no = ?',
];

/** Copies in other sessions that shared a text go on with its body and index rows (SRC-15). */
export function eraseWriting(
  db: Database.Database,
  parts: Pick<Writing, 'remove' | 'setState' | 'index'>,
): Pick<Writing, 'deleteSessions'> {
  const withText = lazily<[number], { id: number }>(db, SHARED_OR_TEXT);
  const messages = lazily<[number], { n: number }>(
    db,
    'SELECT count(*) AS n FROM entry WHERE session = ? AND kind = 0',
  );
  const partsOf = lazily<[number, number], { no: number }>(db, PARTS);
  const rest = REST.map((sql) => lazily(db, sql));
  return {
    deleteSessions(sessions, prepare) {
      let deleted = 0;
      const all = new Set([...sessions, ...sessions.flatMap((no) => partsOf.all(no, no).map((row) => row.no))]);
      for (const session of all) {
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
