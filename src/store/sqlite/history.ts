// Entries of one session's active branch, in the order of writing: what history shows (SES-6 … SES-10, SES-101).
import type Database from 'better-sqlite3';
import { ENTRY_KINDS, ROLES, STATES } from '../contract.ts';
import type { Display, EntryRange, Reading, StoredEntry } from '../reading.ts';
import { decodeBlocks, messageIdOf, nativeOf } from './blocks.ts';
import { FLAG } from './entry-writing.ts';
import { lazily, statementsOf } from './lazily.ts';
import type { Sight } from './search-scope.ts';

type HistoryReading = Pick<Reading, 'find' | 'boundary' | 'interval' | 'walk' | 'count' | 'leftOut' | 'apart'>;

const COLUMNS = `
  e.id, e.kind, e.role, e.state, e.at, e.flags, e.native, e.blocks, e.author, w.session_id, b.text
  FROM entry e JOIN window w ON w.no = e.window LEFT JOIN body b ON b.entry = coalesce(e.copy_of, e.id)`;
const FROM = 'FROM entry e JOIN window w ON w.no = e.window';
// The order makes an entry that left the branch stand behind one of the same id that is on it.
const FIND = `
  SELECT ${COLUMNS} WHERE e.native = @native AND e.session = @session AND (@window IS NULL OR w.session_id = @window)
  ORDER BY e.state > 1, e.window DESC, e.id DESC LIMIT 1`;
// Resets and kept messages of a session: one partial index can hold exactly these.
const MARKED = 'FROM entry WHERE session = ? AND (kind = 1 OR flags & 4) AND state < 2';
const RESETS_AND_KEPT = `SELECT id, kind, flags ${MARKED} ORDER BY id`;

// Encoded blocks begin with a letter for their type, and no quote stands bare inside a JSON string: a search for the
// beginning of a block is exact (blocks.ts).
const has = (letter: string): string => `coalesce(instr(e.blocks, '["${letter}",'), 0) > 0`;
const SHOWS_ALWAYS = `(e.kind BETWEEN 1 AND 4 OR e.kind = 6 OR (e.kind = 5 AND e.flags & ${FLAG.displayed}) OR (e.kind = 0 AND e.role IS NOT 3 AND
  (e.flags & 2 OR ${has('i')} OR ${has('f')} OR ${has('o')})))`;
const SHOWS_TOOLS = `(e.kind = 0 AND (e.role = 3 OR ${has('c')} OR ${has('r')}))`;
const SHOWS_REASONING = `(e.kind = 0 AND e.role IS NOT 3 AND ${has('t')})`;

interface EntrySql {
  id: number;
  kind: number;
  role: number | null;
  state: number;
  at: number;
  flags: number;
  native: string | Buffer;
  blocks: string | null;
  author: string | null;
  session_id: string;
  text: string | null;
}

