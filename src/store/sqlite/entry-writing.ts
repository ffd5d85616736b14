// Entry, link, copy and body rows of a write transaction.
import type Database from 'better-sqlite3';
import { ENTRY_KINDS, ROLES, STATES } from '../contract.ts';
import type { EntryRow, NewEntry, Writing } from '../writing.ts';
import { decodeBlocks, encodeBlocks, messageIdOf, nativeOf } from './blocks.ts';
import { branchStamps } from './branch-stamps.ts';
import { type Lazy, lazily } from './lazily.ts';

type EntryWriting = Pick<
  Writing,
  | 'resolve'
  | 'originals'
  | 'content'
  | 'promptsUnder'
  | 'entriesFrom'
  | 'latestReset'
  | 'textEntries'
  | 'lastPrompts'
  | 'insert'
  | 'link'
  | 'replace'
  | 'setState'
  | 'remove'
  | 'discard'
  | 'keep'
  | 'shadow'
  | 'markGone'
>;

/** Bits of entry.flags. */
export const FLAG = {
  guessed: 1,
  text: 2,
  kept: 4,
  prompt: 8,
  gone: 16,
  counted: 32,
  aside: 64,
  displayed: 128,
} as const;

const COLUMNS = 'id, parent, kind, role, state, at, flags, native, copy_of';
const IN_SESSION = `SELECT ${COLUMNS} FROM entry WHERE native = ? AND session = ?`;
const IN_LINKS = 'SELECT ancestor FROM link WHERE session = ? AND native = ?';
const ELSEWHERE = `
  SELECT ${COLUMNS} FROM entry WHERE native = ? AND session <> ? AND copy_of IS NULL ORDER BY id LIMIT 8`;
const BY_DIGEST = `SELECT ${COLUMNS} FROM entry WHERE id = (SELECT entry FROM copy WHERE digest = ?) AND session <> ?`;
const CONTENT = `
  SELECT e.blocks, e.at, b.text FROM entry e LEFT JOIN body b ON b.entry = coalesce(e.copy_of, e.id) WHERE e.id = ?`;
const PROMPTS_UNDER = `SELECT ${COLUMNS} FROM entry WHERE session = ? AND parent = ? AND flags & 8 AND state < 2 ORDER BY id`;
const FROM = `SELECT ${COLUMNS} FROM entry WHERE session = ? AND id >= ? ORDER BY id`;
const LAST_PROMPTS = `
  SELECT ${COLUMNS} FROM entry WHERE session = ? AND id <= ? AND flags & 8 AND state < 2
  ORDER BY id DESC LIMIT ?`;
