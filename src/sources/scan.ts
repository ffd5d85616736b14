// Looks at a line's bytes without parsing it: top-level keys and values, and the blocks of its message (SRC-60 … SRC-62).
// Builds no string of a value. Whatever it does not expect makes it give up, and the line is parsed.

/** Ranges of one line, reused from line to line. A range is `[from, to)` of a value's bytes, quotes included. */
export interface Scanned {
  readonly fields: Map<string, Range>;
  /** Keys of the top-level `message`, when it is an object. */
  readonly message: Map<string, Range>;
  /** One map of keys per block of `message.content`, when that is a list of objects. */
  readonly blocks: Map<string, Range>[];
}

export type Range = readonly [from: number, to: number];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_DEPTH = 512;
// Beyond this a native search for the next quote costs less than a loop over bytes.
const NEAR = 24;

/** Undefined: not what the product writes, so the slow path decides (SRC-62). */
export function scanLine(bytes: Buffer): Scanned | undefined {
  const scanned: Scanned = { fields: new Map(), message: new Map(), blocks: [] };
  const end = scanObject(bytes, 0, scanned.fields, (key, at) => {
    if (key !== 'message' || bytes[at] !== 0x7b) return -1;
    return scanObject(bytes, at, scanned.message, (inner, value) =>
      inner === 'content' && bytes[value] === 0x5b ? scanBlocks(bytes, value, scanned.blocks) : -1,
    );
  });
  return end === bytes.length ? scanned : undefined;
}

const FAILED = -2;

// Returns the offset after the object, or FAILED. `descend` may read a value itself: the offset after it, or -1.
function scanObject(
  bytes: Buffer,
  from: number,
  into: Map<string, Range>,
  descend: (key: string, at: number) => number,
): number {
  if (bytes[from] !== 0x7b) return FAILED;
  let at = from + 1;
  if (bytes[at] === 0x7d) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return FAILED;
    const keyEnd = bytes.indexOf(QUOTE, at + 1);
    if (keyEnd < 0) return FAILED;
    const key = bytes.toString('latin1', at + 1, keyEnd);
    if (key.includes('\\') || into.has(key) || bytes[keyEnd + 1] !== 0x3a) return FAILED;
    const value = keyEnd + 2;
    let end = descend(key, value);
    if (end === -1) end = endOfValue(bytes, value);
    if (end < 0) return FAILED;
    into.set(key, [value, end]);
    const next = bytes[end];
    if (next === 0x7d) return end + 1;
    if (next !== 0x2c) return FAILED;
    at = end + 1;
  }
}

function scanBlocks(bytes: Buffer, from: number, into: Map<string, Range>[]): number {
  let at = from + 1;
  if (bytes[at] === 0x5d) return at + 1;
  for (;;) {
    const block = new Map<string, Range>();
    const end = scanObject(bytes, at, block, () => -1);
    if (end < 0) return FAILED;
    block.set('', [at, end]);
    into.push(block);
    if (bytes[end] === 0x5d) return end + 1;
    if (bytes[end] !== 0x2c) return FAILED;
    at = end + 1;
  }
}

/** Offset after the value that begins at `at`, or FAILED. White space, where the product writes none, fails. */
function endOfValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return endOfString(bytes, at);
  if (first === 0x7b || first === 0x5b) return endOfNested(bytes, at);
  let end = at;
  while (end < bytes.length) {
    const code = bytes[end]!;
    // Digits, letters of true, false and null, and what numbers hold.
    const literal =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x2b ||
      code === 0x45;
    if (!literal) break;
    end++;
  }
  return end > at ? end : FAILED;
}

function endOfNested(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const code = bytes[at]!;
    if (code === QUOTE) {
      at = endOfString(bytes, at) - 1;
      if (at < 0) return FAILED;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return FAILED;
    } else if (code === 0x7d || code === 0x5d) {
      if (--depth === 0) return at + 1;
    } else if (code <= 0x20) return FAILED;
  }
  return FAILED;
}

/** Offset after the closing quote, or FAILED. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from + 1;
  const near = Math.min(bytes.length, at + NEAR);
  for (; at < near; at++) {
    const code = bytes[at]!;
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return FAILED;
    let slashes = 0;
    while (quote - slashes - 1 >= at && bytes[quote - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** The text of a string value, or undefined when it is none or would need decoding. */
export function plainString(bytes: Buffer, range: Range | undefined): string | undefined {
  if (!range || bytes[range[0]] !== QUOTE) return undefined;
  const text = bytes.toString('latin1', range[0] + 1, range[1] - 1);
  return /[\\\x00-\x1f\x80-\xff]/.test(text) ? undefined : text;
}

export function isNull(bytes: Buffer, range: Range | undefined): boolean {
  return range !== undefined && range[1] - range[0] === 4 && bytes[range[0]] === 0x6e;
}
