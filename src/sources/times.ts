// Times as products write them → milliseconds since 1970 (SRC-28).

const EARLIEST = Date.UTC(1990, 0, 1);
const DAY = 86_400_000;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/** Undefined when it is missing, unreadable, before 1990, or more than a day ahead of the clock. */
export function instantOf(value: unknown, now: number): number | undefined {
  const ms = typeof value === 'number' ? fromNumber(value) : typeof value === 'string' ? fromText(value) : Number.NaN;
  return ms >= EARLIEST && ms <= now + DAY ? Math.trunc(ms) : undefined;
}

// Below 10^11 seconds, below 10^14 milliseconds, else microseconds.
function fromNumber(value: number): number {
  if (!Number.isFinite(value)) return Number.NaN;
  return value < 1e11 ? value * 1000 : value < 1e14 ? value : value / 1000;
}

function fromText(value: string): number {
  return RFC_3339.test(value) ? Date.parse(value.replace(' ', 'T')) : Number.NaN;
}
