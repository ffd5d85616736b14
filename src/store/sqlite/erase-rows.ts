// Removes rows of sessions and entries in steps, index rows by their number (SES-170, SES-172).
import type Database from 'better-sqlite3';
import type { EraseStep, EraseWriting } from '../erase.ts';
import type { IndexText, Writing } from '../writing.ts';
import { FLAG } from './entry-writing.ts';
import { goneDigest } from './host-sessions.ts';
import { lazily } from './lazily.ts';

type Parts = Pick<Writing, 'setState' | 'index' | 'discard'>;
type RowsPart = Omit<EraseWriting, 'mergeIndex' | 'giveBack'>;
type Prepare = (text: string) => IndexText;

const NOTHING: EraseStep = { entries: 0, indexRows: 0, bytes: 0, done: true, rowsLeft: 0, indexLeft: 0 };
const IDS = '(SELECT value FROM json_each(@ids))';
const SIZES = `
  SELECT (SELECT coalesce(sum(octet_length(text)), 0) FROM body WHERE entry IN ${IDS}) +
         (SELECT coalesce(sum(octet_length(json)), 0) FROM block WHERE entry IN ${IDS}) AS bytes,
         (SELECT count(*) FROM doc WHERE entry IN ${IDS}) AS docs`;
// A text that others share, or that is shared with them: its body and index row may have to stay.
const SHARED = `
  SELECT id FROM entry e WHERE id IN ${IDS}
    AND (copy_of IS NOT NULL OR EXISTS (SELECT 1 FROM entry c WHERE c.copy_of = e.id))`;
const LEFT = `
  SELECT (SELECT count(*) FROM entry WHERE id IN ${IDS}) + (SELECT count(*) FROM body WHERE entry IN ${IDS}) +
         (SELECT count(*) FROM block WHERE entry IN ${IDS}) AS rows,
         (SELECT count(*) FROM doc WHERE entry IN ${IDS}) AS docs`;
const REMOVE = [
  `DELETE FROM fts WHERE rowid IN (SELECT id FROM doc WHERE entry IN ${IDS})`,
  `DELETE FROM doc WHERE entry IN ${IDS}`,
  `DELETE FROM body WHERE entry IN ${IDS}`,
  `DELETE FROM block WHERE entry IN ${IDS}`,
  `DELETE FROM copy WHERE entry IN ${IDS}`,
  `DELETE FROM entry WHERE id IN ${IDS}`,
];
const OUT_OF_SIGHT = `
  UPDATE session SET deleting = 1, key = 'deleted:' || no, title = NULL, people = NULL, spawned_by = NULL, parent = NULL,
    owner = NULL, source = NULL, project = NULL, native_key = NULL, origin = NULL, dirty_from = NULL,
    dirty_through = NULL, messages = 0, texts = 0, characters = 0 WHERE no = ?`;
const CLOSE_FILE = `
  UPDATE file SET session = NULL, state = NULL, outcome = 'erased_by_user', detail = NULL, version = version + 1
  WHERE session = ?`;
const EMPTY = `
  UPDATE entry SET kind = 6, role = NULL, blocks = NULL, author = NULL, copy_of = NULL,
    flags = flags & ${FLAG.kept | FLAG.aside}, state = @state WHERE id = @id`;
// A title that a reader took from this message goes with it.
const UNTITLE = `
  UPDATE session SET title = NULL WHERE no = @session AND source IS NOT NULL
    AND instr(@text, rtrim(substr(title, 1, 24), '…')) > 0`;