const INSERT = `
  INSERT INTO entry (session, window, parent, kind, role, state, at, flags, native, blocks, copy_of)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_BODY = 'INSERT OR REPLACE INTO body (entry, text) VALUES (?, ?)';
const INSERT_LINK = 'INSERT OR REPLACE INTO link (session, native, ancestor) VALUES (?, ?, ?)';
const INSERT_COPY = 'INSERT OR IGNORE INTO copy (digest, entry) VALUES (?, ?)';
const REPLACE = 'UPDATE entry SET blocks = ?, at = ?, flags = ?, copy_of = ? WHERE id = ?';
const UNCOUNT = `
  UPDATE session SET texts = texts - 1, characters = characters - ?
  WHERE no = (SELECT session FROM entry WHERE id = ?)`;
const SET_STATE = 'UPDATE entry SET state = ? WHERE id = ?';
const FIRST_COPY = `SELECT ${COLUMNS} FROM entry WHERE copy_of = ? ORDER BY id LIMIT 1`;

interface EntrySql {
  id: number;
  parent: number | null;
  kind: number;
  role: number | null;
  state: number;
  at: number;
  flags: number;
  native: string | Buffer;
  copy_of: number | null;
}

/** A text inserted in this write and not touched since: its index rows need nothing from the store. */
export interface Fresh {
  readonly session: number;
  readonly role: number | null;
  readonly kind: number;
  readonly state: number;
  readonly at: number;
  readonly flags: number;
  readonly text: string;
}
const FLAGS = 'SELECT flags, copy_of FROM entry WHERE id = ?';
const SESSION_OF = 'SELECT session, parent FROM entry WHERE id = ?';
const LATEST_RESET = 'SELECT max(id) AS id FROM entry WHERE session = ? AND (kind = 1 OR flags & 4) AND kind = 1';
const TEXT_ENTRIES = 'SELECT entry AS id FROM body WHERE entry > ? ORDER BY entry LIMIT ?';

/** `fresh`: filled by `insert`, emptied by whatever else may change a text's index rows. */
export function entryWriting(db: Database.Database, fresh: Map<number, Fresh>): EntryWriting {
  const inSession = lazily<[string | Buffer, number], EntrySql>(db, IN_SESSION);
  const inLinks = lazily<[number, string | Buffer], { ancestor: number | null }>(db, IN_LINKS);
  const elsewhere = lazily<[string | Buffer, number], EntrySql>(db, ELSEWHERE);
  const byDigest = lazily<[Uint8Array, number], EntrySql>(db, BY_DIGEST);
  const content = lazily<[number], { blocks: string | null; at: number; text: string | null }>(db, CONTENT);
  const promptsUnder = lazily<[number, number], EntrySql>(db, PROMPTS_UNDER);
  const from = lazily<[number, number], EntrySql>(db, FROM);
  const lastPrompts = lazily<[number, number, number], EntrySql>(db, LAST_PROMPTS);
  const insert = lazily(db, INSERT);
  const insertBody = lazily(db, INSERT_BODY);
  const insertLink = lazily(db, INSERT_LINK);
  const insertCopy = lazily(db, INSERT_COPY);
  const replace = lazily(db, REPLACE);
  const setState = lazily(db, SET_STATE);
  const stamps = branchStamps(db);
  const docsOf = lazily<[number], { id: number; length: number }>(db, 'SELECT id, length FROM doc WHERE entry = ?');
  const deleteFts = lazily(db, 'DELETE FROM fts WHERE rowid = ?');
  const deleteDoc = lazily(db, 'DELETE FROM doc WHERE id = ?');
  const uncount = lazily(db, UNCOUNT);
  const firstCopy = lazily<[number], EntrySql>(db, FIRST_COPY);
  const flagsOf = lazily<[number], { flags: number; copy_of: number | null }>(db, FLAGS);
  const statements = (sql: string): Lazy<unknown[], unknown> => lazily(db, sql);
  const deleteEntry = statements('DELETE FROM entry WHERE id = ?');
  const deleteBody = statements('DELETE FROM body WHERE entry = ?');
  const deleteCopy = statements('DELETE FROM copy WHERE entry = ?');
  const moveCopies = statements('UPDATE entry SET copy_of = ? WHERE copy_of = ? AND id <> ?');
  const becomeOriginal = statements('UPDATE entry SET copy_of = NULL WHERE id = ?');
  const moveBody = statements('UPDATE body SET entry = ? WHERE entry = ?');
  const moveCopyDigest = statements('UPDATE copy SET entry = ? WHERE entry = ?');
  const moveDocs = statements('UPDATE doc SET entry = ? WHERE entry = ?');
  const relink = statements('UPDATE link SET ancestor = ? WHERE session = ? AND ancestor = ?');
  const reparent = statements('UPDATE entry SET parent = ? WHERE session = ? AND parent = ?');
  const sessionOf = lazily<[number], { session: number; parent: number | null }>(db, SESSION_OF);
  const shadow = statements('UPDATE entry SET state = 1 WHERE session = ? AND state = 0 AND id <= ?');
  const markGone = statements('UPDATE entry SET flags = flags | 16 WHERE id = ?');
  const latestReset = lazily<[number], { id: number | null }>(db, LATEST_RESET);
  const textEntries = lazily<[number, number], { id: number }>(db, TEXT_ENTRIES);
  const unkeep = statements('UPDATE entry SET flags = flags & ~4 WHERE session = ? AND flags & 4');
  const keepOne = statements('UPDATE entry SET flags = flags | 4 WHERE id = ?');

  // Takes an entry out of its session's counters, and documents of its own out of the index. `holder`: of its index row.
  const leaveIndex = (entry: number, flags: number, holder: number): number => {
    if (flags & FLAG.counted) uncount.run(docsOf.get(holder)?.length ?? 0, entry);
    for (const { id } of docsOf.all(entry)) {
      deleteFts.run(BigInt(id));
      deleteDoc.run(id);
    }
    return flags & ~FLAG.counted;
  };

  // The first copy of an entry becomes the original: body, index rows and the other copies follow it.
  const handOver = (entry: number): number | undefined => {
    const heir = firstCopy.get(entry);
    if (!heir) return undefined;
    becomeOriginal.run(heir.id);
    moveCopies.run(heir.id, entry, heir.id);
    moveBody.run(heir.id, entry);
    moveCopyDigest.run(heir.id, entry);
    moveDocs.run(heir.id, entry);
    return heir.id;
  };

  const release = (entry: number): void => {
    if (handOver(entry) !== undefined) return;
    deleteBody.run(entry);
    deleteCopy.run(entry);
  };

  return {
    resolve(session, ids) {
      const found = new Map<string, { entry: EntryRow } | { ancestor: number | null }>();
      for (const id of ids) {
        const native = nativeOf(id);
        const row = inSession.get(native, session);
        if (row) found.set(id, { entry: rowOf(row) });
        else {
          const link = inLinks.get(session, native);
          if (link) found.set(id, { ancestor: link.ancestor });
        }
      }
      return found;
    },
    originals(session, messageIds, digests) {
      const byId = new Map<string, EntryRow[]>();
      for (const id of messageIds) {
        const rows = elsewhere.all(nativeOf(id), session);
        if (rows.length > 0) byId.set(id, rows.map(rowOf));
      }
      const found = new Map<string, EntryRow[]>();
      for (const digest of digests) {
        const row = byDigest.get(digest, session);
        if (row) found.set(Buffer.from(digest).toString('hex'), [rowOf(row)]);
      }
      return { byId, byDigest: found };
    },
    content(entry) {
      const row = content.get(entry);
      return row && { blocks: decodeBlocks(row.blocks, row.text ?? undefined), at: row.at };
    },
    promptsUnder: (session, parent) => promptsUnder.all(session, parent).map(rowOf),
    entriesFrom: (session, first) => from.all(session, first).map(rowOf),
    latestReset: (session) => latestReset.get(session)?.id ?? undefined,
    textEntries: (after, limit) => textEntries.all(after, limit).map((row) => row.id),
    lastPrompts: (session, through, limit) => lastPrompts.all(session, through, limit).map(rowOf),

    insert(entry) {
      const { blocks, text } = encodeBlocks(entry.blocks);
      const { session, at } = entry;
      const kind = ENTRY_KINDS.indexOf(entry.kind);
      const role = entry.role === undefined ? null : ROLES.indexOf(entry.role);
      const state = STATES.indexOf(entry.state);
      const flags = flagsFor(entry, text !== undefined);
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
        blocks,
        entry.copyOf ?? null,
      );
      const id = Number(result.lastInsertRowid);
      if (entry.copyOf !== undefined) fresh.delete(entry.copyOf);
      else if (text !== undefined) {
        insertBody.run(id, text);
        fresh.set(id, { session, role, kind, state, at, flags, text });
      }
      if (entry.copyDigest && entry.copyOf === undefined) insertCopy.run(entry.copyDigest, id);
      return id;
    },
    link(session, messageId, ancestor) {
      insertLink.run(session, nativeOf(messageId), ancestor);
    },
    replace(entry, stored, at, copyOf) {
      fresh.clear();
      const row = flagsOf.get(entry);
      if (!row) return [];
      const heir = row.copy_of === null ? handOver(entry) : undefined;
      // It leaves the index row it shared, or its own: counted anew by the index that follows.
      const shared = row.copy_of !== null || copyOf !== undefined || heir !== undefined;
      const counted = shared ? leaveIndex(entry, row.flags, heir ?? row.copy_of ?? entry) : row.flags;
      const { blocks, text } = encodeBlocks(stored);
      const flags = text === undefined ? counted & ~FLAG.text : counted | FLAG.text;
      replace.run(blocks, at, flags, copyOf ?? null, entry);
      if (text === undefined || copyOf !== undefined) deleteBody.run(entry);
      else insertBody.run(entry, text);
      return [heir, row.copy_of].filter((one) => one !== undefined && one !== null);
    },
    setState(entries, state) {
      fresh.clear();
      for (const entry of entries) setState.run(STATES.indexOf(state), entry);
      stamps.movedEntries(entries);
    },
    remove(entry) {
      fresh.clear();
      const row = sessionOf.get(entry);
      if (!row) return;
      reparent.run(row.parent, row.session, entry);
      relink.run(row.parent, row.session, entry);
      release(entry);
      deleteEntry.run(entry);
    },
    discard(entry, { keepRow = false } = {}) {
      fresh.clear();
      release(entry);
      if (!keepRow) deleteEntry.run(entry);
    },
    shadow(session, through) {
      shadow.run(session, through);
    },
    markGone(entries) {
      for (const entry of entries) markGone.run(entry);
    },
    keep(session, entries) {
      unkeep.run(session);
      for (const entry of entries) keepOne.run(entry);
    },
  };
}

function flagsFor(entry: NewEntry, hasText: boolean): number {
  return (entry.atGuessed ? FLAG.guessed : 0) | (hasText ? FLAG.text : 0) | (entry.prompt ? FLAG.prompt : 0);
}

function rowOf(row: EntrySql): EntryRow {
  return {
    id: row.id,
    ...(row.parent === null ? {} : { parent: row.parent }),
    kind: ENTRY_KINDS[row.kind]!,
    ...(row.role === null ? {} : { role: ROLES[row.role]! }),
    prompt: (row.flags & FLAG.prompt) !== 0,
    state: STATES[row.state]!,
    at: row.at,
    messageId: messageIdOf(row.native),
    ...(row.copy_of === null ? {} : { copyOf: row.copy_of }),
  };
}
