// Keeps valid JSON valid, with the same keys (MASK-7): in a text that is JSON only string values are hidden.
import type { Range } from './ranges.ts';

/** The contents of all string values of a text that is JSON as a whole, in order; undefined for any other text. */
export function jsonStrings(text: string): readonly Range[] | undefined {
  return isJson(text) ? stringValues(text) : undefined;
}

/** What was found, without anything that is no string value. */
export function withinStrings<Found extends Range>(
  text: string,
  strings: readonly Range[],
  found: readonly Found[],
): readonly Found[] {
  const kept: Found[] = [];
  const sorted = [...found].sort((a, b) => a.start - b.start);
  let first = 0;
  for (const range of sorted) {
    if (range.delimiter !== undefined) {
      kept.push(range);
      continue;
    }
    while (first < strings.length && strings[first]!.end <= range.start) first++;
    for (let index = first; index < strings.length && strings[index]!.start < range.end; index++) {
      const string = strings[index]!;
      const start = Math.max(range.start, string.start);
      const end = Math.min(range.end, string.end);
      if (start < end)
        kept.push({ ...range, start: escapeStart(text, start, string), end: escapeEnd(text, end, string) });
    }
  }
  return kept;
}

function isJson(text: string): boolean {
  const first = /^[ \t\r\n]{0,64}([{["])/.exec(text.slice(0, 65))?.[1];
  if (first === undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The contents of all strings that are no keys. */
function stringValues(text: string): Range[] {
  const strings: Range[] = [];
  for (let open = text.indexOf('"'); open !== -1; ) {
    let close = open + 1;
    while (text[close] !== '"') close += text[close] === '\\' ? 2 : 1;
    let behind = close + 1;
    while (behind < text.length && ' \t\r\n'.includes(text[behind]!)) behind++;
    if (text[behind] !== ':') strings.push({ start: open + 1, end: close });
    open = text.indexOf('"', close + 1);
  }
  return strings;
}

/** A cut never stands inside an escape: these move it out of one. */
function escapeStart(text: string, at: number, string: Range): number {
  const start = escapeAround(text, at, string);
  return start === undefined ? at : start.start;
}

function escapeEnd(text: string, at: number, string: Range): number {
  const around = escapeAround(text, at, string);
  return around === undefined ? at : around.end;
}

function escapeAround(text: string, at: number, string: Range): Range | undefined {
  for (let start = at - 1; start >= Math.max(string.start, at - 5); start--) {
    if (text[start] !== '\\' || backslashesBefore(text, start, string.start) % 2 === 1) continue;
    const end = start + (text[start + 1] === 'u' ? 6 : 2);
    return end > at ? { start, end } : undefined;
  }
  return undefined;
}

function backslashesBefore(text: string, at: number, least: number): number {
  let count = 0;
  while (at - count - 1 >= least && text[at - count - 1] === '\\') count++;
  return count;
}
