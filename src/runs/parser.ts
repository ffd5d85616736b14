// Lines of a record file → records (RUN-12 – RUN-21). It knows no files, no masks and no meaning; it never throws, keeps
// no timers and has no line caps. One pass: a later line never changes a record that was already given.
import { checkedAgentName } from './agent-name.ts';
import { type HeaderLine, readHeader } from './header.ts';
import { type BeforeRecord, ParserState, type TraceState } from './parser-state.ts';
import type { Enclosing, RawRecord, RecordHeader, RecordKind } from './record.ts';
import { isClassLine, isFrameLine, TRACE_BYTES } from './trace.ts';

/** What `RecordParser.parseLine` reads from one line. */
export interface ParsedLine extends RecordHeader {
  readonly agent: string;
  /** The first line of the message. */
  readonly message: string;
}

/** Where a reader has to begin again so that the open record is seen whole (FILE-19). */
export interface ParserMark {
  readonly offset: number;
  readonly number: number;
  /** For the constructor, under 2 KiB. */
  readonly data: string;
}

interface OpenRecord {
  readonly kind: RecordKind;
  readonly line: number;
  readonly offset: number;
  header: RecordHeader | undefined;
  enclosing: Enclosing | undefined;
  /** The state before its first line. */
  readonly before: BeforeRecord;
  pieces: string[];
  length: number;
  drained: boolean;
  /** A frame line ended the trace that this suspect lies in. */
  framed: boolean;
  /** Where the next unit of text comes from. */
  lineNow: number;
  columnNow: number;
  /** Where the first held unit comes from. */
  textLine: number;
  textColumn: number;
}

export class RecordParser {
  readonly #agent: string;
  #trace: TraceState | undefined;
  /** No header was seen yet: lines are an orphan's (RUN-17). */
  #atStart: boolean;
  #open: OpenRecord | undefined;

