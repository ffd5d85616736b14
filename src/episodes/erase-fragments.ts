// Pieces of erased text to look for in the file afterwards: cut between words, 24 bytes or more (EPI-133). Pure.
import type { StoredRecord } from '../store/memory.ts';

const MOST_RECORDS = 64;
/** Fragments that are looked for (SES-173). */
const MOST = 16;
const MIN_BYTES = 24;
const MAX_CHARS = 120;

/** Numbers spread evenly over what is erased, first and last included. */
export function sampleOf(numbers: readonly number[]): number[] {
  if (numbers.length <= MOST_RECORDS) return [...numbers];
  const step = (numbers.length - 1) / (MOST_RECORDS - 1);
  return Array.from({ length: MOST_RECORDS }, (_, index) => numbers[Math.round(index * step)]!);
}

/** Each once, in as many records as possible; none that JSON would write in another way. */
export function fragmentsOf(records: readonly StoredRecord[]): string[] {
  const lists = records.map(({ record }) => pieces([record.content, ...record.tags, ...stringsOf(record.data)]));
  const found = new Set<string>();
  for (let round = 0; found.size < MOST; round++) {
    const row = lists.flatMap((list) => list[round] ?? []);
    if (row.length === 0) break;
    for (const piece of row) if (found.size < MOST) found.add(piece);
  }
  return [...found];
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

// A run without what JSON escapes; longer ones are cut at white space, so that their words are whole.
function pieces(texts: readonly string[]): string[] {
  const runs = texts.flatMap((text) => text.split(/["\\\p{Cc}\u2028\u2029]+/u)).map((run) => run.trim());
  return runs
    .map((run) => {
      if (run.length <= MAX_CHARS) return run;
      const cut = run.lastIndexOf(' ', MAX_CHARS);
      return cut > 0 ? run.slice(0, cut) : '';
    })
    .filter((run) => Buffer.byteLength(run) >= MIN_BYTES);
}
