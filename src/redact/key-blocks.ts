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

/** The ranges of all key blocks. Needs no state between calls: the text is whole (MASK-14). */
export function findKeyBlocks(text: string, hits: Hits): Range[] {
  const lines = markerLines(text, hits);
  if (lines.length === 0) return [];
  if (lines.some((line) => line.what === 'begin')) lines.push(...publicLines(text));
  lines.sort((a, b) => a.start - b.start);
  const found: Range[] = [];
  let behind = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.start < behind || line.what === 'public') continue;
    const range =
      line.what === 'putty'
        ? puttyBlock(text, line)
        : line.what === 'end'
          ? { start: bodyBefore(text, line.start, behind), end: line.end }
          : { start: line.start, end: endOf(text, line, lines, index) };
    found.push(range);
    behind = range.end;
  }
  return found;
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
    const before = /-{4,5} ?(BEGIN|END) (?:[A-Z0-9]{1,16} ){0,6}$/i.exec(text.slice(Math.max(0, start - 112), start));
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

function endOf(text: string, begin: Line, lines: readonly Line[], index: number): number {
  for (let next = index + 1; next < lines.length; next++) {
    const line = lines[next]!;
    if (line.what === 'end') return line.end;
    if (line.what === 'public') return lineBreakBefore(text, line.start, begin.end);
  }
  // Without an END the rest of the unit goes, but not what stands behind the string that holds the block (MASK-7).
  const quote = /["'`]$/.exec(text.slice(Math.max(0, begin.start - 1), begin.start))?.[0];
  if (quote === undefined && text[begin.end] !== '\\') return text.length;
  const lineEnd = text.indexOf('\n', begin.end);
  const closing =
    quote === undefined ? text.slice(begin.end).search(/["'`]/) : text.indexOf(quote, begin.end) - begin.end;
  if (closing < 0 || (lineEnd !== -1 && begin.end + closing > lineEnd)) return text.length;
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
    if (body.length < shortest || body.length > 80 || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return start;
    start = at - body.length;
    at -= line.length;
    shortest = 16;
  }
}

/** PuTTY: n lines behind `Private-Lines: n`, and the `Private-MAC` line if it follows. */
function puttyBlock(text: string, line: Line): Range {
  const count = Number(/^ ?(\d{1,5})/.exec(text.slice(line.end, line.end + 8))?.[1] ?? 0);
  let end = lineEndFrom(text, line.end);
  for (let passed = 0; passed < count && end < text.length; passed++) end = lineEndFrom(text, end + 1);
  if (/^\n[ \t>|+*-]{0,8}Private-(?:MAC|Hash):/i.test(text.slice(end, end + 24))) end = lineEndFrom(text, end + 1);
  return { start: line.start, end };
}

function lineEndFrom(text: string, at: number): number {
  const lineFeed = text.indexOf('\n', at);
  return lineFeed === -1 ? text.length : lineFeed;
}