  /**
   * `data`: of `mark` or `save`; one that does not decode is as none given, the start of a file.
   * Throws `invalid_argument` for no agent name (RUN-1).
   */
  constructor(agent: string, data = '') {
    this.#agent = checkedAgentName(agent);
    const state = ParserState.decode(data);
    this.#trace = state.trace;
    this.#atStart = state.atStart;
    if (state.open !== undefined) {
      this.#open = {
        ...state.open,
        header: state.open.header,
        enclosing: state.open.enclosing,
        pieces: [],
        length: 0,
        drained: true,
        textLine: state.open.lineNow,
        textColumn: state.open.columnNow,
      };
    }
  }

  /**
   * A header line's fields and the first line of its message; `undefined` for every other line: for tail views (RUN-78).
   * A line end at its end is not part of it.
   */
  static parseLine(line: string, agent: string): ParsedLine | undefined {
    const bare = line.replace(/\r?\n?$/, '');
    const found = readHeader(bare, agent);
    if (found === undefined || found === 'unreadable') return undefined;
    return { ...found.header, agent, message: found.message };
  }

  /** A line without its line end, 1-based number, byte offset. Returns the records that it closed, none or one. */
  push(line: string, number: number, offset = 0): RawRecord[] {
    const found = readHeader(line, this.#agent);
    if (found !== undefined) {
      const closed = this.#close();
      this.#begin(found, line, number, offset);
      this.#passed(line);
      return closed;
    }
    this.#open ??= opened('orphan', number, offset, this.#state());
    this.#continue(this.#open, line, number);
    return [];
  }

  /** More of the last line pushed: a line too long for one string is pushed by its beginning and extended by the rest. */
  extend(text: string): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#hold(open, text);
    open.columnNow += text.length;
    this.#passed(text);
  }

  /** The open record as it stands; it stays open, and a further line goes on with it. */
  end(): RawRecord | undefined {
    return this.#open === undefined ? undefined : recordOf(this.#open, this.#open.drained ? 'last' : 'whole');
  }

  /** UTF-16 units of the open record that are held in memory. */
  get held(): number {
    return this.#open?.length ?? 0;
  }

  /** Gives and forgets what is held of the open record: `part` is `first` or `middle`. The record stays open. */
  drain(): RawRecord | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    const part = recordOf(open, open.drained ? 'middle' : 'first');
    open.pieces = [];
    open.length = 0;
    open.drained = true;
    open.textLine = open.lineNow;
    open.textColumn = open.columnNow;
    return part;
  }

  /** Where the open record begins and what to construct a parser with that reads it again; `undefined` before any line. */
  mark(): ParserMark | undefined {
    const open = this.#open;
    return open && { offset: open.offset, number: open.line, data: ParserState.encode(open.before) };
  }

  /** The state after the last line, for a parser that goes on there. Held text is not in it: `drain` first. */
  save(): string {
    const { atStart, trace } = this.#state();
    const open = this.#open;
    return ParserState.encode({
      atStart,
      ...(trace === undefined ? {} : { trace }),
      ...(open === undefined
        ? {}
        : {
            open: {
              kind: open.kind,
              line: open.line,
              offset: open.offset,
              ...(open.header === undefined ? {} : { header: open.header }),
              ...(open.enclosing === undefined ? {} : { enclosing: open.enclosing }),
              before: open.before,
              framed: open.framed,
              lineNow: open.lineNow,
              columnNow: open.columnNow,
            },
          }),
    });
  }

  #state(): BeforeRecord {
    if (this.#trace !== undefined) return { atStart: this.#atStart, trace: { ...this.#trace } };
    return this.#atStart ? AT_START : LATER;
  }

  #begin(found: HeaderLine | 'unreadable', line: string, number: number, offset: number): void {
    const before = this.#state();
    this.#atStart = false;
    const open = opened(found === 'unreadable' ? 'unknown_writer' : 'record', number, offset, before);
    open.enclosing = this.#trace?.enclosing;
    open.columnNow = line.length + 1;
    open.textColumn = open.columnNow;
    if (found !== 'unreadable') {
      open.header = found.header;
      open.pieces.push(found.message);
      open.length = found.message.length;
      open.textColumn = found.messageAt + 1;
    }
    this.#open = open;
  }

  #continue(open: OpenRecord, line: string, number: number): void {
    const indented = line.startsWith('  ');
    const text = indented ? line.slice(2) : line;
    const isFirstOfOrphan = open.lineNow === number && open.columnNow === 1 && open.kind === 'orphan';
    if (isFirstOfOrphan) open.textColumn = indented ? 3 : 1;
    else this.#hold(open, '\n');
    this.#hold(open, text);
    open.lineNow = number;
    open.columnNow = line.length + 1;
    if (isClassLine(line)) this.#openTrace(open, line);
    else if (this.#trace !== undefined && isFrameLine(line)) {
      this.#trace = undefined;
      open.framed = true;
    } else this.#passed(line);
  }

  // An unknown writer's text is nobody's to see; not keeping it is the surest way (RUN-15).
  #hold(open: OpenRecord, text: string): void {
    if (open.kind === 'unknown_writer') return;
    open.pieces.push(text);
    open.length += text.length;
  }

  // A class line in a suspect opens nothing, or one trace could make a whole file suspect; except after a frame: then
  // what follows belongs to the trace around it, `Caused by:` repeats the forged message, and the enclosing record is the same.
  #openTrace(open: OpenRecord, line: string): void {
    if (open.enclosing === undefined) this.#trace = { enclosing: enclosingOf(open), bytes: 0 };
    else if (open.framed) this.#trace = { enclosing: open.enclosing, bytes: 0 };
    else this.#passed(line);
  }

  #passed(line: string): void {
    if (this.#trace === undefined) return;
    this.#trace.bytes += Buffer.byteLength(line) + 1;
    if (this.#trace.bytes > TRACE_BYTES) this.#trace = undefined;
  }

  #close(): RawRecord[] {
    const record = this.end();
    // Blank lines at the top of a file are nobody's record.
    if (record === undefined || (record.kind === 'orphan' && record.part === 'whole' && record.text.trim() === '')) {
      return [];
    }
    return [record];
  }
}

// Most records begin in one of these two.
const AT_START: BeforeRecord = Object.freeze({ atStart: true });
const LATER: BeforeRecord = Object.freeze({ atStart: false });

function opened(kind: RecordKind, line: number, offset: number, before: BeforeRecord): OpenRecord {
  return {
    kind,
    line,
    offset,
    header: undefined,
    enclosing: undefined,
    before,
    pieces: [],
    length: 0,
    drained: false,
    framed: false,
    lineNow: line,
    columnNow: 1,
    textLine: line,
    textColumn: 1,
  };
}

function enclosingOf(open: OpenRecord): Enclosing {
  if (open.kind === 'unknown_writer') return { unknownWriter: true };
  const conversation = open.header?.conversation;
  return conversation === undefined ? {} : { conversation };
}

function recordOf(open: OpenRecord, part: RawRecord['part']): RawRecord {
  const { kind, line, offset, header, enclosing, textLine, textColumn } = open;
  const text = open.pieces.length === 1 ? open.pieces[0]! : open.pieces.join('');
  if (header !== undefined && enclosing === undefined) {
    return { kind, line, offset, header, text, part, textLine, textColumn };
  }
  return {
    kind,
    line,
    offset,
    ...(header === undefined ? {} : { header }),
    ...(enclosing === undefined ? {} : { enclosing }),
    text,
    part,
    textLine,
    textColumn,
  };
}
