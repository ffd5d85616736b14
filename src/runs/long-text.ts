// A record or line of more than 4 MiB on its way to the index: masked in parts, sanitized, handed on in chunks (RUN-51).
import { applyMask, type Masked } from '../redact/masked.ts';
import { Masker } from '../redact/masker.ts';
import { FILE_FLAG } from '../store/run-index.ts';
import { isOff, PartMasker, sanitized } from './prepare.ts';
import type { Origin, Rows } from './rows.ts';

// An escape sequence that may not be whole yet: its longest form (TXT-3) and some.
const SEQUENCE = 4_200;
const BEGINS_SEQUENCE = /[\x1b\x90\x98\x9b\x9d-\x9f][^\x1b]*$|\r$/;

export class LongText {
  readonly #rows: Rows;
  readonly #masker: Masker;
  readonly #origin: Origin;
  readonly #parts: PartMasker | undefined;
  readonly #isMasked: boolean;
  #carry = '';
  #begun = false;

  /** `isMasked`: its chunks went through the masker already. */
  constructor(rows: Rows, masker: Masker, origin: Origin, isMasked = false) {
    this.#rows = rows;
    this.#masker = masker;
    this.#origin = origin;
    this.#isMasked = isMasked || isOff(masker);
    if (!this.#isMasked && masker.maskPart) this.#parts = new PartMasker(masker);
    // Without a way to mask it in parts it is left out, whole (RUN-51).
    if (!this.#isMasked && this.#parts === undefined) rows.flags |= FILE_FLAG.too_long_to_mask;
  }

  take(chunk: string): void {
    this.#give(this.#masked(chunk), false);
  }

  /** `isTorn`: the last line is not finished, so that its last word is not shown with a masker (RUN-52). */
  end(chunk: string, isTorn: boolean): void {
    this.#give(this.#isMasked ? asMasked(chunk) : this.#parts?.end(chunk, isTorn), true);
    if (this.#begun) this.#rows.endLong();
  }

  #masked(chunk: string): Masked | undefined {
    return this.#isMasked ? asMasked(chunk) : this.#parts?.next(chunk, false);
  }

  #give(masked: Masked | undefined, last: boolean): void {
    if (masked === undefined) return;
    if (this.#parts?.failed) this.#rows.flags |= FILE_FLAG.masker_failed;
    let text = this.#carry + masked;
    const from = last ? -1 : text.slice(-SEQUENCE).search(BEGINS_SEQUENCE);
    const cut = from < 0 ? text.length : Math.max(0, text.length - SEQUENCE) + from;
    this.#carry = text.slice(cut);
    text = text.slice(0, cut);
    if (text === '') return;
    const clean = this.#clean(text as Masked);
    if (clean === undefined) return;
    if (this.#begun) this.#rows.moreLong(clean);
    else this.#rows.beginLong(this.#origin, clean);
    this.#begun = true;
  }

  #clean(text: Masked): Masked | undefined {
    try {
      return sanitized(this.#masker, text);
    } catch {
      this.#rows.flags |= FILE_FLAG.masker_failed;
      return undefined;
    }
  }
}

/** Only for chunks that a masker saw, or where it is off. */
function asMasked(text: string): Masked {
  return applyMask(Masker.off, text);
}
