// What an operator does with records: list, look at one, approve, reject, forget (EPI-120 … EPI-123). Every change is one
// transaction; two reviewers at once never both win.
import type { MemoryKind, MemoryRecord, MemoryStatus } from '../model/episode.ts';
import { BackstoryError, shownValue } from '../model/errors.ts';
import { formatInstant } from '../model/time.ts';
import type { Masker } from '../redact/masker.ts';
import type { MemoryReading, MemoryStore, MemoryWriting, NamespaceInfo, StoredRecord } from '../store/memory.ts';
import { matchText, parseQuery } from '../text/index.ts';
import { activeFact, isSameData, refresh } from './facts.ts';
import { isWithinPrefix } from './namespace.ts';
import { searchedText } from './record-text.ts';
import type { SavedRun } from './run-state.ts';

export interface ListOptions extends NamespacesNamed {
  /** Default: candidates. `parked`: runs that wait for a person. */
  readonly status?: MemoryStatus | 'parked';
  readonly kind?: MemoryKind;
  /** Words that a record must all hold. */
  readonly query?: string;
  readonly limit: number;
  /** The last one of the page before. */
  readonly after?: { readonly createdAt: string; readonly id: string };
}

export interface ListedRecord extends MemoryRecord {
  /** It expired and waits for a prune. */
  readonly expired?: true;
}

/** A run that waits: what is known of it (EPI-43). */
export interface ListedRun {
  readonly id: string;
  readonly namespace: string;
  readonly startedAt: string;
  readonly parkedAt: string;
  /** Since the start. */
  readonly ageMs: number;
  readonly input: string;
  readonly runId?: string;
  readonly threadId?: string;
  readonly expiresAt?: string;
}

export interface ListAnswer {
  readonly records: readonly ListedRecord[];
  readonly parked: readonly ListedRun[];
  readonly more: boolean;
}

const PAGE = 500;

/** Newest `createdAt` first, then id. Throws `namespace_invalid`, `query_empty`, `query_too_long`. */
export async function listRecords(store: MemoryStore, options: ListOptions, now: number): Promise<ListAnswer> {
  const query = options.query === undefined || options.query.trim() === '' ? undefined : parseQuery(options.query);
  return store.read(async (reading) => {
    const namespaces = options.namespace === undefined ? undefined : await namespacesWithin(reading, options);
    const among = namespaces === undefined ? {} : { namespaces: namespaces.map(({ no }) => no) };
    if (options.status === 'parked') return parkedAnswer(await reading.parkedRuns(among), options, now);
    const found: ListedRecord[] = [];
    const status = options.status ?? 'candidate';
    let after = options.after && { createdAt: Date.parse(options.after.createdAt), id: options.after.id };
    const filter = { ...among, status, ...(options.kind === undefined ? {} : { kind: options.kind }) };
    for (;;) {
      const page = await reading.list(filter, query === undefined ? options.limit + 1 : PAGE, after);
      for (const { record, text, expiresAt } of page) {
        if (query !== undefined && !matchText(query, text).complete) continue;
        found.push({ ...record, ...(expiresAt !== undefined && expiresAt <= now ? { expired: true as const } : {}) });
      }
      const last = page.at(-1);
      if (last === undefined || query === undefined || found.length > options.limit || page.length < PAGE) break;
      after = { createdAt: Date.parse(last.record.createdAt), id: last.record.id };
    }
    return { records: found.slice(0, options.limit), parked: [], more: found.length > options.limit };
  });
}

function parkedAnswer(
  runs: Awaited<ReturnType<MemoryReading['parkedRuns']>>,
  { limit }: ListOptions,
  now: number,
): ListAnswer {
  const parked = runs.slice(0, limit).map((run): ListedRun => {
    const { input } = JSON.parse(run.state) as SavedRun;
    return {
      id: run.id,
      namespace: run.namespace,
      startedAt: formatInstant(run.startedAt),
      parkedAt: formatInstant(run.parkedAt),
      ageMs: Math.max(0, now - run.startedAt),
      input,
      ...(run.runId === undefined ? {} : { runId: run.runId }),
      ...(run.threadId === undefined ? {} : { threadId: run.threadId }),
      ...(run.expiresAt === undefined ? {} : { expiresAt: formatInstant(run.expiresAt) }),
    };
  });
  return { records: [], parked, more: runs.length > limit };
}

/** Which namespaces an operator means; none named: all. */
export interface NamespacesNamed {
  /** This one and those that add dimensions to it (EPI-16). */
  readonly namespace?: string;
  /** None but the one named: what a caller that is bound to a memory context has (COM-50). */
  readonly exactly?: true;
}

/** Those named, as far as they have records. Throws `namespace_invalid`. */
export async function namespacesWithin(
  reading: MemoryReading,
  { namespace, exactly }: NamespacesNamed,
): Promise<readonly NamespaceInfo[]> {
  if (namespace === undefined) return reading.namespaces();
  // Also where nothing is stored yet a bad prefix is said.
  isWithinPrefix(namespace, namespace);
  if (!exactly) return (await reading.namespaces()).filter(({ name }) => isWithinPrefix(name, namespace));
  const one = await reading.namespace(namespace);
  return one === undefined ? [] : [one];
}

export interface Inspection {
  readonly record: MemoryRecord;
  readonly supersedes: readonly string[];
  readonly supersededBy: readonly string[];
  readonly derivedFrom: readonly string[];
  readonly derivedRecords: readonly string[];
  /** Whether a recall now could show it, and if not, why. */
  readonly recalled: boolean;
  readonly reasons: readonly ('candidate' | 'superseded' | 'expired' | 'outside_window')[];
}

