// Erasing: rows, index entries and bytes of what a selector reaches, in one transaction per agent's file, and a look
// afterwards whether they are gone (EPI-130 … EPI-136). Decides no access: that was an operator's.
import type { Clock } from '../model/clock.ts';
import { traceOf } from '../model/episode-ids.ts';
import { bothReceipts, type EraseReceipt, NOTHING_DELETED } from '../model/erasure.ts';
import { BackstoryError } from '../model/errors.ts';
import { formatInstant } from '../model/time.ts';
import type { MemoryReading, MemoryStore, MemoryWriting, NamespaceInfo } from '../store/memory.ts';
import { cascadeOf } from './erase-cascade.ts';
import { fragmentsOf, sampleOf } from './erase-fragments.ts';
import { barrierOf, type EraseSelector, reachesNamespace, readSelector } from './erase-selector.ts';

export interface EraseContext {
  /** Of the agents that are asked; each notes the barrier, also when it holds nothing of it yet. */
  readonly stores: readonly MemoryStore[];
  readonly clock: Clock;
}

const YEAR = 365 * 24 * 3_600_000;

/**
 * Erases, and says so only after looking again. A dry run gives the same counts and changes nothing. Throws
 * `invalid_argument`, `namespace_invalid`, `erase_incomplete`, and what a store throws.
 */
export async function eraseMemory(
  { stores, clock }: EraseContext,
  given: unknown,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<EraseReceipt> {
  const selector = readSelector(given);
  const now = clock.now();
  const receipts: EraseReceipt[] = [];
  for (const store of stores) {
    receipts.push(dryRun ? await look(store, selector, now) : await eraseIn(store, selector, now));
  }
  const receipt = receipts.reduce(bothReceipts, nothing(dryRun));
  const { rows, index, file } = receipt.verified;
  if (rows > 0 || index > 0 || file === 'found') throw incomplete(receipt);
  return dryRun ? receipt : { ...receipt, barrierAt: formatInstant(now) };
}

/** What a selector reaches in one file. */
interface Reach {
  readonly namespaces: readonly NamespaceInfo[];
  readonly direct: readonly number[];
  readonly derived: readonly number[];
  readonly revived: readonly number[];
  readonly parked: readonly string[];
  readonly deleted: EraseReceipt['deleted'];
}

async function look(store: MemoryStore, selector: EraseSelector, now: number): Promise<EraseReceipt> {
  const { deleted, revived } = await store.read((reading) => reachOf(reading, selector, now));
  return { ...nothing(true), deleted, revived: revived.length };
}

async function eraseIn(store: MemoryStore, selector: EraseSelector, now: number): Promise<EraseReceipt> {
  const { reach, fragments } = await store.write(async (writing) => {
    const found = await reachOf(writing, selector, now);
    const sampled = fragmentsOf(await writing.records(sampleOf([...found.direct, ...found.derived])));
    await remove(writing, found, now);
    await writing.setBarrier(barrierOf(selector), now);
    await writing.forgetBarriers(now - YEAR);
    // What a kept record holds as well may stay in the file.
    const held = new Set(await writing.heldFragments(sampled));
    return { reach: found, fragments: sampled.filter((fragment) => !held.has(fragment)) };
  });
  const state = await store.clean();
  const found = await store.fragmentsFound(fragments);
  const left = await store.read((reading) => leftOf(reading, reach));
  // While a reader holds the log, what was deleted may still stand in it.
  const file = state === 'pending' ? 'pending' : found > 0 ? 'found' : 'absent';
  const { deleted, revived } = reach;
  return { deleted, kept: [], revived: revived.length, verified: { ...left, file }, dryRun: false };
}

async function reachOf(reading: MemoryReading, selector: EraseSelector, now: number): Promise<Reach> {
  if ('thread' in selector) return reachOfTrace(reading, traceOf('thread', selector.thread), now);
  if ('run' in selector) return reachOfTrace(reading, traceOf('run', selector.run), now);
  const namespaces = (await reading.namespaces()).filter(({ name }) => reachesNamespace(selector, name));
  const direct: number[] = [];
  for (const { no } of namespaces) for (const number of await reading.numbersOf(no)) direct.push(number);
  const parked =
    namespaces.length === 0 ? [] : await reading.parkedRuns({ namespaces: namespaces.map(({ no }) => no) });
  // What is made from records stands in their namespace: nothing hangs on them from outside.
  const parts = { namespaces, direct, derived: [], revived: [], parked: parked.map(({ id }) => id) };
  return { ...parts, deleted: await sizesOf(reading, parts) };
}

/** A summary keeps the traces of its sources, so that it is found when they are long pruned (EPI-144). */
async function reachOfTrace(reading: MemoryReading, trace: string, now: number): Promise<Reach> {
  const { records, parked } = await reading.traced([trace]);
  const made = (await reading.records(records)).filter(({ record }) => record.derivedFrom !== undefined);
  const madeNumbers = new Set(made.map(({ no }) => no));
  const { derived, revived } = await cascadeOf(reading, records, now);
  const parts = {
    namespaces: [],
    direct: records.filter((no) => !madeNumbers.has(no)),
    derived: [...madeNumbers, ...derived],
    revived,
    parked,
  };
  return { ...parts, deleted: await sizesOf(reading, parts) };
}

async function sizesOf(reading: MemoryReading, reach: Omit<Reach, 'deleted'>): Promise<EraseReceipt['deleted']> {
  const direct = await reading.sizesOf(reach.direct);
  const derived = await reading.sizesOf(reach.derived);
  return {
    ...NOTHING_DELETED,
    records: direct.records - direct.candidates,
    candidates: direct.candidates,
    derived: derived.records,
    parked: reach.parked.length,
    indexRows: direct.records + derived.records,
    bytes: direct.bytes + derived.bytes,
  };
}

async function remove(writing: MemoryWriting, reach: Reach, now: number): Promise<void> {
  for (const { no } of reach.namespaces) await writing.removeNamespace(no, now);
  if (reach.namespaces.length > 0) return;
  await writing.remove(reach.direct, 'erased', now);
  await writing.remove(reach.derived, 'cascade', now);
  for (const id of reach.parked) await writing.unpark(id);
  for (const no of reach.revived) await writing.update(no, { status: 'active', updatedAt: now });
}

/** Rows and index entries that should be gone and are not (EPI-134). */
async function leftOf(reading: MemoryReading, reach: Reach): Promise<{ rows: number; index: number }> {
  const { rows, index } = await reading.leftOf([...reach.direct, ...reach.derived]);
  let others = 0;
  for (const id of reach.parked) if ((await reading.parked(id)) !== undefined) others++;
  // The name may have been written to again meanwhile, under another number: what is new is not what was erased.
  for (const { name, no } of reach.namespaces) if ((await reading.namespace(name))?.no === no) others++;
  return { rows: rows + others, index };
}

function nothing(dryRun: boolean): EraseReceipt {
  return { deleted: NOTHING_DELETED, kept: [], revived: 0, verified: { rows: 0, index: 0, file: 'absent' }, dryRun };
}

function incomplete({ verified }: EraseReceipt): BackstoryError {
  return new BackstoryError(
    'erase_incomplete',
    `Of what was erased ${verified.rows} rows and ${verified.index} index entries were found again; in the file: ${verified.file}.`,
    'Erase it again; if it stays, run backstory doctor --fix.',
    { details: { ...verified } },
  );
}
