// Index rows of a write transaction: doc and fts rows, and each session's counters, always together with their entries.
import type Database from 'better-sqlite3';
import { documentsOf, indexTokens } from '../../text/index.ts';
import type { IndexText, Writing } from '../writing.ts';
import { FLAG, type Fresh } from './entry-writing.ts';
import { lazily } from './lazily.ts';
import { ftsToken } from './match.ts';

type IndexWriting = Pick<Writing, 'index'>;

/** Bits of doc.flags. */
export const DOC = { clean: 1, later: 2, copies: 4 } as const;

const ORIGINAL = 'SELECT coalesce(copy_of, id) AS id FROM entry WHERE id = ?';
const SHARERS = `
  SELECT id, session, role, state, at, flags, kind FROM entry WHERE id = @id
  UNION ALL
  SELECT id, session, role, state, at, flags, kind FROM entry WHERE copy_of = @id ORDER BY 1`;
const SET_COUNTED = `UPDATE entry SET flags = flags | ${FLAG.counted} WHERE id = ?`;
const COUNT = 'UPDATE session SET texts = texts + ?, characters = characters + ? WHERE no = ?';

interface Sharer {
  id: number;
  session: number;
  role: number | null;
  state: number;
  at: number;
  flags: number;
  kind: number;
}

/** `fresh`: texts inserted in this write, which have no index rows and no copies yet. */
export function indexWriting(db: Database.Database, fresh: Map<number, Fresh>): IndexWriting {
  const original = lazily<[number], { id: number }>(db, ORIGINAL);
  const sharersOf = lazily<[{ id: number }], Sharer>(db, SHARERS);
  const bodyOf = lazily<[number], { text: string }>(db, 'SELECT text FROM body WHERE entry = ?');
  const docsOf = lazily<[number], { id: number; length: number }>(db, 'SELECT id, length FROM doc WHERE entry = ?');
  const deleteDocs = lazily(db, 'DELETE FROM doc WHERE entry = ?');
  const deleteFts = lazily(db, 'DELETE FROM fts WHERE rowid = ?');
  const insertDoc = lazily(db, 'INSERT INTO doc (entry, session, role, at, length, flags) VALUES (?, ?, ?, ?, ?, ?)');
  const insertFts = lazily(db, 'INSERT INTO fts (rowid, text, scope) VALUES (?, ?, ?)');
  const setFlags = lazily(db, 'UPDATE entry SET flags = ? WHERE id = ?');
  const setCounted = lazily(db, SET_COUNTED);
  const count = lazily(db, COUNT);
  // What this call adds to each session's counters: one update per session, not per text.
  const added = new Map<number, { texts: number; characters: number }>();
  const add = (session: number, texts: number, characters: number): void => {
    const sum = added.get(session) ?? { texts: 0, characters: 0 };
    sum.texts += texts;
    sum.characters += characters;
    added.set(session, sum);
  };

  const indexFresh = (entry: number, one: Fresh, prepare: (text: string) => IndexText): void => {
    const ready = isSearched(one) && one.text.trim() !== '' ? prepare(one.text) : undefined;
    if (!ready || ready.masked.trim() === '') return;
    setCounted.run(entry);
    add(one.session, 1, ready.masked.length);
    write(entry, [one], ready, ready.masked.length);
  };

  const indexOne = (entry: number, prepare: (text: string) => IndexText): void => {
    const sharers = sharersOf.all({ id: entry });
    const old = docsOf.all(entry);
    const oldLength = old[0]?.length ?? 0;
    for (const { id } of old) deleteFts.run(BigInt(id));
    if (old.length > 0) deleteDocs.run(entry);

    let active = sharers.filter(isSearched);
    const text = active.length === 0 ? undefined : bodyOf.get(entry)?.text;
    const ready = text === undefined || text.trim() === '' ? undefined : prepare(text);
    if (!ready || ready.masked.trim() === '') active = [];
    const length = ready?.masked.length ?? 0;
    for (const sharer of sharers) {
      const was = (sharer.flags & FLAG.counted) !== 0;
      const is = active.includes(sharer);
      if (was !== is) setFlags.run(sharer.flags ^ FLAG.counted, sharer.id);
      const characters = (is ? length : 0) - (was ? oldLength : 0);
      if (was !== is || characters !== 0) add(sharer.session, Number(is) - Number(was), characters);
    }
    if (active.length > 0 && ready) write(entry, active, ready, length);
  };

  const write = (
    entry: number,
    active: readonly Pick<Sharer, 'session' | 'role' | 'at'>[],
    ready: IndexText,
    length: number,
  ): void => {
    const first = active[0]!;
    const scope =
      active.length === 1 ? `s${first.session}` : [...new Set(active.map((sharer) => `s${sharer.session}`))].join(' ');
    const shared = (ready.clean ? DOC.clean : 0) | (active.length > 1 ? DOC.copies : 0);
    let later = 0;
    for (const document of documentsOf(ready.masked)) {
      const id = insertDoc.run(entry, first.session, first.role, first.at, length, shared | later).lastInsertRowid;
      insertFts.run(BigInt(id), indexForm(document.text), scope);
      later = DOC.later;
    }
  };

  return {
    index(entries, prepare) {
      const done = new Set<number>();
      added.clear();
      for (const entry of entries) {
        const one = fresh.get(entry);
        const id = one ? entry : original.get(entry)?.id;
        if (id === undefined || done.has(id)) continue;
        done.add(id);
        if (one) indexFresh(id, one, prepare);
        else indexOne(id, prepare);
      }
      fresh.clear();
      for (const [session, { texts, characters }] of added) {
        if (texts !== 0 || characters !== 0) count.run(texts, characters, session);
      }
    },
  };
}

/** Indexed: messages of users and assistants on the active branch that hold text (SES-40). */
function isSearched(sharer: Pick<Sharer, 'state' | 'kind' | 'role' | 'flags'>): boolean {
  return (
    sharer.state < 2 &&
    sharer.kind === 0 &&
    (sharer.role === 0 || sharer.role === 1) &&
    (sharer.flags & FLAG.text) !== 0
  );
}

/** The token stream as FTS5 reads it: tokens joined by spaces (TXT-20). */
export function indexForm(text: string): string {
  let form = '';
  for (const token of indexTokens(text)) form += form === '' ? ftsToken(token) : ` ${ftsToken(token)}`;
  return form;
}
