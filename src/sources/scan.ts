// Looks at a line's bytes without parsing it: where the values of named keys stand, in an object, in one object inside it
// and in the objects of a list inside that (SRC-60 … SRC-62). Builds no string. Whatever it does not expect makes it give
// up, and the line is parsed.

/** The keys looked for in one object, and where to look further. Others are passed over. */
export interface Shape {
  readonly keys: readonly string[];
  /** The key whose object is looked into, and how. */
  readonly inner?: readonly [key: string, shape: Shape];
  /** The key whose list of objects is looked into, and how. */
  readonly list?: readonly [key: string, shape: Shape];
  /** Gives up as soon as this key has this value: such a line is parsed anyway. */
  readonly unless?: readonly [key: string, text: string];
}

/** Per key of a shape, in order, where its value begins and ends, quotes included; 0 and 0 where it is absent. */
export type Places = Int32Array;

export interface Scanner {
  /** False: not what a product writes, so the slow path decides (SRC-62). */
  scan(bytes: Buffer): boolean;
  /** Of the last line scanned; reused from line to line. */
  readonly fields: Places;
  readonly inner: Places;
  readonly list: readonly Places[];
  /** How many of `list` are of this line; -1: there is no such list. */
  listed: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MAX_DEPTH = 500;
// Beyond this a native search for the next quote costs less than a loop over bytes.
const NEAR = 32;
const FAILED = -1;
const EMPTY: Places = new Int32Array(0);

// The brackets open in the one value that is being passed over.
const open = new Uint8Array(MAX_DEPTH + 1);

/** A scanner for lines of one shape. */
export function scannerOf(shape: Shape): Scanner {
  const outer = tableOf(shape);
  const inner = outer.inner;
  const listOf = inner?.list;
  const pool: Places[] = [];
  const scanner: Scanner = {
    fields: new Int32Array(shape.keys.length * 2),
    inner: inner ? new Int32Array(inner.size * 2) : EMPTY,
    list: pool,
    listed: -1,
    scan(line) {
      scanner.fields.fill(0);
      scanner.inner.fill(0);
      scanner.listed = -1;
      return object(line, 0, outer, scanner.fields) === line.length;
    },
  };
  return scanner;

  // Returns the offset after the object, or FAILED.
  function object(bytes: Buffer, from: number, table: Table, into: Places): number {
    if (bytes[from] !== OPEN_OBJECT) return FAILED;
    let at = from + 1;
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      const colon = endOfKey(bytes, at);
      if (colon < 0) return FAILED;
      const key = table.find(bytes, at + 1, colon - 1);
      const value = colon + 1;
      const end = key < 0 ? endOfValue(bytes, value) : known(bytes, value, key, table);
      if (end < 0) return FAILED;
      if (key >= 0) {
        // A key twice: JSON.parse takes the last one, so it decides.
        if (into[key * 2] !== 0) return FAILED;
        into[key * 2] = value;
        into[key * 2 + 1] = end;
        if (key === table.stopKey && isText(bytes, into, key, table.stopText)) return FAILED;
      }
      if (bytes[end] === CLOSE_OBJECT) return end + 1;
      if (bytes[end] !== COMMA) return FAILED;
      at = end + 1;
    }
  }

  function known(bytes: Buffer, at: number, key: number, table: Table): number {
    if (key === table.innerKey && bytes[at] === OPEN_OBJECT) return object(bytes, at, inner!, scanner.inner);
    if (key === table.listKey && bytes[at] === OPEN_LIST) return items(bytes, at);
    return endOfValue(bytes, at);
  }

  function items(bytes: Buffer, from: number): number {
    let at = from + 1;
    scanner.listed = 0;
    if (bytes[at] === CLOSE_LIST) return at + 1;
    for (;;) {
      if (scanner.listed === pool.length) pool.push(new Int32Array(listOf!.size * 2));
      const places = pool[scanner.listed++]!;
      places.fill(0);
      const end = object(bytes, at, listOf!, places);
      if (end < 0) return FAILED;
      if (bytes[end] === CLOSE_LIST) return end + 1;
      if (bytes[end] !== COMMA) return FAILED;
      at = end + 1;
    }
  }
}

interface Table {
  readonly size: number;
  readonly innerKey: number;
  readonly listKey: number;
  readonly stopKey: number;
  readonly stopText: string;
  readonly inner: Table | undefined;
  readonly list: Table | undefined;
  /** The number of the key whose bytes stand there, or -1. */
  find(bytes: Buffer, from: number, to: number): number;
}

function tableOf(shape: Shape): Table {
  const byLength: [index: number, text: Buffer][][] = [];
  for (const [index, key] of shape.keys.entries()) {
    byLength[key.length] = [...(byLength[key.length] ?? []), [index, Buffer.from(key)]];
  }
  return {
    size: shape.keys.length,
    innerKey: shape.inner ? shape.keys.indexOf(shape.inner[0]) : -1,
    listKey: shape.list ? shape.keys.indexOf(shape.list[0]) : -1,
    stopKey: shape.unless ? shape.keys.indexOf(shape.unless[0]) : -1,
    stopText: shape.unless?.[1] ?? '',
    inner: shape.inner && tableOf(shape.inner[1]),
    list: shape.list && tableOf(shape.list[1]),
    find(bytes, from, to) {
      const candidates = byLength[to - from];
      if (!candidates) return -1;
      for (const [index, text] of candidates) {
        let same = 0;
        while (same < text.length && text[same] === bytes[from + same]) same++;
        if (same === text.length) return index;
      }
      return -1;
    },
  };
}

