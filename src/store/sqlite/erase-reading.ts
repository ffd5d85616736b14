// What an erasure would take, what of it to look for afterwards, and what is left (SES-171, SES-173).
import type Database from 'better-sqlite3';
import type { Erased, EraseFilter, EraseReading, EraseTarget } from '../erase.ts';
import { lazily } from './lazily.ts';
import type { Sight } from './search-scope.ts';

const IDS = '(SELECT value FROM json_each(@ids))';
const OF_SESSIONS = `FROM entry e WHERE e.session IN ${IDS}`;
const COUNTED = (from: string): string => `
  SELECT count(*) AS entries,
    coalesce(sum((SELECT count(*) FROM doc d WHERE d.entry = e.id)), 0) AS indexRows,
    coalesce(sum((SELECT octet_length(text) FROM body b WHERE b.entry = e.id)), 0) +
    coalesce(sum((SELECT sum(octet_length(json)) FROM block k WHERE k.entry = e.id)), 0) AS bytes ${from}`;
const MIN_BYTES = 24;
const TEXTS = (from: string): string => `
  SELECT substr(b.text, 1, 4096) AS text ${from.replace('FROM entry e', 'FROM entry e JOIN body b ON b.entry = e.id')}
    AND octet_length(b.text) >= ${MIN_BYTES} ORDER BY octet_length(b.text) DESC LIMIT @max`;
const BLOCKS = (from: string): string => `
  SELECT substr(k.json, 17, 4096) AS text ${from.replace('FROM entry e', 'FROM entry e JOIN block k ON k.entry = e.id')}
    ORDER BY k.id LIMIT @max`;
const HELD = `
  SELECT EXISTS (SELECT 1 FROM body WHERE instr(text, @text)) OR EXISTS (SELECT 1 FROM block WHERE instr(json, @text))
    OR EXISTS (SELECT 1 FROM entry WHERE instr(blocks, @text) OR instr(author, @text))
    OR EXISTS (SELECT 1 FROM session WHERE instr(title, @text) OR instr(origin, @text)) AS held`;

interface TargetSql {
  no: number;
  key: string;
  messages: number;
  people: string | null;
}

export function eraseReading(db: Database.Database, sight: Sight): EraseReading {
  const authored = lazily<[number, string], { id: number }>(
    db,
    "SELECT id FROM entry WHERE session = ? AND author IS NOT NULL AND author ->> '$.id' = ? ORDER BY id",
  );
  const held = lazily<[{ text: string }], { held: number }>(db, HELD);
  const select = <Row>(sql: string, values: Record<string, unknown>): Row[] =>
    db.prepare<[Record<string, unknown>], Row>(sql).all(values);
  const off = (abandoned: boolean): string => (abandoned ? `${OF_SESSIONS} AND e.state = 2` : OF_SESSIONS);

  return {
    eraseTargets(scope, filter) {
      const { sql, values } = sight.sessions(scope);
      const { conditions, bound } = narrowed(filter);
      return db
        .prepare<unknown[], TargetSql>(
          `SELECT s.no, s.key, s.messages, s.people FROM session s WHERE ${[sql, ...conditions].join(' AND ')} ORDER BY s.key`,
        )
        .all(...values, ...bound)
        .map(targetOf);
    },
    countToErase: (sessions, abandoned) =>
      select<Erased>(COUNTED(off(abandoned)), { ids: JSON.stringify(sessions) })[0]!,
    countEntries: (entries) =>
      select<Erased>(COUNTED(`FROM entry e WHERE e.id IN ${IDS}`), { ids: JSON.stringify(entries) })[0]!,
    authored: (session, person) => authored.all(session, person).map((row) => row.id),
    fragments(of, max) {
      const from = 'entries' in of ? `FROM entry e WHERE e.id IN ${IDS}` : off(of.abandoned);
      const ids = JSON.stringify('entries' in of ? of.entries : of.sessions);
      const texts = select<{ text: string }>(TEXTS(from), { ids, max });
      const blocks = texts.length < max ? select<{ text: string }>(BLOCKS(from), { ids, max: max - texts.length }) : [];
      return [...texts, ...blocks].map(({ text }) => fragmentOf(text)).filter((text) => text !== undefined);
    },
    isHeld: (text) => held.get({ text })!.held === 1,
  };
}

function narrowed(filter: EraseFilter): { readonly conditions: string[]; readonly bound: (string | number)[] } {
  const conditions: string[] = [];
  const bound: (string | number)[] = [];
  const add = (sql: string, ...values: (string | number)[]): void => {
    conditions.push(sql);
    bound.push(...values);
  };
  if (filter.key !== undefined) add('s.key = ?', filter.key);
  if (filter.before !== undefined) add('s.last_at < ?', filter.before);
  if (filter.spawnedBy !== undefined) add('s.spawned_by = ?', filter.spawnedBy);
  if (filter.person !== undefined) {
    add('s.people IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(s.people) WHERE value = ?)', filter.person);
  }
  if (filter.abandoned) add('EXISTS (SELECT 1 FROM entry WHERE session = s.no AND state = 2)');
  return { conditions, bound };
}

function targetOf(row: TargetSql): EraseTarget {
  return {
    no: row.no,
    key: row.key,
    messages: row.messages,
    ...(row.people === null ? {} : { people: JSON.parse(row.people) as string[] }),
  };
}

/** A part that is long enough to be nobody else's by chance, and short enough to lie in one page. */
function fragmentOf(text: string): string | undefined {
  const part = text.slice(0, 48).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return Buffer.byteLength(part) >= MIN_BYTES ? part : undefined;
}
