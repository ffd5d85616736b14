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

/** By the key of a triple; hints of three units also by the key of their last two, whatever stands behind. */
interface Entries {
  readonly triples: Map<number, Entry[]>;
  readonly pairs: Map<number, Entry[]>;
}

/**
 * Which keys have entries: a bit per triple and a byte per pair, 272 KiB in all. (A byte per triple is 2 MiB, whose page
 * faults alone took 6 ms of each start.)
 */
interface Gate {
  readonly triples: Uint32Array;
  readonly pairs: Uint8Array;
}

const CHUNK = 1 << 15;
const LINE_FEED = 10;

/** A function that scans for families of literals of three and more units. Letter case is ignored: rules check it. */
export function hintScanner(families: readonly (readonly string[])[]): (text: string) => Scan {
  const gate: Gate = { triples: new Uint32Array(1 << 16), pairs: new Uint8Array(1 << 14) };
  const entries: Entries = { triples: new Map(), pairs: new Map() };
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
        const key = keyAt(buffer, at);
        found = addHits(found, entries.triples.get(key), text, from + at - 2, families);
        found = addHits(found, entries.pairs.get(key >> 7), text, from + at - 2, families);
      }
      controls |= controlsIn(buffer, words, length);
    }
    return { hits: found, invisible: mayHoldInvisible(text, controls) };
  };
}

/** The next position from `at` on, in steps of two, whose triple some hint has. */
function nextOpen(bytes: Uint8Array, { triples, pairs }: Gate, at: number, length: number): number {
  for (let position = at; position < length; position += 2) {
    const key = keyAt(bytes, position);
    if (pairs[key >> 7] !== 0 || (triples[key >> 5]! & (1 << (key & 31))) !== 0) return position;
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

function addHits(
  found: number[][] | undefined,
  entries: readonly Entry[] | undefined,
  text: string,
  at: number,
  families: readonly unknown[],
): number[][] | undefined {
  if (entries === undefined) return found;
  let all = found;
  for (const { family, number, hint, toEnd } of entries) {
    const end = at + toEnd;
    if (!standsBefore(text, end, hint)) continue;
    all ??= families.map(() => []);
    const hits = all[family]!;
    // The two triples of a hint may both be met where chunks overlap.
    if (hits[hits.length - 1] !== end || hits[hits.length - 2] !== number) hits.push(number, end);
  }
  return all;
}

/** True when `hint` ends at `end`, whatever the letter case; one that begins with a line feed also at the text's start. */
function standsBefore(text: string, end: number, hint: string): boolean {
  const start = end - hint.length;
  if (start < 0) return start === -1 && hint[0] === '\n' && text.slice(0, end).toLowerCase() === hint.slice(1);
  if (end > text.length) return false;
  for (let index = hint.length - 1; index >= 0; index--) {
    const code = text.charCodeAt(start + index);
    const wanted = hint.charCodeAt(index);
    if (code === wanted || (code >= 65 && code <= 90 && code + 32 === wanted)) continue;
    if (code < 128 || text[start + index]!.toLowerCase() !== hint[index]) return false;
  }
  return true;
}

function addHint(gate: Gate, entries: Entries, family: number, number: number, hint: string): void {
  if (hint.length < 3) throw new RangeError(`The hint ${JSON.stringify(hint)} is shorter than three units.`);
  const addTriple = (start: number): void => {
    const entry = { family, number, hint, toEnd: hint.length - start };
    for (const pair of pairsOf(hint[start]!, hint[start + 1]!)) {
      for (const third of casesOf(hint[start + 2]!)) {
        const key = (pair << 7) | third;
        push(entries.triples, key, entry);
        gate.triples[key >> 5]! |= 1 << (key & 31);
      }
    }
  };
  let best = 0;
  for (let at = 1; at + 4 <= hint.length; at++) if (commonness(hint, at) < commonness(hint, best)) best = at;
  addTriple(best);
  if (best + 4 <= hint.length) {
    addTriple(best + 1);
    return;
  }
  // Three units have no second triple of their own: anything may stand behind the last. (Entered one by one, 200 such
  // hints took 20 ms at each start.)
  const entry = { family, number, hint, toEnd: hint.length - best - 1 };
  for (const pair of pairsOf(hint[best + 1]!, hint[best + 2]!)) {
    push(entries.pairs, pair, entry);
    gate.pairs[pair] = 1;
  }
}

function push(lists: Map<number, Entry[]>, key: number, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else if (list[list.length - 1] !== entry) list.push(entry);
}

function pairsOf(a: string, b: string): number[] {
  return casesOf(a).flatMap((first) => casesOf(b).map((second) => (first << 7) | second));
}

// Seven bits, as in `keyAt`; a unit without another letter case once.
function casesOf(unit: string): number[] {
  const lower = unit.charCodeAt(0) & 127;
  const upper = unit.toUpperCase().charCodeAt(0) & 127;
  return lower === upper ? [lower] : [lower, upper];
}

const BY_FREQUENCY = 'zqxjkvbpygfwmucldrhsnioate ';

/** Rough and only for choosing: letters by their frequency in English, everything else as rare as a `k`. */
function commonness(hint: string, at: number): number {
  const of = (unit: string): number => Math.max(4, BY_FREQUENCY.indexOf(unit)) + 2;
  const [a, b, c, d] = [...hint.slice(at, at + 4)].map(of);
  return d === undefined ? a! * b! * c! : a! * b! * c! + b! * c! * d;
}
