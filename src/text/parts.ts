// The parts of a word: an identifier's humps, snakes and numbers, the sides of an apostrophe (TXT-10, TXT-15).
import { classOf, JOINER, MARK } from './characters.ts';
import { fold } from './fold.ts';
import { asciiPartsOf, MAX_PARTS } from './parts-ascii.ts';

const MAX_LOOKED_AT = 1_024;
export const MAX_TOKEN = 64;

const HUMP = /\p{Lu}+(?!\p{Ll})\p{M}*|\p{Lu}?(?:[\p{L}--\p{Lu}]|\p{M})+|\p{Lu}\p{M}*|\p{Nd}+/gv;
const LETTER_RUN = /\p{L}{2,}/gu;
const HEX = /^[0-9a-fA-F]+$/;
const DECIMAL = /\p{Nd}/u;
const MAYBE_PARTS = /[_'’]|\p{Nd}|\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const ASCII = /^[\x00-\x7f]*$/;

/** Folded parts in order; empty for a word that has none beside itself. */
export function partsOf(word: string): string[] {
  return wholePartsOf(word).map(cutToken);
}

/** The same without the cut at 64 units: what a query word of over 64 units is compared by. */
export function wholePartsOf(word: string): string[] {
  const looked = word.length > MAX_LOOKED_AT ? word.slice(0, MAX_LOOKED_AT) : word;
  return ASCII.test(looked) ? asciiPartsOf(looked) : generalPartsOf(looked);
}

/** For any script: what `asciiPartsOf` must equal. */
export function generalPartsOf(word: string): string[] {
  // Composed, so that an accent written apart does not stand between two humps.
  const source = word.normalize('NFC');
  if (!MAYBE_PARTS.test(source)) return [];
  const parts: string[] = [];
  for (const piece of source.split(/[_'’]+/)) {
    if (piece === '') continue;
    // Letters and digits part only in a word with a letter run that is no hexadecimal number (`E1234`, `3f1a9c2`).
    if (!DECIMAL.test(piece) || hasWordRun(piece)) {
      for (const [hump] of piece.matchAll(HUMP)) parts.push(hump);
    } else parts.push(piece);
    if (parts.length >= MAX_PARTS) break;
  }
  if (parts.length < 2) return [];
  return parts.slice(0, MAX_PARTS).map(wholeTokenOf);
}

function hasWordRun(piece: string): boolean {
  for (const [run] of piece.matchAll(LETTER_RUN)) if (!HEX.test(run)) return true;
  return false;
}

const NOT_IN_TOKEN = /[^\p{L}\p{M}\p{Nd}\p{Nl}_]/gu;

/** A word as a token: folded, without joiners and apostrophes, at most 64 units (TXT-15). */
export function tokenOf(word: string): string {
  return cutToken(wholeTokenOf(word.length > 4 * MAX_TOKEN ? word.slice(0, 4 * MAX_TOKEN) : word));
}

/** The same without the cut: what a word of over 64 units is compared by. */
export function wholeTokenOf(word: string): string {
  return byCharacter(word) ?? fold(word).replace(NOT_IN_TOKEN, '');
}

// Folded characters by their code: a word without marks is folded character by character, ten times as fast.
const FOLDED: (string | undefined)[] = [];

function byCharacter(word: string): string | undefined {
  let folded = '';
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    let one = FOLDED[code];
    if (one === undefined) {
      if (code >= 0xd800 && code <= 0xdfff) return undefined;
      const kind = classOf(code);
      if (kind === MARK || kind === JOINER) return undefined;
      one = fold(word[at]!).replace(NOT_IN_TOKEN, '');
      FOLDED[code] = one;
    }
    folded += one;
  }
  return folded;
}

export function cutToken(token: string): string {
  if (token.length <= MAX_TOKEN) return token;
  const last = token.charCodeAt(MAX_TOKEN - 1);
  return token.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TOKEN - 1 : MAX_TOKEN);
}
