// Records of memory as every surface prints them: fields, names and bounds (EPI-1 … EPI-7). Knows no store and no clock.

export const MEMORY_KINDS = ['episodic', 'semantic', 'reflection'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

export const MEMORY_STATUSES = ['active', 'candidate', 'superseded'] as const;
export type MemoryStatus = (typeof MEMORY_STATUSES)[number];

/** Who wrote a record: the recorder, the tool of a model, a person at the command line, a host's person, a distillation. */
export const SOURCE_TYPES = ['run', 'tool', 'user', 'human', 'distill'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** How a run ended, and nothing else (EPI-32). */
export const OUTCOMES = ['ok', 'error', 'cancelled'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Why rows went, as counted by day and namespace (EPI-68). */
export const DELETION_REASONS = ['expired', 'over_cap', 'older', 'rejected', 'forgotten', 'erased', 'cascade'] as const;
export type DeletionReason = (typeof DELETION_REASONS)[number];

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export interface RecordSource {
  readonly type: SourceType;
  readonly id: string;
  /** Of the context that `remember` was called in. */
  readonly threadId?: string;
  readonly runId?: string;
}

/** Instants are `YYYY-MM-DDTHH:mm:ss.sssZ` (COM-3); optional fields are absent, never null (EPI-1). */
export interface MemoryRecord {
  /** Unique in the agent's store. */
  readonly id: string;
  readonly namespace: string;
  readonly kind: MemoryKind;
  readonly status: MemoryStatus;
  /** At most 2 000 characters: what recall prints. */
  readonly content: string;
  /** At most 16 KiB of JSON; key order is kept. */
  readonly data: JsonObject;
  readonly source: RecordSource;
  /** 0 to 1. */
  readonly confidence: number;
  /** At most 16, each at most 64 characters, unique, in the order given. */
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Event time; without it `createdAt` is (EPI-4). */
  readonly effectiveAt?: string;
  /** Absent: never. */
  readonly expiresAt?: string;
  /** Ids this record replaced. */
  readonly supersedes?: readonly string[];
  /** Ids it was distilled from. */
  readonly derivedFrom?: readonly string[];
}

/** `data` of a run's record, in this key order (EPI-7). */
export interface RunData {
  readonly input: string;
  readonly outcome: Outcome;
  readonly toolsUsed: readonly string[];
  readonly durationMs: number;
  readonly threadId?: string;
  readonly runId?: string;
  readonly toolsFailed?: readonly string[];
  readonly errorClass?: string;
  readonly errorMessage?: string;
  readonly cancelReason?: string;
  readonly parkedMs?: number;
  readonly attempt?: number;
  readonly parentRunId?: string;
  readonly clockSkewMs?: number;
  readonly toolsOmitted?: number;
}

/** Characters, except where it says bytes (COM-1). */
export const RECORD_BOUNDS = {
  content: 2_000,
  dataBytes: 16_384,
  tags: 16,
  tag: 64,
  input: 500,
  summary: 80,
  errorClass: 100,
  errorMessage: 300,
  cancelReason: 100,
  id: 256,
  tools: 64,
  toolName: 256,
} as const;

/** Event time in milliseconds (EPI-4). */
export function eventTimeOf(record: Pick<MemoryRecord, 'effectiveAt' | 'createdAt'>): number {
  return Date.parse(record.effectiveAt ?? record.createdAt);
}

/** At most `max` characters; a cut text ends in `…`, inside the bound, and no surrogate pair is split (EPI-2). */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = max - 1;
  const last = text.charCodeAt(end - 1);
  const next = text.charCodeAt(end);
  if (last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) end--;
  return `${text.slice(0, end)}…`;
}
