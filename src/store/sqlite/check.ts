// Looks at a store's health: the file, the index, and whether both say the same (SUR-70). Mends the index only.
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { StoreCheck } from '../check.ts';
import { unjudged } from './scope-condition.ts';

const MAX_LINES = 20;
const INDEXES = ['fts', 'extra_fts'];
// A copy's text stands in the index row of its original.
const MISSING = `
  SELECT count(*) AS n FROM entry e WHERE e.flags & 32
    AND NOT EXISTS (SELECT 1 FROM doc d WHERE d.entry = coalesce(e.copy_of, e.id))`;
const ORPHANS = `
  SELECT (SELECT count(*) FROM doc d WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = d.entry))
    + abs((SELECT count(*) FROM doc) - (SELECT count(*) FROM fts_docsize))
    + abs((SELECT count(*) FROM extra) - (SELECT count(*) FROM extra_fts_docsize)) AS n`;
const COUNTERS = `
  SELECT count(*) AS n FROM session s
  WHERE s.texts <> (SELECT count(*) FROM entry e WHERE e.session = s.no AND e.flags & 32)`;

/** `db`: the connection that writes, since the index checks itself by a statement of writing. */
export function checkStore(db: Database.Database, path: string): StoreCheck {
  const lines = db.pragma(`quick_check(${MAX_LINES})`) as { readonly quick_check: string }[];
  const said = lines.map((line) => line.quick_check).filter((line) => line !== 'ok');
  // It asks virtual tables too: what the index says of itself is no damage of rows.
  const damage = said.filter((line) => !/fts5/i.test(line));
  const count = (sql: string): number => {
    try {
      return (db.prepare(sql).get() as { n: number }).n;
    } catch {
      // Rows that cannot be read: the damage is named already.
      return 0;
    }
  };
  return {
    damage,
    index: indexFaults(db),
    missing: count(MISSING),
    orphans: count(ORPHANS),
    counters: count(COUNTERS),
    unjudged: count(`SELECT count(*) AS n FROM session s WHERE ${unjudged('s')}`),
    shared: count('SELECT count(*) AS n FROM session WHERE json_valid(people) AND json_array_length(people) > 1'),
    dirty: count('SELECT count(*) AS n FROM session WHERE dirty_from IS NOT NULL'),
    bytes: sizeOf(path) + sizeOf(`${path}-wal`),
  };
}

function indexFaults(db: Database.Database): string[] {
  return INDEXES.flatMap((name) => {
    try {
      db.exec(`INSERT INTO ${name} (${name}, rank) VALUES ('integrity-check', 0)`);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : 'unknown'];
    }
  });
}

/** Takes the whole index away; what made it is there still, and whoever opens the store makes it anew (SES-150). */
export function dropIndex(db: Database.Database): void {
  db.transaction(() => {
    for (const name of INDEXES) {
      try {
        db.exec(`INSERT INTO ${name} (${name}) VALUES ('delete-all')`);
      } catch {
        // Damaged beyond that: its tables are made anew.
        const { sql } = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name) as { sql: string };
        db.exec(`DROP TABLE ${name}; ${sql}`);
      }
    }
    db.exec(`
      DELETE FROM doc;
      DELETE FROM extra;
      UPDATE meta SET value = json_object('of', '', 'through', 0) WHERE name = 'extra';
      UPDATE entry SET flags = flags & ~32 WHERE flags & 32;
      UPDATE session SET texts = 0, characters = 0;
      DELETE FROM meta WHERE name = 'index-rebuilt-through';
      INSERT OR REPLACE INTO meta (name, value) VALUES ('index', 'dropped');`);
  }).immediate();
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
