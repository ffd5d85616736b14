// Rows of a backend of memory and the records they stand for: numbers, packing, decoding. Knows no engine and no query.
import {
  type JsonObject,
  MEMORY_KINDS,
  MEMORY_STATUSES,
  type MemoryRecord,
  type RecordSource,
  SOURCE_TYPES,
} from '../model/episode.ts';
import { sha256, traceOf } from '../model/episode-ids.ts';
import { formatInstant } from '../model/time.ts';
import type { ParkedRun, RecordChange, StoredRecord } from './memory.ts';

/** Numbers of one namespace begin at its number times this: 2 million namespaces of 4 billion records stay below 2^53. */
export const RANGE: number = 2 ** 32;

/** First letters of marks in the index, by what they are digests of. */
export const MARK = { tag: 'g', tool: 'o', trace: 'h' } as const;
export const LINK = { derivedFrom: 0, supersedes: 1 } as const;

/** A mark as one token of the index. Exact: two names of one digest of 64 bits will not be met. */
export function markOf(sort: 'tag' | 'tool', name: string): string {
  const key = MARK[sort] + name;
  const known = marks.get(key);
  if (known !== undefined) return known;
  const made = `${MARK[sort]}${sha256(name).slice(0, 16)}`;
  if (marks.size >= MOST_MARKS) marks.clear();
  marks.set(key, made);
  return made;
}

// The same few tools and tags come with every record.
const marks = new Map<string, string>();
const MOST_MARKS = 512;

export interface RecordSql {
  no: number;
  ns: number;
  namespace: string;
  id: string;
  kind: number;
  status: number;
  at: number;
  created_at: number;
  updated_at: number;
  has_effective: number;
  expires_at: number | null;
  confidence: number;
  identity: string;
  json: string;
}

/** What `body.json` holds. */
export interface Body {
  readonly content: string;
  readonly data: JsonObject;
  readonly source: RecordSource;
  readonly tags?: readonly string[];
  readonly supersedes?: readonly string[];
  readonly derivedFrom?: readonly string[];
  /** Hex digests, where they are not those of the record's own thread and run: of a summary's sources (EPI-144). */
  readonly traces?: readonly string[];
}

export function bodyOf(record: MemoryRecord, traces: readonly string[]): Body {
  const { content, data, source, tags, supersedes, derivedFrom } = record;
  return {
    content,
    data,
    source,
    ...(tags.length === 0 ? {} : { tags }),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(derivedFrom === undefined ? {} : { derivedFrom }),
    ...(traces.join() === ownTraces(record).join() ? {} : { traces }),
  };
}

/** Tokens of the index that a record is filtered and erased by, whatever its status. */
export function marksOf({ data, source, tags = [], traces }: Body): string {
  const tools = source.type === 'run' && Array.isArray(data.toolsUsed) ? data.toolsUsed : [];
  return [
    ...tags.map((tag) => markOf('tag', tag)),
    ...tools.map((tool: unknown) => markOf('tool', String(tool))),
    ...(traces ?? ownTraces({ data, source })).map((trace) => MARK.trace + trace),
  ].join(' ');
}

export function ownTraces({ data, source }: Pick<Body, 'data' | 'source'>): string[] {
  const { threadId, runId } = source.type === 'run' ? data : source;
  return [
    ...(typeof threadId === 'string' ? [traceOf('thread', threadId)] : []),
    ...(typeof runId === 'string' ? [traceOf('run', runId)] : []),
  ];
}

export function storedOf(row: RecordSql): StoredRecord {
  const body = JSON.parse(row.json) as Body;
  const record: MemoryRecord = {
    id: row.id,
    namespace: row.namespace,
    kind: MEMORY_KINDS[row.kind]!,
    status: MEMORY_STATUSES[row.status]!,
    content: body.content,
    data: body.data,
    source: body.source,
    confidence: row.confidence,
    tags: body.tags ?? [],
    createdAt: formatInstant(row.created_at),
    updatedAt: formatInstant(row.updated_at),
    ...(row.has_effective ? { effectiveAt: formatInstant(row.at) } : {}),
    ...(row.expires_at === null ? {} : { expiresAt: formatInstant(row.expires_at) }),
    ...(body.supersedes === undefined ? {} : { supersedes: body.supersedes }),
    ...(body.derivedFrom === undefined ? {} : { derivedFrom: body.derivedFrom }),
  };
  return {
    no: row.no,
    namespaceNo: row.ns,
    at: row.at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.identity === '' ? {} : { identity: row.identity }),
    record,
  };
}

/** Numbers of the columns a record is told apart by. */
export function codesOf(record: MemoryRecord): {
  kind: number;
  status: number;
  origin: number;
  outcome: number | null;
} {
  const outcome = record.source.type === 'run' ? ['ok', 'error', 'cancelled'].indexOf(String(record.data.outcome)) : -1;
  return {
    kind: MEMORY_KINDS.indexOf(record.kind),
    status: MEMORY_STATUSES.indexOf(record.status),
    origin: SOURCE_TYPES.indexOf(record.source.type),
    outcome: outcome < 0 ? null : outcome,
  };
}

/** What a row adds to the counters of its namespace. */
export function countsOf(row: { kind: number; status: number; origin: number; length: number }): readonly number[] {
  const episodic = row.kind === 0;
  const active = row.status === 0;
  return [
    Number(episodic && row.origin === 0),
    Number(episodic && active && row.origin >= 1 && row.origin <= 3),
    Number(active),
    active ? row.length : 0,
    Number(row.status === 1),
    1,
    Number(row.kind === 1),
    Number(row.kind === 2),
  ];
}

export interface ParkedSql {
  id: string;
  namespace: string;
  started_at: number;
  parked_at: number;
  expires_at: number | null;
  run: string | null;
  thread: string | null;
  state: string;
}

export function parkedOf(row: ParkedSql): ParkedRun {
  return {
    id: row.id,
    namespace: row.namespace,
    startedAt: row.started_at,
    parkedAt: row.parked_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.run === null ? {} : { runId: row.run }),
    ...(row.thread === null ? {} : { threadId: row.thread }),
    state: row.state,
  };
}

/** A body as a change leaves it. */
export function bodyAfter(body: Body, change: Pick<RecordChange, 'tags' | 'supersedes'>): Body {
  const { tags = body.tags ?? [], supersedes = body.supersedes } = change;
  const { tags: _, supersedes: __, ...others } = body;
  return { ...others, ...(tags.length === 0 ? {} : { tags }), ...(supersedes === undefined ? {} : { supersedes }) };
}
