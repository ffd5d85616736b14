// Transcripts that OpenClaw put away inside its database: whole files of events, packed or plain (SRC-144).
import { hash } from 'node:crypto';
import { parsed } from './bad-lines.ts';
import { unpacked } from './compressed.ts';
import type { EntrySink, ForeignDatabase, PlannedFile, ReadOptions } from './contract.ts';
import { ClawReader } from './openclaw-records.ts';

const MAX_ARCHIVE = 64 * 1_048_576;
/** Where they are, and where their rows' events are pointed to. */
export const ARCHIVES: readonly string[] = ['session_transcript_archives', 'session_transcript_cold_archives'];
const NEEDED = ['session_id', 'encoding', 'blob'];

/** Of each archived session, its table and size: another size, and it is read again. */
export type ArchiveState = Record<string, readonly [table: string, bytes: number]>;

interface Reading {
  readonly db: ForeignDatabase;
  readonly file: PlannedFile;
  readonly options: ReadOptions;
  readonly out: EntrySink;
  readonly hasColumns: (table: string, columns: readonly string[]) => boolean;
}

/** Reads what is new among them; a session that is live as well is passed over. Returns the new state. */
export function readArchives(
  reading: Reading,
  known: ArchiveState,
  isLive: (session: string) => boolean,
): ArchiveState {
  const { db, out, hasColumns } = reading;
  const state: ArchiveState = {};
  for (const table of ARCHIVES) {
    if (!hasColumns(table, NEEDED)) continue;
    const rows = db.all(`SELECT session_id AS id, length(blob) AS bytes FROM ${table} ORDER BY session_id`);
    for (const row of rows) {
      const [id, bytes] = [String(row.id), Number(row.bytes)];
      if (isLive(id) || state[id]) continue;
      state[id] = [table, bytes];
      const before = known[id];
      if (before?.[0] === table && before[1] === bytes) continue;
      const text = archiveText(db, table, id);
      if (text === undefined) out.count('malformed');
      else readOne(reading, table, id, text);
    }
  }
  return state;
}

function readOne({ file, options, out }: Reading, table: string, id: string, text: string): void {
  const session = { native: id };
  const reader = new ClawReader(undefined, out, { ...file, session }, options, undefined);
  out.facts(session, { archived: true });
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const event = parsed(line);
    if (event) {
      const digest = hash('sha256', line, 'hex').slice(0, 16);
      reader.event(event, { file: 0, table, row: `${id}/${index}`, path: [], digest }, index + 1);
    } else out.count('malformed', index + 1);
  }
  options.onBytes?.(text.length);
  reader.end();
}

/** The line of an archive that a pointer names. */
export function archivedLine(db: ForeignDatabase, table: string, id: string, index: number): string | undefined {
  return archiveText(db, table, id)?.split('\n')[index];
}

// `encoding` names what was done to the lines: anything with "zst" in it is Zstandard, the rest is plain.
function archiveText(db: ForeignDatabase, table: string, id: string): string | undefined {
  const [row] = db.all(`SELECT encoding, blob FROM ${table} WHERE session_id = ?`, id);
  if (typeof row?.blob === 'string') return row.blob;
  if (!(row?.blob instanceof Uint8Array)) return undefined;
  if (!/zst/i.test(String(row.encoding))) return row.blob.length > MAX_ARCHIVE ? undefined : utf8(row.blob);
  const plain = unpacked(row.blob, MAX_ARCHIVE);
  return plain && utf8(plain);
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
