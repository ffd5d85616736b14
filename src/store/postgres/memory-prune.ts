// Deleting many records of one namespace: what expired, what is beyond its budgets, what is older, or all of it.
import { MEMORY_KINDS, SOURCE_TYPES } from '../../model/episode.ts';
import type { MemoryWriting } from '../memory.ts';
import type { Sql } from './connection.ts';
import type { RecordWriting, Which } from './memory-writing.ts';

type PruneWriting = Pick<MemoryWriting, 'prune' | 'removeOlder' | 'removeNamespace'>;

// Each reads one index of the namespace: record_expiry, record_run, record_authored (EPI-178). Of equal times the greater
// id goes first (EPI-61).
const EXPIRED = 'SELECT no FROM record WHERE agent = $1 AND ns = $2 AND expires_at <= $3';
const RUNS = 'FROM record WHERE agent = $1 AND ns = $2 AND origin = 0 AND kind = 0';
const AUTHORED = 'FROM record WHERE agent = $1 AND ns = $2 AND origin IN (1, 2, 3) AND kind = 0 AND status = 0';
// Looked at first, so that a record that makes nothing go costs one way to the server.
const STATE = `
  SELECT runs, authored, parked,
    EXISTS (SELECT 1 FROM record WHERE agent = $1 AND ns = $2 AND expires_at <= $3) AS expired,
    EXISTS (SELECT 1 FROM parked WHERE agent = $1 AND ns = $2 AND expires_at <= $3) AS "parkedExpired"
  FROM namespace WHERE agent = $1 AND no = $2`;
const COUNTS = 'SELECT runs, authored, parked FROM namespace WHERE agent = $1 AND no = $2';
const EXPIRED_PARKED = 'DELETE FROM parked WHERE agent = $1 AND ns = $2 AND expires_at <= $3 RETURNING id';
const OVER_PARKED = `
  DELETE FROM parked WHERE agent = $1 AND id IN (
    SELECT id FROM parked WHERE agent = $1 AND ns = $2 ORDER BY started_at, id DESC LIMIT $3) RETURNING id`;
const UNTRACE = 'DELETE FROM parked_trace WHERE agent = $1 AND id = ANY($2::text[])';
const SET_PARKED = `
  UPDATE namespace SET parked = (SELECT count(*) FROM parked p WHERE p.agent = $1 AND p.ns = $2)
  WHERE agent = $1 AND no = $2`;

interface Counts {
  readonly runs: number;
  readonly authored: number;
  readonly parked: number;
}

/** Of one agent. */
export function pruneWriting(sql: Sql, agent: string, records: RecordWriting): PruneWriting {
  const oldest = (from: string, ns: number, count: number): Which => ({
    text: `SELECT no ${from} ORDER BY at, id DESC LIMIT $3`,
    values: [agent, ns, count],
  });
  return {
    async prune(ns, { now, cap, authoredCap }) {
      const state = await sql.row<Counts & { expired: boolean; parkedExpired: boolean }>(STATE, [agent, ns, now]);
      if (state === undefined) return { expired: 0, overCap: 0, parkedExpired: 0 };
      let expired = 0;
      const parkedGone: string[] = [];
      if (state.expired) {
        expired = await records.removeWhich({ text: EXPIRED, values: [agent, ns, now] }, 'expired', now);
      }
      if (state.parkedExpired) {
        for (const { id } of await sql.rows<{ id: string }>(EXPIRED_PARKED, [agent, ns, now])) parkedGone.push(id);
        await records.countDeletions(ns, 'expired', parkedGone.length, now);
      }
      const { runs, authored } = expired > 0 ? (await sql.row<Counts>(COUNTS, [agent, ns]))! : state;
      let overCap = 0;
      if (cap !== undefined && runs > cap) {
        overCap += await records.removeWhich(oldest(RUNS, ns, runs - cap), 'over_cap', now);
      }
      if (authoredCap !== undefined && authored > authoredCap) {
        overCap += await records.removeWhich(oldest(AUTHORED, ns, authored - authoredCap), 'over_cap', now);
      }
      const parked = state.parked - parkedGone.length;
      if (cap !== undefined && parked > cap) {
        const dropped = await sql.rows<{ id: string }>(OVER_PARKED, [agent, ns, parked - cap]);
        for (const { id } of dropped) parkedGone.push(id);
        await records.countDeletions(ns, 'over_cap', dropped.length, now);
      }
      if (parkedGone.length > 0) {
        await sql.run(UNTRACE, [agent, parkedGone]);
        await sql.run(SET_PARKED, [agent, ns]);
      }
      return { expired, overCap, parkedExpired: parkedGone.length };
    },
    removeOlder(ns, before, { sources, kind }, now) {
      const among = sources?.map((source) => SOURCE_TYPES.indexOf(source)).join(', ');
      const conditions = [
        'SELECT no FROM record WHERE agent = $1 AND ns = $2 AND status IN (0, 1, 2) AND at < $3',
        ...(among === undefined ? [] : [among === '' ? 'false' : `origin IN (${among})`]),
        ...(kind === undefined ? [] : [`kind = ${MEMORY_KINDS.indexOf(kind)}`]),
      ];
      return records.removeWhich({ text: conditions.join(' AND '), values: [agent, ns, before] }, 'older', now);
    },
    async removeNamespace(ns, now) {
      const text = 'SELECT records, candidates, parked FROM namespace WHERE agent = $1 AND no = $2';
      const counts = (await sql.row<{ records: number; candidates: number; parked: number }>(text, [agent, ns])) ?? {
        records: 0,
        candidates: 0,
        parked: 0,
      };
      const all = { text: 'SELECT no FROM record WHERE agent = $1 AND ns = $2', values: [agent, ns] };
      await records.removeWhich(all, 'erased', now);
      const waiting = 'SELECT id FROM parked WHERE agent = $1 AND ns = $2';
      await sql.run(`DELETE FROM parked_trace WHERE agent = $1 AND id IN (${waiting})`, [agent, ns]);
      for (const table of ['call', 'parked', 'deletion']) {
        await sql.run(`DELETE FROM ${table} WHERE agent = $1 AND ns = $2`, [agent, ns]);
      }
      await sql.run('DELETE FROM namespace WHERE agent = $1 AND no = $2', [agent, ns]);
      await records.countDeletions(0, 'erased', counts.records, now);
      return counts;
    },
  };
}