export function eraseRows(db: Database.Database, parts: Parts): RowsPart {
  const sizes = lazily<[{ ids: string }], { bytes: number; docs: number }>(db, SIZES);
  const shared = lazily<[{ ids: string }], { id: number }>(db, SHARED);
  const removals = REMOVE.map((sql) => lazily(db, sql));
  const left = lazily<[{ ids: string }], { rows: number; docs: number }>(db, LEFT);
  const inIndex = lazily<[string], { n: number }>(db, 'SELECT count(*) AS n FROM fts WHERE fts MATCH ?');
  const inRows = lazily<[number], { n: number }>(db, 'SELECT count(*) AS n FROM entry WHERE session = ?');
  const next = lazily<[number, number], { id: number }>(
    db,
    'SELECT id FROM entry WHERE session = ? ORDER BY id LIMIT ?',
  );
  const off = lazily<[number, number], { id: number; flags: number }>(
    db,
    'SELECT id, flags FROM entry WHERE session = ? AND state = 2 ORDER BY id LIMIT ?',
  );
  const windows = lazily<[number], { session_id: string }>(db, 'SELECT session_id FROM window WHERE session = ?');
  const keyOf = lazily<[number], { key: string; source: string | null }>(
    db,
    'SELECT key, source FROM session WHERE no = ?',
  );
  const setGone = lazily(db, 'INSERT OR REPLACE INTO gone (digest, until) VALUES (?, ?)');
  const isGone = lazily<[Uint8Array], { found: 1 }>(db, 'SELECT 1 AS found FROM gone WHERE digest = ?');
  const ungone = lazily(db, 'DELETE FROM gone WHERE digest = ?');
  const forget = lazily(db, 'DELETE FROM gone WHERE until <= ?');
  const deleting = lazily<[], { no: number }>(db, 'SELECT no FROM session WHERE deleting = 1 ORDER BY no');
  const isDeleting = lazily(db, 'SELECT 1 FROM session WHERE no = ? AND deleting');
  const links = lazily(
    db,
    'DELETE FROM link WHERE session = ? AND native IN (SELECT native FROM link WHERE session = ? LIMIT ?)',
  );
  const outOfSight = [
    'DELETE FROM window WHERE session = ?',
    'DELETE FROM idempotency WHERE session = ?',
    CLOSE_FILE,
    OUT_OF_SIGHT,
  ].map((sql) => lazily(db, sql));
  const removeSession = lazily(db, 'DELETE FROM session WHERE no = ?');
  const unlink = lazily(db, `UPDATE link SET ancestor = NULL WHERE session = @session AND ancestor IN ${IDS}`);
  const unkey = lazily(db, `DELETE FROM idempotency WHERE session = @session AND entry IN ${IDS}`);
  const entryRow = lazily<[number], { session: number; kind: number; state: number }>(
    db,
    'SELECT session, kind, state FROM entry WHERE id = ?',
  );
  const textOf = lazily<[number], { text: string }>(
    db,
    'SELECT text FROM body WHERE entry = (SELECT coalesce(copy_of, id) FROM entry WHERE id = ?)',
  );
  const empty = lazily(db, EMPTY);
  const untitle = lazily(db, UNTITLE);
  const oneLess = lazily(db, 'UPDATE session SET messages = messages - 1 WHERE no = ?');
  const deleteBlocks = lazily(db, 'DELETE FROM block WHERE entry = ?');

  /** Entries with all that hangs on them. */
  const removeEntries = (entries: readonly number[], prepare: Prepare): EraseStep => {
    const ids = JSON.stringify(entries);
    const { bytes, docs } = sizes.get({ ids })!;
    const sharers = shared.all({ ids }).map((row) => row.id);
    if (sharers.length > 0) {
      parts.setState(sharers, 'side');
      parts.index(sharers, prepare);
      for (const entry of sharers) parts.discard(entry);
    }
    for (const statement of removals) statement.run({ ids });
    const after = left.get({ ids })!;
    return {
      entries: entries.length,
      indexRows: docs,
      bytes,
      done: false,
      rowsLeft: after.rows,
      indexLeft: after.docs,
    };
  };

  return {
    beginDelete(session, expected, goneUntil) {
      const { key, source } = keyOf.get(session) ?? {};
      if (key !== expected) return;
      for (const { session_id } of windows.all(session)) setGone.run(goneDigest('session', session_id), goneUntil);
      if (source !== null) setGone.run(goneDigest('key', key), null);
      for (const statement of outOfSight) statement.run(session);
    },
    deleting: () => deleting.all().map((row) => row.no),
    deleteRows(session, maxEntries, prepare) {
      // Numbers of sessions are used again: another process may have ended this deletion, and begun a session.
      if (isDeleting.get(session) === undefined) return NOTHING;
      const entries = next.all(session, maxEntries).map((row) => row.id);
      if (entries.length > 0) return removeEntries(entries, prepare);
      const done = links.run(session, session, maxEntries * 8).changes === 0;
      if (!done) return { ...NOTHING, done };
      removeSession.run(session);
      const indexLeft = inIndex.get(`scope : "s${session}"`)!.n;
      return { ...NOTHING, rowsLeft: inRows.get(session)!.n, indexLeft };
    },
    deleteAbandoned(session, maxEntries, prepare) {
      const rows = off.all(session, maxEntries);
      const entries = rows.map((row) => row.id);
      // Rows of a dirty session may still be indexed and counted.
      const counted = rows.filter((row) => row.flags & FLAG.counted).map((row) => row.id);
      if (counted.length > 0) parts.index(counted, prepare);
      const erased = removeEntries(entries, prepare);
      unlink.run({ session, ids: JSON.stringify(entries) });
      unkey.run({ session, ids: JSON.stringify(entries) });
      return { ...erased, done: rows.length < maxEntries };
    },
    eraseEntry(entry, prepare) {
      const row = entryRow.get(entry);
      if (row === undefined || row.kind === 6) return NOTHING;
      const ids = JSON.stringify([entry]);
      const { bytes, docs } = sizes.get({ ids })!;
      const text = textOf.get(entry)?.text;
      parts.setState([entry], 'side');
      parts.index([entry], prepare);
      parts.discard(entry, { keepRow: true });
      deleteBlocks.run(entry);
      empty.run({ id: entry, state: row.state });
      if (text !== undefined) untitle.run({ session: row.session, text });
      if (row.kind === 0 && row.state < 2) oneLess.run(row.session);
      const after = left.get({ ids })!;
      // Its row stays, as the marker.
      return { entries: 1, indexRows: docs, bytes, done: true, rowsLeft: after.rows - 1, indexLeft: after.docs };
    },
    isDeletedKey: (key) => isGone.get(goneDigest('key', key)) !== undefined,
    forgetDeletedKey(key) {
      ungone.run(goneDigest('key', key));
    },
    forgetGone(now) {
      forget.run(now);
    },
  };
}
