// Forgetting one record, or one run that waits for a person (EPI-43, EPI-122, EPI-132). Its bytes go as well (EPI-133).
import type { MemoryStore } from '../store/memory.ts';
import { removeWithCascade } from './erase-cascade.ts';
import { inNamespace, recordNotFound } from './review.ts';

export interface Forgotten {
  readonly id: string;
  /** 0 for a parked run, which left no record. */
  readonly records: number;
  readonly parked: number;
  /** Records that were made from it and went with it. */
  readonly derived: number;
  /** Sources that only a deleted summary had superseded, active again. */
  readonly revived: number;
  /** `pending`: a reader holds the write-ahead log; the next write finishes it. */
  readonly file: 'absent' | 'pending';
}

/** Deletes a record of any status with what was made from it. Throws `record_not_found`, also for another namespace (EPI-15). */
export async function forgetRecord(
  { store, now, namespace }: { readonly store: MemoryStore; readonly now: number; readonly namespace?: string },
  id: string,
): Promise<Forgotten> {
  const gone = await store.write(async (writing) => {
    const parked = await writing.parked(id);
    if (parked !== undefined) {
      if (namespace !== undefined && parked.namespace !== namespace) throw recordNotFound(id);
      await writing.unpark(id);
      return { records: 0, parked: 1, derived: 0, revived: 0 };
    }
    const { no } = inNamespace(await writing.get(id), id, namespace);
    const { removed, derived, revived } = await removeWithCascade(writing, [no], 'forgotten', now);
    return { records: removed, parked: 0, derived, revived };
  });
  return { id, ...gone, file: await store.clean() };
}
