// The lines of any other text file → rows: each line is a record of its own, and the whole file one unit for the masker
// (RUN-23, RUN-51).
import type { LineAt } from '../files/index.ts';
import type { Masked } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import { FILE_FLAG } from '../store/run-index.ts';
import { type Content, type Mark, markAt, type Tail } from './content.ts';
import { LongText } from './long-text.ts';
import { isOff, PartMasker, prepared, sanitized, WHOLE_CHARS, withoutEnd } from './prepare.ts';
import type { Rows } from './rows.ts';

const PART_CHARS = 65_536;
const SECTION_CHARS = 1_048_576;
/** Data of a mark of a file over 4 MiB whose masker knows no parts. */
const IN_SECTIONS = 'sections';

export function otherContent(rows: Rows, masker: Masker, start: Mark): Content {
  if (isOff(masker)) return new PlainLines(rows, masker, start);
  return masker.maskPart ? new MaskedInParts(rows, masker, start) : new MaskedWhole(rows, masker, start);
}

/** Gives masked text line by line; a line over 4 MiB in chunks. */
class LineRows {
  readonly #rows: Rows;
  readonly #masker: Masker;
  #line: number;
  #open = '';
  #long: LongText | undefined;

  constructor(rows: Rows, masker: Masker, line: number) {
    this.#rows = rows;
    this.#masker = masker;
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
    else if (this.#open.length + text.length <= WHOLE_CHARS) this.#open += text;
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

  constructor(rows: Rows, masker: Masker, start: Mark) {
    this.rows = rows;
    this.#lines = new LineRows(rows, masker, start.number);
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

// The follower itself knows where the line after the last complete one begins; until a line comes nobody else does.
function nextOf({ offset, number }: LineAt): LineAt {
  return { offset, number: number + 1 };
}

function withOffset(mark: Mark, at: LineAt): Mark {
  return mark.number === at.number ? { ...mark, offset: at.offset } : mark;
}

/** In parts of 64 KiB: the whole file is one unit. */
class MaskedInParts implements Content {
  readonly rows: Rows;
  readonly #masker: Masker;
  readonly #parts: PartMasker;
  readonly #lines: LineRows;
  #pending = '';
  /** Where the lines begin that are not given yet, the first of them `#lines.line`. */
  readonly #offsets: number[] = [];
  #isInLine = false;
  #next: LineAt;
  #mark: Mark;

  constructor(rows: Rows, masker: Masker, start: Mark) {
    this.rows = rows;
    this.#masker = masker;
    this.#parts = new PartMasker(masker, start.data);
    this.#lines = new LineRows(rows, masker, start.number);
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
    if (this.#pending.length < PART_CHARS) return;
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

/** Up to 4 MiB whole; longer in sections of 1 MiB cut at line starts. */
class MaskedWhole implements Content {
  readonly rows: Rows;
  readonly #masker: Masker;
  #text = '';
  #first: LineAt;
  #inSections: boolean;
  #mark: Mark;
  #longLine = false;

  constructor(rows: Rows, masker: Masker, start: Mark) {
    this.rows = rows;
    this.#masker = masker;
    this.#first = start;
    this.#mark = start;
    this.#inSections = start.data === IN_SECTIONS;
  }

  line(text: string, at: LineAt): void {
    this.#mark = withOffset(this.#mark, at);
    if (text.length > WHOLE_CHARS) this.#leaveOut(at, true);
    else this.#add(`${text}\n`, at);
  }

  segment(_text: string, at: LineAt, { last }: { readonly last: boolean }): void {
    this.#mark = withOffset(this.#mark, at);
    this.#leaveOut(at, last);
  }

  mark(): Mark {
    return this.#mark;
  }

  finish(tail: Tail | undefined, showsEnd: boolean): boolean {
    let withheld = false;
    if (tail !== undefined && tail.text.length > WHOLE_CHARS) this.rows.flags |= FILE_FLAG.too_long_to_mask;
    else if (tail !== undefined) {
      const text = showsEnd ? tail.text : withoutEnd(tail.text);
      withheld = text !== tail.text;
      this.#text += text;
    }
    this.#give(this.#text);
    return withheld;
  }

  #add(text: string, at: LineAt): void {
    if (this.#text === '') this.#first = at;
    this.#text += text;
    if (!this.#inSections && this.#text.length > WHOLE_CHARS) {
      this.#inSections = true;
      this.rows.flags |= FILE_FLAG.masked_in_parts;
    }
    if (!this.#inSections) return;
    while (this.#text.length >= SECTION_CHARS) {
      const cut = this.#text.indexOf('\n', SECTION_CHARS - 1) + 1;
      if (cut === 0) break;
      this.#section(cut);
    }
    if (this.#text === '') this.#mark = markAt(this.rows, nextOf(at), IN_SECTIONS);
  }

  #section(length: number): void {
    const text = this.#text.slice(0, length);
    this.#give(text.slice(0, -1));
    this.#text = this.#text.slice(length);
    this.#first = { offset: this.#first.offset, number: this.#first.number + text.split('\n').length - 1 };
  }

  // A line that no masker may see in parts: what is before it is a section of its own.
  #leaveOut(at: LineAt, last: boolean): void {
    if (!this.#longLine) {
      this.rows.flags |= FILE_FLAG.too_long_to_mask | FILE_FLAG.masked_in_parts;
      this.#inSections = true;
      this.#give(this.#text.replace(/\n$/, ''));
      this.#text = '';
    }
    this.#longLine = !last;
    if (last) this.#mark = markAt(this.rows, nextOf(at), IN_SECTIONS);
  }

  #give(text: string): void {
    const masked = text === '' ? undefined : prepared(this.#masker, text);
    if (masked === undefined) {
      if (text !== '') this.rows.flags |= FILE_FLAG.masker_failed;
      return;
    }
    const lines = masked.split('\n');
    const isAsWritten = lines.length === text.split('\n').length;
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const number = isAsWritten ? this.#first.number + index : this.#first.number;
      this.rows.addMasked({ line: number, textLine: number, textColumn: 1 }, line as Masked, 1);
    }
  }
}
