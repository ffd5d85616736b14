// OpenClaw's database: the same events as in its files, one row each (SRC-142 … SRC-145). Read-only, and never its index.
import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { Pointer } from '../model/session.ts';
import { parsed } from './bad-lines.ts';
import { unpacked } from './compressed.ts';
import type { EntrySink, ForeignDatabase, PlannedFile, ReadOptions, ReadOutcome, Reopened } from './contract.ts';
import { ClawReader } from './openclaw-records.ts';
import { insideOf, valueAt } from './reopen.ts';

const MAX_EVENT = 64 * 1_048_576;
const BATCH = 500;
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session_windows: ['session_id', 'session_key'],
  transcript_events: ['session_id', 'seq', 'event_json'],
};
const INCOGNITO = /^agent:[^:]+:(?:incognito(?::|$)|[^:]+:incognito-)/i;

/** Per session the greatest seq and the number of rows read: fewer rows, or a smaller seq, and it is read again. */
type State = Record<string, readonly [seq: number, rows: number]>;

export async function readDatabase(file: PlannedFile, options: ReadOptions, out: EntrySink): Promise<ReadOutcome> {
  const db = opened(file.absolute, options);
  if ('reason' in db) return { kind: 'skipped', ...db };
  try {
    if (!fits(db)) return { kind: 'skipped', reason: 'unknown_layout', detail: 'tables of another version' };
    const state = stateOf(options.state);
    const next: Record<string, readonly [number, number]> = {};
    let read = false;
    for (const row of db.all(
      'SELECT w.session_id, w.session_key, w.previous_session_id, count(e.seq) AS rows, max(e.seq) AS last FROM session_windows w JOIN transcript_events e ON e.session_id = w.session_id GROUP BY w.session_id ORDER BY last DESC, w.session_id',
    )) {
      const id = String(row.session_id);
      const key = String(row.session_key ?? '');
      // Incognito keys are not read: counted, not named (SRC-147).
      if (INCOGNITO.test(key)) out.count('excluded');
      else {
        const [seq, rows] = [Number(row.last), Number(row.rows)];
        const [knownSeq, knownRows] = state[id] ?? [-1, 0];
        next[id] = [seq, rows];
        if (seq === knownSeq && rows === knownRows) continue;
        read = true;
        const from = seq >= knownSeq && rows >= knownRows ? knownSeq : -1;
        await readSession(db, file, { id, key, from, state: { ...state, ...next } }, options, out);
      }
    }
    if (read || options.state === undefined) await out.commit(Buffer.from(JSON.stringify({ ...state, ...next })));
    return { kind: read || options.state === undefined ? 'read' : 'same' };
  } finally {
    db.close();
  }
}

/** Ids of the sessions that a database holds, or undefined where there is none to read. */
export function sessionsIn(path: string, options: Pick<ReadOptions, 'openDatabase'>): ReadonlySet<string> | undefined {
  if (!existsSync(path)) return undefined;
  const db = opened(path, options);
  if ('reason' in db) return undefined;
  try {
    if (!fits(db)) return undefined;
    return new Set(db.all('SELECT DISTINCT session_id FROM transcript_events').map((row) => String(row.session_id)));
  } finally {
    db.close();
  }
}

async function readSession(
  db: ForeignDatabase,
  file: PlannedFile,
  session: { readonly id: string; readonly key: string; readonly from: number; readonly state: State },
  options: ReadOptions,
  out: EntrySink,
): Promise<void> {
  const reader = new ClawReader(
    undefined,
    out,
    { ...file, session: { native: session.id } },
    options,
    session.key || undefined,
  );
  const packed = columnsOf(db, 'transcript_events').has('event_zstd') ? ', event_zstd' : '';
  for (let after = session.from; ; ) {
    const rows = db.all(
      `SELECT seq, event_json${packed} FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ${BATCH}`,
      session.id,
      after,
    );
    for (const row of rows) {
      after = Number(row.seq);
      const text = textOf(row);
      const event = text === undefined ? undefined : parsed(text);
      if (!event || text === undefined) out.count('malformed', after);
      else {
        const digest = hash('sha256', text, 'hex').slice(0, 16);
        reader.event(
          event,
          { file: 0, table: 'transcript_events', row: `${session.id}/${after}`, path: [], digest },
          after,
        );
      }
      options.onBytes?.(text?.length ?? 0);
    }
    if (rows.length < BATCH) break;
  }
  reader.end();
}

/** The value a row's pointer names, when the row still holds what it held (SRC-21). */
export async function reopenRow(
  absolute: string,
  pointer: Pointer,
  roots: readonly string[],
  openDatabase: ReadOptions['openDatabase'],
): Promise<Reopened> {
  if (!('table' in pointer) || pointer.table !== 'transcript_events') return { reason: 'source_changed' };
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
    const [row] = db.all(
      'SELECT * FROM transcript_events WHERE session_id = ? AND seq = ?',
      place.slice(0, slash),
      Number(place.slice(slash + 1)),
    );
    const text = row && textOf(row);
    if (text === undefined || hash('sha256', text, 'hex').slice(0, 16) !== pointer.digest)
      return { reason: 'source_changed' };
    const value = valueAt(parsed(text), pointer.path);
    return value === undefined ? { reason: 'source_changed' } : { value: insideOf(value) };
  } finally {
    db.close();
  }
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
  return Object.entries(NEEDED).every(([table, columns]) => {
    const found = columnsOf(db, table);
    return columns.every((column) => found.has(column));
  });
}

function columnsOf(db: ForeignDatabase, table: string): Set<string> {
  return new Set(db.all('SELECT name FROM pragma_table_info(?)', table).map((row) => String(row.name)));
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
