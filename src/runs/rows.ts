// A record → the rows that an index holds of it: what it means, who may see it, its lines in pieces (RUN-22 – RUN-25,
// RUN-49, RUN-54, RUN-56). One of these per file that is read; it knows no file system and no store.
import { createHash } from 'node:crypto';
import type { Masked } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import {
  FILE_FLAG,
  type Group,
  type IndexedConversation,
  type NewPiece,
  type NewRecord,
  type RecordKindName,
} from '../store/run-index.ts';
import { MAX_PIECE_CHARS } from '../text/index.ts';
import { LineCutter } from './cut-lines.ts';
import { digestOf, hashOf } from './digest.ts';
import { comparedText } from './echo.ts';
import { type RecordInterpreter, readingOf } from './interpreter.ts';
import { prepared, shownAs } from './prepare.ts';
import { isLeftOut, LEVELS, NONE, type RawRecord, type RunRecord, runRecordOf } from './record.ts';

/** What rows of every file of a retriever are made with. */
export interface RowContext {
  readonly masker: Masker;
  readonly interpreter: RecordInterpreter | undefined;
  readonly episodeOf: ((file: string, record: RunRecord) => number | undefined) | undefined;
  /** Keys the digests of texts. */
  readonly salt: Uint8Array;
  /** Conversations that were met, by their id. */
  readonly conversations: Map<string, IndexedConversation>;
  /** WHOLE_CHARS; tests take less. */
  readonly wholeChars: number;
}

/** Where a record's text comes from. `textLine` and `textColumn`: of its first unit in the file. */
export type Origin = Pick<RawRecord, 'line' | 'textLine' | 'textColumn'> & {
  /** Absent: a line of an other file. */
  readonly raw?: Pick<RawRecord, 'kind' | 'header' | 'enclosing'>;
  /** A torn header says nothing yet. */
  readonly torn?: boolean;
};

const MAX_EPISODE = 999_999_999;
const WORD = /[\p{L}\p{Nd}]/u;

/** Everything about a record but its text. */
type Frame = Omit<NewRecord, 'digest' | 'first' | 'pieces' | 'place'>;

export class Rows {
  /** Made and not taken yet. */
  records: NewRecord[] = [];
  /** UTF-16 units of text in them. */
  chars = 0;
  /** FILE_FLAG bits. */
  flags = 0;
  /** The places of the next record and piece. */
  nextRecord = 0;
  nextPiece = 0;
  readonly #context: RowContext;
  readonly #file: string;
  readonly #pathEpisode: number | undefined;
  #long: LongText | undefined;
  #lastGroup: Group | undefined;

  constructor(context: RowContext, file: string, pathEpisode: number | undefined) {
    this.#context = context;
    this.#file = file;
    this.#pathEpisode = pathEpisode;
  }

