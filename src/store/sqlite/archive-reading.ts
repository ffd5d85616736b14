// Rows of one store as an archive holds them (SUR-72): in parts of some 1 MiB, so that no export holds much at once.
import type Database from 'better-sqlite3';
import type { Origin, SessionKind } from '../../model/session.ts';
import type {
  ArchivedCopy,
  ArchivedEntry,
  ArchivedFile,
  ArchivedKey,
  ArchivedSession,
  ArchiveReading,
  Part,
  Place,
} from '../archive.ts';
import { ENTRY_KINDS, ROLES, STATES } from '../contract.ts';
import { decodeBlocks, encodeBlocks, messageIdOf } from './blocks.ts';
import { FLAG } from './entry-writing.ts';
import { lazily } from './lazily.ts';
import { unseen } from './scope-condition.ts';

const ROWS = 512;
const PART_BYTES = 1_048_576;

const SESSIONS = `SELECT * FROM session s WHERE s.no > ? AND NOT ${unseen('s')} ORDER BY s.no LIMIT ${ROWS}`;
const WINDOWS = `
  SELECT w.session_id, w.reason, w.first, p.session_id AS previous
  FROM window w LEFT JOIN window p ON p.no = w.previous WHERE w.session = ? ORDER BY w.no`;
const FILES = `
  SELECT f.no, i.source, i.root, f.path, s.key AS session FROM file f JOIN instance i ON i.no = f.instance
  LEFT JOIN session s ON s.no = f.session
  WHERE f.no > ? AND f.outcome = 'read' AND (s.no IS NULL OR NOT ${unseen('s')}) ORDER BY f.no LIMIT ${ROWS}`;
// An entry's copy in a session that leaves stands for itself where its original does not leave.
const ENTRIES = `
  SELECT e.id, e.parent, e.kind, e.role, e.state, e.at, e.flags, e.native, e.blocks, e.author, s.key AS session,
         w.session_id, b.text, CASE WHEN os.no IS NOT NULL AND NOT ${unseen('os')} THEN e.copy_of END AS copy_of
  FROM entry e JOIN session s ON s.no = e.session JOIN window w ON w.no = e.window
  LEFT JOIN body b ON b.entry = coalesce(e.copy_of, e.id)
  LEFT JOIN entry o ON o.id = e.copy_of LEFT JOIN session os ON os.no = o.session
  WHERE e.id > ? AND NOT ${unseen('s')} ORDER BY e.id`;
const KEYS = `
  SELECT i.session AS no, s.key AS session, i.key AS idempotencyKey, i.entry FROM idempotency i JOIN session s ON s.no = i.session
  WHERE (i.session, i.key) > (?, ?) AND NOT ${unseen('s')} ORDER BY i.session, i.key LIMIT ${ROWS}`;
const COPIES = `
  SELECT c.digest, c.entry FROM copy c JOIN entry e ON e.id = c.entry JOIN session s ON s.no = e.session
  WHERE c.digest > ? AND NOT ${unseen('s')} ORDER BY c.digest LIMIT ${ROWS}`;

interface SessionSql {
  no: number;
  key: string;
  kind: SessionKind;
  title: string | null;
  title_rank: number | null;
  created_at: number;
  last_at: number;
  first_at: number | null;
  archived_at: number | null;
  spawned_by: string | null;
  parent: string | null;
  owner: string | null;
  people: string | null;
  leaf: number | null;
  source: string | null;
  project: string | null;
  native_key: string | null;
  origin: string | null;
  host_gone: number | null;
  unknown: string | null;
  messages: number;
}

interface WindowSql {
  session_id: string;
  reason: string;
  first: number | null;
  previous: string | null;
}

interface EntrySql {
  id: number;
  parent: number | null;
  kind: number;
  role: number | null;
  state: number;
  at: number;
  flags: number;
  native: string | Buffer;
  blocks: string | null;
  author: string | null;
  session: string;
  session_id: string;
  text: string | null;
  copy_of: number | null;
}

