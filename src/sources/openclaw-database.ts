// OpenClaw's database: the same events as in its files, one row each (SRC-142 … SRC-145). Read-only, and never its index.
import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { Pointer } from '../model/session.ts';
import { parsed } from './bad-lines.ts';
import { unpacked } from './compressed.ts';
import type { EntrySink, ForeignDatabase, PlannedFile, ReadOptions, ReadOutcome, Reopened } from './contract.ts';
import { ARCHIVES, type ArchiveState, archivedLine, readArchives } from './openclaw-archives.ts';
import { ClawReader } from './openclaw-records.ts';
import { insideOf, valueAt } from './reopen.ts';

const MAX_EVENT = 64 * 1_048_576;
const BATCH = 500;
// Events between two commits.
const COMMIT = 2_000;
const NOTHING = [-1, 0, 0, undefined] as const;
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session_windows: ['session_id', 'session_key'],
  transcript_events: ['session_id', 'seq', 'event_json'],
};
/** Keys of sessions that are never read (SRC-147, SES-15). */
export const INCOGNITO: RegExp = /^agent:[^:]+:(?:incognito(?::|$)|[^:]+:incognito-)/i;

/** What was read of the archived ones stands beside them, under a name no session has. */
const ARCHIVED = '';

/** What was read of each session; fewer rows, a smaller seq or another generation, and it is read again (SRC-145). */
type State = Record<string, readonly [seq: number, rows: number, generation: number, reader: unknown]>;

export async function readDatabase(file: PlannedFile, options: ReadOptions, out: EntrySink): Promise<ReadOutcome> {
  const db = opened(file.absolute, options);
  if ('reason' in db) return { kind: 'skipped', ...db };
  try {
    if (!fits(db)) return { kind: 'skipped', reason: 'unknown_layout', detail: 'tables of another version' };
    const known = stateOf(options.state);
    // Sessions that are gone from the database leave the state, too.
    const state: State = {};
    const reading: Reading = { db, file, options, out, packed: hasColumns(db, 'transcript_events', ['event_zstd']) };
    const work: [Window, State[string]][] = [];
    for (const window of windowsOf(db)) {
      // Incognito keys are not read: counted, not named (SRC-147).
      if (INCOGNITO.test(window.key)) {
        if (options.state === undefined) out.count('excluded');
        continue;
      }
      const before = known[window.id];
      if (before) state[window.id] = before;
      const [seq, rows, generation] = before ?? NOTHING;
      if (seq === window.seq && rows === window.rows && generation === window.generation) continue;
      const goesOn = window.seq >= seq && window.rows >= rows && window.generation === generation;
      work.push([window, goesOn && before ? before : NOTHING]);
    }
    const live = new Set(Object.keys(state));
    for (const [{ id }] of work) live.add(id);
    const at = {
      db,
      file,
      options,
      out,
      hasColumns: (...asked: [string, readonly string[]]) => hasColumns(db, ...asked),
    };
    const put = (known as Record<string, unknown>)[ARCHIVED] as ArchiveState | undefined;
    const archives = readArchives(at, put ?? {}, (id) => live.has(id));
    const encoded = (): Buffer => Buffer.from(JSON.stringify({ ...state, [ARCHIVED]: archives }));
    const isSame = JSON.stringify(archives) === JSON.stringify(put ?? {});
    let events = 0;
    for (const [window, from] of work) {
      options.signal?.throwIfAborted();
      events += await readSession(reading, window, from, state);
      if (events < COMMIT) continue;
      events = 0;
      await out.commit(encoded());
    }
    if (work.length === 0 && isSame && options.state !== undefined) return { kind: 'same' };
    await out.commit(encoded());
    return { kind: 'read' };
  } finally {
    db.close();
  }
}

/** Whether a database is there, can be read, and holds this session: then a file of it is a duplicate (SRC-143). */
export function holdsSession(path: string, session: string, options: Pick<ReadOptions, 'openDatabase'>): boolean {
  if (!existsSync(path)) return false;
  const db = opened(path, options);
  if ('reason' in db) return false;
  try {
    if (!fits(db)) return false;
    return db.all('SELECT 1 FROM transcript_events WHERE session_id = ? LIMIT 1', session).length > 0;
  } finally {
    db.close();
  }
}

interface Window {
  readonly id: string;
  readonly key: string;
  readonly previous: string | undefined;
  readonly spawnedBy: string | undefined;
  readonly seq: number;
  readonly rows: number;
  readonly generation: number;
}

interface Reading {
  readonly db: ForeignDatabase;
  readonly file: PlannedFile;
  readonly options: ReadOptions;
  readonly out: EntrySink;
  /** Events may be compressed. */
  readonly packed: boolean;
}

