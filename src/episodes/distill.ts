// What consolidating and reflecting share: what they work on, the host's own functions, and how their records are made
// (EPI-140 … EPI-149). Runs only when somebody asks for it.
import type { ResolvedMemory, WritesMode } from '../config/index.ts';
import type { Clock } from '../model/clock.ts';
import { type JsonObject, type MemoryRecord, RECORD_BOUNDS } from '../model/episode.ts';
import { BackstoryError, shownValue } from '../model/errors.ts';
import { formatInstant } from '../model/time.ts';
import type { Masker } from '../redact/masker.ts';
import type { MemoryReading, MemoryStore, NewRecord, StoredRecord } from '../store/memory.ts';
import { isWithinPrefix } from './namespace.ts';
import { redactorOf, searchedText } from './record-text.ts';
import { writesOff } from './remember.ts';
import type { NamespacesNamed } from './review.ts';
import { tracesOf } from './run-write.ts';

export interface DistillContext {
  /** Of the agents that are asked. */
  readonly stores: readonly MemoryStore[];
  readonly clock: Clock;
  readonly masker: Masker;
  readonly timeZone: string;
  readonly writes: WritesMode;
  readonly settings: ResolvedMemory['distill'];
}

export interface DistillOptions extends NamespacesNamed {
  readonly maxBatches?: number;
  /** Lists what would be done; calls no function of the host unless `summarize` says so (EPI-149). */
  readonly dryRun?: boolean;
  readonly summarize?: boolean;
}

/** Given to a host's function: redacted records only. */
export interface SummarizeRequest {
  readonly namespace: string;
  readonly period: { readonly since: string; readonly until: string };
  readonly records: readonly MemoryRecord[];
  readonly signal: AbortSignal;
}

export type BatchStatus = 'written' | 'planned' | 'failed' | 'dropped';

/** Why a batch was not written: the function threw, took too long or gave no text; or its records changed meanwhile. */
export type BatchReason = 'threw' | 'timeout' | 'no_text' | 'changed';

export interface DistillBatch {
  readonly agentId: string;
  readonly namespace: string;
  readonly period: { readonly since: string; readonly until: string };
  readonly status: BatchStatus;
  readonly reason?: BatchReason;
  readonly sources: readonly string[];
  /** Ids of what was written, or would be. */
  readonly ids: readonly string[];
  /** Texts of it; absent in a dry run that calls no function of the host. */
  readonly contents?: readonly string[];
}

export interface DistillResult {
  readonly now: string;
  readonly batches: readonly DistillBatch[];
  /** Batches by how they ended; a dry run writes none. */
  readonly written: number;
  readonly failed: number;
  readonly dropped: number;
  /** Records that wait, since they are too few. */
  readonly waiting: number;
  /** There are more batches than were asked for. */
  readonly more: boolean;
  readonly dryRun: boolean;
}

const MOST_BATCHES = 10_000;
/** A host's function may take so long (EPI-142). */
export const FUNCTION_MS = 120_000;

/** Checked options. Throws `invalid_argument`, `namespace_invalid`, and `writes_off` where nothing may be written. */
export function checkDistill(
  { writes, settings }: DistillContext,
  { namespace, maxBatches = settings.maxBatches, dryRun = false, summarize = false }: DistillOptions,
): {
  readonly most: number;
  readonly dryRun: boolean;
  readonly calls: boolean;
} {
  if (writes === 'off') throw writesOff();
  if (!Number.isInteger(maxBatches) || maxBatches < 1 || maxBatches > MOST_BATCHES) {
    throw new BackstoryError(
      'invalid_argument',
      `maxBatches is ${shownValue(maxBatches)}, and must be an integer from 1 to ${MOST_BATCHES}.`,
      'Give a number of batches, or leave it out.',
      { details: { parameter: 'maxBatches', low: 1, high: MOST_BATCHES } },
    );
  }
  if (namespace !== undefined) isWithinPrefix(namespace, namespace);
  return { most: maxBatches, dryRun, calls: !dryRun || summarize };
}

export type Answer<T> = { readonly value: T } | { readonly reason: BatchReason };

