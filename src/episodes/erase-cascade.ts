// What goes with a deleted record, and what comes back: for erasing, forgetting and rejecting alike (EPI-132).
import type { DeletionReason } from '../model/episode.ts';
import type { MemoryReading, MemoryWriting, StoredRecord } from '../store/memory.ts';

export interface Cascade {
  /** Numbers of the records made from the deleted ones, and from those, and so on. */
  readonly derived: readonly number[];
  /** Numbers of sources that only a deleted summary had superseded: active again, their expiry unchanged. */
  readonly revived: readonly number[];
}

/** Looks only. `now`: sources that expired by then stay as they are. */
export async function cascadeOf(reading: MemoryReading, numbers: readonly number[], now: number): Promise<Cascade> {
  const gone = new Set(numbers);
  const derived: number[] = [];
  for (let next = await reading.derivedFrom(numbers); next.length > 0; next = await reading.derivedFrom(next)) {
    next = next.filter((no) => !gone.has(no));
    for (const no of next) gone.add(no);
    derived.push(...next);
    if (next.length === 0) break;
  }
  const revived = new Set<number>();
  for (const summary of (await reading.records([...gone])).filter(isSummary)) {
    for (const id of summary.record.derivedFrom ?? []) {
      const source = await reading.get(id);
      if (source === undefined || gone.has(source.no) || revived.has(source.no)) continue;
      if (await isFreed(reading, source, gone, now)) revived.add(source.no);
    }
  }
  return { derived, revived: [...revived] };
}

/** Deletes records with what was made from them, in the caller's transaction. Counts them by namespace and day (EPI-68). */
export async function removeWithCascade(
  writing: MemoryWriting,
  numbers: readonly number[],
  reason: DeletionReason,
  now: number,
): Promise<{ readonly removed: number; readonly derived: number; readonly revived: number }> {
  const { derived, revived } = await cascadeOf(writing, numbers, now);
  const removed = await writing.remove(numbers, reason, now);
  await writing.remove(derived, 'cascade', now);
  for (const no of revived) await writing.update(no, { status: 'active', updatedAt: now });
  return { removed, derived: derived.length, revived: revived.length };
}

// Nothing that stays has superseded it: no other summary, and no newer fact.
async function isFreed(
  reading: MemoryReading,
  { record, expiresAt }: StoredRecord,
  gone: ReadonlySet<number>,
  now: number,
): Promise<boolean> {
  if (record.status !== 'superseded' || (expiresAt !== undefined && expiresAt <= now)) return false;
  const stays = (one: StoredRecord): boolean => !gone.has(one.no);
  const summaries = (await reading.linkedFrom(record.id, 'derivedFrom')).filter(isSummary);
  const newer = await reading.linkedFrom(record.id, 'supersedes');
  return !summaries.some(stays) && !newer.some(stays);
}

/** A summary takes the place of its sources; a reflection does not. */
function isSummary({ record }: StoredRecord): boolean {
  return record.kind === 'episodic' && record.source.type === 'distill';
}