// One row per session, by the greatest seq: rows of one session are read in their own order.
function windowsOf(db: ForeignDatabase): Window[] {
  const previous = hasColumns(db, 'session_windows', ['previous_session_id']) ? 'w.previous_session_id' : 'NULL';
  const hasGeneration = hasColumns(db, 'transcript_rewrite_watermarks', ['session_id', 'generation']);
  const generation = hasGeneration
    ? '(SELECT max(m.generation) FROM transcript_rewrite_watermarks m WHERE m.session_id = e.session_id)'
    : 'NULL';
  const hasNodes = hasColumns(db, 'session_nodes', ['session_key', 'current_session_id', 'spawned_by']);
  const parent = hasNodes
    ? '(SELECT p.current_session_id FROM session_nodes n JOIN session_nodes p ON p.session_key = n.spawned_by WHERE n.session_key = w.session_key)'
    : 'NULL';
  const rows = db.all(
    `SELECT e.session_id AS id, w.session_key AS key, ${previous} AS previous, ${generation} AS generation, ${parent} AS parent, count(*) AS rows, max(e.seq) AS seq FROM transcript_events e LEFT JOIN session_windows w ON w.session_id = e.session_id GROUP BY e.session_id ORDER BY e.session_id`,
  );
  return rows.map((row) => ({
    id: String(row.id),
    key: typeof row.key === 'string' ? row.key : '',
    previous: typeof row.previous === 'string' && row.previous !== '' ? row.previous : undefined,
    spawnedBy: typeof row.parent === 'string' && row.parent !== '' ? row.parent : undefined,
    seq: Number(row.seq),
    rows: Number(row.rows),
    generation: Number(row.generation ?? 0),
  }));
}

// Reads the events after `from`, and notes how far it came. Returns their number.
async function readSession(reading: Reading, window: Window, from: State[string], state: State): Promise<number> {
  const { db, file, options, out, packed } = reading;
  const { id, key, previous, spawnedBy } = window;
  const session = { native: id };
  const reader = new ClawReader(from[3] ?? undefined, out, { ...file, session }, options, key || undefined);
  if (from === NOTHING && previous !== undefined) out.facts(session, { forkedFrom: previous });
  if (from === NOTHING && spawnedBy !== undefined) out.facts(session, { spawnedBy: { native: spawnedBy } });
  let [after, count] = [from[0], 0];
  for (;;) {
    const rows = db.all(
      `SELECT seq, event_json${packed ? ', event_zstd' : ''} FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ${BATCH}`,
      id,
      after,
    );
    for (const row of rows) {
      after = Number(row.seq);
      const text = textOf(row);
      const event = text === undefined ? undefined : parsed(text);
      if (!event || text === undefined) out.count('malformed', after);
      else {
        const digest = hash('sha256', text, 'hex').slice(0, 16);
        reader.event(event, { file: 0, table: 'transcript_events', row: `${id}/${after}`, path: [], digest }, after);
      }
      options.onBytes?.(text?.length ?? 0);
    }
    count += rows.length;
    if (rows.length < BATCH) break;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  reader.end();
  state[id] = [window.seq, window.rows, window.generation, reader.save()];
  return count;
}

/** The value a row's pointer names, when the row still holds what it held (SRC-21). */
export async function reopenRow(
  absolute: string,
  pointer: Pointer,
  roots: readonly string[],
  openDatabase: ReadOptions['openDatabase'],
): Promise<Reopened> {
  if (!('table' in pointer)) return { reason: 'source_changed' };
  try {
    const real = realpathSync(absolute);
    if (!roots.some((root) => real.startsWith(root + sep))) return { reason: 'source_outside' };
  } catch {
    return { reason: 'source_gone' };
  }
  const place = String(pointer.row);
  const slash = place.lastIndexOf('/');
  const db = opened(absolute, { openDatabase });
  if ('reason' in db) return { reason: 'source_changed' };
  try {
    const [id, number] = [place.slice(0, slash), Number(place.slice(slash + 1))];
    const text = pointedText(db, pointer.table, id, number);
    if (text === undefined || hash('sha256', text, 'hex').slice(0, 16) !== pointer.digest)
      return { reason: 'source_changed' };
    const value = valueAt(parsed(text), pointer.path);
    return value === undefined ? { reason: 'source_changed' } : { value: insideOf(value) };
  } finally {
    db.close();
  }
}

function pointedText(db: ForeignDatabase, table: string, id: string, number: number): string | undefined {
  if (ARCHIVES.includes(table)) return archivedLine(db, table, id, number);
  if (table !== 'transcript_events') return undefined;
  const [row] = db.all('SELECT * FROM transcript_events WHERE session_id = ? AND seq = ?', id, number);
  return row && textOf(row);
}

function opened(
  path: string,
  options: Pick<ReadOptions, 'openDatabase'>,
): ForeignDatabase | { reason: 'busy' | 'unknown_layout'; detail: string } {
  try {
    return options.openDatabase(path);
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '');
    const busy = code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
    return { reason: busy ? 'busy' : 'unknown_layout', detail: code };
  }
}

function fits(db: ForeignDatabase): boolean {
  return Object.entries(NEEDED).every(([table, columns]) => hasColumns(db, table, columns));
}

function hasColumns(db: ForeignDatabase, table: string, columns: readonly string[]): boolean {
  const found = new Set(db.all('SELECT name FROM pragma_table_info(?)', table).map((row) => String(row.name)));
  return columns.every((column) => found.has(column));
}

function textOf(row: Record<string, unknown>): string | undefined {
  if (typeof row.event_json === 'string') return row.event_json;
  if (!(row.event_zstd instanceof Uint8Array)) return undefined;
  return unpacked(row.event_zstd, MAX_EVENT)?.toString('utf8');
}

function stateOf(saved: Uint8Array | undefined): State {
  try {
    return saved ? (JSON.parse(Buffer.from(saved).toString('utf8')) as State) : {};
  } catch {
    return {};
  }
}
