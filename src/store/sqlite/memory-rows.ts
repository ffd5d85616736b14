// Columns of a memory file, as its rows are read. What they stand for is the same on every engine: store/memory-rows.ts.
import { RANGE } from '../memory-rows.ts';

/** First and last number of a namespace. BigInt: FTS5 ignores a bound that arrives as REAL (search-engine.md, trap 1). */
export function rangeOf(namespaceNo: number): readonly [bigint, bigint] {
  const first = BigInt(namespaceNo) * BigInt(RANGE);
  return [first, first + BigInt(RANGE) - 1n];
}

export const RECORD_COLUMNS = `r.no, r.ns, n.name AS namespace, r.id, r.kind, r.status, r.at, r.created_at, r.updated_at,
  r.has_effective, r.expires_at, r.confidence, lower(hex(r.identity)) AS identity, b.json`;
export const RECORD_TABLES = 'record r JOIN body b ON b.no = r.no JOIN namespace n ON n.no = r.ns';

export const NAMESPACE_COLUMNS: string = `no, name, runs, authored, active, characters, candidates, records, facts, insights, parked, reflected, last_at AS lastAt,
  no * ${RANGE} + next - 1 AS written`;
