// Tokens of a run of a script without spaces: overlapping pairs of characters, a character being a base with its marks (TXT-13).
import { classOf, codeAt, JOINER, MARK } from './characters.ts';
import { fold } from './fold.ts';
import { cutToken } from './parts.ts';

// Thai, Khmer and the like hold some thousand different characters with marks; a text of nonsense must not fill memory.
const MAX_KNOWN = 4_096;
const KNOWN = new Map<string, string>();
const JOINERS = /[\u200c\u200d]/g;

/** The pair that begins at each character, and for the last one the character itself. */
export function pushRun(
  text: string,
  run: { readonly start: number; readonly end: number },
  push: (token: string, start: number, end: number) => void,
): void {
  let before: string | undefined;
  let beforeStart = run.start;
  let beforeSame = false;
  for (let at = run.start; at < run.end; ) {
    const end = characterEnd(text, at, run.end);
    const same = end - at === 1 && isFolded(text.charCodeAt(at));
    const folded = same ? text[at]! : foldedCharacter(text.slice(at, end));
    if (before !== undefined) {
      const pair = same && beforeSame ? pairOf(text, beforeStart) : cutToken(before + folded);
      push(pair, beforeStart, end);
    }
    before = folded;
    beforeStart = at;
    beforeSame = same;
    at = end;
  }
  if (before !== undefined) push(cutToken(before), beforeStart, run.end);
}

// A text says the same pairs again and again: a string is made for each once, in place of 16 bytes per character of text.
const PAIR_SLOTS = 8_192;
const PAIR_KEYS = new Int32Array(PAIR_SLOTS);
const PAIRS: string[] = new Array(PAIR_SLOTS).fill('');

function pairOf(text: string, at: number): string {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  const key = (first << 16) | second;
  const slot = (first * 31 + second) & (PAIR_SLOTS - 1);
  if (PAIR_KEYS[slot] === key) return PAIRS[slot]!;
  const pair = text.slice(at, at + 2);
  PAIR_KEYS[slot] = key;
  PAIRS[slot] = pair;
  return pair;
}

function characterEnd(text: string, start: number, limit: number): number {
  let at = start + (codeAt(text, start) > 0xffff ? 2 : 1);
  while (at < limit) {
    const code = codeAt(text, at);
    const kind = classOf(code);
    if (kind !== MARK && kind !== JOINER) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Characters that folding leaves as they are, when no mark follows: ideographs, kana, syllables, Thai consonants. */
export function isFolded(code: number): boolean {
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fc && code !== 0x30fb) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x0e01 && code <= 0x0e30)
  );
}

function foldedCharacter(character: string): string {
  const known = KNOWN.get(character);
  if (known !== undefined) return known;
  const folded = fold(character.replace(JOINERS, ''));
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  if (character.length <= 8) KNOWN.set(character, folded);
  return folded;
}
