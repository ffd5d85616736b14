// Consolidating: the old records of a week become one summary, and expire soon (EPI-143 … EPI-146). One transaction per batch.
import { type JsonObject, RECORD_BOUNDS } from '../model/episode.ts';
import { sha256 } from '../model/episode-ids.ts';
import { formatInstant } from '../model/time.ts';
import { makeTurn } from '../model/turn.ts';
import type { MemoryStore, NamespaceInfo, StoredRecord } from '../store/memory.ts';
import {
  type Answer,
  askHost,
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
import { outcomesOf, type Period, summaryOf, toolsOf } from './extract.ts';
import { namespacesWithin } from './review.ts';
import { weekOf } from './timeline-buckets.ts';

// So many records are read at a time.
const PAGE = 500;

/** Throws `writes_off`, `invalid_argument`, `namespace_invalid`, and what the store throws. */
export async function consolidate(context: DistillContext, options: DistillOptions = {}): Promise<DistillResult> {
  const { most, dryRun, calls } = checkDistill(context, options);
  const now = context.clock.now();
  const turn = makeTurn(context.clock);
  const groups: Group[] = [];
  let waiting = 0;
  for (const store of context.stores) {
    await store.read(async (reading) => {
      for (const namespace of await namespacesWithin(reading, options)) {
        const until = now - context.settings.minAgeMs + 1;
        const old: StoredRecord[] = [];
        for (let page = PAGE; page === PAGE; ) {
          const last = old.at(-1);
          const after = last === undefined ? undefined : { at: last.at, id: last.record.id };
          const more = await reading.consolidable(namespace.no, { now, until }, PAGE, after);
          old.push(...more);
          page = more.length;
          if (turn.isDue()) await turn.give();
        }
        const found = groupsOf(store, namespace, old, context, now);
        groups.push(...found.groups);
        waiting += found.waiting;
      }
    });
  }
  // A stable sort: among weeks alike, agents and namespaces stand in their order.
  groups.sort((a, b) => a.period.since - b.period.since);
  const batches: DistillBatch[] = [];
  for (const group of groups.slice(0, most)) {
    batches.push(dryRun ? await planned(context, group, calls) : await written(context, group));
    if (turn.isDue()) await turn.give();
  }
  return resultOf(batches, { now: formatInstant(now), waiting, more: groups.length > most, dryRun });
}

interface Group {
  readonly store: MemoryStore;
  readonly namespace: string;
  readonly period: Period;
  /** In event order. */
  readonly sources: readonly StoredRecord[];
}

/** By week; larger ones are cut every maxGroup, and fewer than minGroup wait. */
function groupsOf(
  store: MemoryStore,
  { name }: NamespaceInfo,
  records: readonly StoredRecord[],
  { timeZone, settings }: DistillContext,
  now: number,
): { readonly groups: readonly Group[]; readonly waiting: number } {
  const weeks = new Map<number, { readonly period: Period; readonly sources: StoredRecord[] }>();
  let last: Period | undefined;
  for (const record of records) {
    // They come in event order, so most lie in the week of the one before.
    if (last === undefined || record.at < last.since || record.at >= last.until) last = weekOf(record.at, timeZone);
    const week = weeks.get(last.since) ?? { period: last, sources: [] };
    week.sources.push(record);
    weeks.set(last.since, week);
  }
  const groups: Group[] = [];
  let waiting = 0;
  for (const { period, sources } of weeks.values()) {
    for (let from = 0; from < sources.length; from += settings.maxGroup) {
      const part = sources.slice(from, from + settings.maxGroup);
      // A summary of a week so long ago would be expired at once.
      const isTooOld = settings.summaryTtlMs !== null && period.until + settings.summaryTtlMs <= now;
      if (part.length < settings.minGroup || isTooOld) waiting += part.length;
      else groups.push({ store, namespace: name, period, sources: part });
    }
  }
  return { groups, waiting };
}

async function planned(context: DistillContext, group: Group, calls: boolean): Promise<DistillBatch> {
  if (context.settings.summarize !== undefined && !calls) return batchOf(group, { status: 'planned' });
  const answer = await contentOf(context, group);
  if ('reason' in answer) return batchOf(group, { status: 'failed', reason: answer.reason });
  return batchOf(group, { status: 'planned', contents: [answer.value] });
}

async function written(context: DistillContext, group: Group): Promise<DistillBatch> {
  const answer = await contentOf(context, group);
  if ('reason' in answer) return batchOf(group, { status: 'failed', reason: answer.reason });
  const content = answer.value;
  const { settings, masker, clock } = context;
  const reason = await group.store.write(async (writing) => {
    const now = clock.now();
    const sources = await unchanged(writing, group.sources, now);
    if (sources === undefined) return 'changed' as const;
    const expiresAt = expiryOf(sources, group.period.until, settings);
    const summary = distilledRecord(
      {
        id: idOf(group),
        namespace: group.namespace,
        kind: 'episodic',
        status: 'active',
        by: 'consolidate',
        content,
        data: dataOf(group),
        confidence: 1,
        tags: ['consolidated'],
        sources,
        expiresAt,
        now,
      },
      masker,
    );
    if (!(await writing.insert(summary))) return 'changed' as const;
    const soon = now + settings.sourceTtlMs;
    for (const source of sources) {
      // Never later than it would have been (EPI-145).
      const expires = source.expiresAt === undefined ? soon : Math.min(source.expiresAt, soon);
      await writing.update(source.no, { status: 'superseded', updatedAt: now, expiresAt: expires });
    }
    return undefined;
  });
  if (reason !== undefined) return batchOf(group, { status: 'dropped', reason });
  return batchOf(group, { status: 'written', contents: [content] });
}

async function contentOf({ settings, masker, timeZone }: DistillContext, group: Group): Promise<Answer<string>> {
  const { summarize } = settings;
  const records = group.sources.map(({ record }) => record);
  let text: unknown;
  if (summarize === undefined) text = summaryOf(records, group.period, timeZone);
  else {
    const request = { namespace: group.namespace, period: shown(group.period), records: structuredClone(records) };
    const answer = await askHost<SummarizeRequest>(summarize as (request: SummarizeRequest) => unknown, request);
    if ('reason' in answer) return answer;
    text = (answer.value as { readonly content?: unknown } | null | undefined)?.content;
  }
  const content = readContent(text, masker);
  return content === undefined ? { reason: 'no_text' } : { value: content };
}

/** The same for the same sources, so that a repeat makes no second one (EPI-144). */
function idOf({ namespace, sources }: Group): string {
  const ids = sources.map(({ record }) => record.id).sort();
  return `sum_${sha256(JSON.stringify([namespace, ...ids])).slice(0, 32)}`;
}

// As many tools as leave room for the rest: names may be long.
const TOOL_BYTES = RECORD_BOUNDS.dataBytes - 1_024;

function dataOf({ sources, period }: Group): JsonObject {
  const records = sources.map(({ record }) => record);
  const tools: JsonObject[] = [];
  let bytes = 0;
  for (const { value, count } of toolsOf(records)) {
    bytes += Buffer.byteLength(JSON.stringify({ name: value, count })) + 1;
    if (bytes > TOOL_BYTES) break;
    tools.push({ name: value, count });
  }
  return { period: shown(period), sourceCount: sources.length, outcomes: outcomesOf(records), tools };
}

function batchOf(group: Group, rest: Pick<DistillBatch, 'status' | 'reason' | 'contents'>): DistillBatch {
  const { store, namespace, period, sources } = group;
  const ids = rest.status === 'written' || rest.status === 'planned' ? [idOf(group)] : [];
  return {
    agentId: store.agentId,
    namespace,
    period: shown(period),
    sources: sources.map(({ record }) => record.id),
    ids,
    ...rest,
  };
}

function shown({ since, until }: Period): { readonly since: string; readonly until: string } {
  return { since: formatInstant(since), until: formatInstant(until) };
}
