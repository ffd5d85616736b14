// Records that say the same as one line (EPI-85). Nothing is merged in the store.
import type { MemoryRecord } from '../model/episode.ts';
import type { Line } from './recall.ts';

/** Lines in their order; of those that say the same only the first, with how many there are and the earliest time. */
export function collapsed(lines: readonly Line[]): Line[] {
  const groups = new Map<string, { readonly first: Line; repeats: number; firstAt: number }>();
  for (const line of lines) {
    const { record, at } = line.stored;
    const key = sameness(record);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: line, repeats: 1, firstAt: at });
    else {
      group.repeats++;
      group.firstAt = Math.min(group.firstAt, at);
    }
  }
  return [...groups.values()].map(({ first, repeats, firstAt }) =>
    repeats === 1 ? first : { ...first, repeats, firstAt },
  );
}

/** Runs by input and outcome, what agents and people wrote by its data; all else by itself. */
function sameness({ kind, source, data, id }: MemoryRecord): string {
  if (kind === 'episodic' && source.type === 'run') return JSON.stringify(['run', data.input, data.outcome]);
  return source.type === 'distill' ? JSON.stringify(['id', id]) : `data ${kind} ${canonical(data)}`;
}

/** JSON with its keys sorted and its strings in NFC (EPI-106). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null)
    return JSON.stringify(typeof value === 'string' ? value.normalize('NFC') : value);
  const entries = Object.entries(value).map(([key, one]) => [key.normalize('NFC'), canonical(one)] as const);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${one}`).join(',')}}`;
}
