// A line too long to hold, reduced to what a reader can use: strings that are no text shrink to nothing (SRC-56).
import { createHash } from 'node:crypto';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_TEXT = 16 * 1_048_576;
const MAX_OTHER = 4_096;
const TEXT_KEYS = new Set(['text', 'content', 'message', 'summary', 'thinking', 'prompt']);

/** Takes a line's segments in order; `done` gives the reduced line, which parses where the whole one would. */
export class LongLine {
  readonly offset: number;
  readonly #parts: Buffer[] = [];
  readonly #hash = createHash('sha256');
  #length = 0;
  #inString = false;
  #skipping = false;
  #escaped = false;
  // Digits of a \u escape still to come: no cut falls among them.
  #hex = 0;
  #kept = 0;
  #limit = MAX_OTHER;
  // The last short string read whole: before a colon it is a key.
  #string = '';
  #key = '';
  #cut = false;

  constructor(offset: number) {
    this.offset = offset;
  }

  add(segment: Uint8Array): void {
    const bytes = Buffer.from(segment.buffer, segment.byteOffset, segment.byteLength);
    this.#hash.update(bytes);
    this.#length += bytes.length;
    // Where a string that is passed over goes on, or the first byte.
    let from = this.#skipping ? this.#skip(bytes, this.#escaped ? 1 : 0) : 0;
    for (let at = from; at < bytes.length; at++) {
      const code = bytes[at]!;
      if (!this.#inString) {
        if (code === QUOTE) this.#open();
        else if (code === 0x3a) this.#key = this.#string;
        else if (code === 0x2c || code === 0x7b) this.#key = '';
        continue;
      }
      const whole = !this.#escaped && this.#hex === 0 && (code & 0xc0) !== 0x80;
      if (this.#kept >= this.#limit && whole) {
        // Over the bound: up to the closing quote nothing is kept.
        this.#keep(bytes, from, at);
        this.#cut ||= TEXT_KEYS.has(this.#key);
        from = this.#skip(bytes, at);
        at = from - 1;
        continue;
      }
      if (this.#escaped) {
        this.#escaped = false;
        this.#hex = code === 0x75 ? 4 : 0;
      } else if (this.#hex > 0) this.#hex--;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) {
        this.#inString = false;
        continue;
      }
      this.#kept++;
      if (this.#kept <= 64) this.#string += String.fromCharCode(code);
    }
    this.#keep(bytes, from, bytes.length);
  }

  done(): { readonly bytes: Buffer; readonly length: number; readonly digest: string; readonly cut: boolean } {
    const digest = this.#hash.digest('hex').slice(0, 16);
    return { bytes: Buffer.concat(this.#parts), length: this.#length, digest, cut: this.#cut };
  }

  // Passes over a string from `at` on: the offset of its closing quote, or the end, where the next segment goes on.
  #skip(bytes: Buffer, at: number): number {
    const end = closing(bytes, at);
    this.#escaped = end.escaped;
    this.#skipping = end.at >= bytes.length;
    this.#kept = 0;
    return end.at;
  }

  #open(): void {
    this.#inString = true;
    this.#hex = 0;
    this.#kept = 0;
    this.#string = '';
    this.#limit = TEXT_KEYS.has(this.#key) ? MAX_TEXT : MAX_OTHER;
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    if (to > from) this.#parts.push(Buffer.from(bytes.subarray(from, to)));
  }
}

// The closing quote at or after `from`, or the end of the bytes and whether an escape is open there.
function closing(bytes: Buffer, from: number): { at: number; escaped: boolean } {
  for (let at = from; ; ) {
    const quote = bytes.indexOf(QUOTE, at);
    const border = quote < 0 ? bytes.length : quote;
    let slashes = 0;
    while (border - slashes - 1 >= from && bytes[border - slashes - 1] === BACKSLASH) slashes++;
    if (quote < 0) return { at: border, escaped: slashes % 2 === 1 };
    if (slashes % 2 === 0) return { at: quote, escaped: false };
    at = quote + 1;
  }
}
