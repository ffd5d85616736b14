// Writing what is no record: parked runs, answers by call id, barriers, counters.
import type { MemoryWriting } from '../memory.ts';
import type { Sql } from './connection.ts';
import { bytes } from './memory-reading.ts';
import type { RecordWriting } from './memory-writing.ts';

type RunWriting = Pick<
  MemoryWriting,
  'park' | 'unpark' | 'setCall' | 'setReflected' | 'setBarrier' | 'forgetBarriers' | 'addCounters' | 'setMeta'
>;

// `xmax = 0`: the row is new.
const PARK = `
  INSERT INTO parked (agent, id, ns, started_at, parked_at, expires_at, run, thread, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (agent, id) DO UPDATE SET parked_at = excluded.parked_at, expires_at = excluded.expires_at,
    run = excluded.run, thread = excluded.thread, state = excluded.state
  RETURNING xmax = 0 AS made`;
const TRACE = `
  INSERT INTO parked_trace (agent, digest, id) SELECT $1, digest, $2 FROM unnest($3::bytea[]) digest
  ON CONFLICT DO NOTHING`;
const CALL = `
  INSERT INTO call (agent, ns, id, record, reply) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (agent, ns, id) DO UPDATE SET record = excluded.record, reply = excluded.reply`;
const BARRIER = `
  INSERT INTO barrier (agent, digest, at) VALUES ($1, $2, $3)
  ON CONFLICT (agent, digest) DO UPDATE SET at = greatest(barrier.at, excluded.at)`;
const ADD = `
  INSERT INTO counter (agent, name, value) SELECT $1, name, value FROM unnest($2::text[], $3::bigint[]) a (name, value)
  ON CONFLICT (agent, name) DO UPDATE SET value = counter.value + excluded.value`;
const META = `
  INSERT INTO meta (agent, name, value) VALUES ($1, $2, $3)
  ON CONFLICT (agent, name) DO UPDATE SET value = excluded.value`;
const COUNT = 'UPDATE namespace SET parked = parked + $3 WHERE agent = $1 AND no = $2';

/** Of one agent. */
export function runWriting(sql: Sql, agent: string, { namespaceNo }: Pick<RecordWriting, 'namespaceNo'>): RunWriting {
  return {
    async park({ id, namespace, startedAt, parkedAt, expiresAt, runId, threadId, state, traces = [] }) {
      const ns = await namespaceNo(namespace);
      const values = [agent, id, ns, startedAt, parkedAt, expiresAt ?? null, runId ?? null, threadId ?? null, state];
      const { made } = (await sql.row<{ made: boolean }>(PARK, values))!;
      if (made) await sql.run(COUNT, [agent, ns, 1]);
      if (traces.length > 0) await sql.run(TRACE, [agent, id, traces.map(bytes)]);
    },
    async unpark(id) {
      const text = 'DELETE FROM parked WHERE agent = $1 AND id = $2 RETURNING ns';
      const gone = await sql.row<{ ns: number }>(text, [agent, id]);
      if (gone === undefined) return false;
      await sql.run('DELETE FROM parked_trace WHERE agent = $1 AND id = $2', [agent, id]);
      await sql.run(COUNT, [agent, gone.ns, -1]);
      return true;
    },
    async setCall(ns, callId, record, reply) {
      await sql.run(CALL, [agent, ns, callId, record, reply]);
    },
    async setReflected(ns, no) {
      await sql.run('UPDATE namespace SET reflected = $3 WHERE agent = $1 AND no = $2', [agent, ns, no]);
    },
    async setBarrier(digest, at) {
      await sql.run(BARRIER, [agent, bytes(digest), at]);
    },
    async forgetBarriers(before) {
      await sql.run('DELETE FROM barrier WHERE agent = $1 AND at < $2', [agent, before]);
    },
    async addCounters(added) {
      const counted = Object.entries(added).filter(([, value]) => value !== 0);
      if (counted.length === 0) return;
      await sql.run(ADD, [agent, counted.map(([name]) => name), counted.map(([, value]) => value)]);
    },
    async setMeta(name, value) {
      await sql.run(META, [agent, name, value]);
    },
  };
}
