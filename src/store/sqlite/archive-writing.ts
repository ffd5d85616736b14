// Rows that come from an archive (SUR-72). They stand aside under a key that no caller can name and with a mark that no
// answer passes, and are shown at once: `deleting` is 2 until then, which deletions in progress (1) do not touch.
import type Database from 'better-sqlite3';
import type { ArchivedEntry, ArchivedSession, ArchiveWriting, Staged } from '../archive.ts';
import { ENTRY_KINDS, ROLES, STATES } from '../contract.ts';
import type { Writing } from '../writing.ts';
import { encodeBlocks, nativeOf } from './blocks.ts';
import { branchStamps } from './branch-stamps.ts';
import { FLAG, type Fresh } from './entry-writing.ts';
import { goneDigest } from './host-sessions.ts';
import { lazily } from './lazily.ts';

const ASIDE = 'import:';
const INSERT_SESSION = `
  INSERT INTO session (key, kind, title, title_rank, created_at, last_at, first_at, archived_at, spawned_by, parent, owner,
                       people, leaf, source, project, native_key, origin, host_gone, unknown, messages, deleting)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 2)`;
const INSERT_WINDOW = `
  INSERT INTO window (session, session_id, previous, reason, first)
  VALUES (?, ?, (SELECT no FROM window WHERE session_id = ?), ?, ?)`;
const WINDOW = `
  SELECT w.no, w.session FROM window w JOIN session s ON s.no = w.session
  WHERE w.session_id = ? AND s.key = ? AND s.deleting = 2`;
// Others may have written under the number of an entry whose session was left out.
const STAGED_ENTRY = `
  SELECT e.copy_of FROM entry e JOIN session s ON s.no = e.session WHERE e.id = ? AND s.deleting = 2`;
