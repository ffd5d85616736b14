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
    return isTooDeep(value) ? undefined : (value as Record<string, unknown>);
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

function isTooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: object[] = [];
    for (const one of level) {
      for (const inner of Object.values(one) as unknown[]) {
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  return false;
}
