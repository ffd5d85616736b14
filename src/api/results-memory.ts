// The results of the operations of memory as zod schemas; see results.ts.
import * as z from 'zod';
import { MEMORY_KINDS, MEMORY_STATUSES, SOURCE_TYPES } from '../model/episode.ts';
import type {
  Approval,
  DistillResult,
  Forgotten,
  PruneReport,
  RecallResult,
  RememberResult,
  TimelineResult,
} from './face.ts';
import { coverageWith, instant, maybe, number, type Plain, type Same } from './results-shared.ts';

const ids = z.array(z.string());

const record = {
  id: z.string(),
  namespace: z.string(),
  kind: z.enum(MEMORY_KINDS),
  status: z.enum(MEMORY_STATUSES),
  content: z.string().max(2_000),
  // Any JSON: what it holds is the definition's affair.
  data: z.record(z.string(), z.unknown()),
  source: z.strictObject({
    type: z.enum(SOURCE_TYPES),
    id: z.string(),
    threadId: maybe(z.string()),
    runId: maybe(z.string()),
  }),
  confidence: z.number(),
  tags: z.array(z.string()),
  createdAt: instant,
  updatedAt: instant,
  effectiveAt: maybe(instant),
  expiresAt: maybe(instant),
  supersedes: maybe(ids),
  derivedFrom: maybe(ids),
};

const coverage = coverageWith({});
const count = z.strictObject({ count: number, exact: z.boolean() });

const recallRest = z.strictObject({
  status: z.enum(['found', 'empty', 'nothing_in_window', 'no_match']),
  now: instant,
  total: count,
  others: maybe(count),
  unmatchedTerms: maybe(z.array(z.string())),
  nearest: maybe(instant),
  coverage,
});
const recalled = z.strictObject({
  ...record,
  score: maybe(z.number()),
  repeats: maybe(number),
  firstAt: maybe(instant),
});
/** A recalled record, for results that hold some among others. */
export const recalledRecord: z.ZodType = recalled;

const recall = z.strictObject({
  ...(recallRest satisfies Same<typeof recallRest, Omit<RecallResult, 'records'>>).shape,
  records: z.array(recalled),
});

const remember = z.strictObject({
  status: z.enum(['stored', 'candidate', 'updated', 'superseded', 'kept', 'known', 'rejected']),
  text: z.string(),
  id: maybe(z.string()),
});

const groups = z.array(z.strictObject({ key: z.string(), count: number }));
const timeline = z.strictObject({
  total: number,
  of: maybe(number),
  groups,
  buckets: z.array(z.strictObject({ since: instant, until: instant, total: number, groups })),
  now: instant,
  coverage,
});

const list = z.strictObject({
  records: z.array(z.strictObject({ ...record, expired: maybe(z.literal(true)) })),
  parked: z.array(
    z.strictObject({
      id: z.string(),
      namespace: z.string(),
      startedAt: instant,
      parkedAt: instant,
      ageMs: number,
      input: z.string(),
      runId: maybe(z.string()),
      threadId: maybe(z.string()),
      expiresAt: maybe(instant),
    }),
  ),
  coverage,
});

const inspection = z.strictObject({
  record: z.strictObject(record),
  supersedes: ids,
  supersededBy: ids,
  derivedFrom: ids,
  derivedRecords: ids,
  recalled: z.boolean(),
  reasons: z.array(z.enum(['candidate', 'superseded', 'expired', 'outside_window'])),
});

const approval = z.strictObject({
  status: z.enum(['activated', 'refreshed', 'superseded']),
  id: z.string(),
  superseded: maybe(z.string()),
});
const rejected = z.strictObject({ id: z.string(), rejected: z.literal(true) });
const forgotten = z.strictObject({
  id: z.string(),
  records: number,
  parked: number,
  derived: number,
  revived: number,
  file: z.enum(['absent', 'pending']),
});

const pruned = z.strictObject({
  now: instant,
  expired: number,
  overCap: number,
  older: number,
  parkedExpired: number,
  namespaces: number,
  dryRun: z.boolean(),
});

const distilled = z.strictObject({
  now: instant,
  batches: z.array(
    z.strictObject({
      agentId: z.string(),
      namespace: z.string(),
      period: z.strictObject({ since: instant, until: instant }),
      status: z.enum(['written', 'planned', 'failed', 'dropped']),
      reason: maybe(z.enum(['threw', 'timeout', 'no_text', 'changed'])),
      sources: ids,
      ids,
      contents: maybe(z.array(z.string())),
    }),
  ),
  written: number,
  failed: number,
  dropped: number,
  waiting: number,
  more: z.boolean(),
  dryRun: z.boolean(),
});

const held = <T>(schema: z.ZodType<Plain<T>>): z.ZodType => schema;

/** By the name of the operation. */
export const MEMORY_RESULTS: Readonly<Record<string, z.ZodType>> = {
  recall,
  remember: held<RememberResult>(remember satisfies Same<typeof remember, RememberResult>),
  memory_list: list,
  memory_inspect: inspection,
  memory_approve: held<Approval>(approval satisfies Same<typeof approval, Approval>),
  memory_reject: rejected,
  memory_forget: held<Forgotten>(forgotten satisfies Same<typeof forgotten, Forgotten>),
  memory_prune: held<PruneReport>(pruned satisfies Same<typeof pruned, PruneReport>),
  memory_consolidate: held<DistillResult>(distilled satisfies Same<typeof distilled, DistillResult>),
  memory_reflect: distilled,
  memory_timeline: held<TimelineResult>(timeline satisfies Same<typeof timeline, TimelineResult>),
};
