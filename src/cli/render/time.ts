// Instants as a person reads them: local, with zone and age (SUR-23).
import { localTime } from '../../model/time.ts';

/** An IANA name, or the machine's own zone as minutes ahead of UTC at an instant. */
export type Zone = string | ((at: number) => number);

/** `2026-08-11 11:30 UTC+02:00 (3 d ago)` */
export function timeWithAge(instant: string, zone: Zone, now: number): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return '';
  return `${localTime(at, typeof zone === 'string' ? zone : zone(at) * MINUTE_MS)} (${age(now - at)})`;
}

const MINUTE_MS = 60_000;

export function age(ms: number): string {
  if (ms < -MINUTE_MS) return `in ${amount(-ms)}, clock ahead`;
  return ms < MINUTE_MS ? 'just now' : `${amount(ms)} ago`;
}

// Whole minutes, hours below 48, then days.
function amount(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

export function bytesOf(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** `1 234 567` */
export function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** `1 session`, `2 sessions`, `3 entries`, `4 matches` */
export function counted(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  const plural =
    noun.endsWith('y') && !noun.endsWith('day')
      ? `${noun.slice(0, -1)}ies`
      : `${noun}${/(s|h)$/.test(noun) ? 'es' : 's'}`;
  return `${count(number)} ${plural}`;
}
