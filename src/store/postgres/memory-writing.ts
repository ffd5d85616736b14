// Writing records: a row with its tokens, links, and its namespace's counters, always together.
import { type DeletionReason, MEMORY_STATUSES } from '../../model/episode.ts';
import { formatInstant } from '../../model/time.ts';
import type { MemoryWriting, NewRecord, RecordChange } from '../memory.ts';
import { type Body, bodyAfter, bodyOf, codesOf, countsOf, LINK, marksOf, RANGE } from '../memory-rows.ts';
import type { Sql } from './connection.ts';
import { placeOf, vectorOf } from './match.ts';
import { bytes } from './memory-reading.ts';

/** Which records: a query for their numbers as column `no`, whose first value is the agent. */
export interface Which {
  readonly text: string;
  readonly values: readonly unknown[];
}

export type RecordWriting = Pick<MemoryWriting, 'insert' | 'update' | 'remove'> & {
  /** However many; the namespaces' counters too. */
  readonly removeWhich: (which: Which, reason: DeletionReason, now: number) => Promise<number>;
  readonly namespaceNo: (name: string) => Promise<number>;
  readonly countDeletions: (ns: number, reason: DeletionReason, count: number, now: number) => Promise<void>;
};

const FIND = `
  SELECT (SELECT no FROM namespace WHERE agent = $1 AND name = $2) AS ns,
         EXISTS (SELECT 1 FROM record WHERE agent = $1 AND id = $3) AS taken`;
const NEW_NAMESPACE = `
  WITH a AS (UPDATE agent SET namespaces = namespaces + 1 WHERE id = $1 RETURNING namespaces)
  INSERT INTO namespace (agent, no, name) SELECT $1, a.namespaces, $2 FROM a RETURNING no`;
// Number, counters and row in one statement: each is a way to the server and back.
const INSERT = `
  WITH n AS (
    UPDATE namespace SET next = next + 1, runs = runs + $3, authored = authored + $4, active = active + $5,
      characters = characters + $6, candidates = candidates + $7, records = records + $8,
      facts = facts + $9, insights = insights + $10,
      last_at = coalesce($11::bigint, last_at)
    WHERE agent = $1 AND no = $2 RETURNING next - 1 AS n)
  INSERT INTO record (agent, no, ns, id, kind, status, origin, outcome, at, created_at, updated_at, has_effective,
                      expires_at, confidence, length, identity, body, searched, exact, words)
  SELECT $1, $2::bigint * ${RANGE} + n.n, $2::bigint, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
         $25, $26, $27, $28::tsvector FROM n
  RETURNING no`;
const COUNT = `
  UPDATE namespace SET runs = runs + $3, authored = authored + $4, active = active + $5, characters = characters + $6,
                       candidates = candidates + $7, records = records + $8, facts = facts + $9,
                       insights = insights + $10
  WHERE agent = $1 AND no = $2`;
const LINKS = `
  INSERT INTO link (agent, target, sort, no) SELECT $1, target, $2::smallint, $3::bigint FROM unnest($4::text[]) target
  ON CONFLICT DO NOTHING`;
const COUNT_DELETIONS = `
  INSERT INTO deletion (agent, ns, day, reason, count) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (agent, ns, day, reason) DO UPDATE SET count = deletion.count + excluded.count`;
const UPDATE = `
  UPDATE record SET status = $3, updated_at = coalesce($4::bigint, updated_at), at = coalesce($5::bigint, at),
    has_effective = has_effective OR $5::bigint IS NOT NULL,
    expires_at = CASE WHEN $6::boolean THEN $7::bigint ELSE expires_at END,
    confidence = coalesce($8::double precision, confidence), length = $9
  WHERE agent = $1 AND no = $2`;
const REWRITE =
  'UPDATE record SET body = $3, searched = $4, exact = $5, words = $6::tsvector WHERE agent = $1 AND no = $2';
const ROW = `
  SELECT no, ns, id, kind, status, origin, length, body::text AS json, searched AS text FROM record
  WHERE agent = $1 AND no = $2`;
const COUNTS = `
  count(*) FILTER (WHERE kind = 0 AND origin = 0) AS runs,
  count(*) FILTER (WHERE kind = 0 AND status = 0 AND origin IN (1, 2, 3)) AS authored,
  count(*) FILTER (WHERE status = 0) AS active,
  coalesce(sum(length) FILTER (WHERE status = 0), 0)::bigint AS characters,
  count(*) FILTER (WHERE status = 1) AS candidates, count(*) AS records,
  count(*) FILTER (WHERE kind = 1) AS facts, count(*) FILTER (WHERE kind = 2) AS insights`;

interface Row {
  readonly no: number;
  readonly ns: number;
  readonly kind: number;
  readonly status: number;
  readonly origin: number;
  readonly length: number;
  readonly json: string;
  readonly text: string;
}

