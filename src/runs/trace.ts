// Unindented stack traces of older hosts: lines at column 0 inside an exception's message can look like records
// (RUN-18 – RUN-21). Which lines they are; the parser knows what to do with them.

/** A header this many bytes after a class line, and no frame line between, is no suspect any more (RUN-19). */
export const TRACE_BYTES: number = 64 * 1024;

const PREFIXES = ['Caused by: ', 'Suppressed: '];
const CAPITAL_C = 0x43;
const CAPITAL_S = 0x53;
const NAME_UNIT = /[\p{L}\p{M}\p{N}_$.]/u;

/** At column 0: `Caused by: ` or `Suppressed: ` perhaps, a name ending in Exception, Error or Throwable, then `:` or nothing. */
export function isClassLine(line: string): boolean {
  const first = line.charCodeAt(0);
  const from = first === CAPITAL_C || first === CAPITAL_S ? prefixOf(line) : 0;
  let end = from;
  while (end < line.length && isNameUnit(line.charCodeAt(end))) end++;
  if (end < line.length && line[end] !== ':') return false;
  // The last letters first: most lines end here.
  if (end - from < 'Error'.length) return false;
  const name = line.slice(Math.max(from, end - 'Exception'.length), end);
  return name.endsWith('Error') || name.endsWith('Exception') || name.endsWith('Throwable');
}

function prefixOf(line: string): number {
  return PREFIXES.find((prefix) => line.startsWith(prefix))?.length ?? 0;
}

/** Tabs or exactly four spaces, then `at ` or `... 12 `. */
export function isFrameLine(line: string): boolean {
  let at = 0;
  while (line[at] === '\t') at++;
  if (at === 0) {
    if (!line.startsWith('    ')) return false;
    at = 4;
  }
  return line.startsWith('at ', at) || (line.startsWith('... ', at) && countFollows(line, at + 4));
}

function countFollows(line: string, from: number): boolean {
  let at = from;
  while (line[at]! >= '0' && line[at]! <= '9') at++;
  return at > from && line[at] === ' ';
}

function isNameUnit(code: number): boolean {
  if (code < 0x80) {
    return (
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x30 && code <= 0x39) ||
      code === 0x2e ||
      code === 0x5f ||
      code === 0x24
    );
  }
  // Halves of a surrogate pair: letters beyond the first plane are taken as such.
  return (code >= 0xd800 && code <= 0xdfff) || NAME_UNIT.test(String.fromCharCode(code));
}
