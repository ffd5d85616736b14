// How much of what a search may look at is not indexed as it should be (SES-83, SES-151).
import type Database from 'better-sqlite3';
import type { DirtySession } from '../host.ts';
import type { Reading } from '../reading.ts';
import { lazily } from './lazily.ts';
import type { Sight } from './search-scope.ts';

const PENDING = `
  (SELECT count(*) FROM entry e WHERE e.session = s.no AND e.id >= s.dirty_from AND e.id <= s.dirty_through
     AND e.kind = 0 AND e.flags & 2)`;

// Something of it is to be searched (SES-40).
const HAS_TEXT = `EXISTS (SELECT 1 FROM entry e WHERE e.session = s.no AND e.kind = 0 AND e.flags & 2 AND e.role < 2 AND e.state < 2)`;

export function dirtyReading(db: Database.Database, sight: Sight): Pick<Reading, 'dirty' | 'dirtySessions'> {
  const any = lazily<[], { found: number }>(
    db,
    'SELECT EXISTS (SELECT 1 FROM session WHERE dirty_from IS NOT NULL) AS found',
  );
  return {
    dirty(scope, filter, all = false) {
      if (!all && any.get()!.found === 0) return { sessions: 0, messages: 0, unindexed: 0 };
      const { sql, values } = sight.couldHold(scope, filter);
      return db
        .prepare<unknown[], { sessions: number; messages: number; unindexed: number }>(
          `SELECT count(*) FILTER (WHERE s.dirty_from IS NOT NULL) AS sessions,
             coalesce(sum(CASE WHEN s.dirty_from IS NULL THEN 0 ELSE ${PENDING} END), 0) AS messages,
             count(*) FILTER (WHERE s.texts = 0 AND ${HAS_TEXT}) AS unindexed
           FROM session s WHERE ${all ? '' : 's.dirty_from IS NOT NULL AND '}${sql}`,
        )
        .get(...values)!;
    },
    dirtySessions(scope, limit) {
      if (any.get()!.found === 0) return [];
      const { sql, values } = sight.sessions(scope);
      return db
        .prepare<unknown[], DirtySession>(
          `SELECT s.no, s.key, s.dirty_through - s.dirty_from + 1 AS entries FROM session s
           WHERE s.dirty_from IS NOT NULL AND s.deleting = 0 ORDER BY (${sql}) DESC, s.last_at DESC LIMIT ?`,
        )
        .all(...values, limit);
    },
  };
}
