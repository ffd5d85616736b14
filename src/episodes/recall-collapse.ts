// Records that say the same as one line (EPI-85). Nothing is merged in the store.
import type { MemoryRecord } from '../model/episode.ts';
import { canonicalJson } from '../model/episode-ids.ts';
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
  return source.type === 'distill' ? JSON.stringify(['id', id]) : `data ${kind} ${canonicalJson(data)}`;
}