const INSERT_ENTRY = `
  INSERT INTO entry (id, session, window, parent, kind, role, state, at, flags, native, blocks, copy_of, author)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
// Numbers that never were: whatever a stat says, the file has changed since.
const INSERT_FILE = `
  INSERT INTO file (no, instance, path, session, dev, ino, size, mtime, ctime, settled, reader, outcome, version)
  VALUES (CASE WHEN EXISTS (SELECT 1 FROM file WHERE no = @no) THEN NULL ELSE @no END, @instance, @path,
          (SELECT no FROM session WHERE key = @key), '0', '0', 0, '0', '0', 0, 0, 'read', 1) RETURNING no`;
const KNOWN_KEY = 'SELECT 1 FROM session WHERE key = ?';
const IS_GONE = 'SELECT 1 FROM gone WHERE digest = ? AND (until IS NULL OR until > ?)';
// Naming a link's column tells the catalogue of it (catalogue-links.ts).
const SHOW = 'UPDATE session SET key = ?, deleting = 0, leaf = ?, spawned_by = spawned_by WHERE no = ?';

interface StagedSql {
  no: number;
  key: string;
  leaf: number | null;
}

export function archiveWriting(
  db: Database.Database,
  fresh: Map<number, Fresh>,
  parts: Pick<Writing, 'deleteSessions' | 'instance'>,
): ArchiveWriting {
  const last = lazily<[], number>(db, 'SELECT coalesce(max(id), 0) FROM entry').pluck();
  const known = lazily<[string], number>(db, KNOWN_KEY);
  const gone = lazily<[Uint8Array, number], number>(db, IS_GONE);
  const windowTaken = lazily<[string], number>(db, 'SELECT 1 FROM window WHERE session_id = ?');
  const insertSession = lazily(db, INSERT_SESSION);
  const insertWindow = lazily(db, INSERT_WINDOW);
  const windowOf = lazily<[string, string], { no: number; session: number }>(db, WINDOW);
  const insertEntry = lazily(db, INSERT_ENTRY);
  const insertBody = lazily(db, 'INSERT INTO body (entry, text) VALUES (?, ?)');
  const insertApart = lazily(db, 'INSERT INTO block (entry, no, json) VALUES (?, ?, ?)');
  const entryThere = lazily<[number], { copy_of: number | null }>(db, STAGED_ENTRY);
  const fileNo = lazily<[number, string], number>(db, 'SELECT no FROM file WHERE instance = ? AND path = ?').pluck();
  const insertFile = lazily<[object], number>(db, INSERT_FILE).pluck();
  const stagedNo = lazily<[string], number>(db, 'SELECT no FROM session WHERE key = ? AND deleting = 2').pluck();
  const insertKey = lazily(db, 'INSERT OR IGNORE INTO idempotency (session, key, entry) VALUES (?, ?, ?)');
  const insertCopy = lazily(db, 'INSERT OR IGNORE INTO copy (digest, entry) VALUES (?, ?)');
  const staged = lazily<[number], StagedSql>(
    db,
    'SELECT no, key, leaf FROM session WHERE deleting = 2 ORDER BY no LIMIT ?',
  );
  const show = lazily(db, SHOW);
  const stamps = branchStamps(db);
  const firsts = lazily<[number], { no: number; first: number }>(
    db,
    'SELECT no, first FROM window WHERE session = ? AND first IS NOT NULL',
  );
  const setFirst = lazily(db, 'UPDATE window SET first = ? WHERE no = ?');
  const fileOf = lazily(db, 'UPDATE file SET session = ? WHERE session = ?');

  return {
    lastEntry: () => last.get()!,
    stageSession(session, now): Staged {
      if (known.get(ASIDE + session.key)) return 'staged';
      if (known.get(session.key)) return 'kept';
      const ids = session.windows.map(({ sessionId }) => sessionId);
      const digests = [goneDigest('key', session.key), ...ids.map((id) => goneDigest('session', id))];
      if (digests.some((digest) => gone.get(digest, now))) return 'erased';
      if (ids.some((id) => windowTaken.get(id))) return 'taken';
      const no = Number(insertSession.run(...columnsOf(session)).lastInsertRowid);
      for (const { sessionId, previous, reason, first } of session.windows) {
        insertWindow.run(no, sessionId, previous ?? null, reason, first ?? null);
      }
      return 'staged';
    },
    stageFile({ no, source, root, path, session }) {
      const instance = (parts.instance(source, root) as { no: number }).no;
      return fileNo.get(instance, path) ?? insertFile.get({ no, instance, path, key: ASIDE + (session ?? '') })!;
    },
    stageEntry(entry, renumber) {
      const window = windowOf.get(entry.sessionId, ASIDE + entry.session);
      if (!window) return undefined;
      const id = renumber(entry.no);
      const original = entry.copyOf === undefined ? undefined : renumber(entry.copyOf);
      // Its original was not taken over, or is itself a copy by now: then it stands for itself.
      const copyOf = original !== undefined && entryThere.get(original)?.copy_of === null ? original : undefined;
      const { blocks, text } = entry.blocks === undefined ? NOTHING : encodeBlocks(entry.blocks);
      const flags = flagsOf(entry, text);
      const kind = ENTRY_KINDS.indexOf(entry.kind);
      const role = entry.role === undefined ? null : ROLES.indexOf(entry.role);
      const state = STATES.indexOf(entry.state);
      insertEntry.run(
        id,
        window.session,
        window.no,
        entry.parent === undefined ? null : renumber(entry.parent),
        kind,
        role,
        state,
        entry.at,
        flags,
        nativeOf(entry.messageId),
        blocks ?? (entry.list ? `[${text?.length ?? 0}]` : null),
        copyOf ?? null,
        entry.author === undefined ? null : JSON.stringify(entry.author),
      );
      if (copyOf !== undefined) fresh.delete(copyOf);
      else if (text !== undefined) {
        insertBody.run(id, text);
        fresh.set(id, { session: window.session, role, kind, state, at: entry.at, flags, text });
      }
      for (const [place, json] of Object.entries(entry.apart ?? {})) insertApart.run(id, Number(place), json);
      return id;
    },
    stageKey({ session, idempotencyKey, entry }, renumber) {
      const no = stagedNo.get(ASIDE + session);
      if (no !== undefined) insertKey.run(no, idempotencyKey, renumber(entry));
    },
    stageCopy({ digest, entry }, renumber) {
      const id = renumber(entry);
      if (entryThere.get(id)) insertCopy.run(Buffer.from(digest, 'hex'), id);
    },
    showStaged(renumber, prepare) {
      const doubles: number[] = [];
      let shown = 0;
      for (const { no, key, leaf } of staged.all(-1)) {
        const own = key.slice(ASIDE.length);
        if (known.get(own)) {
          fileOf.run(null, no);
          doubles.push(no);
          continue;
        }
        for (const window of firsts.all(no)) setFirst.run(renumber(window.first), window.no);
        show.run(own, leaf === null ? null : renumber(leaf), no);
        stamps.moved(no);
        shown++;
      }
      if (doubles.length > 0) parts.deleteSessions(doubles, prepare);
      return { shown, kept: doubles.length };
    },
    dropStaged(prepare) {
      const [first] = staged.all(1);
      if (first === undefined) return false;
      fileOf.run(null, first.no);
      parts.deleteSessions([first.no], prepare);
      return true;
    },
  };
}

const NOTHING: { blocks: string | null; text: string | undefined } = { blocks: null, text: undefined };

function columnsOf(session: ArchivedSession): (string | number | null)[] {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  return [
    ASIDE + session.key,
    session.kind,
    session.title ?? null,
    session.titleRank ?? null,
    session.createdAt,
    session.lastAt,
    session.firstAt ?? null,
    session.archivedAt ?? null,
    session.spawnedBy ?? null,
    session.parent ?? null,
    session.owner ?? null,
    json(session.people),
    session.leaf ?? null,
    session.source ?? null,
    session.project ?? null,
    session.nativeKey ?? null,
    json(session.origin),
    session.hostGone ?? null,
    json(session.unknown),
    session.messages,
  ];
}

function flagsOf(entry: ArchivedEntry, text: string | undefined): number {
  return (
    (entry.guessed ? FLAG.guessed : 0) |
    (text === undefined ? 0 : FLAG.text) |
    (entry.kept ? FLAG.kept : 0) |
    (entry.prompt ? FLAG.prompt : 0) |
    (entry.gone ? FLAG.gone : 0) |
    (entry.aside ? FLAG.aside : 0) |
    (entry.displayed ? FLAG.displayed : 0)
  );
}
