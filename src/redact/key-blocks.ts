// Private key blocks over any number of lines (MASK-22, MASK-23): where they begin and end, by their marker lines only.
import type { Hits } from './hints.ts';
import type { Range } from './ranges.ts';

/** Words of the lines that begin and end a block, and PuTTY's line that does. */
export const KEY_BLOCK_HINTS: readonly string[] = ['private key', 'private-lines:'];

interface Line {
  readonly what: 'begin' | 'end' | 'putty' | 'public';
  readonly start: number;
  readonly end: number;
}

/** The ranges of all key blocks of a whole text (MASK-14). */
export function findKeyBlocks(text: string, hits: Hits): Range[] {
  return keyBlocks(text, hits).found;
}

/** What goes on behind a section's end: a block up to its END, or so many lines of PuTTY's. */
export type OpenBlock = 'block' | number;

/** The key blocks of a section, and the one that its end leaves open (MASK-24). */
export function keyBlocks(text: string, hits: Hits): { readonly found: Range[]; readonly open: OpenBlock | undefined } {
  const lines = markerLines(text, hits);
  if (lines.length === 0) return { found: [], open: undefined };
  if (lines.some((line) => line.what === 'begin')) lines.push(...publicLines(text));
  lines.sort((a, b) => a.start - b.start);
  const found: Range[] = [];
  let open: OpenBlock | undefined;
  let behind = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.start < behind || line.what === 'public') continue;
    if (line.what === 'putty') {
      const block = puttyBlock(text, line);
      found.push(block);
      if (block.left >= 0) open = block.left;
    } else if (line.what === 'end') {
      found.push({ start: bodyBefore(text, line.start, behind), end: line.end });
    } else {
      const end = endOf(text, line, lines, index);
      found.push({ start: line.start, end: end ?? text.length });
      if (end === undefined) open = 'block';
    }
    behind = found[found.length - 1]!.end;
  }
  return { found, open };
}

/** How far a block that was open before this section goes on in it, and what it leaves open. */
export function openBlockEnd(
  text: string,
  hits: Hits,
  open: OpenBlock,
): { readonly end: number; readonly open: OpenBlock | undefined } {
  if (typeof open === 'number') {
    const { end, left } = linesOfPutty(text, -1, open);
    return { end, open: left >= 0 ? left : undefined };
  }
  const lines = [...markerLines(text, hits), ...publicLines(text)].sort((a, b) => a.start - b.start);
  const end = endAmong(text, lines, 0, 0);
  return { end: end ?? text.length, open: end === undefined ? 'block' : undefined };
}

function markerLines(text: string, hits: Hits): Line[] {
  const lines: Line[] = [];
  for (let index = 0; index < hits.length; index += 2) {
    const end = hits[index + 1]!;
    const start = end - KEY_BLOCK_HINTS[hits[index]!]!.length;
    if (hits[index] === 1) {
      if (/^ ?\d/.test(text.slice(end, end + 2))) lines.push({ what: 'putty', start, end });
      continue;
    }
    // "Any words between": bounded, so that a line of words costs nothing.
    const ahead = text.slice(Math.max(0, start - 112), start);
    if (!ahead.includes('----')) continue;
    const before = /-{4,5} ?(BEGIN|END) (?:[A-Z0-9]{1,16} ){0,6}$/i.exec(ahead);
    const after = /^(?: [A-Z0-9]{1,16}){0,2} ?-{4,5}/i.exec(text.slice(end, end + 48));
    if (!before || !after) continue;
    const what = before[1]!.toUpperCase() === 'BEGIN' ? 'begin' : 'end';
    lines.push({ what, start: start - before[0].length, end: end + after[0].length });
  }
  return lines;
}

/** Lines of their own that begin something public: they end a key block that has lost its END. */
function publicLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = text.indexOf('BEGIN '); at !== -1; at = text.indexOf('BEGIN ', at + 6)) {
    const before = /(?:^|\n)[ \t>|+*\d:→-]{0,16}?(-{4,5} ?)$/.exec(text.slice(Math.max(0, at - 24), at));
    const after =
      /^BEGIN (?:[A-Z0-9]{1,16} ){0,6}?(?:CERTIFICATE|CERTIFICATE REQUEST|PUBLIC KEY|PUBLIC KEY BLOCK|MESSAGE) ?-{4,5}[ \t\r]{0,4}(?:\n|$)/i;
    const match = before && after.exec(text.slice(at, at + 128));
    if (match) lines.push({ what: 'public', start: at - before[1]!.length, end: at + match[0].length });
  }
  return lines;
}