/** Calls a host's function with a signal; what it throws, or a wait of over 120 s, fails the batch and nothing else. */
export async function askHost<Request extends { readonly signal: AbortSignal }>(
  call: (request: Request) => unknown,
  request: Omit<Request, 'signal'>,
  waitMs: number = FUNCTION_MS,
): Promise<Answer<unknown>> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer<unknown>>((resolve) => {
    timer = setTimeout(() => resolve({ reason: 'timeout' }), waitMs);
  });
  const asked = (async (): Promise<Answer<unknown>> => {
    try {
      // Data alone: a getter or a proxy would run its code where nothing catches it.
      const value: unknown = await call({ ...request, signal: stop.signal } as Request);
      return { value: value === undefined ? undefined : (JSON.parse(JSON.stringify(value) ?? 'null') as unknown) };
    } catch {
      return { reason: 'threw' };
    }
  })();
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** A text from outside, redacted whole and then cut; undefined when it has no letter or digit (EPI-142). */
export function readContent(value: unknown, masker: Masker): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = redactorOf(masker).text(value.trim(), RECORD_BOUNDS.content);
  return /[\p{L}\p{Nd}]/u.test(text) ? text : undefined;
}

/** When what is made from these expires: as the first of them, or so long after the period's end (EPI-146). */
export function expiryOf(
  sources: readonly StoredRecord[],
  until: number,
  { summaryTtlMs }: DistillContext['settings'],
): number | undefined {
  if (summaryTtlMs !== null) return until + summaryTtlMs;
  const expiries = sources.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [expiresAt]));
  return expiries.length === 0 ? undefined : Math.min(...expiries);
}

export interface DistilledSpec {
  readonly id: string;
  readonly namespace: string;
  readonly kind: 'episodic' | 'reflection';
  readonly status: 'active' | 'candidate';
  readonly by: 'consolidate' | 'reflect';
  readonly content: string;
  readonly data: JsonObject;
  readonly confidence: number;
  readonly tags: readonly string[];
  readonly sources: readonly StoredRecord[];
  readonly expiresAt: number | undefined;
  readonly now: number;
}

/** It keeps the traces of its sources, so that erasing a thread or a run reaches it when they are long gone (EPI-144). */
export function distilledRecord(spec: DistilledSpec, masker: Masker): NewRecord {
  const { id, namespace, kind, status, by, content, data, confidence, tags, sources, expiresAt, now } = spec;
  const at = Math.max(...sources.map((source) => source.at));
  const record: MemoryRecord = {
    id,
    namespace,
    kind,
    status,
    content,
    data,
    source: { type: 'distill', id: by },
    confidence,
    tags,
    createdAt: formatInstant(now),
    updatedAt: formatInstant(now),
    effectiveAt: formatInstant(at),
    ...(expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) }),
    derivedFrom: sources.map((source) => source.record.id),
  };
  const traces = new Set(
    sources.flatMap(({ record: source }) => {
      const { threadId, runId } = source.source.type === 'run' ? source.data : source.source;
      return tracesOf(textOrNone(threadId), textOrNone(runId));
    }),
  );
  return { record, text: searchedText(record, masker), traces: [...traces] };
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The sources as they are now; undefined when one was changed, erased or expired while its function ran (EPI-149). */
export async function unchanged(
  reading: MemoryReading,
  sources: readonly StoredRecord[],
  now: number,
): Promise<readonly StoredRecord[] | undefined> {
  const found = await reading.records(sources.map(({ no }) => no));
  const same =
    found.length === sources.length &&
    found.every(({ record, expiresAt }, index) => {
      const was = sources[index]!.record;
      const lives = record.status === 'active' && (expiresAt === undefined || expiresAt > now);
      return lives && record.id === was.id && record.updatedAt === was.updatedAt;
    });
  return same ? found : undefined;
}

export function resultOf(
  batches: readonly DistillBatch[],
  rest: Pick<DistillResult, 'now' | 'waiting' | 'more' | 'dryRun'>,
): DistillResult {
  const count = (status: BatchStatus): number => batches.filter((batch) => batch.status === status).length;
  return {
    now: rest.now,
    batches,
    written: count('written'),
    failed: count('failed'),
    dropped: count('dropped'),
    waiting: rest.waiting,
    more: rest.more,
    dryRun: rest.dryRun,
  };
}
