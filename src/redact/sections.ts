// Masks a unit that arrives in parts (MASK-9a, MASK-24, MASK-25). The unit is read in sections of up to 64 KiB, whose ends
// depend on its text alone and never on where the parts were cut: so every way of cutting gives the same text.
import type { Masker } from './masker.ts';

/** Something that was hidden: by which rule, behind which marker, where in which text. Never holds the value. */
export interface HiddenNote {
  readonly rule: string;
  readonly marker: string;
  readonly at: number;
  readonly text: string;
}
export type Noted = (hidden: HiddenNote) => void;

/** What a masker of ours is behind its face. */
export interface Sectioned {
  mask(text: string, note?: Noted): string;
  /** One round of it, for who looks again himself. Without it `mask` is taken. */
  once?(text: string, note?: Noted): string;
  /** One section; `state` is what the section before gave, `''` first. Without it sections do not know of each other. */
  section?(text: string, state: string, note?: Noted): { readonly text: string; readonly state: string };
  /** Tells of a window's positions whether a section may end there without parting what belongs together. */
  safeEnds?(window: string): (at: number) => boolean;
}

const behind = new WeakMap<Masker, Sectioned>();

/** The masker with this behaviour, `maskPart` included. */
export function sectioned(fingerprint: string, parts: Sectioned): Masker {
  const masker: Masker = {
    fingerprint,
    mask: (text) => parts.mask(text),
    maskPart: (text, state, last) => maskPart(parts, text, state, last),
  };
  behind.set(masker, parts);
  return masker;
}

/** What stands behind one of our maskers; undefined for a host's. */
export function sectionedOf(masker: Masker): Sectioned | undefined {
  return behind.get(masker);
}

/** Most units that are held back (MASK-25). */
const WINDOW = 65_536;
/** Least units of a section, so that every part is masked a bounded number of times. */
const LEAST = 15_360;
/** Behind a section's end something must be seen of what follows. */
const MOST = WINDOW - 1_024;

function maskPart(
  parts: Sectioned,
  text: string,
  given: string,
  last: boolean,
): { text: string; state: string; held: number } {
  const output: string[] = [];
  let state = given;
  let from = 0;
  const mask = (end: number): void => {
    const section = text.slice(from, end);
    if (parts.section) {
      const masked = parts.section(section, state);
      output.push(masked.text);
      state = masked.state;
    } else output.push(parts.mask(section));
    from = end;
  };
  while (text.length - from > WINDOW) mask(from + sectionEnd(text.slice(from, from + WINDOW), parts));
  if (last) mask(text.length);
  return { text: output.join(''), state: last ? '' : state, held: text.length - from };
}

/**
 * A line's start, else white space, the last one that is safe; in a dense line (JSON without line feeds) the last place
 * that parts nothing hidden, found by masking around it.
 */
function sectionEnd(window: string, parts: Sectioned): number {
  const isSafe = parts.safeEnds?.(window) ?? (() => true);
  for (let at = lineStart(window, MOST); at >= LEAST; at = lineStart(window, at - 1)) if (isSafe(at)) return at;
  // Who does not tell of places within a line may read over any of them: a path holds spaces.
  const tells = parts.safeEnds !== undefined;
  for (let at = MOST; tells && at >= LEAST; at--) if (/\s/.test(window[at - 1]!) && isSafe(at)) return at;
  const line = lineStart(window, MOST);
  if (line >= LEAST) return line;
  for (let at = MOST; tells && at >= LEAST; at--) if (!isLowSurrogate(window, at) && isSafe(at)) return at;
  let tries = 0;
  for (let at = MOST; at >= LEAST && tries < MOST_TRIES; at--) {
    if (!BORDER.test(window[at - 1]!)) continue;
    tries++;
    if (partsNothing(window, at, parts)) return at;
  }
  // No border at all, or something hidden across each of them: some places within the text, far apart.
  for (let at = MOST; at >= LEAST; at -= STRIDE) {
    if (!isLowSurrogate(window, at) && partsNothing(window, at, parts)) return at;
  }
  return isLowSurrogate(window, MOST) ? MOST - 1 : MOST;
}

const BORDER = /[\s,;}\])>"']/;
const MOST_TRIES = 16;
const STRIDE = 4_096;
/** What is looked at before and after a place: longer than a private key in one line of JSON. */
const BEFORE = 8_192;
const AFTER = 1_024;

function partsNothing(window: string, at: number, parts: Sectioned): boolean {
  const from = Math.max(0, at - BEFORE);
  const start = isLowSurrogate(window, from) ? from - 1 : from;
  const [before, after] = [window.slice(start, at), window.slice(at, at + AFTER)];
  return parts.mask(before + after) === parts.mask(before) + parts.mask(after);
}

/** The last line start at or before `most`; 0 when there is none. */
function lineStart(window: string, most: number): number {
  return most <= 0 ? 0 : window.lastIndexOf('\n', most - 1) + 1;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