  /** A whole record, not masked yet. */
  add(origin: Origin, text: string): void {
    if (this.#isNobodys(origin)) return;
    const masked = prepared(this.#context.masker, text);
    if (masked === undefined) this.flags |= FILE_FLAG.masker_failed;
    else this.addMasked(origin, masked, lineCount(text));
  }

  /** A whole record whose text went through masker and sanitizer. `lines`: how many it had before. */
  addMasked(origin: Origin, masked: Masked, lines: number): void {
    if (this.#isNobodys(origin)) return;
    const reading = this.#read(origin, masked);
    if (reading === undefined) return;
    const { frame, text } = reading;
    const parts = text.includes('\n') ? text.split('\n') : [text];
    const isAsWritten = parts.length === lines;
    const pieces: NewPiece[] = [];
    for (const [index, line] of parts.entries()) {
      const at = isAsWritten ? origin.textLine + index : origin.line;
      addPieces(pieces, at, index === 0 && text === masked ? origin.textColumn : 1, line as Masked);
    }
    this.#push(frame, pieces, digestOf(this.#context.salt, frame.kind, comparedText(text)));
  }

  /** Begins a record too long to be held: its first masked units, then `more`, then `endLong`. */
  beginLong(origin: Origin, masked: Masked): void {
    this.#long = undefined;
    if (this.#isNobodys(origin)) return;
    const reading = this.#read(origin, masked.slice(0, this.#context.wholeChars) as Masked, true);
    if (reading === undefined) return;
    // The reading of its beginning gives the kind alone (RUN-51).
    this.#long = new LongText(reading.frame, this.#context.salt, origin);
    this.moreLong(masked);
  }

  moreLong(masked: Masked): void {
    const long = this.#long;
    if (long === undefined) return;
    const pieces: NewPiece[] = [];
    for (const piece of long.take(masked)) pieces.push(piece);
    this.#pushLong(long, pieces, false);
  }

  endLong(): void {
    const long = this.#long;
    this.#long = undefined;
    if (long === undefined) return;
    const pieces: NewPiece[] = [];
    for (const piece of long.end()) pieces.push(piece);
    this.#pushLong(long, pieces, true);
  }

  /** What was made since the last call. */
  take(): NewRecord[] {
    const { records } = this;
    this.records = [];
    this.chars = 0;
    return records;
  }

  #isNobodys({ raw, torn }: Origin): boolean {
    if (raw === undefined) return false;
    if (raw.kind === 'unknown_writer' && !torn) this.flags |= FILE_FLAG.unreadable_header;
    if (raw.enclosing !== undefined) this.flags |= FILE_FLAG.unindented_trace;
    return isLeftOut(raw) || raw.enclosing?.unknownWriter === true;
  }

  #read(origin: Origin, masked: Masked, partial?: true): { frame: Frame; text: Masked } | undefined {
    const { interpreter, masker } = this.#context;
    const { raw = {} } = origin;
    const episode = this.#episodeOf(raw, masked, partial);
    if (interpreter === undefined) return { frame: this.#frame(origin, episode, 'note'), text: masked };
    const reading = readingOf(interpreter, this.#file, origin.line, runRecordOf(raw, masked, episode, partial));
    if (reading === undefined) this.flags |= FILE_FLAG.interpreter_failed;
    if (reading === undefined || reading.kind === 'leftOut') return undefined;
    const text = reading.text === masked ? masked : prepared(masker, reading.text);
    if (text === undefined) this.flags |= FILE_FLAG.masker_failed;
    return text === undefined ? undefined : { frame: this.#frame(origin, episode, reading.kind), text };
  }

  #episodeOf(raw: Pick<RawRecord, 'header'>, masked: Masked, partial?: true): number | undefined {
    const { episodeOf } = this.#context;
    if (episodeOf === undefined) return this.#pathEpisode;
    try {
      const answer: unknown = episodeOf(this.#file, runRecordOf(raw, masked, undefined, partial));
      const isEpisode = Number.isInteger(answer) && (answer as number) >= 0 && (answer as number) <= MAX_EPISODE;
      return isEpisode ? (answer as number) : this.#pathEpisode;
    } catch {
      this.flags |= FILE_FLAG.interpreter_failed;
      return undefined;
    }
  }

  #frame({ line, raw }: Origin, episode: number | undefined, kind: RecordKindName): Frame {
    const header = raw?.header;
    const level = header?.level === undefined ? undefined : LEVELS.indexOf(header.level);
    const state = header?.state;
    const group = this.#groupOf(raw, episode);
    return {
      line,
      group,
      kind,
      at: header === undefined ? undefined : Date.parse(`${header.time}Z`) / 1_000,
      level,
      state: state === undefined || state === NONE ? undefined : shownAs(this.#context.masker, state),
    };
  }

  // The same object for the same group: most records are of the conversation of the one before.
  #groupOf(raw: Origin['raw'], episode: number | undefined): Group {
    const isRecord = raw !== undefined;
    const conversation = isRecord ? this.#conversation(raw.header?.conversation) : 'none';
    const { enclosing } = raw ?? {};
    const last = this.#lastGroup;
    if (enclosing === undefined && last?.conversation === conversation && last.episode === episode) return last;
    if (enclosing !== undefined) {
      return { isRecord, episode, conversation, enclosing: this.#conversation(enclosing.conversation) };
    }
    this.#lastGroup = { isRecord, episode, conversation };
    return this.#lastGroup;
  }

  // The index holds an id's SHA-256, to be compared with, and its masked form, to be shown (RUN-49).
  #conversation(id: string | undefined): IndexedConversation {
    if (id === undefined) return 'unknown';
    if (id === NONE) return 'none';
    const { conversations, masker } = this.#context;
    const known = conversations.get(id) ?? { name: hashOf(id), shown: shownAs(masker, id) };
    conversations.set(id, known);
    return known;
  }

  #push(frame: Frame, pieces: readonly NewPiece[], digest: bigint): void {
    // Field by field: a spread of this many was a tenth of the time that a log takes.
    const record: NewRecord = {
      place: this.nextRecord++,
      line: frame.line,
      group: frame.group,
      kind: frame.kind,
      at: frame.at,
      level: frame.level,
      state: frame.state,
      digest,
      first: this.nextPiece,
      pieces,
    };
    this.nextPiece += pieces.length;
    this.#count(record);
  }

  #pushLong(long: LongText, pieces: readonly NewPiece[], last: boolean): void {
    if (pieces.length === 0 && !last) return;
    long.place ??= this.nextRecord++;
    const digest = last ? long.digest() : 0n;
    this.#count({ ...long.frame, place: long.place, digest, first: this.nextPiece, pieces });
    this.nextPiece += pieces.length;
  }

  #count(record: NewRecord): void {
    this.records.push(record);
    for (const { text } of record.pieces) this.chars += text.length;
  }
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

// Lines without a letter or digit hold no word: no piece, as nothing could find them.
function addPieces(pieces: NewPiece[], line: number, column: number, text: Masked): void {
  if (text === '' || !WORD.test(text)) return;
  if (text.length <= MAX_PIECE_CHARS) {
    pieces.push({ line, column, text });
    return;
  }
  const cutter = new LineCutter(column);
  for (const piece of cutter.take(text)) pieces.push({ line, ...piece });
  for (const piece of cutter.end()) pieces.push({ line, ...piece });
}

// Text that comes in chunks: its lines are cut as they arrive. Its digest is of the text as it is: what over 4 MiB differs
// in trailing spaces only is no copy.
class LongText {
  readonly frame: Frame;
  place: number | undefined;
  readonly #hash = createHash('sha256');
  #line: number;
  #cutter: LineCutter;

  constructor(frame: Frame, salt: Uint8Array, origin: Origin) {
    this.frame = frame;
    this.#hash.update(salt).update(`long ${frame.kind}\n`);
    this.#line = origin.textLine;
    this.#cutter = new LineCutter(origin.textColumn);
  }

  *take(chunk: Masked): Generator<NewPiece> {
    this.#hash.update(chunk);
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      yield* this.#put(chunk.slice(from, end));
      yield* this.#endLine();
      this.#line++;
      from = end + 1;
    }
    yield* this.#put(chunk.slice(from));
  }

  *end(): Generator<NewPiece> {
    yield* this.#endLine();
  }

  digest(): bigint {
    return this.#hash.digest().readBigInt64BE(0);
  }

  *#put(text: string): Generator<NewPiece> {
    for (const piece of this.#cutter.take(text as Masked)) yield { line: this.#line, ...piece };
  }

  *#endLine(): Generator<NewPiece> {
    for (const piece of this.#cutter.end()) yield { line: this.#line, ...piece };
    this.#cutter = new LineCutter(1);
  }
}
