// How the active branch of a session moves, and which of its index rows are yet to follow (SES-7, SES-54, SES-151).
import type Database from 'better-sqlite3';
import type { HostWriting, Moved } from '../host.ts';
import { branchStamps } from './branch-stamps.ts';
import type { Fresh } from './entry-writing.ts';
import { lazily } from './lazily.ts';

type BranchPart = Pick<
  HostWriting,
  'meetsBranch' | 'leaveBranch' | 'joinBranch' | 'markDirty' | 'nextDirty' | 'dirtyDone'
>;

// Upwards from an entry as long as it is off the branch: as many steps as entries come back, whatever the session holds.
const PATH = `
  WITH RECURSIVE up (id, parent, state) AS (
    SELECT id, parent, state FROM entry WHERE id = ?
    UNION ALL
    SELECT e.id, e.parent, e.state FROM up JOIN entry e ON e.id = up.parent WHERE up.state = 2
  )`;
const MEETS = `${PATH} SELECT max(id) AS id FROM up WHERE state < 2`;
const AFTER = 'FROM entry e LEFT JOIN body b ON b.entry = e.id WHERE e.session = ? AND e.id > ? AND e.state < 2';
const OFF_PATH = `${PATH} SELECT e.id, e.kind, e.flags, octet_length(b.text) AS bytes
  FROM up JOIN entry e ON e.id = up.id LEFT JOIN body b ON b.entry = e.id WHERE up.state = 2 ORDER BY e.id`;
const MARK = `
  UPDATE session SET dirty_from = min(coalesce(dirty_from, @from), @from),
                     dirty_through = max(coalesce(dirty_through, 0), @through) WHERE no = @no`;
const NEXT = `
  SELECT e.id, octet_length(b.text) AS bytes FROM session s
  JOIN entry e ON e.session = s.no AND e.id >= s.dirty_from AND e.id <= s.dirty_through
  LEFT JOIN body b ON b.entry = coalesce(e.copy_of, e.id)
  WHERE s.no = ? AND e.kind = 0 AND e.flags & 2 ORDER BY e.id LIMIT ?`;

interface MovedSql {
  id: number;
  kind: number;
  flags: number;
  bytes: number | null;
}

export function hostBranchWriting(db: Database.Database, fresh: Map<number, Fresh>): BranchPart {
  const meets = lazily<[number], { id: number | null }>(db, MEETS);
  const after = lazily<[number, number], MovedSql>(
    db,
    `SELECT e.id, e.kind, e.flags, octet_length(b.text) AS bytes ${AFTER} ORDER BY e.id`,
  );
  const leave = lazily(db, 'UPDATE entry SET state = 2 WHERE session = ? AND id > ? AND state < 2');
  const offPath = lazily<[number], MovedSql>(db, OFF_PATH);
  const join = lazily(db, 'UPDATE entry SET state = 0 WHERE id = ?');
  const stamps = branchStamps(db);
  const mark = lazily(db, MARK);
  const next = lazily<[number, number], { id: number; bytes: number | null }>(db, NEXT);
  const done = lazily(db, 'UPDATE session SET dirty_from = ? WHERE no = ?');
  const clean = lazily(db, 'UPDATE session SET dirty_from = NULL, dirty_through = NULL WHERE no = ?');
  return {
    meetsBranch: (entry) => meets.get(entry)?.id ?? 0,
    leaveBranch(session, entry) {
      fresh.clear();
      const rows = after.all(session, entry);
      leave.run(session, entry);
      if (rows.length > 0) stamps.moved(session);
      return movedOf(rows);
    },
    joinBranch(entry) {
      fresh.clear();
      const rows = offPath.all(entry);
      for (const row of rows) join.run(row.id);
      stamps.movedEntries(rows.slice(0, 1).map((row) => row.id));
      return movedOf(rows);
    },
    markDirty(no, from, through) {
      mark.run({ no, from, through });
    },
    nextDirty(session, maxEntries, maxBytes) {
      const rows = next.all(session, maxEntries);
      let bytes = 0;
      const end = rows.findIndex((row) => {
        bytes += row.bytes ?? 0;
        return bytes > maxBytes;
      });
      // One text over the bound goes alone.
      return (end < 0 ? rows : rows.slice(0, Math.max(1, end))).map((row) => row.id);
    },
    dirtyDone(session, through) {
      if (through === undefined) clean.run(session);
      else done.run(through + 1, session);
    },
  };
}

function movedOf(rows: readonly MovedSql[]): Moved {
  const texts = rows.filter((row) => row.kind === 0 && row.flags & 2);
  return {
    entries: rows.length,
    messages: rows.filter((row) => row.kind === 0).length,
    texts: texts.map((row) => row.id),
    bytes: texts.reduce((sum, row) => sum + (row.bytes ?? 0), 0),
  };
}
