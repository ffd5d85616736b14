// Deleting many records at once: by sets, or, where little of the file stays, by emptying its tables and writing that again.
import type Database from 'better-sqlite3';
import { type Body, marksOf } from '../memory-rows.ts';

/** Fewer than so many are deleted one by one. */
export const MANY = 64;
/**
 * Where so many times as many go as stay, emptying the tables and writing what stays again is the less work: taking a row
 * out of its tables, indexes and the words costs 13 µs, emptying them 4 µs a row, and writing one again 60 µs.
 */
const STAYS_IN = 8;
const FEWEST_TO_EMPTY = 1_000;

/** Which records: a query for their numbers, which need not reach JavaScript. */
export interface Many {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export interface ManyGone {
  readonly ns: number;
  /** What they were in the counters of their namespace, in the order of `countsOf`. */
  readonly counts: readonly number[];
}

// As `countsOf` counts one row, and as their namespace has them.
const COUNTS = `
  total(kind = 0 AND origin = 0), total(kind = 0 AND status = 0 AND origin IN (1, 2, 3)), total(status = 0),
  total(CASE status WHEN 0 THEN length ELSE 0 END), total(status = 1), count(*),
  total(kind = 1), total(kind = 2)`;
const KEPT_COUNTS = 'no, runs, authored, active, characters, candidates, records, facts, insights';
const GONE = 'SELECT no FROM temp.gone';

type CountsRow = readonly [ns: number, ...counts: number[]];

/** These numbers, as `Many`. */
export function manyOf(numbers: readonly number[]): Many {
  return { sql: 'SELECT value FROM json_each(?)', values: [JSON.stringify(numbers)] };
}

/** Rows, bodies, links, call keys and index entries go; counters are the caller's. */
export function manyRemoval(
  db: Database.Database,
  indexForm: (text: string) => string,
): (many: Many) => readonly ManyGone[] {
  const records = db.prepare<[], number>('SELECT total(records) FROM namespace').pluck();
  const anyCall = db.prepare('SELECT 1 FROM call LIMIT 1');
  const anyLink = db.prepare('SELECT 1 FROM link LIMIT 1');

  const inSets = (): readonly CountsRow[] => {
    const sums = db.prepare<[], CountsRow>(`SELECT ns, ${COUNTS} FROM record WHERE no IN (${GONE}) GROUP BY ns`);
    const rows = sums.raw().all();
    if (anyLink.get() !== undefined) db.exec(`DELETE FROM link WHERE no IN (${GONE})`);
    db.exec(`DELETE FROM fts WHERE rowid IN (${GONE})`);
    db.exec(`DELETE FROM body WHERE no IN (${GONE}); DELETE FROM record WHERE no IN (${GONE})`);
    return rows;
  };

  const byWhatStays = (): readonly CountsRow[] => {
    for (const table of anyLink.get() === undefined ? ['record', 'body'] : ['record', 'body', 'link']) {
      const stays = table === 'body' ? 'IN (SELECT no FROM main.record)' : `NOT IN (${GONE})`;
      // Without a condition SQLite frees the pages and looks at no row.
      db.exec(`
        CREATE TEMP TABLE stays AS SELECT * FROM main.${table} WHERE no ${stays};
        DELETE FROM main.${table};
        INSERT INTO main.${table} SELECT * FROM temp.stays;
        DROP TABLE temp.stays`);
    }
    db.exec("INSERT INTO fts (fts) VALUES ('delete-all')");
    const insertFts = db.prepare('INSERT INTO fts (rowid, text, marks) VALUES (?, ?, ?)');
    const rows = db.prepare<[], readonly [no: number, status: number, json: string, text: string]>(
      'SELECT r.no, r.status, b.json, b.text FROM record r JOIN body b ON b.no = r.no ORDER BY r.no',
    );
    for (const [no, status, json, text] of rows.raw().all()) {
      insertFts.run(BigInt(no), status === 0 ? indexForm(text) : '', marksOf(JSON.parse(json) as Body));
    }
    // What goes is what the namespaces had without what stays: counting the few costs nothing.
    const before = db.prepare<[], CountsRow>(`SELECT ${KEPT_COUNTS} FROM namespace`).raw().all();
    const sums = db.prepare<[], CountsRow>(`SELECT ns, ${COUNTS} FROM record GROUP BY ns`).raw().all();
    const stay = new Map(sums.map(([ns, ...counts]) => [ns, counts]));
    return before.map(([ns, ...counts]) => [ns, ...counts.map((one, at) => one - (stay.get(ns)?.[at] ?? 0))] as const);
  };

  return ({ sql, values }) => {
    db.exec('CREATE TEMP TABLE IF NOT EXISTS gone (no INTEGER PRIMARY KEY); DELETE FROM temp.gone');
    const removed = db.prepare(`INSERT OR IGNORE INTO temp.gone ${sql}`).run(...values).changes;
    if (removed === 0) return [];
    if (anyCall.get() !== undefined) {
      db.exec(`DELETE FROM call WHERE record IN (SELECT id FROM record WHERE no IN (${GONE}))`);
    }
    const stay = records.get()! - removed;
    const isMost = removed >= FEWEST_TO_EMPTY && stay * STAYS_IN <= removed;
    const gone = isMost ? byWhatStays() : inSets();
    db.exec('DELETE FROM temp.gone');
    return gone.map(([ns, ...counts]) => ({ ns, counts })).filter(({ counts }) => counts[5]! > 0);
  };
}
