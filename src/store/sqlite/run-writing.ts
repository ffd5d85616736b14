// Writes of a run index: files, their records and pieces, and the counters of what each group holds, always together.
import type Database from 'better-sqlite3';
import { indexTokens } from '../../text/index.ts';
import { type FileWrite, type KnownFile, type NewRecord, RECORD_KINDS, type RunWriting } from '../run-index.ts';
import { ftsToken } from './match.ts';
import { groupsOf, labelsOf, slotsOf } from './run-numbers.ts';

// Trap 1 of search-engine.md: a number beyond int32 is bound as REAL. Ids are bound as BigInt.
const PLACES = 32n;
// Between two questions whether others are due their turn.
const ROWS_A_TURN = 64;

interface FileSql {
  no: number;
  version: number;
}

interface RecordSql {
  at: number | null;
  first: number;
  pieces: number;
  group: number;
}

/** One row of `piece` and `fts`, not written yet. */
interface PendingPiece {
  readonly id: bigint;
  readonly record: bigint;
  readonly line: number;
  readonly column: number;
  readonly sides: number;
  readonly text: string;
  readonly own: string;
  readonly over: string;
  readonly scope: string;
}

export interface RunWriter extends RunWriting {
  /** Before the transaction commits: FTS5 takes rows in the order of their ids, or it writes a segment for each. */
  flush(): Promise<void>;
  /** After one was undone. */
  forget(): void;
}

