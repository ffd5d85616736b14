// What happens in the one transaction that ends or parks a run: barrier, expiry, identity, the record, its prune, and the
// end of its pending state (EPI-30, EPI-42, EPI-60, EPI-161).
import type { Clock } from '../model/clock.ts';
import { eventTimeOf, type MemoryRecord } from '../model/episode.ts';
import { traceOf } from '../model/episode-ids.ts';
import { formatInstant } from '../model/time.ts';
import type { Masker } from '../redact/masker.ts';
import type { MemoryWriting, ParkedRun } from '../store/memory.ts';
import type { RecordResult, SkipReason } from './health.ts';
import { barriersOf } from './namespace.ts';
import { searchedText } from './record-text.ts';
import type { SavedRun } from './run-state.ts';

export interface Budgets {
  readonly cap: number | null;
  readonly authoredCap: number | null;
}

interface WriteContext {
  readonly clock: Clock;
  readonly budgets: Budgets;
}

/**
 * A prune failed in the transaction that wrote a record: it is written again without one, so that the record stays
 * (EPI-63). (A savepoint around each prune would copy every page it touches.)
 */
export class PruneFailed extends Error {
  override readonly name = 'PruneFailed';
}

/** What a run asks of the store in one transaction. */
export type RunWrite = (writing: MemoryWriting, how: { readonly prune: boolean }) => Promise<RecordResult>;

/** Writes the record of a run that ended. */
export function recordWrite(record: MemoryRecord, masker: Masker, context: WriteContext): RunWrite {
  const text = searchedText(record, masker);
  const { threadId, runId } = idsOf(record.data);
  const traces = tracesOf(threadId, runId);
  const barriers = (): string[] => barriersOf(record.namespace, threadId, runId);
  const startedAt = eventTimeOf(record);
  return async (writing, how) => {
    const now = Math.max(context.clock.now(), Date.parse(record.createdAt));
    const refused = await refusal(writing, barriers, startedAt, record.expiresAt, now);
    if (refused !== undefined) {
      await writing.unpark(record.id);
      return skip(refused, record.id);
    }
    const written = formatInstant(now);
    const made = { ...record, createdAt: written, updatedAt: written };
    if (!(await writing.insert({ record: made, text, traces }))) {
      await writing.unpark(record.id);
      const first = await writing.get(record.id);
      return skip(first?.record.data.outcome === record.data.outcome ? 'duplicate' : 'conflict', record.id);
    }
    await writing.unpark(record.id);
    const pruned = how.prune ? await pruneAfter(writing, record.namespace, now, context) : 0;
    if (pruned > 0 && (await writing.get(record.id)) === undefined) return skip('over_cap', record.id);
    return { recorded: true, id: record.id };
  };
}

/** Keeps a parked run. */
export function parkWrite(namespace: string, saved: SavedRun, ttlMs: number | null, context: WriteContext): RunWrite {
  const { id, startedAt, threadId, runId, parkedAt } = saved;
  const barriers = (): string[] => barriersOf(namespace, threadId, runId);
  const run: ParkedRun = {
    id,
    namespace,
    startedAt,
    parkedAt,
    ...(ttlMs === null ? {} : { expiresAt: startedAt + ttlMs }),
    ...(runId === undefined ? {} : { runId }),
    ...(threadId === undefined ? {} : { threadId }),
    state: JSON.stringify(saved),
    traces: tracesOf(threadId, runId),
  };
  return async (writing, how) => {
    const now = context.clock.now();
    const expiresAt = run.expiresAt === undefined ? undefined : formatInstant(run.expiresAt);
    const refused = await refusal(writing, barriers, startedAt, expiresAt, now);
    if (refused !== undefined) {
      await writing.unpark(id);
      return skip(refused, id);
    }
    // Ended elsewhere meanwhile: a state that comes late must not bring it back.
    if ((await writing.get(id)) !== undefined) return skip('duplicate', id);
    await writing.park(run);
    if (how.prune) await pruneAfter(writing, namespace, now, context);
    return skip((await writing.parked(id)) === undefined ? 'over_cap' : 'parked', id);
  };
}

/** Digests by which erasing a thread or a run reaches what belongs to it. */
export function tracesOf(threadId: string | undefined, runId: string | undefined): string[] {
  return [
    ...(threadId === undefined ? [] : [traceOf('thread', threadId)]),
    ...(runId === undefined ? [] : [traceOf('run', runId)]),
  ];
}

async function refusal(
  writing: MemoryWriting,
  barriers: () => readonly string[],
  startedAt: number,
  expiresAt: string | undefined,
  now: number,
): Promise<'erased' | 'expired' | undefined> {
  const barrier = await writing.barrier(barriers);
  if (barrier !== undefined && startedAt <= barrier) return 'erased';
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now) return 'expired';
  return undefined;
}

// How many rows went beyond the caps.
async function pruneAfter(writing: MemoryWriting, name: string, now: number, context: WriteContext): Promise<number> {
  const namespace = await writing.namespace(name);
  if (namespace === undefined) return 0;
  const { cap, authoredCap } = context.budgets;
  try {
    const limits = { now, ...(cap === null ? {} : { cap }), ...(authoredCap === null ? {} : { authoredCap }) };
    return (await writing.prune(namespace.no, limits)).overCap;
  } catch (cause) {
    throw new PruneFailed('a prune failed', { cause });
  }
}

function idsOf(data: MemoryRecord['data']): { threadId?: string; runId?: string } {
  return {
    ...(typeof data.threadId === 'string' ? { threadId: data.threadId } : {}),
    ...(typeof data.runId === 'string' ? { runId: data.runId } : {}),
  };
}

function skip(reason: SkipReason, id: string): RecordResult {
  return { recorded: false, reason, id };
}
