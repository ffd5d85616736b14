// What an erasure asks of a memory file: what hangs on records, how much they are, and what of them is left afterwards.
import type Database from 'better-sqlite3';
import { parseQuery } from '../../text/index.ts';
import type { ErasureReading } from '../memory-erasure.ts';
import { LINK } from '../memory-rows.ts';
import { queryMatch } from './match.ts';

const AMONG = 'SELECT value FROM json_each(?)';
const DERIVED = `
  SELECT DISTINCT l.no FROM record r CROSS JOIN link l ON l.target = r.id AND l.sort = ${LINK.derivedFrom}
  WHERE r.no IN (${AMONG})`;
const SIZES = `
  SELECT count(*) AS records, total(r.status = 1) AS candidates,
         total(length(CAST(b.json AS BLOB)) + length(CAST(b.text AS BLOB))) AS bytes
  FROM record r JOIN body b ON b.no = r.no WHERE r.no IN (${AMONG})`;
const ROWS_LEFT = ['record', 'body', 'link']
  .map((table) => `(SELECT count(*) FROM ${table} WHERE no IN (${AMONG}))`)
  .join(' + ');
// A contentless index keeps one row per entry here, and takes it away with the entry.
const INDEX_LEFT = `SELECT count(*) FROM fts_docsize WHERE id IN (${AMONG})`;
// Active records are found by the index, the rest (waiting for review, superseded, parked) is little.
const HELD_ACTIVE = `
  SELECT 1 FROM fts CROSS JOIN body b ON b.no = fts.rowid
  WHERE fts MATCH @match AND (instr(b.text, @fragment) OR instr(b.json, @fragment)) LIMIT 1`;
const HELD_OTHERS = `
  SELECT 1 FROM namespace n CROSS JOIN record r ON r.ns = n.no AND r.status IN (1, 2) JOIN body b ON b.no = r.no
  WHERE instr(b.text, @fragment) OR instr(b.json, @fragment) LIMIT 1`;
const HELD_PARKED = 'SELECT 1 FROM parked WHERE instr(state, ?) LIMIT 1';

/** For a test of their plans: none may scan a table (EPI-136, EPI-178). */
export const ERASURE_SQL: readonly string[] = [DERIVED, SIZES, `SELECT ${ROWS_LEFT}`, INDEX_LEFT, HELD_ACTIVE];

export function erasureReading(db: Database.Database): ErasureReading {
  const derived = db.prepare<[string], number>(DERIVED).pluck();
  const sizes = db.prepare<[string], { records: number; candidates: number; bytes: number }>(SIZES);
  const rowsLeft = db.prepare<string[], number>(`SELECT ${ROWS_LEFT}`).pluck();
  const indexLeft = db.prepare<[string], number>(INDEX_LEFT).pluck();
  const active = db.prepare<[{ match: string; fragment: string }], number>(HELD_ACTIVE).pluck();
  const others = db.prepare<[{ fragment: string }], number>(HELD_OTHERS).pluck();
  const parked = db.prepare<[string], number>(HELD_PARKED).pluck();
  return {
    derivedFrom: (numbers) => derived.all(JSON.stringify(numbers)),
    sizesOf: (numbers) => sizes.get(JSON.stringify(numbers))!,
    leftOf(numbers) {
      const among = JSON.stringify(numbers);
      return { rows: rowsLeft.get(...Array<string>(3).fill(among))!, index: indexLeft.get(among)! };
    },
    heldFragments(fragments) {
      return fragments.filter((fragment) => {
        const match = wordsOf(fragment);
        // Without a word the index cannot tell: it may be held.
        if (match === undefined || active.get({ match, fragment }) !== undefined) return true;
        return others.get({ fragment }) !== undefined || parked.get(fragment) !== undefined;
      });
    },
  };
}

// Every word of the fragment, which begins and ends between words.
function wordsOf(fragment: string): string | undefined {
  try {
    const query = parseQuery(fragment.replaceAll('"', ' '), { mode: 'any' });
    return queryMatch(query, [...query.clauses.keys()]);
  } catch {
    return undefined;
  }
}
