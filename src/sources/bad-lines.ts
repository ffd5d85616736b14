// What a line holds when it is not simply one JSON object: two glued ones, a torn one, or nothing to read (SRC-55).

export interface ReadLine {
  readonly records: readonly Record<string, unknown>[];
  readonly problem?: 'glued' | 'torn' | 'malformed';
}

const MAX_TRIES = 64;
const MAX_DEPTH = 512;

/** `known`: a record of the format; only such a one is taken from the end of a torn line. */
export function readRecords(text: string, known: (record: Record<string, unknown>) => boolean): ReadLine {
  const whole = parsed(text);
  if (whole) return { records: [whole] };
  return glued(text) ?? torn(text, known) ?? { records: [], problem: 'malformed' };
}

/** The object a text is, unless it is none or nested over 512 deep. */
export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return isTooDeep(text) ? undefined : (value as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

function glued(text: string): ReadLine | undefined {
  const records: Record<string, unknown>[] = [];
  let from = 0;
  let tries = 0;
  for (let at = text.indexOf('}{'); at >= 0 && tries < MAX_TRIES; at = text.indexOf('}{', at + 1), tries++) {
    const record = parsed(text.slice(from, at + 1));
    if (!record) continue;
    records.push(record);
    from = at + 1;
  }
  const last = from > 0 ? parsed(text.slice(from)) : undefined;
  return last ? { records: [...records, last], problem: 'glued' } : undefined;
}

function torn(text: string, known: (record: Record<string, unknown>) => boolean): ReadLine | undefined {
  let tries = 0;
  for (let at = text.indexOf('{"', 1); at >= 0 && tries < MAX_TRIES; at = text.indexOf('{"', at + 1), tries++) {
    const record = parsed(text.slice(at));
    if (record && known(record)) return { records: [record], problem: 'torn' };
  }
  return undefined;
}

// Brackets inside strings count too, which errs on the careful side only for lines that hold over 512 of them unclosed.
function isTooDeep(text: string): boolean {
  let open = 0;
  let inString = false;
  if (text.length < MAX_DEPTH * 2) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth++;
      open = Math.max(open, depth);
      if (open > MAX_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