/** Throws `record_not_found`; an id of another namespace is one that does not exist (EPI-15). */
export async function inspectRecord(
  store: MemoryStore,
  id: string,
  within: { readonly namespace?: string; readonly now: number; readonly since?: number; readonly until?: number },
): Promise<Inspection> {
  return store.read(async (reading) => {
    const stored = inNamespace(await reading.get(id), id, within.namespace);
    const { record, at, expiresAt } = stored;
    const outside =
      (within.since !== undefined && at < within.since) || (within.until !== undefined && at >= within.until);
    const reasons: Inspection['reasons'] = [
      ...(record.status === 'active' ? [] : [record.status]),
      ...(expiresAt !== undefined && expiresAt <= within.now ? ['expired' as const] : []),
      ...(outside ? ['outside_window' as const] : []),
    ];
    const ids = (list: readonly StoredRecord[]): string[] => list.map(({ record: { id: one } }) => one);
    return {
      record,
      supersedes: record.supersedes ?? [],
      supersededBy: ids(await reading.linkedFrom(id, 'supersedes')),
      derivedFrom: record.derivedFrom ?? [],
      derivedRecords: ids(await reading.linkedFrom(id, 'derivedFrom')),
      recalled: reasons.length === 0,
      reasons,
    };
  });
}

export interface Approval {
  readonly status: 'activated' | 'refreshed' | 'superseded';
  /** Of the record that is active now. */
  readonly id: string;
  /** It stepped back for this one. */
  readonly superseded?: string;
}

export interface ReviewContext {
  readonly store: MemoryStore;
  readonly masker: Masker;
  readonly now: number;
  /** Only within it; absent: the whole store. */
  readonly namespace?: string;
}

/**
 * A candidate becomes active; its event time stays. A fact goes by the table of EPI-106 under `auto`. A superseded fact is
 * revived when no active one has its identity (EPI-123). Throws `record_not_found`, `not_a_candidate`, `record_expired`.
 */
export async function approveRecord({ store, masker, now, namespace }: ReviewContext, id: string): Promise<Approval> {
  return store.write(async (writing) => {
    const stored = inNamespace(await writing.get(id), id, namespace);
    const { record, no, identity, expiresAt } = stored;
    const revives = record.status === 'superseded' && record.kind === 'semantic';
    if (record.status !== 'candidate' && !revives) throw notACandidate(record);
    if (expiresAt !== undefined && expiresAt <= now) throw recordExpired(record);
    const old = identity === undefined ? undefined : await activeFact(writing, record.namespace, identity, now);
    if (old === undefined) {
      await writing.update(no, { status: 'active', updatedAt: now });
      return { status: 'activated', id };
    }
    if (revives) throw notACandidate(record);
    if (isSameData(old.record, record)) {
      await refresh(writing, old, record, searchedText({ ...old.record, tags: record.tags }, masker), now);
      await writing.remove([no], 'rejected', now);
      return { status: 'refreshed', id: old.record.id };
    }
    await writing.update(old.no, { status: 'superseded', updatedAt: now });
    await writing.update(no, { status: 'active', updatedAt: now, supersedes: [old.record.id] });
    return { status: 'superseded', id, superseded: old.record.id };
  });
}

/** Deletes a candidate. Throws `record_not_found`, `not_a_candidate`. */
export async function rejectRecord({ store, now, namespace }: ReviewContext, id: string): Promise<void> {
  await store.write(async (writing: MemoryWriting) => {
    const { record, no } = inNamespace(await writing.get(id), id, namespace);
    if (record.status !== 'candidate') throw notACandidate(record);
    await writing.remove([no], 'rejected', now);
  });
  await store.clean();
}

/** The stored record, or `record_not_found` as for an id that never was. */
export function inNamespace(stored: StoredRecord | undefined, id: string, namespace: string | undefined): StoredRecord {
  if (stored !== undefined && (namespace === undefined || stored.record.namespace === namespace)) return stored;
  throw recordNotFound(id);
}

export function recordNotFound(id: string): BackstoryError {
  return new BackstoryError(
    'record_not_found',
    `There is no record ${JSON.stringify(id.slice(0, 200))}.`,
    'List what there is with backstory memory list.',
    { details: { id } },
  );
}

function notACandidate({ id, status }: MemoryRecord): BackstoryError {
  return new BackstoryError(
    'not_a_candidate',
    `The record ${id} is ${status}, not a candidate.`,
    'Only candidates are approved or rejected; forget deletes a record of any status.',
    { details: { id, status } },
  );
}

function recordExpired({ id, expiresAt }: MemoryRecord): BackstoryError {
  return new BackstoryError(
    'record_expired',
    `The record ${id} expired at ${expiresAt}.`,
    'It can only be forgotten.',
    {
      details: { id, expiresAt },
    },
  );
}

/** What was given, if it names a record. Throws `invalid_argument` for an id alone, say, in place of `{ id }`. */
export function ofRecord<Given extends { readonly id: string }>(given: Given): Given {
  const id: unknown = (given as Given | null | undefined)?.id;
  if (typeof id === 'string' && id !== '') return given;
  throw new BackstoryError('invalid_argument', `id is ${shownValue(id, 80)}, and must be a text.`, 'Give { id }.', {
    details: { parameter: 'id', allowed: 'a text' },
  });
}
