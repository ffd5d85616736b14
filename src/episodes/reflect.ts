// Reflecting: what stands out in a namespace's new records, as candidates that wait for review (EPI-147, EPI-148).
import { sha256 } from '../model/episode-ids.ts';
import { formatInstant } from '../model/time.ts';
import { makeTurn } from '../model/turn.ts';
import type { MemoryStore, NamespaceInfo, StoredRecord } from '../store/memory.ts';
import {
  type Answer,
  askHost,
  type BatchReason,
  checkDistill,
  type DistillBatch,
  type DistillContext,
  type DistillOptions,
  type DistillResult,
  distilledRecord,
  expiryOf,
  readContent,
  resultOf,
  type SummarizeRequest,
  unchanged,
} from './distill.ts';
import { type Insight, insightsOf } from './extract.ts';
import { namespacesWithin } from './review.ts';

const KINDS = ['episodic', 'semantic'] as const;
/** What a host's function may return at most from one batch. */
const MOST_INSIGHTS = 20;
const CONFIDENCE = 0.5;

/** Throws `writes_off`, `invalid_argument`, `namespace_invalid`, and what the store throws. */
export async function reflect(context: DistillContext, options: DistillOptions = {}): Promise<DistillResult> {
  const checked = checkDistill(context, options);
  const now = context.clock.now();
  const turn = makeTurn(context.clock);
  const batches: DistillBatch[] = [];
  let waiting = 0;
  let more = false;
  for (const store of context.stores) {
    const namespaces = await store.read((reading) => namespacesWithin(reading, options));
    for (const namespace of namespaces) {
      // By the order of writing, so that what comes late with an old time is not passed over.
      for (let after = namespace.reflected; ; ) {
        const sources = await store.read((reading) =>
          reading.writtenAfter(namespace.no, after, { now, kinds: KINDS }, context.settings.reflectMax),
        );
        if (sources.length < context.settings.reflectMin) {
          waiting += sources.length;
          break;
        }
        if (batches.length >= checked.most) {
          more = true;
          break;
        }
        const batch: Batch = { store, namespace, after, sources };
        const done = checked.dryRun ? await planned(context, batch, checked.calls) : await written(context, batch);
        batches.push(done);
        // What failed is asked for again next time: nothing behind it can be marked as done.
        if (done.status === 'failed' || done.status === 'dropped') break;
        after = sources.at(-1)!.no;
        if (turn.isDue()) await turn.give();
      }
    }
  }
  return resultOf(batches, { now: formatInstant(now), waiting, more, dryRun: checked.dryRun });
}

interface Batch {
  readonly store: MemoryStore;
  readonly namespace: NamespaceInfo;
  /** The number up to which was reflected before. */
  readonly after: number;
  readonly sources: readonly StoredRecord[];
}

async function planned(context: DistillContext, batch: Batch, calls: boolean): Promise<DistillBatch> {
  if (context.settings.reflect !== undefined && !calls) return batchOf(batch, 'planned');
  const answer = await insightsFor(context, batch);
  if ('reason' in answer) return batchOf(batch, 'failed', answer.reason);
  return batchOf(batch, 'planned', undefined, answer.value);
}

async function written(context: DistillContext, batch: Batch): Promise<DistillBatch> {
  const answer = await insightsFor(context, batch);
  if ('reason' in answer) return batchOf(batch, 'failed', answer.reason);
  const insights = answer.value;
  const { namespace, after } = batch;
  const isDropped = await batch.store.write(async (writing) => {
    const now = context.clock.now();
    const info = await writing.namespace(namespace.name);
    const sources = await unchanged(writing, batch.sources, now);
    // Another reflection was faster, or something was erased meanwhile.
    if (info?.no !== namespace.no || info.reflected !== after || sources === undefined) return true;
    const { since, until } = periodOf(sources);
    const expiresAt = expiryOf(sources, Date.parse(until), context.settings);
    for (const [index, { content, confidence = CONFIDENCE }] of insights.entries()) {
      const insight = distilledRecord(
        {
          id: idOf(batch, index),
          namespace: namespace.name,
          kind: 'reflection',
          status: 'candidate',
          by: 'reflect',
          content,
          data: { period: { since, until }, sourceCount: sources.length },
          confidence,
          tags: [],
          sources,
          expiresAt,
          now,
        },
        context.masker,
      );
      await writing.insert(insight);
    }
    await writing.setReflected(namespace.no, sources.at(-1)!.no);
    return false;
  });
  return isDropped ? batchOf(batch, 'dropped', 'changed') : batchOf(batch, 'written', undefined, insights);
}

async function insightsFor({ settings, masker }: DistillContext, batch: Batch): Promise<Answer<readonly Insight[]>> {
  const records = batch.sources.map(({ record }) => record);
  let found: unknown;
  if (settings.reflect === undefined) found = insightsOf(records);
  else {
    const request = {
      namespace: batch.namespace.name,
      period: periodOf(batch.sources),
      records: structuredClone(records),
    };
    const answer = await askHost<SummarizeRequest>(settings.reflect as (request: SummarizeRequest) => unknown, request);
    if ('reason' in answer) return answer;
    found = (answer.value as { readonly insights?: unknown } | null | undefined)?.insights;
  }
  if (!Array.isArray(found)) return { reason: 'no_text' };
  const insights: Insight[] = [];
  for (const one of found.slice(0, MOST_INSIGHTS) as readonly Partial<Insight>[]) {
    const content = readContent(one?.content, masker);
    if (content === undefined) return { reason: 'no_text' };
    const { confidence } = one;
    const fits = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
    insights.push(fits ? { content, confidence } : { content });
  }
  return { value: insights };
}

function periodOf(sources: readonly StoredRecord[]): { readonly since: string; readonly until: string } {
  const times = sources.map(({ at }) => at);
  return { since: formatInstant(Math.min(...times)), until: formatInstant(Math.max(...times) + 1) };
}

function idOf({ namespace, sources }: Batch, index: number): string {
  const ids = sources.map(({ record }) => record.id);
  return `ref_${sha256(JSON.stringify([namespace.name, index, ...ids])).slice(0, 32)}`;
}

function batchOf(
  batch: Batch,
  status: DistillBatch['status'],
  reason?: BatchReason,
  insights?: readonly Insight[],
): DistillBatch {
  return {
    agentId: batch.store.agentId,
    namespace: batch.namespace.name,
    period: periodOf(batch.sources),
    status,
    ...(reason === undefined ? {} : { reason }),
    sources: batch.sources.map(({ record }) => record.id),
    ids: (insights ?? []).map((_, index) => idOf(batch, index)),
    ...(insights === undefined ? {} : { contents: insights.map(({ content }) => content) }),
  };
}
