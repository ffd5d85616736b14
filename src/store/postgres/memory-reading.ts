// Reading what is known by name: namespaces, records by id or number, parked runs, counters, lists for review.
import { type DeletionReason, MEMORY_KINDS, MEMORY_STATUSES } from '../../model/episode.ts';
import type { ListFilter, MemoryReading, NamespaceInfo, StoredRecord } from '../memory.ts';
import { LINK, MARK, type ParkedSql, parkedOf, RANGE, type RecordSql } from '../memory-rows.ts';
import { type Sql, unbound } from './connection.ts';
import { marksWanted } from './match.ts';
import { NAMESPACE_COLUMNS, RECORD_COLUMNS, RECORD_TABLES, recordOf } from './memory-rows.ts';

export type NamedReading = Pick<
  MemoryReading,
  | 'namespace'
  | 'namespaces'
  | 'get'
  | 'records'
  | 'linkedFrom'
  | 'fact'
  | 'list'
  | 'writtenAfter'
  | 'consolidable'
  | 'parked'
  | 'parkedRuns'
  | 'call'
  | 'barrier'
  | 'traced'
  | 'numbersOf'
  | 'deletions'
  | 'counters'
  | 'meta'
>;

const LIVE = 'r.status = 0 AND (r.expires_at IS NULL OR r.expires_at > $3)';
const PARKED = `
  SELECT p.id, n.name AS namespace, p.started_at, p.parked_at, p.expires_at, p.run, p.thread, p.state
  FROM parked p JOIN namespace n ON n.agent = p.agent AND n.no = p.ns WHERE p.agent = $1`;
const DELETIONS = `
  SELECT coalesce(n.name, '') COLLATE "C" AS namespace, d.day, d.reason, d.count FROM deletion d
  LEFT JOIN namespace n ON n.agent = d.agent AND n.no = d.ns WHERE d.agent = $1 ORDER BY 1, d.day, d.reason`;

