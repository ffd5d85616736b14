// Deleting many records at once: by sets, or, where little of the file stays, by emptying its tables and writing that again.
import type Database from 'better-sqlite3';
import { type Body, marksOf, rangeOf } from './memory-rows.ts';

/** Fewer than so many are deleted one by one. */
export const MANY = 64;
/**
 * Where so many times as many go as stay, emptying the tables and writing what stays again is the less work: taking a row
 * out of its tables, indexes and the words costs 13 µs, emptying them 4 µs a row, and writing one again 60 µs.
 */
const STAYS_IN = 8;
const FEWEST_TO_EMPTY = 1_000;

/** Which records: these, or all of a namespace. */
export type Many = { readonly numbers: readonly number[] } | { readonly namespaceNo: number };

export interface ManyGone {
  readonly ns: number;
  /** What they were in the counters of their namespace, in the order of `countsOf`. */
  readonly counts: readonly number[];
}

// As `countsOf` counts one row.
const COUNTS = `
  ns, total(kind = 0 AND origin = 0), total(kind = 0 AND status = 0 AND origin IN (1, 2, 3)), total(status = 0),
  total(CASE status WHEN 0 THEN length ELSE 0 END), total(status = 1), count(*)`;
const RECORDS = 'SELECT total(records) FROM namespace';

/** Rows, bodies, links, call keys and index entries go; counters are the caller's. */
export function manyRemoval(
  db: Database.Database,
  indexForm: (text: string) => string,
): (many: Many) => readonly ManyGone[] {
  const records = db.prepare<[], number>(RECORDS).pluck();
  const anyCall = db.prepare('SELECT 1 FROM call LIMIT 1');
  const anyLink = db.prepare('SELECT 1 FROM link LIMIT 1');

  const inSets = (among: string, values: readonly unknown[]): void => {
    if (anyLink.get() !== undefined) db.prepare(`DELETE FROM link WHERE no ${among}`).run(...values);
    db.prepare(`DELETE FROM fts WHERE rowid ${among}`).run(...values);
    db.prepare(`DELETE FROM body WHERE no ${among}`).run(...values);
    db.prepare(`DELETE FROM record WHERE no ${among}`).run(...values);
  };

  const byWhatStays = (among: string, values: readonly unknown[]): void => {
    const tables = anyLink.get() === undefined ? ['record', 'body'] : ['record', 'body', 'link'];
    for (const table of tables) {
      db.prepare(`CREATE TEMP TABLE stays_${table} AS SELECT * FROM main.${table} WHERE no NOT ${among}`).run(
        ...values,
      );
      // Without a condition SQLite frees the pages and looks at no row.
      db.exec(`DELETE FROM main.${table}`);
      db.exec(`INSERT INTO main.${table} SELECT * FROM stays_${table}; DROP TABLE stays_${table}`);
    }
    db.exec("INSERT INTO fts (fts) VALUES ('delete-all')");
    const insertFts = db.prepare('INSERT INTO fts (rowid, text, marks) VALUES (?, ?, ?)');
    const rows = db.prepare<[], readonly [no: number, status: number, json: string, text: string]>(
      'SELECT r.no, r.status, b.json, b.text FROM record r JOIN body b ON b.no = r.no ORDER BY r.no',
    );
    for (const [no, status, json, text] of rows.raw().all()) {
      insertFts.run(BigInt(no), status === 0 ? indexForm(text) : '', marksOf(JSON.parse(json) as Body));
    }
  };

  return (many) => {
    const isList = 'numbers' in many;
    const among = isList ? 'IN (SELECT value FROM json_each(?))' : 'BETWEEN ? AND ?';
    const values = isList ? [JSON.stringify(many.numbers)] : rangeOf(many.namespaceNo);
    const sums = db.prepare(`SELECT ${COUNTS} FROM record WHERE no ${among} GROUP BY ns`).raw();
    const gone = (sums.all(...values) as [number, ...number[]][]).map(([ns, ...counts]) => ({ ns, counts }));
    const removed = gone.reduce((sum, { counts }) => sum + counts[5]!, 0);
    if (removed === 0) return [];
    if (anyCall.get() !== undefined) {
      db.prepare(`DELETE FROM call WHERE record IN (SELECT id FROM record WHERE no ${among})`).run(...values);
    }
    const stay = records.get()! - removed;
    if (removed >= FEWEST_TO_EMPTY && stay * STAYS_IN <= removed) byWhatStays(among, values);
    else inSets(among, values);
    return gone;
  };
}
