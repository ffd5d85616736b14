// The lines of a record file → rows: records as the parser closes them, the last one provisional (RUN-13, RUN-50, RUN-51).
import type { LineAt } from '../files/index.ts';
import type { Masker } from '../redact/masker.ts';
import { type Content, type Mark, markAt, type Tail } from './content.ts';
import { LongText } from './long-text.ts';
import { RecordParser } from './parser.ts';
import { ParserState } from './parser-state.ts';
import { isOff, shownAs, withoutEnd } from './prepare.ts';
import { isLeftOut, NONE, type RawRecord } from './record.ts';
import type { RowContext, Rows } from './rows.ts';

export class RecordContent implements Content {
  readonly rows: Rows;
  readonly #parser: RecordParser;
  readonly #masker: Masker;
  readonly #wholeChars: number;
  /** Counts of the rows before the open record. */
  #counted: Pick<Mark, 'records' | 'pieces' | 'flags'>;
  #safe: Mark;
  /** The open record, if it is too long to be held. */
  #long: LongText | undefined;

  constructor(rows: Rows, context: RowContext, agent: string, start: Mark) {
    this.rows = rows;
    this.#masker = context.masker;
    this.#wholeChars = context.wholeChars;
    this.#parser = new RecordParser(agent, start.data);
    this.#safe = start;
    this.#counted = start;
  }

  line(text: string, at: LineAt): void {
    this.#closed(this.#parser.push(text, at.number, at.offset));
    if (this.#parser.held > this.#wholeChars) this.#drain();
  }

  segment(text: string, at: LineAt, { first }: { readonly first: boolean }): void {
    if (first) this.line(text, at);
    else this.#parser.extend(text);
    if (this.#parser.held > this.#wholeChars) this.#drain();
  }

  mark(): Mark {
    const mark = this.#parser.mark();
    // The conversation of a trace around a suspect is in the data as it is: one that would be masked is not stored. An
    // earlier place does as well, only slower.
    if (mark !== undefined && this.#isStorable(mark.data)) this.#safe = { ...mark, ...this.#counted };
    return this.#safe;
  }

  finish(tail: Tail | undefined): boolean {
    if (tail !== undefined) this.#closed(this.#parser.push(tail.text, tail.number, tail.offset));
    const last = this.#parser.end();
    if (last === undefined) return false;
    const isTorn = tail !== undefined && !isOff(this.#masker);
    this.#add(last, isTorn, tail?.number === last.line);
    return false;
  }

  #closed(records: readonly RawRecord[]): void {
    for (const record of records) {
      this.#add(record, false, false);
      const { records: count, pieces, flags } = markAt(this.rows, { offset: 0, number: 1 }, '');
      this.#counted = { records: count, pieces, flags };
    }
  }

  #add(record: RawRecord, isTorn: boolean, isTornHeader: boolean): void {
    if (this.#long !== undefined) {
      this.#long.end(record.text, isTorn);
      this.#long = undefined;
      return;
    }
    if (record.kind === 'orphan' && record.text.trim() === '') return;
    this.rows.add(originOf(record, isTornHeader), isTorn ? withoutEnd(record.text) : record.text);
  }

  #drain(): void {
    const part = this.#parser.drain();
    if (part === undefined) return;
    this.#long ??= new LongText(this.rows, this.#masker, originOf(part, false), isLeftOut(part));
    this.#long.take(part.text);
  }

  #isStorable(data: string): boolean {
    const conversation = ParserState.decode(data).trace?.enclosing.conversation;
    if (conversation === undefined || conversation === NONE) return true;
    return shownAs(this.#masker, conversation) === conversation;
  }
}

function originOf(raw: RawRecord, torn: boolean): Parameters<Rows['add']>[0] {
  const { line, textLine, textColumn } = raw;
  return { line, textLine, textColumn, raw, torn };
}
