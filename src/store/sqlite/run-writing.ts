// Writes of a run index: files, their records and pieces, and the counters of what each group holds, always together.
import type Database from 'better-sqlite3';
import { indexTokens } from '../../text/index.ts';
import {
  type FileWrite,
  type Group,
  type IndexedConversation,
  type KnownFile,
  type NewRecord,
  RECORD_KINDS,
  type RunWriting,
} from '../run-index.ts';
import { ftsToken } from './match.ts';

// Trap 1 of search-engine.md: a number beyond int32 is bound as REAL. Ids are bound as BigInt.
const PLACES = 32n;
const HOUR_SHIFT = 43n;
const SLOT_SHIFT = 21n;
const PART = 2 ** 21;
const SLOTS = 2 ** 22;
const HOURS = 2 ** 20;
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
    INSERT INTO record VALUES (@no, @line, @group, @kind, @at, @level, @state, @digest, @first, @pieces)
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
    insertRecord.run({
      no: number,
      line: record.line,
      group,
      kind: RECORD_KINDS.indexOf(record.kind),
      at: record.at ?? null,
      level: record.level ?? null,
      state: record.state === undefined ? null : labels(record.state),
      digest: BigInt.asIntN(64, record.digest),
      first: record.first,
      pieces: record.pieces.length,
    });
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
  let form = '';
  for (const token of tokens) form += form === '' ? ftsToken(token) : ` ${ftsToken(token)}`;
  return form;
}

// Ids of pieces. A file's slot begins at its name's hash; where two meet, the later takes the next free one.
function slotsOf(db: Database.Database): {
  idOf(file: number, at: number | undefined, place: number): bigint;
  forget(file?: number): void;
} {
  const find = db.prepare<[number, number], number>('SELECT no FROM slot WHERE file = ? AND part = ?').pluck();
  const taken = db.prepare<[number], number>('SELECT 1 FROM slot WHERE no = ?').pluck();
  const insert = db.prepare('INSERT INTO slot VALUES (?, ?, ?)');
  const nameOf = db.prepare<[number], Buffer>('SELECT name FROM file WHERE no = ?').pluck();
  let last: { file: number; part: number; base: bigint } | undefined;
  const slotOf = (file: number, part: number): number => {
    const known = find.get(file, part);
    if (known !== undefined) return known;
    let slot = ((nameOf.get(file)?.readUInt32BE(0) ?? 0) + part * 0x9e3779b1) % SLOTS;
    while (taken.get(slot) !== undefined) slot = (slot + 1) % SLOTS;
    insert.run(slot, file, part);
    return slot;
  };
  return {
    idOf(file, at, place) {
      const part = Math.floor(place / PART);
      if (last?.file !== file || last.part !== part) {
        last = { file, part, base: BigInt(slotOf(file, part)) << SLOT_SHIFT };
      }
      return (BigInt(hourOf(at)) << HOUR_SHIFT) + last.base + BigInt(place % PART);
    },
    forget() {
      last = undefined;
    },
  };
}

function hourOf(at: number | undefined): number {
  return at === undefined ? 0 : Math.min(HOURS - 1, Math.max(1, Math.floor(at / 3_600)));
}

function groupsOf(db: Database.Database): { numberOf(group: Group): number; forget(): void } {
  const find = db
    .prepare<[number, number | null, number, number | null], number>(
      'SELECT no FROM "group" WHERE is_record = ? AND episode IS ? AND conversation = ? AND enclosing IS ?',
    )
    .pluck();
  const insert = db.prepare('INSERT INTO "group" (is_record, episode, conversation, enclosing) VALUES (?, ?, ?, ?)');
  const findConversation = db.prepare<[Uint8Array], number>('SELECT no FROM conversation WHERE name = ?').pluck();
  const insertConversation = db.prepare('INSERT INTO conversation VALUES (NULL, ?, ?)');
  const known = new Map<string, number>();
  const conversationNo = (conversation: IndexedConversation): number => {
    if (conversation === 'unknown') return 0;
    if (conversation === 'none') return 1;
    const { name, shown } = conversation;
    return findConversation.get(name) ?? Number(insertConversation.run(name, shown).lastInsertRowid);
  };
  return {
    numberOf({ isRecord, episode, conversation, enclosing }) {
      const key = `${isRecord}/${episode}/${keyOf(conversation)}/${enclosing === undefined ? '' : keyOf(enclosing)}`;
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const fields = [
        Number(isRecord),
        episode ?? null,
        conversationNo(conversation),
        enclosing === undefined ? null : conversationNo(enclosing),
      ] as const;
      const no = find.get(...fields) ?? Number(insert.run(...fields).lastInsertRowid);
      known.set(key, no);
      return no;
    },
    forget: () => known.clear(),
  };
}

function keyOf(conversation: IndexedConversation): string {
  return typeof conversation === 'string' ? conversation : Buffer.from(conversation.name).toString('latin1');
}

function labelsOf(db: Database.Database): { (text: string): number; forget(): void } {
  const find = db.prepare<[string], number>('SELECT no FROM label WHERE text = ?').pluck();
  const insert = db.prepare('INSERT INTO label VALUES (NULL, ?)');
  const known = new Map<string, number>();
  const numberOf = (text: string): number => {
    const no = known.get(text) ?? find.get(text) ?? Number(insert.run(text).lastInsertRowid);
    known.set(text, no);
    return no;
  };
  return Object.assign(numberOf, { forget: () => known.clear() });
}
