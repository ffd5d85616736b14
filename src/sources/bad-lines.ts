// What a line holds when it is not simply one JSON object: several glued ones, a torn one, or nothing to read (SRC-55).

export interface ReadLine {
  readonly records: readonly Record<string, unknown>[];
  readonly problem?: 'glued' | 'torn' | 'malformed';
}

const MAX_TRIES = 64;
const MAX_DEPTH = 512;
const LONG = 262_144;

/**
 * `known`: a record of the format; only such a one is taken from the end of a torn line. Complete objects at the start
 * of a line are read whatever follows them, so that a line read while it grew gives what it gives at once (SRC-49).
 */
export function readRecords(text: string, known: (record: Record<string, unknown>) => boolean): ReadLine {
  const whole = parsed(text);
  if (whole) return { records: [whole] };
  const records: Record<string, unknown>[] = [];
  let rest = text;
  for (let end = endOfObject(rest); end > 0 && records.length < MAX_TRIES; end = endOfObject(rest)) {
    const record = parsed(rest.slice(0, end));
    if (!record) break;
    records.push(record);
    rest = rest.slice(end);
  }
  if (rest.trim() === '') return { records, problem: 'glued' };
  const last = suffix(rest, known);
  if (last) return { records: [...records, last], problem: 'torn' };
  return records.length > 0 ? { records, problem: 'torn' } : { records, problem: 'malformed' };
}

/** The object a text is, unless it is none or nested over 512 deep. */
export function parsed(text: string): Record<string, unknown> | undefined {
  // Ten million brackets would be 700 MB of lists before anyone could count them.
  if (text.length >= LONG && isNestedDeeper(text, MAX_DEPTH)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    // Each level takes two characters.
    if (text.length >= MAX_DEPTH * 2 && isDeeper(value, MAX_DEPTH)) return undefined;
    return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

// Where the object that a text begins with ends; 0 when it begins with none or it does not end.
function endOfObject(text: string): number {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b) depth++;
    else if (code === 0x7d && --depth === 0) return at + 1;
    if (depth === 0 && code > 0x20) return 0;
  }
  return 0;
}

// The longest suffix that is a known record.
function suffix(
  text: string,
  known: (record: Record<string, unknown>) => boolean,
): Record<string, unknown> | undefined {
  let tries = 0;
  for (let at = text.indexOf('{"', 1); at >= 0 && tries < MAX_TRIES; at = text.indexOf('{"', at + 1), tries++) {
    const record = parsed(text.slice(at));
    if (record && known(record)) return record;
  }
  return undefined;
}

// By its brackets alone, strings passed over by native searches.
function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = closingQuote(text, at + 1);
      if (at < 0) return false;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > levels) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

function closingQuote(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (quote - slashes > from && text.charCodeAt(quote - slashes - 1) === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return -1;
}

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const inner of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
  }
  return false;
}
