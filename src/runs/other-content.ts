// The lines of any other text file → rows: each line is a record of its own, and the whole file one unit for the masker
// (RUN-23, RUN-51).
import type { LineAt } from '../files/index.ts';
import type { Masked } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import { FILE_FLAG } from '../store/run-index.ts';
import { type Content, type Mark, markAt, nextOf, type Tail, withOffset } from './content.ts';
import { LongText } from './long-text.ts';
import { MaskedWhole } from './masked-whole.ts';
import { isOff, PartMasker, prepared, sanitized, withoutEnd } from './prepare.ts';
import type { RowContext, Rows } from './rows.ts';

const PART_CHARS = 65_536;

export function otherContent(rows: Rows, context: RowContext, start: Mark): Content {
  const { masker } = context;
  if (isOff(masker)) return new PlainLines(rows, context, start);
  return masker.maskPart ? new MaskedInParts(rows, context, start) : new MaskedWhole(rows, context, start);
}

/** Gives masked text line by line; a line over 4 MiB in chunks. */
class LineRows {
  readonly #rows: Rows;
  readonly #masker: Masker;
  readonly #wholeChars: number;
  #line: number;
  #open = '';
  #long: LongText | undefined;

  constructor(rows: Rows, { masker, wholeChars }: RowContext, line: number) {
    this.#rows = rows;
    this.#masker = masker;
    this.#wholeChars = wholeChars;
    this.#line = line;
  }

  /** Of the line that the next text belongs to; `isBetween`: nothing of it was given yet. */
  get line(): number {
    return this.#line;
  }

  get isBetween(): boolean {
    return this.#open === '' && this.#long === undefined;
  }

  take(masked: Masked): void {
    let from = 0;
    for (let end = masked.indexOf('\n'); end >= 0; end = masked.indexOf('\n', from)) {
      this.#put(masked.slice(from, end));
      this.endLine();
      from = end + 1;
    }
    if (from < masked.length) this.#put(masked.slice(from));
  }

  endLine(): void {
    if (this.#long) this.#long.end('', false);
    else this.#add(this.#open as Masked);
    this.#long = undefined;
    this.#open = '';
    this.#line++;
  }

  #put(text: string): void {
    if (this.#long) this.#long.take(text);
    else if (this.#open.length + text.length <= this.#wholeChars) this.#open += text;
    else {
      this.#long = new LongText(this.#rows, this.#masker, this.#origin(), true);
      this.#long.take(this.#open + text);
      this.#open = '';
    }
  }

  #add(masked: Masked): void {
    if (masked === '') return;
    try {
      this.#rows.addMasked(this.#origin(), sanitized(this.#masker, masked), 1);
    } catch {
      this.#rows.flags |= FILE_FLAG.masker_failed;
    }
  }

  #origin(): { line: number; textLine: number; textColumn: number } {
    return { line: this.#line, textLine: this.#line, textColumn: 1 };
  }
}

/** Without a masker: at once. */
class PlainLines implements Content {
  readonly rows: Rows;
  readonly #lines: LineRows;
  #mark: Mark;
  #next: LineAt;

  constructor(rows: Rows, context: RowContext, start: Mark) {
    this.rows = rows;
    this.#lines = new LineRows(rows, context, start.number);
    this.#mark = start;
    this.#next = start;
  }

  line(text: string, at: LineAt): void {
    this.#lines.take(`${text}\n` as Masked);
    this.#next = nextOf(at);
  }

  segment(text: string, at: LineAt, { first, last }: { readonly first: boolean; readonly last: boolean }): void {
    if (first) this.#mark = markAt(this.rows, at, '');
    this.#lines.take((last ? `${text}\n` : text) as Masked);
    if (last) this.#next = nextOf(at);
  }

  mark(): Mark {
    return this.#lines.isBetween ? markAt(this.rows, this.#next, '') : this.#mark;
  }

  finish(tail: Tail | undefined): boolean {
    if (tail !== undefined) this.#lines.take(tail.text as Masked);
    if (!this.#lines.isBetween) this.#lines.endLine();
    return false;
  }
}

/** In parts of 64 KiB: the whole file is one unit. */
class MaskedInParts implements Content {
  readonly rows: Rows;
  readonly #masker: Masker;
  readonly #parts: PartMasker;
  readonly #partChars: number;
  readonly #lines: LineRows;
  #pending = '';
  /** Where the lines begin that are not given yet, the first of them `#lines.line`. */
  readonly #offsets: number[] = [];
  #isInLine = false;
  #next: LineAt;
  #mark: Mark;

  constructor(rows: Rows, context: RowContext, start: Mark) {
    this.rows = rows;
    this.#masker = context.masker;
    this.#partChars = Math.min(PART_CHARS, context.wholeChars);
    this.#parts = new PartMasker(context.masker, start.data);
    this.#lines = new LineRows(rows, context, start.number);
    this.#next = start;
    this.#mark = start;
  }

  line(text: string, at: LineAt): void {
    this.#begin(at);
    this.#next = nextOf(at);
    this.#take(`${text}\n`);
  }

  segment(text: string, at: LineAt, { first, last }: { readonly first: boolean; readonly last: boolean }): void {
    if (first) this.#begin(at);
    if (last) this.#next = nextOf(at);
    this.#isInLine = !last;
    this.#take(last ? `${text}\n` : text);
  }

  mark(): Mark {
    return this.#mark;
  }

  finish(tail: Tail | undefined, showsEnd: boolean): boolean {
    const rest = this.#pending + (tail?.text ?? '');
    const isCut = !showsEnd && (tail !== undefined || this.#isInLine);
    const withheld = isCut && withoutEnd(this.#parts.held + rest) !== this.#parts.held + rest;
    this.#give(this.#parts.end(rest, isCut));
    if (!this.#lines.isBetween) this.#lines.endLine();
    return withheld;
  }

  #begin(at: LineAt): void {
    this.#offsets.push(at.offset);
    this.#mark = withOffset(this.#mark, at);
  }

  #take(text: string): void {
    this.#pending += text;
    if (this.#pending.length < this.#partChars) return;
    const masked = this.#parts.next(this.#pending, false);
    this.#pending = '';
    this.#give(masked);
    if (this.#lines.isBetween && this.#isStorable()) {
      const offset = this.#offsets[0] ?? this.#next.offset;
      this.#mark = markAt(this.rows, { offset, number: this.#lines.line }, this.#parts.state);
    }
  }

  #give(masked: Masked): void {
    if (this.#parts.failed) this.rows.flags |= FILE_FLAG.masker_failed;
    const before = this.#lines.line;
    this.#lines.take(masked);
    this.#offsets.splice(0, this.#lines.line - before);
  }

  // Ours hold a few printable characters; a host's could hold anything.
  #isStorable(): boolean {
    const { state } = this.#parts;
    return state === '' || (state.length <= 256 && prepared(this.#masker, state) === state);
  }
}