// Offset of the colon after the key at `at`. An escape in it may spell any key, so it fails.
function endOfKey(bytes: Buffer, at: number): number {
  if (bytes[at] !== QUOTE) return FAILED;
  let end = at + 1;
  for (; ; end++) {
    const code = bytes[end];
    if (code === QUOTE) break;
    if (code === undefined || code === BACKSLASH || code < 0x20) return FAILED;
  }
  return bytes[end + 1] === COLON ? end + 1 : FAILED;
}

/** Offset after the value that begins at `at`, or FAILED. White space, where products write none, fails. */
function endOfValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return endOfString(bytes, at);
  return first === OPEN_OBJECT || first === OPEN_LIST ? endOfNested(bytes, at) : endOfLiteral(bytes, at);
}

// Brackets, commas and colons must be where JSON wants them: a broken line is the slow path's to count.
function endOfNested(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const first = bytes[at];
    if (first === OPEN_OBJECT || first === OPEN_LIST) {
      if (++depth > MAX_DEPTH) return FAILED;
      open[depth] = first;
      at++;
      if (bytes[at] === first + 2) depth--;
      else {
        if (first === OPEN_OBJECT) at = endOfKey(bytes, at) + 1;
        if (at === 0) return FAILED;
        continue;
      }
      at++;
    } else {
      at = first === QUOTE ? endOfString(bytes, at) : endOfLiteral(bytes, at);
      if (at < 0) return FAILED;
    }
    // After a value: the brackets it closes, then the next one.
    while (depth > 0 && bytes[at] === open[depth]! + 2) {
      depth--;
      at++;
    }
    if (depth === 0) return at;
    if (bytes[at] !== COMMA) return FAILED;
    at++;
    if (open[depth] === OPEN_OBJECT) at = endOfKey(bytes, at) + 1;
    if (at === 0) return FAILED;
  }
}

function endOfString(bytes: Buffer, from: number): number {
  let at = from + 1;
  for (;;) {
    for (const near = at + NEAR; at < near; at++) {
      const code = bytes[at];
      if (code === QUOTE) return at + 1;
      if (code === undefined || code < 0x20) return FAILED;
      if (code === BACKSLASH) at++;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return FAILED;
    let slashes = 0;
    while (quote - slashes > at && bytes[quote - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

const LITERALS: readonly (readonly [first: number, text: Buffer])[] = ['true', 'false', 'null'].map((word) => [
  word.charCodeAt(0),
  Buffer.from(word),
]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function endOfLiteral(bytes: Buffer, at: number): number {
  let end = at;
  while (isWordByte(bytes[end])) end++;
  if (end === at) return FAILED;
  for (const [first, text] of LITERALS) {
    if (bytes[at] !== first) continue;
    if (end - at !== text.length) return FAILED;
    for (let n = 1; n < text.length; n++) if (bytes[at + n] !== text[n]) return FAILED;
    return end;
  }
  // Most numbers are short and plain.
  const lead = bytes[at]!;
  if (lead >= 0x31 && lead <= 0x39) {
    let digit = at + 1;
    while (digit < end && bytes[digit]! >= 0x30 && bytes[digit]! <= 0x39) digit++;
    if (digit === end) return end;
  } else if (lead === 0x30 && end === at + 1) return end;
  return NUMBER.test(bytes.toString('latin1', at, end)) ? end : FAILED;
}

// Digits, small letters, and what else a number may hold.
function isWordByte(code: number | undefined): boolean {
  if (code === undefined) return false;
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x2b ||
    code === 0x45
  );
}

// Characters that would need decoding, or that no string may hold.
const NOT_PLAIN = /[\\\x00-\x1f\x80-\xff]/;

/** The text of the string value of a key, or undefined when it is none or would need decoding. */
export function plainString(line: Buffer, places: Places, key: number): string | undefined {
  const from = places[key * 2]!;
  if (from === 0 || line[from] !== QUOTE) return undefined;
  const text = line.toString('latin1', from + 1, places[key * 2 + 1]! - 1);
  return NOT_PLAIN.test(text) ? undefined : text;
}

/** True when the string value of a key is this ASCII text; builds no string. */
export function isText(line: Buffer, places: Places, key: number, text: string): boolean {
  const from = places[key * 2]!;
  if (from === 0 || line[from] !== QUOTE || places[key * 2 + 1]! - from - 2 !== text.length) return false;
  for (let n = 0; n < text.length; n++) if (line[from + 1 + n] !== text.charCodeAt(n)) return false;
  return true;
}

export function isNull(line: Buffer, places: Places, key: number): boolean {
  const from = places[key * 2]!;
  return from !== 0 && line[from] === 0x6e;
}

/** Undefined: absent, null or empty. False: not a plain string, so the slow path decides. */
export function optionalString(line: Buffer, places: Places, key: number): string | undefined | false {
  if (!has(places, key) || isNull(line, places, key)) return undefined;
  const text = plainString(line, places, key);
  return text === undefined ? false : text || undefined;
}

export function has(places: Places, key: number): boolean {
  return places[key * 2] !== 0;
}
