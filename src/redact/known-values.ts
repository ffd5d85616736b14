// Hides exact values that a host knows, in every common encoding of them (MASK-50).
import { BackstoryError } from '../model/errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { withoutInvisible } from './invisible.ts';
import type { Masker } from './masker.ts';
import { hide, type Range } from './ranges.ts';
import { type Rewritten, rewritten } from './rewritten.ts';
import { sectioned } from './sections.ts';
import { type FindTexts, textFinder } from './text-finder.ts';

export interface ValueOptions {
  /** Shorter values are refused. At least 4, default 8. */
  readonly minLength?: number;
}

const RULES_VERSION = 1;
const MAX_ROUNDS = 4;

/** Throws `invalid_argument` that names the index of a value that is too short, never the value. */
export function valuesMasker(values: Iterable<string>, { minLength = 8 }: ValueOptions = {}): Masker {
  if (!Number.isInteger(minLength) || minLength < 4) {
    throw new BackstoryError('invalid_argument', 'minLength is not a whole number from 4.', 'Leave it out for 8.');
  }
  const known = new Set<string>();
  let index = 0;
  for (const value of values) {
    if (typeof value !== 'string' || value.length < minLength) {
      throw new BackstoryError(
        'invalid_argument',
        `Known value ${index} is no text of at least ${minLength} units.`,
        'Leave it out: a short value is found in texts that have nothing to do with it.',
        { details: { index, minLength } },
      );
    }
    for (const part of partsOf(value, minLength)) known.add(part);
    index++;
  }
  if (known.size === 0) return sectioned(fingerprintOf('values', RULES_VERSION, []), { mask: (text) => text });
  const plain = textFinder([...known].map((text) => ({ text, more: 0 })));
  const encoded = textFinder([...known].flatMap((value) => encodingsOf(value, minLength)));
  return sectioned(fingerprintOf('values', RULES_VERSION, [...known].sort()), {
    mask(text, note) {
      let masked = text;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const found = findValues(masked, plain, encoded);
        if (found.length === 0) break;
        const before = masked;
        masked = hide(masked, found, 'value', note);
        if (masked === before) break;
      }
      return masked;
    },
    // A value that is seen whole is not cut.
    safeEnds(window) {
      const found = findValues(window, plain, encoded);
      return (at) => !found.some(({ start, end }) => start < at && at < end);
    },
  });
}

/** The value, each line of several, each text of a JSON object. */
function partsOf(value: string, minLength: number): string[] {
  const parts = [value];
  if (value.includes('\n')) parts.push(...value.split(/\r?\n/).map((line) => line.trim()));
  if (/^\s{0,16}\{/.test(value)) {
    try {
      for (const text of Object.values(JSON.parse(value) as Record<string, unknown>)) {
        if (typeof text === 'string') parts.push(text);
      }
    } catch {
      // No JSON: the value stands for itself.
    }
  }
  return parts.filter((part) => part.length >= minLength);
}

interface Encoded {
  readonly text: string;
  /** Units behind it that hold bits of the value as well. */
  readonly more: number;
}

/** Base64 in its three alignments, base64url, hex. Escapes and percent-encoding are read through instead. */
function encodingsOf(value: string, minLength: number): Encoded[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const found: Encoded[] = [
    { text: hex, more: 0 },
    { text: hex.toUpperCase(), more: 0 },
  ];
  for (const shift of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    // Only units whose six bits are all of the value.
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const text = padded.toString('base64').slice(from, to);
    const more = (padded.length * 8) % 6 === 0 ? 0 : 1;
    if (text.length < minLength) continue;
    found.push({ text, more });
    const forUrls = text.replaceAll('+', '-').replaceAll('/', '_');
    if (forUrls !== text) found.push({ text: forUrls, more });
  }
  return found;
}

function findValues(text: string, plain: FindTexts, encoded: FindTexts): Range[] {
  const found = [...plain(text), ...encoded(text)].map((range) => withPadding(text, range));
  // Copies in which escapes are read: what is found there is hidden at its place in the text.
  for (const copy of copiesOf(text)) {
    for (const range of plain(copy.text)) found.push({ ...copy.original(range), rule: 'value' });
  }
  return found;
}

function withPadding(text: string, { start, end, more }: Range & { readonly more: number }): Range {
  let behind = end;
  if (more > 0 && /[\w+/-]/.test(text[behind] ?? '')) behind++;
  while (more > 0 && behind - end < 3 && text[behind] === '=') behind++;
  return { start, end: behind, rule: 'value' };
}

function* copiesOf(text: string): Generator<Rewritten> {
  const visible = withoutInvisible(text);
  if (visible) yield visible;
  if (text.includes('%') || text.includes('+')) {
    const decoded = rewritten(text, /(?:%[\da-f]{2}){1,512}|\+/gi, (match) =>
      match === '+' ? ' ' : percentDecoded(match),
    );
    if (decoded) yield decoded;
  }
  if (text.includes('&')) {
    const decoded = rewritten(text, /&(?:quot|amp|lt|gt|apos|#\d{2,5}|#x[\da-f]{2,5});/gi, (match) => entity(match));
    if (decoded) yield decoded;
  }
  // Up to three levels of backslashes, each on the copy of the one before.
  let level: Rewritten | undefined;
  for (let depth = 0; depth < 3; depth++) {
    const source = level?.text ?? text;
    if (!source.includes('\\')) return;
    const next = rewritten(source, /\\(?:u[\da-f]{4}|x[\da-f]{2}|[nrtbf"'`\\/])/gi, unescaped);
    if (!next) return;
    const before = level;
    level = before ? { text: next.text, original: (range) => before.original(next.original(range)) } : next;
    yield level;
  }
}

function percentDecoded(match: string): string | undefined {
  try {
    return decodeURIComponent(match);
  } catch {
    return undefined;
  }
}

const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function unescaped(match: string): string {
  const letter = match[1]!;
  if (match.length > 2) return String.fromCharCode(Number.parseInt(match.slice(2), 16));
  return LETTERS[letter] ?? letter;
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

function entity(match: string): string | undefined {
  const name = match.slice(1, -1).toLowerCase();
  if (!name.startsWith('#')) return ENTITIES[name];
  const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