/** Of one agent. */
export function namedReading(sql: Sql, agent: string): NamedReading {
  const select = async (rest: string, ...values: readonly unknown[]): Promise<StoredRecord[]> => {
    const text = `SELECT ${RECORD_COLUMNS} FROM ${RECORD_TABLES} WHERE r.agent = $1 AND ${rest}`;
    return (await sql.rows<RecordSql>(text, [agent, ...values])).map(recordOf);
  };
  const parkedRows = async (rest: string, values: readonly unknown[]): Promise<ReturnType<typeof parkedOf>[]> => {
    const rows = await sql.rows<ParkedSql>(`${PARKED} ${rest}`, [agent, ...values]);
    return rows.map((row) =>
      parkedOf({
        ...row,
        id: unbound(row.id),
        run: row.run === null ? null : unbound(row.run),
        thread: row.thread === null ? null : unbound(row.thread),
        state: unbound(row.state),
      }),
    );
  };

  return {
    namespace: (name) =>
      sql.row<NamespaceInfo>(`SELECT ${NAMESPACE_COLUMNS} FROM namespace WHERE agent = $1 AND name = $2`, [
        agent,
        name,
      ]),
    namespaces: () =>
      sql.rows<NamespaceInfo>(`SELECT ${NAMESPACE_COLUMNS} FROM namespace WHERE agent = $1 ORDER BY name`, [agent]),
    get: async (id) => (await select('r.id = $2', id))[0],
    async records(numbers) {
      if (numbers.length === 0) return [];
      const found = await select('r.no = ANY($2::bigint[])', numbers);
      const byNumber = new Map(found.map((one) => [one.no, one]));
      return numbers.flatMap((no) => byNumber.get(no) ?? []);
    },
    linkedFrom: (id, by) =>
      select(
        'r.no IN (SELECT no FROM link WHERE agent = $1 AND target = $2 AND sort = $3) ORDER BY r.no',
        id,
        LINK[by],
      ),
    fact: async (ns, identity) =>
      (await select('r.ns = $2 AND r.identity = $3 AND r.kind = 1 AND r.status = 0', ns, bytes(identity)))[0],

    async list(filter, limit, after) {
      const bound = after === undefined ? [] : [after.createdAt, after.id];
      const next = after === undefined ? '' : 'AND (r.created_at < $2 OR (r.created_at = $2 AND r.id > $3))';
      const text = `SELECT ${RECORD_COLUMNS}, r.searched AS text FROM ${RECORD_TABLES}
        WHERE r.agent = $1 AND ${listCondition(filter)} ${next}
        ORDER BY r.created_at DESC, r.id LIMIT $${bound.length + 2}`;
      const rows = await sql.rows<RecordSql & { text: string }>(text, [agent, ...bound, limit]);
      return rows.map((row) => ({ ...recordOf(row), text: row.text }));
    },
    writtenAfter(ns, after, { now, kinds }, limit) {
      const among = kinds.map((kind) => MEMORY_KINDS.indexOf(kind));
      return select(
        `r.no < $2 AND r.no > $4 AND ${LIVE} AND r.kind = ANY($5::smallint[]) ORDER BY r.no LIMIT $6`,
        (ns + 1) * RANGE,
        now,
        Math.max(after, ns * RANGE - 1),
        among,
        limit,
      );
    },
    consolidable(ns, { now, until }, limit, after) {
      const next = after === undefined ? '' : 'AND r.at >= $6 AND (r.at > $6 OR r.id > $7)';
      const bound = after === undefined ? [] : [after.at, after.id];
      const of = `r.ns = $2 AND ${LIVE} AND r.at < $4 AND r.kind = 0 AND r.origin <> 4 ${next}`;
      return select(`${of} ORDER BY r.at, r.id LIMIT $5`, ns, now, until, limit, ...bound);
    },

    parked: async (id) => (await parkedRows('AND p.id = $2', [id]))[0],
    parkedRuns({ namespaces, runId, threadId }) {
      const values: unknown[] = [];
      let rest = '';
      if (namespaces) rest += ` AND p.ns = ANY($${values.push(namespaces) + 1}::bigint[])`;
      if (runId !== undefined) rest += ` AND p.run = $${values.push(runId) + 1}`;
      if (threadId !== undefined) rest += ` AND p.thread = $${values.push(threadId) + 1}`;
      return parkedRows(`${rest} ORDER BY p.parked_at DESC, p.id`, values);
    },

    async call(ns, id) {
      const text = 'SELECT reply FROM call WHERE agent = $1 AND ns = $2 AND id = $3';
      const reply = (await sql.row<{ reply: string }>(text, [agent, ns, id]))?.reply;
      return reply === undefined ? undefined : unbound(reply);
    },
    async barrier(digestsOf) {
      // The digests are not made while there is no barrier.
      const any = await sql.row('SELECT 1 FROM barrier WHERE agent = $1 LIMIT 1', [agent]);
      if (any === undefined) return undefined;
      const digests = typeof digestsOf === 'function' ? digestsOf() : digestsOf;
      const text = 'SELECT max(at) AS at FROM barrier WHERE agent = $1 AND digest = ANY($2::bytea[])';
      return (await sql.row<{ at: number | null }>(text, [agent, digests.map(bytes)]))?.at ?? undefined;
    },
    async traced(traces) {
      if (traces.length === 0) return { records: [], parked: [] };
      const marks = marksWanted([traces.map((trace) => MARK.trace + trace)]);
      const found = 'SELECT no FROM record WHERE agent = $1 AND words @@ $2::tsquery ORDER BY no';
      const waiting = 'SELECT DISTINCT id FROM parked_trace WHERE agent = $1 AND digest = ANY($2::bytea[]) ORDER BY id';
      return {
        records: (await sql.rows<{ no: number }>(found, [agent, marks])).map(({ no }) => no),
        parked: (await sql.rows<{ id: string }>(waiting, [agent, traces.map(bytes)])).map(({ id }) => unbound(id)),
      };
    },
    numbersOf: async (ns) =>
      (await sql.rows<{ no: number }>('SELECT no FROM record WHERE agent = $1 AND ns = $2', [agent, ns])).map(
        ({ no }) => no,
      ),
    deletions: () =>
      sql.rows<{ namespace: string; day: string; reason: DeletionReason; count: number }>(DELETIONS, [agent]),
    async counters() {
      const text = 'SELECT name, value FROM counter WHERE agent = $1 ORDER BY name';
      const rows = await sql.rows<{ name: string; value: number }>(text, [agent]);
      return Object.fromEntries(rows.map(({ name, value }) => [unbound(name), value]));
    },
    async meta(name) {
      const text = 'SELECT value FROM meta WHERE agent = $1 AND name = $2';
      const value = (await sql.row<{ value: string }>(text, [agent, name]))?.value;
      return value === undefined ? undefined : unbound(value);
    },
  };
}

/** A digest as bytes; what is no hex is none. */
export function bytes(digest: string): Buffer {
  return Buffer.from(/^[0-9a-f]*$/.test(digest) ? digest : '', 'hex');
}

function listCondition({ namespaces, status, kind }: ListFilter): string {
  const conditions = ['true'];
  if (namespaces) conditions.push(`r.ns = ANY('{${namespaces.map(Number).join(',')}}'::bigint[])`);
  if (status !== undefined) conditions.push(`r.status = ${MEMORY_STATUSES.indexOf(status)}`);
  if (kind !== undefined) conditions.push(`r.kind = ${MEMORY_KINDS.indexOf(kind)}`);
  return conditions.join(' AND ');
}
