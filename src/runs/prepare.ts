// The one order in which text of run files becomes indexable: mask, sanitize, mask again where that changed it (RUN-49).
// Fails closed: what a masker does not give is not there (RUN-53).
import { applyMask, type Masked } from '../redact/masked.ts';
import { Masker } from '../redact/masker.ts';
import { sanitize } from '../text/index.ts';

/** Records, and lines of other files, of more units are masked in parts or left out (RUN-51). */
export const WHOLE_CHARS = 4_194_304;

/** `undefined`: the masker threw or returned no string. */
export function prepared(masker: Masker, text: string): Masked | undefined {
  try {
    return sanitized(masker, applyMask(masker, text));
  } catch {
    return undefined;
  }
}

/** Of text that the masker has seen already, in parts or whole. Throws what a host's masker throws. */
export function sanitized(masker: Masker, masked: Masked): Masked {
  const clean = sanitize(masked);
  return clean === masked ? masked : applyMask(masker, clean);
}

/** A short field of a line or a path, as it may be shown; a masker that fails hides all of it. */
export function shownAs(masker: Masker, text: string): Masked {
  return prepared(masker, text) ?? HIDDEN;
}

export function isOff(masker: Masker): boolean {
  return masker === Masker.off || masker.fingerprint === Masker.off.fingerprint;
}

const HIDDEN = applyMask(Masker.off, '[hidden:value]');

/** Consecutive parts of one unit, masked as if it were whole (MASK-9a). */
export class PartMasker {
  readonly #masker: Masker;
  #state: string;
  /** Not decided yet: stands before the next part. */
  #held = '';
  /** The masker failed: nothing more of this unit is given. */
  failed = false;

  constructor(masker: Masker, state = '') {
    this.#masker = masker;
    this.#state = state;
  }

  /** What may be stored of the state: it is the masker's own and holds no text. */
  get state(): string {
    return this.#state;
  }

  get held(): string {
    return this.#held;
  }

  /** The end of the unit; `cutEnd`: without the unfinished word at its end (RUN-52). */
  end(part: string, cutEnd: boolean): Masked {
    if (!cutEnd) return this.next(part, true);
    const text = withoutEnd(this.#held + part);
    this.#held = '';
    return this.next(text, true);
  }

  /** The decided text so far, masked but not sanitized. With `last` nothing is held. */
  next(part: string, last: boolean): Masked {
    if (this.failed) return EMPTY;
    const text = this.#held + part;
    try {
      const answer: unknown = this.#masker.maskPart?.(text, this.#state, last);
      const { text: output, state, held } = answer as { text: unknown; state: unknown; held: unknown };
      const isWhole = typeof output === 'string' && typeof state === 'string' && Number.isInteger(held);
      const count = held as number;
      if (!isWhole || count < 0 || count > text.length || (last && count > 0)) throw new TypeError('No masked part.');
      this.#state = state as string;
      this.#held = text.slice(text.length - count);
      return output as Masked;
    } catch {
      this.failed = true;
      this.#held = '';
      return EMPTY;
    }
  }
}

/** Without the run of non-space characters at its end: half a token is not recognised as one (RUN-52). */
export function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && !SPACE.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

const SPACE = /\s/;
const EMPTY = applyMask(Masker.off, '');