export function archiveReading(db: Database.Database): ArchiveReading {
  const sessions = lazily<[number], SessionSql>(db, SESSIONS);
  const windows = lazily<[number], WindowSql>(db, WINDOWS);
  const files = lazily<[number], Nullable<ArchivedFile>>(db, FILES);
  const entries = lazily<[number], EntrySql>(db, ENTRIES);
  const apart = lazily<[number], { no: number; json: string }>(
    db,
    'SELECT no, json FROM block WHERE entry = ? ORDER BY no',
  );
  const keys = lazily<[number, string], ArchivedKey & { no: number }>(db, KEYS);
  const copies = lazily<[Uint8Array], { digest: Buffer; entry: number }>(db, COPIES);
  return {
    archivedSessions(after) {
      const rows = sessions.all(numberOf(after));
      return partOf(
        rows,
        (row) => sessionOf(row, windows.all(row.no)),
        (row) => [row.no],
      );
    },
    archivedFiles: (after) =>
      partOf(
        files.all(numberOf(after)),
        (row) => present(row),
        (row) => [row.no],
      ),
    archivedEntries(after): Part<ArchivedEntry> {
      const found: ArchivedEntry[] = [];
      let bytes = 0;
      let last: number | undefined;
      // Iterated, and left at the bound: one message may be 16 MiB.
      for (const row of entries.iterate(numberOf(after))) {
        found.push(entryOf(row, apart.all(row.id)));
        bytes += (row.text?.length ?? 0) + (row.blocks?.length ?? 0) + apartBytes(found.at(-1)!);
        if (bytes < PART_BYTES && found.length < ROWS) continue;
        last = row.id;
        break;
      }
      return { rows: found, ...(last === undefined ? {} : { next: [last] }) };
    },
    archivedKeys(after) {
      const [no, key] = (after ?? [0, '']) as [number, string];
      const plain = ({ no: _, ...row }: ArchivedKey & { no: number }): ArchivedKey => row;
      return partOf(keys.all(no, key), plain, (row) => [row.no, row.idempotencyKey]);
    },
    archivedCopies(after): Part<ArchivedCopy> {
      const rows = copies.all((after?.[0] as Uint8Array | undefined) ?? Buffer.alloc(0));
      return partOf(
        rows,
        ({ digest, entry }) => ({ digest: digest.toString('hex'), entry }),
        (row) => [row.digest],
      );
    },
  };
}

type Nullable<T> = { [Name in keyof T]: T[Name] | null } & { no: number };

function numberOf(after: Place | undefined): number {
  return (after?.[0] as number | undefined) ?? 0;
}

function partOf<Row, T>(rows: readonly Row[], made: (row: Row) => T, placeOf: (row: Row) => Place): Part<T> {
  const last = rows.length < ROWS ? undefined : rows.at(-1);
  return { rows: rows.map(made), ...(last === undefined ? {} : { next: placeOf(last) }) };
}

/** Without what is null. */
function present<T extends object>(row: { [Name in keyof T]: T[Name] | null }): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined)) as T;
}

function sessionOf(row: SessionSql, windows: readonly WindowSql[]): ArchivedSession {
  return present<ArchivedSession>({
    key: row.key,
    kind: row.kind,
    title: row.title,
    titleRank: row.title_rank,
    createdAt: row.created_at,
    lastAt: row.last_at,
    firstAt: row.first_at,
    archivedAt: row.archived_at,
    hostGone: row.host_gone,
    spawnedBy: row.spawned_by,
    parent: row.parent,
    owner: row.owner,
    people: row.people === null ? null : (JSON.parse(row.people) as string[]),
    source: row.source,
    project: row.project,
    nativeKey: row.native_key,
    origin: row.origin === null ? null : (JSON.parse(row.origin) as Origin),
    unknown: row.unknown === null ? null : (JSON.parse(row.unknown) as Record<string, number>),
    messages: row.messages,
    leaf: row.leaf,
    windows: windows.map((window) =>
      present<ArchivedSession['windows'][number]>({
        sessionId: window.session_id,
        reason: window.reason,
        previous: window.previous,
        first: window.first,
      }),
    ),
  } as { [Name in keyof ArchivedSession]: ArchivedSession[Name] | null });
}

function entryOf(row: EntrySql, apart: readonly { no: number; json: string }[]): ArchivedEntry {
  const text = row.text === null || !(row.flags & FLAG.text) ? undefined : row.text;
  const blocks = row.blocks === null && text === undefined ? undefined : decodeBlocks(row.blocks, text);
  const isList = row.blocks !== null && blocks !== undefined && encodeBlocks(blocks).blocks === null;
  const has = (flag: number): true | null => (row.flags & flag ? true : null);
  return present<ArchivedEntry>({
    no: row.id,
    session: row.session,
    sessionId: row.session_id,
    messageId: messageIdOf(row.native),
    parent: row.parent,
    kind: ENTRY_KINDS[row.kind]!,
    role: row.role === null ? null : ROLES[row.role]!,
    state: STATES[row.state]!,
    at: row.at,
    author: row.author === null ? null : (JSON.parse(row.author) as NonNullable<ArchivedEntry['author']>),
    blocks: blocks ?? null,
    list: isList ? true : null,
    apart: apart.length === 0 ? null : Object.fromEntries(apart.map(({ no, json }) => [String(no), json])),
    copyOf: row.copy_of,
    guessed: has(FLAG.guessed),
    kept: has(FLAG.kept),
    prompt: has(FLAG.prompt),
    gone: has(FLAG.gone),
    aside: has(FLAG.aside),
    displayed: has(FLAG.displayed),
  } as { [Name in keyof ArchivedEntry]: ArchivedEntry[Name] | null });
}

function apartBytes({ apart }: ArchivedEntry): number {
  return apart === undefined ? 0 : Object.values(apart).reduce((sum, json) => sum + json.length, 0);
}
