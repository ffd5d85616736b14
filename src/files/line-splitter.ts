// Cuts the bytes of a file, given block by block, into lines, segments and the tail (FILE-14 – FILE-18). Knows no files.
import { cutBetweenCharacters, incompleteAtEnd } from './decode-line.ts';
import type { LineSink } from './sink.ts';

/** Bytes of a segment at most. */
export const SEGMENT = 1_048_576;

const LF = 0x0a;
const CR = 0x0d;
// The clock is asked once per this many bytes: often enough for a slow sink, too seldom to be felt.
const LOOK_AT_CLOCK = 16_384;
const SMALL = 65_536;

export interface SplitterOptions {
  readonly maxLineBytes: number;
  /** A commit is due after this many bytes. */
  readonly commitBytes: number;
  readonly isTurnDue: () => boolean;
}

/** Where the first byte stands; `insideLine`: it continues a line that is known to be over maxLineBytes. */
export interface SplitterStart {
  readonly offset: number;
  readonly number: number;
  readonly consumed: number;
  readonly insideLine: boolean;
}

/** `commit`: one is due at `border`. `turn`: the event loop is. `more`: the block is used up. */
export type Stop = 'commit' | 'turn' | 'more';

/** Takes blocks in order; nothing is lost between `run` calls, so the caller may wait in between. */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #options: SplitterOptions;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #lineFeed = -1;
  // The line not yet ended: its bytes so far, where they begin in the file, and whether they are its first.
  #held: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  #offset: number;
  #number: number;
  #isLong: boolean;
  #isWhole = false;
  #lastCommit: number;
  /** Offset after the last complete line. */
  consumed: number;
  /** Complete lines before `consumed`. */
  lines: number;
  /** End of the last line or segment handed over. */
  border: number;

  constructor(sink: LineSink, start: SplitterStart, options: SplitterOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#offset = start.offset;
    this.#number = start.number;
    this.#isLong = start.insideLine;
    this.consumed = start.consumed;
    this.lines = start.number - 1;
    this.border = start.offset;
    this.#lastCommit = start.offset;
  }

  /** True while the line that is not ended is one over maxLineBytes. */
  get isInsideLongLine(): boolean {
    return this.#isLong;
  }

  /** Call again only after `run` answered `more`. A byte order mark (FILE-15) is left out by the caller: `skipped`. */
  take(block: Buffer, skipped: number): void {
    this.#block = block;
    this.#at = 0;
    this.#lineFeed = block.indexOf(LF);
    this.#offset += skipped;
  }

  run(): Stop {
    let mark = this.#at;
    for (;;) {
      let wanted: unknown;
      if (this.#to === this.#from && !this.#isLong && this.#lineFeed >= 0) {
        const end = this.#lineFeed;
        const cut = end > this.#at && this.#block[end - 1] === CR ? end - 1 : end;
        if (cut - this.#at > this.#options.maxLineBytes) {
          this.#hold();
          continue;
        }
        const line = this.#block.subarray(this.#at, cut);
        const length = end + 1 - this.#at;
        this.#at = end + 1;
        this.#lineFeed = this.#block.indexOf(LF, this.#at);
        wanted = this.#line(line, length);
      } else if (this.#isWhole && !this.#hasSegment()) wanted = this.#finish();
      else if (this.#hasSegment()) {
        wanted = this.#segment(this.#segmentEnd(), false);
        mark -= SEGMENT;
      } else if (this.#at === this.#block.length) return 'more';
      else {
        this.#hold();
        continue;
      }
      if (wanted === 'commit' || this.border - this.#lastCommit >= this.#options.commitBytes) {
        this.#lastCommit = this.border;
        return 'commit';
      }
      if (this.#at - mark >= LOOK_AT_CLOCK) {
        mark = this.#at;
        if (this.#options.isTurnDue()) return 'turn';
      }
    }
  }

  /** The end of the file: hands over what is unfinished (FILE-17, FILE-18). */
  end(): void {
    const rest = this.#held.subarray(this.#from, this.#to);
    const cut = rest.at(-1) === CR ? rest.length - 1 : rest.length - incompleteAtEnd(rest);
    if (cut === 0) return;
    if (this.#isLong) this.#segment(this.#from + cut, false);
    else this.#sink.tail(rest.subarray(0, cut), { offset: this.#offset, number: this.#number });
  }

  #line(bytes: Buffer, length: number): unknown {
    const at = { offset: this.#offset, number: this.#number };
    this.#passLine(length);
    return this.#sink.line(bytes, at);
  }

  #passLine(length: number): void {
    this.#offset += length;
    this.#number++;
    this.lines = this.#number - 1;
    this.consumed = this.#offset;
    this.border = this.#offset;
  }

  // A line that was held is complete: its line feed is passed, and at most one segment of it is left.
  #finish(): unknown {
    const rest = this.#held.subarray(this.#from, this.#contentEnd());
    const at = { offset: this.#offset, number: this.#number };
    const wasLong = this.#isLong;
    this.#passLine(this.#to - this.#from + 1);
    this.#isWhole = false;
    this.#isLong = false;
    this.#from = 0;
    this.#to = 0;
    return wasLong ? this.#sink.segment(rest, at, true) : this.#sink.line(rest, at);
  }

  #segment(end: number, last: boolean): unknown {
    const bytes = this.#held.subarray(this.#from, end);
    const at = { offset: this.#offset, number: this.#number };
    this.#from = end;
    this.#offset += bytes.length;
    this.border = this.#offset;
    return this.#sink.segment(bytes, at, last);
  }

  // A final CR may belong to a line end that is still to come.
  #contentEnd(): number {
    return this.#to > this.#from && this.#held[this.#to - 1] === CR ? this.#to - 1 : this.#to;
  }

  // More than a segment's length: so a complete line always has something left for its last one.
  #hasSegment(): boolean {
    return this.#isLong && this.#contentEnd() - this.#from > SEGMENT;
  }

  #segmentEnd(): number {
    return cutBetweenCharacters(this.#held, this.#from + SEGMENT);
  }

  // Moves bytes of the unfinished line out of the block, as many as there is room for.
  #hold(): void {
    const end = this.#lineFeed >= 0 ? this.#lineFeed : this.#block.length;
    const { maxLineBytes } = this.#options;
    const held = this.#to - this.#from;
    // One byte over, and a CR: enough to know that a line is long.
    const most = this.#isLong ? SEGMENT + SMALL : maxLineBytes + 2;
    const count = Math.min(end - this.#at, most - held);
    this.#room(held, count, most);
    this.#block.copy(this.#held, this.#to, this.#at, this.#at + count);
    this.#at += count;
    this.#to += count;
    if (!this.#isLong && this.#contentEnd() - this.#from > maxLineBytes) this.#isLong = true;
    if (this.#at === this.#lineFeed) {
      this.#at++;
      this.#lineFeed = this.#block.indexOf(LF, this.#at);
      this.#isWhole = true;
    }
  }

  // Three sizes only. Memory that is not touched costs none, so the largest is taken at once instead of growing by copies.
  #room(held: number, count: number, most: number): void {
    if (this.#to + count <= this.#held.length) return;
    if (held + count > this.#held.length) {
      const sizes = [SMALL, SEGMENT + SMALL, most];
      const larger = Buffer.allocUnsafeSlow(sizes.find((size) => size >= held + count)!);
      this.#held.copy(larger, 0, this.#from, this.#to);
      this.#held = larger;
    } else this.#held.copyWithin(0, this.#from, this.#to);
    this.#from = 0;
    this.#to = held;
  }
}
