// The literal gate (MASK-62): one pass over a text that finds every place at which a rule could apply, and nothing else.
// A text is copied to bytes (charCodeAt alone runs at 300 MB/s), and every second position is hashed with the two behind
// it into one table: a hint is entered with two neighbouring triples, of which one is met. Plain text: over 200 MB/s.

/** Where hints of one family stand: pairs of hint number within the family and position behind it. */
export type Hits = readonly number[];

export interface Scan {
  /** By family. Undefined when no hint of any family occurs. */
  readonly hits: readonly Hits[] | undefined;
  /** The text holds, or may hold, control or format characters (MASK-20). */
  readonly invisible: boolean;
}

interface Entry {
  readonly family: number;
  readonly number: number;
  readonly hint: string;
  /** From the triple's first unit to the end of the hint. */
  readonly toEnd: number;
}

const CHUNK = 1 << 15;
const LINE_FEED = 10;

/** A function that scans for families of literals of three and more units. Letter case is ignored: rules check it. */
export function hintScanner(families: readonly (readonly string[])[]): (text: string) => Scan {
  const gate = new Uint8Array(1 << 21);
  const entries = new Map<number, Entry[]>();
  families.forEach((hints, family) => {
    hints.forEach((hint, number) => {
      addHint(gate, entries, family, number, hint.toLowerCase());
    });
  });
  // Two bytes before each chunk belong to the chunk before, and the text begins as if behind line feeds.
  const buffer = Buffer.alloc(CHUNK + 8);
  const words = new Int32Array(buffer.buffer, buffer.byteOffset, buffer.length / 4);

  return (text) => {
    let found: number[][] | undefined;
    let controls = 0;
    for (let from = 0; from < text.length; from += CHUNK) {
      buffer[0] = from === 0 ? LINE_FEED : text.charCodeAt(from - 2);
      buffer[1] = from === 0 ? LINE_FEED : text.charCodeAt(from - 1);
      // Units past U+00FF lose their high byte here: the gate opens a little too often, and the comparison below decides.
      const part = text.length <= CHUNK ? text : text.slice(from, from + CHUNK);
      const length = buffer.write(part, 2, 'latin1') + 2;
      buffer.fill(LINE_FEED, length, length + 4);
      for (let at = nextOpen(buffer, gate, 0, length); at !== -1; at = nextOpen(buffer, gate, at + 2, length)) {
        for (const entry of entries.get(keyAt(buffer, at))!) {
          const end = from + at - 2 + entry.toEnd;
          if (!standsBefore(text, end, entry.hint)) continue;
          found ??= families.map(() => []);
          const hits = found[entry.family]!;
          // The two triples of a hint may both be met where chunks overlap.
          if (hits[hits.length - 1] !== end || hits[hits.length - 2] !== entry.number) hits.push(entry.number, end);
        }
      }
      controls |= controlsIn(buffer, words, length);
    }
    return { hits: found, invisible: mayHoldInvisible(text, controls) };
  };
}

/** The next position from `at` on, in steps of two, whose triple some hint has. */
function nextOpen(bytes: Uint8Array, gate: Uint8Array, at: number, length: number): number {
  for (let position = at; position < length; position += 2) {
    if (gate[keyAt(bytes, position)] !== 0) return position;
  }
  return -1;
}

/** Seven bits of each: exact for ASCII. */
function keyAt(bytes: Uint8Array | readonly number[], at: number): number {
  return ((bytes[at]! & 127) << 14) | ((bytes[at + 1]! & 127) << 7) | (bytes[at + 2]! & 127);
}

const CONTROL = 1;
const RETURN = 2;

/** Which control characters occur, four bytes at a time; tabs and line feeds are none (MASK-20). */
function controlsIn(bytes: Uint8Array, words: Int32Array, length: number): number {
  let seen = 0;
  for (let index = 0; index < length / 4; index++) {
    const word = words[index]!;
    // The usual tests of a word for a byte below 32 and for a byte that is DEL.
    const noDelete = word ^ 0x7f7f7f7f;
    const low = ((word - 0x20202020) & ~word) | ((noDelete - 0x01010101) & ~noDelete);
    if ((low & 0x80808080) === 0) continue;
    for (let at = index * 4; at < index * 4 + 4; at++) {
      const byte = bytes[at]!;
      if (byte === 127 || (byte < 32 && byte !== LINE_FEED && byte !== 9)) seen |= byte === 13 ? RETURN : CONTROL;
    }
  }
  return seen;
}

function mayHoldInvisible(text: string, controls: number): boolean {
  // The low byte of a unit past U+00FF may look like a control character: `—` ends in 0x14.
  if (Buffer.byteLength(text) !== text.length) return INVISIBLE.test(text);
  // A carriage return before a line feed is part of the line's end.
  return (controls & CONTROL) !== 0 || ((controls & RETURN) !== 0 && /\r(?!\n)/.test(text));
}

const INVISIBLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)|\p{Cf}/u;

/** True when `hint` ends at `end`, whatever the letter case; one that begins with a line feed also at the text's start. */
function standsBefore(text: string, end: number, hint: string): boolean {
  const start = end - hint.length;
  if (start >= 0) return text.slice(start, end).toLowerCase() === hint;
  return start === -1 && hint[0] === '\n' && text.slice(0, end).toLowerCase() === hint.slice(1);
}

function addHint(gate: Uint8Array, entries: Map<number, Entry[]>, family: number, number: number, hint: string): void {
  if (hint.length < 3) throw new RangeError(`The hint ${JSON.stringify(hint)} is shorter than three units.`);
  const add = (triple: readonly (string | undefined)[], start: number): void => {
    for (const key of keysOf(triple)) {
      gate[key] = 1;
      const list = entries.get(key) ?? [];
      list.push({ family, number, hint, toEnd: hint.length - start });
      entries.set(key, list);
    }
  };
  let best = 0;
  for (let at = 1; at + 4 <= hint.length; at++) if (commonness(hint, at) < commonness(hint, best)) best = at;
  add([...hint.slice(best, best + 3)], best);
  // Three units have no second triple of their own: anything may stand behind the last.
  add([hint[best + 1], hint[best + 2], hint[best + 3]], best + 1);
}

/** The keys of three units in all letter cases; `undefined` is any byte. */
function keysOf(triple: readonly (string | undefined)[]): Set<number> {
  const [a, b, c] = triple.map(bytesOf);
  const keys = new Set<number>();
  for (const first of a!) for (const second of b!) for (const third of c!) keys.add(keyAt([first, second, third], 0));
  return keys;
}

function bytesOf(unit: string | undefined): readonly number[] {
  if (unit === undefined) return Array.from({ length: 256 }, (_, byte) => byte);
  return [unit.charCodeAt(0) & 0xff, unit.toUpperCase().charCodeAt(0) & 0xff];
}

const BY_FREQUENCY = 'zqxjkvbpygfwmucldrhsnioate ';

/** Rough and only for choosing: letters by their frequency in English, everything else as rare as a `k`. */
function commonness(hint: string, at: number): number {
  const of = (unit: string): number => Math.max(4, BY_FREQUENCY.indexOf(unit)) + 2;
  const [a, b, c, d] = [...hint.slice(at, at + 4)].map(of);
  return d === undefined ? a! * b! * c! : a! * b! * c! + b! * c! * d;
}