/** Of one agent. */
export function recordWriting(sql: Sql, agent: string): RecordWriting {
  const link = async (sort: number, no: number, targets: readonly string[] = []): Promise<void> => {
    if (targets.length > 0) await sql.run(LINKS, [agent, sort, no, targets]);
  };
  const newNamespace = async (name: string): Promise<number> =>
    (await sql.row<{ no: number }>(NEW_NAMESPACE, [agent, name]))!.no;

  const insert = async ({ record, text, identity, traces = [] }: NewRecord): Promise<boolean> => {
    const found = await sql.row<{ ns: number | null; taken: boolean }>(FIND, [agent, record.namespace, record.id]);
    if (found!.taken) return false;
    const ns = found!.ns ?? (await newNamespace(record.namespace));
    const codes = codesOf(record);
    const createdAt = Date.parse(record.createdAt);
    const body = bodyOf(record, traces);
    const { words, exact } = vectorOf(placeOf(agent, ns), codes.status === 0 ? text : undefined, marksIn(body));
    const row = await sql.row<{ no: number }>(INSERT, [
      agent,
      ns,
      ...countsOf({ ...codes, length: text.length }),
      codes.origin === 0 ? createdAt : null,
      record.id,
      codes.kind,
      codes.status,
      codes.origin,
      codes.outcome,
      record.effectiveAt === undefined ? createdAt : Date.parse(record.effectiveAt),
      createdAt,
      Date.parse(record.updatedAt),
      record.effectiveAt !== undefined,
      record.expiresAt === undefined ? null : Date.parse(record.expiresAt),
      record.confidence,
      text.length,
      identity === undefined ? null : bytes(identity),
      JSON.stringify(body),
      text,
      exact,
      words,
    ]);
    await link(LINK.supersedes, row!.no, record.supersedes);
    await link(LINK.derivedFrom, row!.no, record.derivedFrom);
    return true;
  };

  const update = async (no: number, change: RecordChange): Promise<void> => {
    const row = await sql.row<Row>(ROW, [agent, no]);
    if (row === undefined) return;
    const status = change.status === undefined ? row.status : MEMORY_STATUSES.indexOf(change.status);
    const text = change.text ?? row.text;
    await sql.run(UPDATE, [
      agent,
      no,
      status,
      change.updatedAt ?? null,
      change.effectiveAt ?? null,
      change.expiresAt !== undefined,
      change.expiresAt ?? null,
      change.confidence ?? null,
      text.length,
    ]);
    const next = bodyAfter(JSON.parse(row.json) as Body, change);
    const changed = change.tags !== undefined || change.supersedes !== undefined || text !== row.text;
    await link(LINK.supersedes, no, change.supersedes);
    if (changed || (row.status === 0) !== (status === 0)) {
      const { words, exact } = vectorOf(placeOf(agent, row.ns), status === 0 ? text : undefined, marksIn(next));
      await sql.run(REWRITE, [agent, no, JSON.stringify(next), text, exact, words]);
    }
    const before = countsOf(row);
    const after = countsOf({ ...row, status, length: text.length });
    await add(
      row.ns,
      after.map((one, index) => one - before[index]!),
    );
  };

  const add = async (ns: number, counts: readonly number[]): Promise<void> => {
    if (counts.some((one) => one !== 0)) await sql.run(COUNT, [agent, ns, ...counts]);
  };
  const countDeletions = async (ns: number, reason: DeletionReason, n: number, now: number): Promise<void> => {
    if (n > 0) await sql.run(COUNT_DELETIONS, [agent, ns, formatInstant(now).slice(0, 10), reason, n]);
  };

  const removeWhich = async ({ text, values }: Which, reason: DeletionReason, now: number): Promise<number> => {
    const [day, why] = [`$${values.length + 1}::text`, `$${values.length + 2}::text`];
    // As a list, each looked up by its key: joined, a small part of the table is found by reading all of it (EPI-178).
    const gone = await sql.row<{ removed: number }>(
      `WITH gone AS (
         DELETE FROM record WHERE agent = $1 AND no = ANY(ARRAY(${text})) RETURNING no, ns, id, kind, status, origin, length),
       calls AS (DELETE FROM call WHERE agent = $1 AND record IN (SELECT id FROM gone)),
       links AS (DELETE FROM link WHERE agent = $1 AND no IN (SELECT no FROM gone)),
       sums AS (SELECT ns, ${COUNTS} FROM gone GROUP BY ns),
       counted AS (
         UPDATE namespace n SET runs = n.runs - s.runs, authored = n.authored - s.authored, active = n.active - s.active,
           characters = n.characters - s.characters, candidates = n.candidates - s.candidates, records = n.records - s.records,
           facts = n.facts - s.facts, insights = n.insights - s.insights
         FROM sums s WHERE n.agent = $1 AND n.no = s.ns),
       noted AS (
         INSERT INTO deletion (agent, ns, day, reason, count) SELECT $1, ns, ${day}, ${why}, records FROM sums
         ON CONFLICT (agent, ns, day, reason) DO UPDATE SET count = deletion.count + excluded.count)
       SELECT coalesce(sum(records), 0)::bigint AS removed FROM sums`,
      [...values, formatInstant(now).slice(0, 10), reason],
    );
    return gone!.removed;
  };

  return {
    insert,
    update,
    removeWhich,
    countDeletions,
    remove: async (numbers, reason, now) =>
      numbers.length === 0
        ? 0
        : removeWhich({ text: 'SELECT unnest($2::bigint[])', values: [agent, numbers] }, reason, now),
    async namespaceNo(name) {
      const found = await sql.row<{ no: number }>('SELECT no FROM namespace WHERE agent = $1 AND name = $2', [
        agent,
        name,
      ]);
      return found?.no ?? newNamespace(name);
    },
  };
}

function marksIn(body: Body): readonly string[] {
  const marks = marksOf(body);
  return marks === '' ? [] : marks.split(' ');
}
