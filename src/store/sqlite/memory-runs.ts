// Writing what is no record: parked runs, answers by call id, barriers, counters.
import type Database from 'better-sqlite3';
import type { MemoryWriting } from '../memory.ts';
import type { RecordWriting } from './memory-writing.ts';

type RunWriting = Pick<
  MemoryWriting,
  'park' | 'unpark' | 'setCall' | 'setReflected' | 'setBarrier' | 'forgetBarriers' | 'addCounters' | 'setMeta'
>;

const PARK = `
  INSERT INTO parked (id, ns, started_at, parked_at, expires_at, run, thread, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET parked_at = excluded.parked_at, expires_at = excluded.expires_at, run = excluded.run,
    thread = excluded.thread, state = excluded.state`;
const ADD = 'INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value';

export function runWriting(db: Database.Database, { namespaceNo }: Pick<RecordWriting, 'namespaceNo'>): RunWriting {
  const known = db.prepare<[string], number>('SELECT ns FROM parked WHERE id = ?').pluck();
  const park = db.prepare(PARK);
  const trace = db.prepare('INSERT OR IGNORE INTO parked_trace (digest, id) VALUES (?, ?)');
  const unpark = db.prepare('DELETE FROM parked WHERE id = ?');
  const untrace = db.prepare('DELETE FROM parked_trace WHERE id = ?');
  const count = db.prepare('UPDATE namespace SET parked = parked + ? WHERE no = ?');
  const setCall = db.prepare('INSERT OR REPLACE INTO call (ns, id, record, reply) VALUES (?, ?, ?, ?)');
  const setReflected = db.prepare('UPDATE namespace SET reflected = ? WHERE no = ?');
  const setBarrier = db.prepare(
    'INSERT INTO barrier (digest, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)',
  );
  const forgetBarriers = db.prepare('DELETE FROM barrier WHERE at < ?');
  const add = db.prepare(ADD);
  const setMeta = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');

  return {
    park(run) {
      const ns = namespaceNo(run.namespace);
      if (known.get(run.id) === undefined) count.run(1, ns);
      const { id, startedAt, parkedAt, expiresAt, runId, threadId, state } = run;
      park.run(id, ns, startedAt, parkedAt, expiresAt ?? null, runId ?? null, threadId ?? null, state);
      for (const digest of run.traces ?? []) trace.run(Buffer.from(digest, 'hex'), id);
    },
    unpark(id) {
      const ns = known.get(id);
      if (ns === undefined) return false;
      unpark.run(id);
      untrace.run(id);
      count.run(-1, ns);
      return true;
    },
    setCall(ns, callId, record, reply) {
      setCall.run(ns, callId, record, reply);
    },
    setReflected(ns, no) {
      setReflected.run(no, ns);
    },
    setBarrier(digest, at) {
      setBarrier.run(Buffer.from(digest, 'hex'), at);
    },
    forgetBarriers(before) {
      forgetBarriers.run(before);
    },
    addCounters(added) {
      for (const [name, value] of Object.entries(added)) if (value !== 0) add.run(name, value);
    },
    setMeta(name, value) {
      setMeta.run(name, value);
    },
  };
}