export function historyReading(db: Database.Database, { sees }: Sight): HistoryReading {
  const find = lazily<{ native: string | Buffer; session: number; window: string | null }, EntrySql>(db, FIND);
  const marked = lazily<[number], { id: number; kind: number; flags: number }>(db, RESETS_AND_KEPT);
  const apart = lazily<[number, number], { json: string }>(db, 'SELECT json FROM block WHERE entry = ? AND no = ?');
  const ownerOf = lazily<[number], { session: number }>(db, 'SELECT session FROM entry WHERE id = ?');
  const select = statementsOf(db);

  return {
    apart(scope, entry, place) {
      const owner = ownerOf.get(entry);
      return owner && sees(scope, owner.session) ? apart.get(entry, place)?.json : undefined;
    },
    find(scope, sessionNo, messageId, sessionId) {
      if (!sees(scope, sessionNo)) return undefined;
      const row = find.get({ native: nativeOf(messageId), session: sessionNo, window: sessionId ?? null });
      return row && entryOf(row);
    },
    boundary(scope, sessionNo) {
      if (!sees(scope, sessionNo)) return undefined;
      const rows = marked.all(sessionNo);
      const reset = rows.findLast((row) => row.kind === 1)?.id;
      if (reset === undefined) return undefined;
      return { reset, kept: rows.filter((row) => row.flags & 4 && row.id < reset).map((row) => row.id) };
    },
    interval(scope, sessionNo, entry) {
      if (!sees(scope, sessionNo)) return {};
      const resets = marked.all(sessionNo).filter((row) => row.kind === 1);
      const after = resets.findLast((row) => row.id < entry)?.id;
      const through = resets.find((row) => row.id >= entry)?.id;
      return { ...(after === undefined ? {} : { after }), ...(through === undefined ? {} : { through }) };
    },
    walk(scope, sessionNo, options) {
      if (!sees(scope, sessionNo)) return [];
      const { direction, from, skip = 0, limit } = options;
      const { conditions, values } = rangeOf(sessionNo, options);
      conditions.push(displayOf(options));
      if (from !== undefined) {
        conditions.push(direction === 'older' ? 'e.id < ?' : 'e.id > ?');
        values.push(from);
      }
      const order = direction === 'older' ? 'DESC' : 'ASC';
      const sql = `SELECT ${COLUMNS} WHERE ${conditions.join(' AND ')} ORDER BY e.id ${order} LIMIT ? OFFSET ?`;
      return select<EntrySql>(sql)
        .all(...values, limit, skip)
        .map(entryOf);
    },
    count(scope, sessionNo, options) {
      if (!sees(scope, sessionNo)) return 0;
      const { conditions, values } = rangeOf(sessionNo, options);
      const sql = `SELECT count(*) AS n ${FROM} WHERE ${conditions.join(' AND ')} AND ${displayOf(options)}`;
      return select<{ n: number }>(sql).get(...values)!.n;
    },
    leftOut(scope, sessionNo, options) {
      if (!sees(scope, sessionNo)) return [];
      const { conditions, values } = rangeOf(sessionNo, options);
      const sql = `
        SELECT e.id, ${SHOWS_TOOLS} AS tools ${FROM}
        WHERE ${conditions.join(' AND ')} AND NOT ${displayOf(options)} AND (${SHOWS_TOOLS} OR ${SHOWS_REASONING})`;
      return select<{ id: number; tools: number }>(sql)
        .all(...values)
        .map(({ id, tools }) => ({ entry: id, because: tools ? 'tools' : 'reasoning' }));
    },
  };
}

function rangeOf(sessionNo: number, range: EntryRange & Display): { conditions: string[]; values: unknown[] } {
  const conditions = ['e.session = ?', 'e.state < 2'];
  const values: unknown[] = [sessionNo];
  const add = (sql: string, ...bound: unknown[]): void => {
    conditions.push(sql);
    values.push(...bound);
  };
  if (range.low !== undefined) add(range.kept ? '(e.id >= ? OR e.flags & 4)' : 'e.id >= ?', range.low);
  if (range.above !== undefined) add('e.id > ?', range.above);
  if (range.high !== undefined) add('e.id <= ?', range.high);
  if (range.sessionId !== undefined) add('w.session_id = ?', range.sessionId);
  if (range.since !== undefined) add('e.at >= ?', range.since);
  if (range.until !== undefined) add('e.at < ?', range.until);
  if (range.roles !== undefined) {
    const numbers = range.roles.map((role) => ROLES.indexOf(role));
    add(`e.kind = 0 AND e.role IN (${numbers.join(', ')})`);
  }
  return { conditions, values };
}

function displayOf({ tools, reasoning }: Display): string {
  return `(${[SHOWS_ALWAYS, ...(tools ? [SHOWS_TOOLS] : []), ...(reasoning ? [SHOWS_REASONING] : [])].join(' OR ')})`;
}

function entryOf(row: EntrySql): StoredEntry {
  const text = row.text === null || !(row.flags & 2) ? undefined : row.text;
  return {
    id: row.id,
    type: ENTRY_KINDS[row.kind]!,
    sessionId: row.session_id,
    messageId: messageIdOf(row.native),
    at: row.at,
    atGuessed: (row.flags & 1) !== 0,
    state: STATES[row.state]!,
    blocks: decodeBlocks(row.blocks, text),
    ...(row.role === null ? {} : { role: ROLES[row.role]! }),
    ...(row.author === null ? {} : { author: JSON.parse(row.author) as NonNullable<StoredEntry['author']> }),
  };
}
