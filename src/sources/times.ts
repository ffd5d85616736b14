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

// `2026-09-01T08:00:00.000Z`, as most products write it: a tenth of the cost of Date.parse.
function fromIso(value: string): number {
  const digits = (from: number, to: number): number => {
    let number = 0;
    for (let at = from; at < to; at++) {
      const digit = value.charCodeAt(at) - 0x30;
      if (digit < 0 || digit > 9) return Number.NaN;
      number = number * 10 + digit;
    }
    return number;
  };
  const [month, day] = [digits(5, 7), digits(8, 10)];
  const [hour, minute, second] = [digits(11, 13), digits(14, 16), digits(17, 19)];
  const marks = value[4] === '-' && value[7] === '-' && value[10] === 'T' && value[13] === ':' && value[16] === ':';
  // Days beyond the 28th, and hours beyond 23, are left to Date.parse, which knows months.
  if (!marks || value[19] !== '.' || !(month >= 1 && month <= 12 && day >= 1 && day <= 28)) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  return Date.UTC(digits(0, 4), month - 1, day, hour, minute, second, digits(20, 23));
}

function fromText(value: string): number {
  const quick = value.length === 24 && value.endsWith('Z') ? fromIso(value) : Number.NaN;
  if (!Number.isNaN(quick)) return quick;
  return RFC_3339.test(value) ? Date.parse(value.replace(' ', 'T')) : Number.NaN;
}
