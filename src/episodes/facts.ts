// Facts: what makes two the same, and the table of what a new one does to the active one (EPI-106). Each use is one
// transaction of the caller.
import type { MemoryRecord } from '../model/episode.ts';
import { canonicalJson, identityDigest } from '../model/episode-ids.ts';
import type { Masked } from '../redact/masked.ts';
import type { MemoryWriting, NewRecord, StoredRecord } from '../store/memory.ts';

/** The keys of data that say what a fact is about, with their values. */
export function identityOf(data: MemoryRecord['data'], keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, data[key] ?? null]));
}

/** Under this digest a fact is the only active one of its namespace. */
export function digestOf(identity: Readonly<Record<string, unknown>>): string {
  return identityDigest(canonicalJson(identity));
}

export function isSameData(a: MemoryRecord, b: MemoryRecord): boolean {
  return canonicalJson(a.data) === canonicalJson(b.data);
}

/** The active fact of an identity. An expired one is none: it goes, so that its identity is free (EPI-64). */
export async function activeFact(
  writing: MemoryWriting,
  namespace: string,
  identity: string,
  now: number,
): Promise<StoredRecord | undefined> {
  const info = await writing.namespace(namespace);
  const fact = info === undefined ? undefined : await writing.fact(info.no, identity);
  if (fact === undefined || fact.expiresAt === undefined || fact.expiresAt > now) return fact;
  await writing.remove([fact.no], 'expired', now);
  return undefined;
}

/** Same data again: later, and with the confidence and tags of the new one. `text`: the searched text of the two as one. */
export async function refresh(
  writing: MemoryWriting,
  old: StoredRecord,
  by: Pick<MemoryRecord, 'confidence' | 'tags' | 'expiresAt'>,
  text: Masked,
  now: number,
): Promise<void> {
  await writing.update(old.no, {
    updatedAt: now,
    effectiveAt: now,
    confidence: by.confidence,
    tags: by.tags,
    text,
    expiresAt: by.expiresAt === undefined ? null : Date.parse(by.expiresAt),
  });
}

/** The old one steps back first, since two active ones cannot be. */
export async function supersede(
  writing: MemoryWriting,
  old: StoredRecord,
  made: NewRecord,
  now: number,
): Promise<void> {
  await writing.update(old.no, { status: 'superseded', updatedAt: now });
  await writing.insert({ ...made, record: { ...made.record, status: 'active', supersedes: [old.record.id] } });
}
