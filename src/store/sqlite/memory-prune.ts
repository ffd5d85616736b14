// Deleting many records of one namespace: what expired, what is beyond its budgets, what is older, or all of it.
import type Database from 'better-sqlite3';
import { MEMORY_KINDS, SOURCE_TYPES } from '../../model/episode.ts';
import type { MemoryWriting, Pruned } from '../memory.ts';
import { MANY, type Many } from './memory-many.ts';
import type { RecordWriting } from './memory-writing.ts';

type PruneWriting = Pick<MemoryWriting, 'prune' | 'removeOlder' | 'removeNamespace'>;

// Each reads one index of the namespace, keyed by it first: record_expiry, record_run, record_authored (EPI-178).
const EXPIRED = 'SELECT no FROM record WHERE ns = ? AND expires_at IS NOT NULL AND expires_at <= ?';
// Of equal times the greater id goes first (EPI-61). Sorting by the id as well costs as much as the rest of a prune, so it
// is only done where the border lies between equal times.
const RUNS = 'FROM record WHERE ns = ? AND origin = 0 AND kind = 0';
const AUTHORED = 'FROM record WHERE ns = ? AND origin IN (1, 2, 3) AND kind = 0 AND status = 0';
const COUNTS = 'SELECT runs, authored, parked FROM namespace WHERE no = ?';
const EXPIRED_PARKED = 'DELETE FROM parked WHERE ns = ? AND expires_at <= ? RETURNING id';
const OVER_PARKED = `
  DELETE FROM parked WHERE id IN (SELECT id FROM parked WHERE ns = ? ORDER BY started_at, id DESC LIMIT ?) RETURNING id`;

export function pruneWriting(db: Database.Database, records: RecordWriting): PruneWriting {
  const expired = db.prepare<[number, number], number>(EXPIRED).pluck();
  const oldestRuns = oldestOf(db, RUNS);
  const oldestAuthored = oldestOf(db, AUTHORED);
  const countsOf = db.prepare<[number], { runs: number; authored: number; parked: number }>(COUNTS);
  const expiredParked = db.prepare<[number, number], string>(EXPIRED_PARKED).pluck();
  const overParked = db.prepare<[number, number], string>(OVER_PARKED).pluck();
  const untrace = db.prepare('DELETE FROM parked_trace WHERE id = ?');
  const setParked = db.prepare(
    'UPDATE namespace SET parked = (SELECT count(*) FROM parked WHERE ns = namespace.no) WHERE no = ?',
  );
  const statusCounts = db.prepare<[number], { records: number; candidates: number; parked: number }>(
    'SELECT records, candidates, parked FROM namespace WHERE no = ?',
  );
  const older = new Map<string, Database.Statement<unknown[], number>>();

  const prune: PruneWriting['prune'] = (ns, { now, cap, authoredCap }): Pruned => {
    const gone = records.remove(expired.all(ns, now), 'expired', now);
    const parkedGone = expiredParked.all(ns, now);
    let parkedExpired = parkedGone.length;
    records.countDeletions(ns, 'expired', parkedExpired, now);
    const counts = countsOf.get(ns);
    if (!counts) return { expired: gone, overCap: 0, parkedExpired };
    let overCap = 0;
    const beyond = (count: number, most: number | undefined, oldest: typeof oldestRuns): void => {
      if (most === undefined || count <= most) return;
      const many = count - most >= MANY;
      overCap += many
        ? records.removeMany(oldest.query(ns, count - most), 'over_cap', now)
        : records.remove(oldest.numbers(ns, count - most), 'over_cap', now);
    };
    beyond(counts.runs, cap, oldestRuns);
    beyond(counts.authored, authoredCap, oldestAuthored);
    const parked = counts.parked - parkedExpired;
    if (cap !== undefined && parked > cap) {
      const dropped = overParked.all(ns, parked - cap);
      parkedGone.push(...dropped);
      parkedExpired += dropped.length;
      records.countDeletions(ns, 'over_cap', dropped.length, now);
    }
    if (parkedExpired > 0) {
      for (const id of parkedGone) untrace.run(id);
      setParked.run(ns);
    }
    return { expired: gone, overCap, parkedExpired };
  };

  return {
    prune,
    removeOlder(ns, before, { sources, kind }, now) {
      const conditions = [
        ...(sources === undefined
          ? []
          : [`origin IN (${sources.map((source) => SOURCE_TYPES.indexOf(source)).join(', ')})`]),
        ...(kind === undefined ? [] : [`kind = ${MEMORY_KINDS.indexOf(kind)}`]),
      ];
      const sql = ['SELECT no FROM record WHERE ns = ? AND status IN (0, 1, 2) AND at < ?', ...conditions].join(
        ' AND ',
      );
      const statement = older.get(sql) ?? db.prepare<[number, number], number>(sql).pluck();
      older.set(sql, statement);
      return records.remove(statement.all(ns, before), 'older', now);
    },
    removeNamespace(ns, now) {
      const counts = statusCounts.get(ns) ?? { records: 0, candidates: 0, parked: 0 };
      records.removeMany({ sql: 'SELECT no FROM record WHERE ns = ?', values: [ns] }, 'erased', now);
      db.prepare('DELETE FROM call WHERE ns = ?').run(ns);
      db.prepare('DELETE FROM parked_trace WHERE id IN (SELECT id FROM parked WHERE ns = ?)').run(ns);
      db.prepare('DELETE FROM parked WHERE ns = ?').run(ns);
      db.prepare('DELETE FROM deletion WHERE ns = ?').run(ns);
      db.prepare('DELETE FROM namespace WHERE no = ?').run(ns);
      records.countDeletions(0, 'erased', counts.records, now);
      return { records: counts.records, candidates: counts.candidates, parked: counts.parked };
    },
  };
}

interface Oldest {
  numbers(ns: number, count: number): readonly number[];
  query(ns: number, count: number): Many;
}

/** The first so many by event time, of equal ones the greater id first. */
function oldestOf(db: Database.Database, from: string): Oldest {
  const byTime = `SELECT no ${from} ORDER BY at LIMIT ?`;
  const exactly = `SELECT no ${from} ORDER BY at, id DESC LIMIT ?`;
  const rowsByTime = db.prepare<[number, number], { no: number; at: number }>(byTime.replace('no', 'no, at'));
  const rowsExactly = db.prepare<[number, number], number>(exactly).pluck();
  const border = db.prepare<[number, number], number>(`SELECT at ${from} ORDER BY at LIMIT 2 OFFSET ?`).pluck();
  return {
    numbers(ns, count) {
      const rows = rowsByTime.all(ns, count + 1);
      const isBetweenEquals = rows.length > count && rows[count - 1]!.at === rows[count]!.at;
      return isBetweenEquals ? rowsExactly.all(ns, count) : rows.slice(0, count).map(({ no }) => no);
    },
    query(ns, count) {
      const [last, next] = border.all(ns, count - 1);
      return { sql: last === next ? exactly : byTime, values: [ns, count] };
    },
  };
}
