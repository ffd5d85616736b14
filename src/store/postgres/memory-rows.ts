// Columns of the tables of memory, as rows are read. What they stand for is the same on every engine: store/memory-rows.ts.
import type { StoredRecord } from '../memory.ts';
import { RANGE, type RecordSql, storedOf } from '../memory-rows.ts';
import { unbound } from './connection.ts';

export const RECORD_COLUMNS = `r.no, r.ns, n.name AS namespace, r.id, r.kind, r.status, r.at, r.created_at, r.updated_at,
  r.has_effective, r.expires_at, r.confidence, coalesce(encode(r.identity, 'hex'), '') AS identity, r.body::text AS json`;
export const RECORD_TABLES = 'record r JOIN namespace n ON n.agent = r.agent AND n.no = r.ns';

export const NAMESPACE_COLUMNS: string = `no, name, runs, authored, active, characters, candidates, records, facts, insights, parked,
  reflected, last_at AS "lastAt", no * ${RANGE} + next - 1 AS written`;

export function recordOf(row: RecordSql): StoredRecord {
  return storedOf({ ...row, id: unbound(row.id) });
}