export function runWriting(db: Database.Database, pause: () => void | Promise<void>): RunWriter {
  const fileOf = db.prepare<[Uint8Array], FileSql>('SELECT no, version FROM file WHERE name = ?');
  const insertFile = db.prepare('INSERT INTO file VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)');
  const updateFile = db.prepare(
    'UPDATE file SET shown = ?, is_record = ?, hidden = ?, flags = ?, state = ?, version = ? WHERE no = ?',
  );
  const deleteFile = db.prepare('DELETE FROM file WHERE no = ?');
  const deleteSlots = db.prepare('DELETE FROM slot WHERE file = ?');
  const recordsFrom = db.prepare<[bigint, bigint], RecordSql>(
    'SELECT at, first, pieces, "group" FROM record WHERE no >= ? AND no < ?',
  );
  const deleteRecords = db.prepare('DELETE FROM record WHERE no >= ? AND no < ?');
  const insertRecord = db.prepare(`
    INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (no) DO UPDATE SET pieces = pieces + excluded.pieces, digest = excluded.digest`);
  const textOf = db.prepare<[bigint], string>('SELECT text FROM piece WHERE id = ?').pluck();
  const deletePiece = db.prepare('DELETE FROM piece WHERE id = ?');
  const deleteFts = db.prepare('DELETE FROM fts WHERE rowid = ?');
  const insertPiece = db.prepare('INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?)');
  const insertFts = db.prepare('INSERT INTO fts (rowid, text, over, scope) VALUES (?, ?, ?, ?)');
  const addTally = db.prepare(`
    INSERT INTO tally VALUES (@group, @file, @pieces, @characters)
    ON CONFLICT DO UPDATE SET pieces = pieces + excluded.pieces, characters = characters + excluded.characters`);
  const addGroup = db.prepare(
    'UPDATE "group" SET pieces = pieces + @pieces, characters = characters + @characters WHERE no = @group',
  );
  const talliesOf = db.prepare<[number], { group: number; pieces: number; characters: number }>(
    'SELECT "group", pieces, characters FROM tally WHERE file = ?',
  );
  const deleteTallies = db.prepare('DELETE FROM tally WHERE file = ?');
  const slots = slotsOf(db);
  const groups = groupsOf(db);
  const labels = labelsOf(db);
  let pending: PendingPiece[] = [];

  const remove = async (no: number, keep: { records: number; pieces: number }): Promise<void> => {
    const [from, to] = [recordNo(no, keep.records), recordNo(no + 1, 0)];
    const whole = keep.records === 0;
    const less = new Map<number, { pieces: number; characters: number }>();
    for (const [index, { at, first, pieces, group }] of recordsFrom.all(from, to).entries()) {
      if (index % ROWS_A_TURN === 0) await pause();
      const sum = less.get(group) ?? { pieces: 0, characters: 0 };
      less.set(group, sum);
      sum.pieces -= pieces;
      for (let place = first; place < first + pieces; place++) {
        const id = slots.idOf(no, at ?? undefined, place);
        if (!whole) sum.characters -= textOf.get(id)?.length ?? 0;
        deleteFts.run(id);
        deletePiece.run(id);
      }
    }
    deleteRecords.run(from, to);
    if (whole) {
      for (const { group, pieces, characters } of talliesOf.all(no)) {
        addGroup.run({ group, pieces: -pieces, characters: -characters });
      }
      deleteTallies.run(no);
    } else for (const [group, sum] of less) count(no, group, sum);
  };

  const count = (file: number, group: number, sum: { pieces: number; characters: number }): void => {
    if (sum.pieces === 0) return;
    addTally.run({ group, file, ...sum });
    addGroup.run({ group, ...sum });
  };

  const add = (no: number, record: NewRecord, more: Map<number, { pieces: number; characters: number }>): void => {
    const group = groups.numberOf(record.group);
    const number = recordNo(no, record.place);
    // In the order of the columns: values by name cost twice as much.
    insertRecord.run(
      number,
      record.line,
      group,
      RECORD_KINDS.indexOf(record.kind),
      record.at ?? null,
      record.level ?? null,
      record.state === undefined ? null : labels(record.state),
      record.digest,
      record.first,
      record.pieces.length,
    );
    const sum = more.get(group) ?? { pieces: 0, characters: 0 };
    more.set(group, sum);
    let place = record.first;
    for (const { line, column, text, cut } of record.pieces) {
      sum.pieces++;
      sum.characters += text.length;
      const id = slots.idOf(no, record.at, place++);
      const own = indexForm(cut ? cut.own : indexTokens(text));
      const over = cut ? indexForm(cut.over) : '';
      pending.push({ id, record: number, line, column, sides: cut?.sides ?? 0, text, own, over, scope: `g${group}` });
    }
  };

  return {
    async put(file) {
      const name = Buffer.from(file.name, 'hex');
      const known = fileOf.get(name);
      if ((known?.version ?? 0) !== file.version) return false;
      const no = known?.no ?? Number(insertFile.run(name, ...columnsOf(file), 0).lastInsertRowid);
      if (known && file.keep) await remove(no, file.keep);
      const more = new Map<number, { pieces: number; characters: number }>();
      for (const [index, record] of file.records.entries()) {
        if (index % ROWS_A_TURN === 0) await pause();
        add(no, record, more);
      }
      for (const [group, sum] of more) count(no, group, sum);
      updateFile.run(...columnsOf(file), file.version + 1, no);
      return true;
    },
    async drop({ name, version }) {
      const known = fileOf.get(Buffer.from(name, 'hex'));
      if (!known) return true;
      if (known.version !== version) return false;
      await remove(known.no, { records: 0, pieces: 0 });
      deleteSlots.run(known.no);
      slots.forget(known.no);
      deleteFile.run(known.no);
      return true;
    },
    async flush() {
      pending.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
      for (const [index, { id, record, line, column, sides, text, own, over, scope }] of pending.entries()) {
        if (index % ROWS_A_TURN === 0) await pause();
        insertPiece.run(id, record, line, column, sides, text);
        insertFts.run(id, own, over, scope);
      }
      pending = [];
    },
    forget() {
      pending = [];
      slots.forget();
      groups.forget();
      labels.forget();
    },
  };
}

function columnsOf(file: FileWrite | KnownFile): [string, number, number, number, Uint8Array | null] {
  return [file.shown, Number(file.isRecord), Number(file.hidden), file.flags, file.state ?? null];
}

function recordNo(file: number, place: number): bigint {
  return (BigInt(file) << PLACES) + BigInt(place);
}

/** Tokens joined by spaces, as FTS5 reads them (TXT-20). */
function indexForm(tokens: readonly string[]): string {
  const form = tokens.join(' ');
  // Most texts hold no token that FTS5 would split: one look at all of them.
  return SPLIT_NOWHERE.test(form) ? form : tokens.map(ftsToken).join(' ');
}

const SPLIT_NOWHERE = /^[A-Za-z0-9_ \u0080-\uffff]*$/;
