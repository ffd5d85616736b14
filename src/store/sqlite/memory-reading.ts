// Reading what is known by name: namespaces, records by id or number, parked runs, counters, lists for review.
import type Database from 'better-sqlite3';
import { type DeletionReason, MEMORY_KINDS, MEMORY_STATUSES } from '../../model/episode.ts';
import type { ListFilter, MemoryReading, NamespaceInfo, ParkedRun, StoredRecord } from '../memory.ts';
import { LINK, MARK, type ParkedSql, parkedOf, type RecordSql, storedOf } from '../memory-rows.ts';
import { statementsOf } from './lazily.ts';
import type { RecallReading } from './memory-recall.ts';
import { NAMESPACE_COLUMNS, RECORD_COLUMNS, RECORD_TABLES, rangeOf } from './memory-rows.ts';

type NamedReading = Omit<
  MemoryReading,
  keyof RecallReading | 'archived' | 'derivedFrom' | 'sizesOf' | 'leftOf' | 'heldFragments'
>;

const LIVE = 'r.status = 0 AND (r.expires_at IS NULL OR r.expires_at > ?)';
const PARKED = `
  SELECT p.id, n.name AS namespace, p.started_at, p.parked_at, p.expires_at, p.run, p.thread, p.state
  FROM parked p JOIN namespace n ON n.no = p.ns`;
const DELETIONS = `
  SELECT coalesce(n.name, '') AS namespace, d.day, d.reason, d.count FROM deletion d LEFT JOIN namespace n ON n.no = d.ns
  ORDER BY 1, d.day, d.reason`;

