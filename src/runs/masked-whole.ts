// Lines of an other file for a masker that knows no parts: the file whole up to 4 MiB, longer ones in sections (RUN-51).
import type { LineAt } from '../files/index.ts';
import type { Masked } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import { FILE_FLAG } from '../store/run-index.ts';
import { type Content, type Mark, markAt, nextOf, type Tail, withOffset } from './content.ts';
import { prepared, withoutEnd } from './prepare.ts';
import type { RowContext, Rows } from './rows.ts';

const SECTION_CHARS = 1_048_576;
/** Data of a mark of a file over 4 MiB. */
const IN_SECTIONS = 'sections';

/** Up to 4 MiB whole; longer in sections of 1 MiB cut at line starts. */
export class MaskedWhole implements Content {
  readonly rows: Rows;
  readonly #masker: Masker;
  readonly #wholeChars: number;
  #text = '';
  #first: LineAt;
  #inSections: boolean;
  #mark: Mark;
  #longLine = false;

  constructor(rows: Rows, { masker, wholeChars }: RowContext, start: Mark) {
    this.rows = rows;
    this.#masker = masker;
    this.#wholeChars = wholeChars;
    this.#first = start;
    this.#mark = start;
    this.#inSections = start.data === IN_SECTIONS;
  }

  line(text: string, at: LineAt): void {
    this.#mark = withOffset(this.#mark, at);
    if (text.length > this.#wholeChars) this.#leaveOut(at, true);
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
    if (tail !== undefined && tail.text.length > this.#wholeChars) this.rows.flags |= FILE_FLAG.too_long_to_mask;
    else if (tail !== undefined) {
      const text = showsEnd ? tail.text : withoutEnd(tail.text);
      withheld = text !== tail.text;
      this.#text += text;
    }
    this.#give(this.#text);
    return withheld;
  }

  get #sectionChars(): number {
    return Math.min(SECTION_CHARS, this.#wholeChars);
  }

  #add(text: string, at: LineAt): void {
    if (this.#text === '') this.#first = at;
    this.#text += text;
    if (!this.#inSections && this.#text.length > this.#wholeChars) {
      this.#inSections = true;
      this.rows.flags |= FILE_FLAG.masked_in_parts;
    }
    if (!this.#inSections) return;
    while (this.#text.length >= this.#sectionChars) {
      const cut = this.#text.indexOf('\n', this.#sectionChars - 1) + 1;
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
