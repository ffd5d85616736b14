// Entries as their host writes and reads them: whole content, idempotency keys, names.
import type Database from 'better-sqlite3';
import type { StoredBlock } from '../../model/session.ts';
import type { JsonBlock } from '../../model/session-message.ts';
import { ENTRY_KINDS, ROLES, STATES } from '../contract.ts';
import type { HostEntry, HostReading, HostWriting, NamedEntry, WholeEntry } from '../host.ts';
import { decodeBlocks, encodeBlocks, messageIdOf, nativeOf } from './blocks.ts';
import { FLAG, type Fresh } from './entry-writing.ts';
import { lazily } from './lazily.ts';

type EntryPart = Pick<
  HostWriting,
  'hostInsert' | 'entryNamed' | 'entryInWindow' | 'wholeEntry' | 'idempotent' | 'setIdempotent' | 'viewMessages'
>;

const INSERT = `
  INSERT INTO entry (session, window, parent, kind, role, state, at, flags, native, blocks, author)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const NAMED = 'e.id, e.kind, e.role, e.state, e.flags, e.native, w.session_id';
const FROM = 'FROM entry e JOIN window w ON w.no = e.window';
const BY_NAME = `
  SELECT ${NAMED} ${FROM} WHERE e.native = ? AND e.session = ?
  ORDER BY e.state > 1, e.flags & ${FLAG.aside}, e.window DESC, e.id DESC LIMIT 1`;
const WHOLE = `
  SELECT ${NAMED}, e.at, e.blocks, e.author, b.text, p.native AS parent
  ${FROM} LEFT JOIN body b ON b.entry = coalesce(e.copy_of, e.id) LEFT JOIN entry p ON p.id = e.parent`;
const LATEST_RESET = '(SELECT max(id) FROM entry WHERE session = @session AND (kind = 1 OR flags & 4) AND kind = 1)';
const IN_VIEW = `e.session = @session AND e.state < 2 AND (e.id >= coalesce(${LATEST_RESET}, 0) OR e.flags & 4)`;
const VIEW_MESSAGES = `SELECT ${NAMED} ${FROM} WHERE ${IN_VIEW} AND e.kind = 0 AND e.role < 2 ORDER BY e.id`;
const NTH_MESSAGE = `
  SELECT e.id FROM entry e WHERE ${IN_VIEW} AND e.kind = 0 ORDER BY e.id DESC LIMIT 1 OFFSET @skip`;

interface NamedSql {
  id: number;
  kind: number;
  role: number | null;
  state: number;
  flags: number;
  native: string | Buffer;
  session_id: string;
}

interface WholeSql extends NamedSql {
  at: number;
  blocks: string | null;
  author: string | null;
  text: string | null;
  parent: string | Buffer | null;
}

/** `fresh`: texts inserted in this write, so that indexing them asks nothing of the store. */
export function hostEntryWriting(db: Database.Database, fresh: Map<number, Fresh>): EntryPart {
  const insert = lazily(db, INSERT);
  const insertBody = lazily(db, 'INSERT INTO body (entry, text) VALUES (?, ?)');
  const insertApart = lazily(db, 'INSERT INTO block (entry, no, json) VALUES (?, ?, ?)');
  const byName = lazily<[string | Buffer, number], NamedSql>(db, BY_NAME);
  const inWindow = lazily<[string | Buffer, number], { id: number }>(
    db,
    'SELECT id FROM entry WHERE native = ? AND window = ?',
  );
  const idempotent = lazily<[number, string], { entry: number }>(
    db,
    'SELECT entry FROM idempotency WHERE session = ? AND key = ?',
  );
  const setIdempotent = lazily(db, 'INSERT INTO idempotency (session, key, entry) VALUES (?, ?, ?)');
  const viewMessages = lazily<[{ session: number }], NamedSql>(db, VIEW_MESSAGES);
  const wholeOf = wholeReader(db);
  const whole = lazily<[number], WholeSql>(db, `${WHOLE} WHERE e.id = ?`);
  return {
    hostInsert(entry) {
      const { blocks, text } = encodeBlocks(entry.blocks);
      const { session, at } = entry;
      const kind = ENTRY_KINDS.indexOf(entry.kind);
      const role = entry.role === undefined ? null : ROLES.indexOf(entry.role);
      const state = STATES.indexOf(entry.state);
      const flags = flagsOf(entry, text);
      const result = insert.run(
        session,
        entry.window,
        entry.parent ?? null,
        kind,
        role,
        state,
        at,
        flags,
        nativeOf(entry.messageId),
        blocks ?? (entry.list ? `[${text?.length}]` : null),
        entry.author === undefined ? null : JSON.stringify(entry.author),
      );
      const id = Number(result.lastInsertRowid);
      if (text !== undefined) {
        insertBody.run(id, text);
        fresh.set(id, { session, role, kind, state, at, flags, text });
      }
      if (entry.apart !== undefined) for (const [place, json] of entry.apart) insertApart.run(id, place, json);
      return id;
    },
    entryNamed(session, messageId) {
      const row = byName.get(nativeOf(messageId), session);
      return row && namedOf(row);
    },
    entryInWindow: (window, messageId) => inWindow.get(nativeOf(messageId), window)?.id,
    wholeEntry(entry) {
      const row = whole.get(entry);
      return row && wholeOf(row);
    },
    idempotent: (session, key) => idempotent.get(session, key)?.entry,
    setIdempotent(session, key, entry) {
      setIdempotent.run(session, key, entry);
    },
    viewMessages: (session) => viewMessages.all({ session }).map(namedOf),
  };
}

export function hostEntryReading(db: Database.Database): Pick<HostReading, 'currentView'> {
  const view = lazily<[{ session: number; low: number }], WholeSql>(
    db,
    `${WHOLE} WHERE ${IN_VIEW} AND e.id >= @low ORDER BY e.id`,
  );
  const nth = lazily<[{ session: number; skip: number }], { id: number }>(db, NTH_MESSAGE);
  const wholeOf = wholeReader(db);
  return {
    currentView(session, maxMessages) {
      const low = maxMessages === undefined ? 0 : (nth.get({ session, skip: maxMessages - 1 })?.id ?? 0);
      return view.all({ session, low }).map(wholeOf);
    },
  };
}

function flagsOf(entry: HostEntry, text: string | undefined): number {
  return (text === undefined ? 0 : FLAG.text) | (entry.aside ? FLAG.aside : 0) | (entry.displayed ? FLAG.displayed : 0);
}

function namedOf(row: NamedSql): NamedEntry {
  return {
    id: row.id,
    kind: ENTRY_KINDS[row.kind]!,
    ...(row.role === null ? {} : { role: ROLES[row.role]! }),
    state: STATES[row.state]!,
    aside: (row.flags & FLAG.aside) !== 0,
    sessionId: row.session_id,
    messageId: messageIdOf(row.native),
  };
}

/** Puts the content of an entry together again, as it was given. */
function wholeReader(db: Database.Database): (row: WholeSql) => WholeEntry {
  const apart = lazily<[number, number], { json: string }>(db, 'SELECT json FROM block WHERE entry = ? AND no = ?');
  return (row) => {
    const text = row.text === null || !(row.flags & FLAG.text) ? undefined : row.text;
    const parsed = (place: number): unknown => JSON.parse(apart.get(row.id, place)?.json ?? 'null');
    const blocks = decodeBlocks(row.blocks, text);
    const isData = blocks[0]?.type === 'data';
    const content = row.blocks === null ? (text ?? '') : blocks.map((block) => jsonBlockOf(block, parsed));
    return {
      ...namedOf(row),
      ...(row.parent === null ? {} : { parentId: messageIdOf(row.parent) }),
      at: row.at,
      content: isData ? (text ?? '') : content,
      ...(row.author === null ? {} : { author: JSON.parse(row.author) as NonNullable<WholeEntry['author']> }),
      ...(blocks[0]?.type === 'data' ? { data: hostValue(blocks[0].host, parsed) } : {}),
    };
  };
}

function hostValue(host: string | number, apart: (place: number) => unknown): unknown {
  return typeof host === 'number' ? apart(host) : JSON.parse(host);
}

/** A block of a reader of files has no JSON of a host: what is known of it is given. */
function jsonBlockOf(block: StoredBlock, apart: (place: number) => unknown): JsonBlock {
  if (block.type === 'text') {
    if (block.host === undefined) return { type: 'text', text: block.text };
    return { ...(JSON.parse(block.host) as JsonBlock), text: block.text };
  }
  if (block.host !== undefined) return hostValue(block.host, apart) as JsonBlock;
  if (block.type === 'other') return { type: block.name };
  const { pointer: _, ...known } = block as StoredBlock & { pointer?: unknown };
  return known as JsonBlock;
}
