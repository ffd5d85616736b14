// Writing records: a row, its body, links and index entry, and its namespace's counters, always together.
import type Database from 'better-sqlite3';
import { type DeletionReason, MEMORY_STATUSES } from '../../model/episode.ts';
import { formatInstant } from '../../model/time.ts';
import { indexTokens } from '../../text/index.ts';
import type { MemoryWriting, NewRecord, RecordChange } from '../memory.ts';
import { type Body, bodyAfter, bodyOf, codesOf, countsOf, LINK, marksOf, RANGE } from '../memory-rows.ts';
import { ftsToken } from './match.ts';
import { MANY, type Many, manyOf, manyRemoval } from './memory-many.ts';

export type RecordWriting = Pick<MemoryWriting, 'insert' | 'update'> & {
  /** However many; the namespaces' counters too. */
  readonly removeMany: (many: Many, reason: DeletionReason, now: number) => number;
  readonly remove: (numbers: readonly number[], reason: DeletionReason, now: number) => number;
  readonly namespaceNo: (name: string) => number;
  readonly countDeletions: (namespaceNo: number, reason: DeletionReason, count: number, now: number) => void;
};

const INSERT_RECORD = `
  INSERT INTO record (no, ns, id, kind, status, origin, outcome, at, created_at, updated_at, has_effective, expires_at,
                      confidence, length, identity)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const COUNT = `
  UPDATE namespace SET runs = runs + ?, authored = authored + ?, active = active + ?, characters = characters + ?,
                       candidates = candidates + ?, records = records + ?, facts = facts + ?,
                       insights = insights + ?, last_at = coalesce(?, last_at)
  WHERE no = ?`;
const COUNT_DELETIONS = `
  INSERT INTO deletion (ns, day, reason, count) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count`;

interface Row {
  no: number;
  ns: number;
  id: string;
  kind: number;
  status: number;
  origin: number;
  length: number;
}

export function recordWriting(db: Database.Database): RecordWriting {
  const namespaceByName = db.prepare<[string], number>('SELECT no FROM namespace WHERE name = ?').pluck();
  const insertNamespace = db.prepare('INSERT INTO namespace (name) VALUES (?)');
  const nextNo = db
    .prepare<[number], number>('UPDATE namespace SET next = next + 1 WHERE no = ? RETURNING next - 1')
    .pluck();
  const taken = db.prepare<[string], number>('SELECT 1 FROM record WHERE id = ?').pluck();
  const insertRecord = db.prepare(INSERT_RECORD);
  const insertBody = db.prepare('INSERT INTO body (no, json, text) VALUES (?, ?, ?)');
  const insertLink = db.prepare('INSERT OR IGNORE INTO link (target, sort, no) VALUES (?, ?, ?)');
  const insertFts = db.prepare('INSERT INTO fts (rowid, text, marks) VALUES (?, ?, ?)');
  const deleteFts = db.prepare('DELETE FROM fts WHERE rowid = ?');
  const count = db.prepare(COUNT);
  const countDeletion = db.prepare(COUNT_DELETIONS);
  const rowOf = db.prepare<[number], Row>('SELECT no, ns, id, kind, status, origin, length FROM record WHERE no = ?');
  const bodyRow = db.prepare<[number], { json: string; text: string }>('SELECT json, text FROM body WHERE no = ?');
  const setBody = db.prepare('UPDATE body SET json = ?, text = ? WHERE no = ?');
  const setRow = db.prepare<[{ readonly no: number } & Record<string, number | null>]>(
    `UPDATE record SET status = coalesce(@status, status), updated_at = coalesce(@updatedAt, updated_at),
       at = coalesce(@at, at), has_effective = CASE WHEN @at IS NULL THEN has_effective ELSE 1 END,
       expires_at = CASE WHEN @expires THEN @expiresAt ELSE expires_at END,
       confidence = coalesce(@confidence, confidence), length = coalesce(@length, length) WHERE no = @no`,
  );
  const deletions = [
    'DELETE FROM record WHERE no = ?',
    'DELETE FROM body WHERE no = ?',
    'DELETE FROM link WHERE no = ?',
  ].map((sql) => db.prepare(sql));
  const deleteCall = db.prepare('DELETE FROM call WHERE record = ?');
  const takeMany = manyRemoval(db, indexForm);

  const namespaceNo = (name: string): number =>
    namespaceByName.get(name) ?? Number(insertNamespace.run(name).lastInsertRowid);
  const add = (ns: number, counts: readonly number[], recordedAt: number | null = null): void => {
    if (counts.some((one) => one !== 0)) count.run(...counts, recordedAt, ns);
  };
  const insert = ({ record, text, identity, traces = [] }: NewRecord): boolean => {
    if (taken.get(record.id) !== undefined) return false;
    const ns = namespaceNo(record.namespace);
    const no = ns * RANGE + nextNo.get(ns)!;
    const codes = codesOf(record);
    const createdAt = Date.parse(record.createdAt);
    insertRecord.run(
      no,
      ns,
      record.id,
      codes.kind,
      codes.status,
      codes.origin,
      codes.outcome,
      record.effectiveAt === undefined ? createdAt : Date.parse(record.effectiveAt),
      createdAt,
      Date.parse(record.updatedAt),
      Number(record.effectiveAt !== undefined),
      record.expiresAt === undefined ? null : Date.parse(record.expiresAt),
      record.confidence,
      text.length,
      identity === undefined ? null : Buffer.from(identity, 'hex'),
    );
    const body = bodyOf(record, traces);
    insertBody.run(no, JSON.stringify(body), text);
    for (const id of record.supersedes ?? []) insertLink.run(id, LINK.supersedes, no);
    for (const id of record.derivedFrom ?? []) insertLink.run(id, LINK.derivedFrom, no);
    insertFts.run(BigInt(no), codes.status === 0 ? indexForm(text) : '', marksOf(body));
    add(ns, countsOf({ ...codes, length: text.length }), codes.origin === 0 ? createdAt : null);
    return true;
  };

  const update = (no: number, change: RecordChange): void => {
    const row = rowOf.get(no);
    if (!row) return;
    const old = bodyRow.get(no)!;
    const status = change.status === undefined ? row.status : MEMORY_STATUSES.indexOf(change.status);
    const text = change.text ?? old.text;
    setRow.run({
      no,
      status,
      updatedAt: change.updatedAt ?? null,
      at: change.effectiveAt ?? null,
      expires: Number(change.expiresAt !== undefined),
      expiresAt: change.expiresAt ?? null,
      confidence: change.confidence ?? null,
      length: text.length,
    });
    const next = bodyAfter(JSON.parse(old.json) as Body, change);
    const changed = change.tags !== undefined || change.supersedes !== undefined || text !== old.text;
    if (changed) setBody.run(JSON.stringify(next), text, no);
    for (const id of change.supersedes ?? []) insertLink.run(id, LINK.supersedes, no);
    if (changed || (row.status === 0) !== (status === 0)) {
      deleteFts.run(BigInt(no));
      insertFts.run(BigInt(no), status === 0 ? indexForm(text) : '', marksOf(next));
    }
    const before = countsOf(row);
    const after = countsOf({ ...row, status, length: text.length });
    add(
      row.ns,
      after.map((one, index) => one - before[index]!),
    );
  };

  const countDeletions = (ns: number, reason: DeletionReason, n: number, now: number): void => {
    if (n > 0) countDeletion.run(ns, formatInstant(now).slice(0, 10), reason, n);
  };

  const remove = (numbers: readonly number[], reason: DeletionReason, now: number): number => {
    if (numbers.length >= MANY) return removeMany(manyOf(numbers), reason, now);
    const gone = new Map<number, number[]>();
    let removed = 0;
    for (const no of numbers) {
      const row = rowOf.get(no);
      if (!row) continue;
      removed++;
      deleteFts.run(BigInt(no));
      for (const statement of deletions) statement.run(no);
      deleteCall.run(row.id);
      const sums = gone.get(row.ns) ?? [0, 0, 0, 0, 0, 0, 0, 0];
      gone.set(
        row.ns,
        countsOf(row).map((one, index) => sums[index]! - one),
      );
    }
    for (const [ns, sums] of gone) {
      add(ns, sums);
      countDeletions(ns, reason, -sums[5]!, now);
    }
    return removed;
  };

  const removeMany = (many: Many, reason: DeletionReason, now: number): number => {
    let removed = 0;
    for (const { ns, counts } of takeMany(many)) {
      add(
        ns,
        counts.map((one) => -one),
      );
      countDeletions(ns, reason, counts[5]!, now);
      removed += counts[5]!;
    }
    return removed;
  };

  return { namespaceNo, insert, update, remove, removeMany, countDeletions };
}

/** The token stream as FTS5 reads it: tokens joined by spaces (TXT-20). A record is one index document. */
function indexForm(text: string): string {
  let form = '';
  for (const token of indexTokens(text)) form += form === '' ? ftsToken(token) : ` ${ftsToken(token)}`;
  return form;
}