function endAmong(text: string, lines: readonly Line[], from: number, least: number): number | undefined {
  for (let next = from; next < lines.length; next++) {
    const line = lines[next]!;
    if (line.what === 'end') return line.end;
    if (line.what === 'public') return lineBreakBefore(text, line.start, least);
  }
  return undefined;
}

/** Undefined: the block has no end in this text. */
function endOf(text: string, begin: Line, lines: readonly Line[], index: number): number | undefined {
  const marked = endAmong(text, lines, index + 1, begin.end);
  if (marked !== undefined) return marked;
  // Without an END the rest of the unit goes, but not what stands behind the string that holds the block (MASK-7).
  const quote = /["'`]$/.exec(text.slice(Math.max(0, begin.start - 1), begin.start))?.[0];
  if (quote === undefined && text[begin.end] !== '\\') return undefined;
  const lineEnd = text.indexOf('\n', begin.end);
  const closing =
    quote === undefined ? text.slice(begin.end).search(/["'`]/) : text.indexOf(quote, begin.end) - begin.end;
  if (closing < 0 || (lineEnd !== -1 && begin.end + closing > lineEnd)) return undefined;
  let end = begin.end + closing;
  while (end > begin.end && text[end - 1] === '\\') end--;
  return end;
}

function lineBreakBefore(text: string, at: number, least: number): number {
  const lineFeed = text.lastIndexOf('\n', at);
  return Math.max(least, lineFeed === -1 ? at : lineFeed);
}

const BREAK_BEFORE = /(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n|[ \t])$/;
const PREFIX = /^(?:[ \t>|*-]|\+ |\d{1,6}[:|→\t])*/;

/**
 * Body lines this far before an END may belong to it: no key is longer, and more cannot be held back of a unit that
 * arrives in parts (MASK-25).
 */
export const MAX_BODY_BEFORE_END = 49_152;

/** Start of the body lines that stand directly before an END whose BEGIN is not here (MASK-23). */
function bodyBefore(text: string, end: number, least: number): number {
  let start = end;
  let shortest = 1;
  let at = end - (/[ \t>|+*\d:→-]{0,16}$/.exec(text.slice(Math.max(least, end - 16), end))?.[0].length ?? 0);
  // An END behind a prefix: the prefix is not a line of the body.
  if (at !== least && !/[\nn]/.test(text[at - 1] ?? '')) at = end;
  for (;;) {
    const gap = BREAK_BEFORE.exec(text.slice(Math.max(least, at - 20), at))?.[0] ?? '';
    if (gap === '' && at !== end) return start;
    at -= gap.length;
    const window = text.slice(Math.max(least, at - 120), at);
    const line = /(?:^|[\n"'`]|\\n)([^\n\\"'`]*)$/.exec(window)?.[1] ?? '';
    const prefix = PREFIX.exec(line)?.[0].length ?? 0;
    const body = line.slice(prefix);
    if (
      end - at > MAX_BODY_BEFORE_END ||
      body.length < shortest ||
      body.length > 80 ||
      !/^[A-Za-z0-9+/]+={0,2}$/.test(body)
    )
      return start;
    start = at - body.length;
    at -= line.length;
    shortest = 16;
  }
}

/** PuTTY: n lines behind `Private-Lines: n`, and the `Private-MAC` line if it follows. `left`: lines not here yet; 0: that line may come. */
function puttyBlock(text: string, line: Line): Range & { readonly left: number } {
  const count = Number(/^ ?(\d{1,5})/.exec(text.slice(line.end, line.end + 8))?.[1] ?? 0);
  return { start: line.start, ...linesOfPutty(text, lineEndFrom(text, line.end), count) };
}

function linesOfPutty(text: string, from: number, count: number): { readonly end: number; readonly left: number } {
  let end = from;
  let left = count;
  // A line feed that ends the section is not the start of another line of it.
  for (; left > 0 && end + 1 < text.length; left--) end = lineEndFrom(text, end + 1);
  if (left > 0) return { end: Math.max(end, 0), left };
  if (end + 1 >= text.length) return { end: Math.max(end, 0), left: 0 };
  const isLast = /^[ \t>|+*-]{0,8}Private-(?:MAC|Hash):/i.test(text.slice(end + 1, end + 24));
  return { end: isLast ? lineEndFrom(text, end + 1) : Math.max(end, 0), left: -1 };
}

function lineEndFrom(text: string, at: number): number {
  const lineFeed = text.indexOf('\n', at);
  return lineFeed === -1 ? text.length : lineFeed;
}