export function namedReading(db: Database.Database): NamedReading {
  const prepare = statementsOf(db);
  const select = <Row = RecordSql>(rest: string): Database.Statement<unknown[], Row> =>
    prepare<Row>(`SELECT ${RECORD_COLUMNS} FROM ${RECORD_TABLES} ${rest}`);
  const stored = (row: RecordSql | undefined): StoredRecord | undefined => (row ? storedOf(row) : undefined);
  const blobs = (digests: readonly string[]): string => digests.map((digest) => `x'${hexOnly(digest)}'`).join(', ');

  return {
    namespace: (name) => prepare<NamespaceInfo>(`SELECT ${NAMESPACE_COLUMNS} FROM namespace WHERE name = ?`).get(name),
    namespaces: () => prepare<NamespaceInfo>(`SELECT ${NAMESPACE_COLUMNS} FROM namespace ORDER BY name`).all(),
    get: (id) => stored(select('WHERE r.id = ?').get(id)),
    records(numbers) {
      const byNumber = select('WHERE r.no = ?');
      return numbers.flatMap((no) => stored(byNumber.get(no)) ?? []);
    },
    linkedFrom: (id, by) =>
      select('WHERE r.no IN (SELECT no FROM link WHERE target = ? AND sort = ?) ORDER BY r.no')
        .all(id, LINK[by])
        .map(storedOf),
    fact: (ns, identity) =>
      stored(
        select('WHERE r.ns = ? AND r.identity = ? AND r.kind = 1 AND r.status = 0').get(
          ns,
          Buffer.from(identity, 'hex'),
        ),
      ),

    list(filter, limit, after) {
      const { sql, values } = listCondition(filter);
      const columns = `SELECT ${RECORD_COLUMNS}, b.text FROM ${RECORD_TABLES}`;
      const next = after === undefined ? '' : 'AND (r.created_at < ? OR (r.created_at = ? AND r.id > ?))';
      const bound = after === undefined ? [] : [after.createdAt, after.createdAt, after.id];
      return prepare<RecordSql & { text: string }>(
        `${columns} WHERE ${sql} ${next} ORDER BY r.created_at DESC, r.id LIMIT ?`,
      )
        .all(...values, ...bound, limit)
        .map((row) => ({ ...storedOf(row), text: row.text }));
    },
    writtenAfter(ns, after, { now, kinds }, limit) {
      const among = kinds.map((kind) => MEMORY_KINDS.indexOf(kind)).join(', ');
      const [first, last] = rangeOf(ns);
      // By the range of numbers: by the namespace all its active records were read, and sorted.
      return select(`WHERE r.no > ? AND r.no <= ? AND ${LIVE} AND r.kind IN (${among}) ORDER BY r.no LIMIT ?`)
        .all(Math.max(after, Number(first) - 1), last, now, limit)
        .map(storedOf);
    },
    consolidable(ns, { now, until }, limit, after) {
      const next = after === undefined ? '' : 'AND r.at >= ? AND (r.at > ? OR r.id > ?)';
      const bound = after === undefined ? [] : [after.at, after.at, after.id];
      const of = `WHERE r.ns = ? AND ${LIVE} AND r.at < ? AND r.kind = 0 AND r.origin <> 4 ${next}`;
      const rows = select(`${of} ORDER BY r.at, r.id LIMIT ?`).all(ns, now, until, ...bound, limit);
      return rows.map(storedOf);
    },

    parked: (id) => parkedRow(prepare<ParkedSql>(`${PARKED} WHERE p.id = ?`).get(id)),
    parkedRuns({ namespaces, runId, threadId }) {
      const conditions = ['1'];
      const values: string[] = [];
      if (namespaces) conditions.push(`p.ns IN (${namespaces.map(Number).join(', ')})`);
      if (runId !== undefined) conditions.push('p.run = ?') && values.push(runId);
      if (threadId !== undefined) conditions.push('p.thread = ?') && values.push(threadId);
      const sql = `${PARKED} WHERE ${conditions.join(' AND ')} ORDER BY p.parked_at DESC, p.id`;
      return prepare<ParkedSql>(sql)
        .all(...values)
        .map(parkedOf);
    },

    call: (ns, id) => prepare<{ reply: string }>('SELECT reply FROM call WHERE ns = ? AND id = ?').get(ns, id)?.reply,
    barrier(digestsOf) {
      if (prepare<unknown>('SELECT 1 FROM barrier LIMIT 1').get() === undefined) return undefined;
      const digests = typeof digestsOf === 'function' ? digestsOf() : digestsOf;
      const sql = `SELECT max(at) AS at FROM barrier WHERE digest IN (${blobs(digests)})`;
      return (db.prepare(sql).get() as { at: number | null }).at ?? undefined;
    },
    traced(traces) {
      if (traces.length === 0) return { records: [], parked: [] };
      const among = blobs(traces);
      return {
        records: prepare<{ no: number }>('SELECT rowid AS no FROM fts WHERE fts MATCH ? ORDER BY rowid')
          .all(`marks : (${traces.map((trace) => `"${MARK.trace}${hexOnly(trace)}"`).join(' OR ')})`)
          .map(({ no }) => no),
        parked: db.prepare<[], string>(`SELECT DISTINCT id FROM parked_trace WHERE digest IN (${among})`).pluck().all(),
      };
    },
    numbersOf: (ns) =>
      prepare<{ no: number }>('SELECT no FROM record WHERE ns = ?')
        .all(ns)
        .map(({ no }) => no),
    deletions: () =>
      prepare<{ namespace: string; day: string; reason: DeletionReason; count: number }>(DELETIONS).all(),
    counters: () =>
      Object.fromEntries(
        prepare<{ name: string; value: number }>('SELECT name, value FROM counter ORDER BY name')
          .all()
          .map(({ name, value }) => [name, value]),
      ),
    meta: (name) => prepare<{ value: string }>('SELECT value FROM meta WHERE name = ?').get(name)?.value,
  };
}

function parkedRow(row: ParkedSql | undefined): ParkedRun | undefined {
  return row && parkedOf(row);
}

function listCondition({ namespaces, status, kind }: ListFilter): { sql: string; values: number[] } {
  const conditions = ['1'];
  const values: number[] = [];
  if (namespaces) conditions.push(`r.ns IN (${namespaces.map(Number).join(', ')})`);
  if (status !== undefined) conditions.push(`r.status = ${MEMORY_STATUSES.indexOf(status)}`);
  if (kind !== undefined) conditions.push(`r.kind = ${MEMORY_KINDS.indexOf(kind)}`);
  return { sql: conditions.join(' AND '), values };
}

// Digests are ours; what is no hex never reaches the statement.
function hexOnly(digest: string): string {
  return /^[0-9a-f]*$/.test(digest) ? digest : '';
}
