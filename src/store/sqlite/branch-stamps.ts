// When each session's active branch last changed: what the pages of a search stand on (SES-80). Knows no scope.
import type Database from 'better-sqlite3';
import { lazily } from './lazily.ts';

// Moves are counted over the store and never again from lower: a session that takes the number of a deleted one is told from it.
const NEXT = `
  INSERT INTO meta (name, value) VALUES ('moves', 1)
  ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`;
const OF_ENTRIES = `
  UPDATE session SET moved = ? WHERE no IN (SELECT session FROM entry WHERE id IN (SELECT value FROM json_each(?)))`;

export interface BranchStamps {
  /** The session begins, or entries joined its active branch or left it. */
  moved(session: number): void;
  /** The same of the sessions that hold these entries. */
  movedEntries(entries: readonly number[]): void;
}

export function branchStamps(db: Database.Database): BranchStamps {
  const next = lazily<[], { value: number }>(db, NEXT);
  const one = lazily(db, 'UPDATE session SET moved = ? WHERE no = ?');
  const ofEntries = lazily(db, OF_ENTRIES);
  return {
    moved(session) {
      one.run(next.get()!.value, session);
    },
    movedEntries(entries) {
      if (entries.length > 0) ofEntries.run(next.get()!.value, JSON.stringify(entries));
    },
  };
}
