// Result of the one search over everything (SUR-60).
import * as z from 'zod';
import type { EverythingResult } from './face.ts';
import { recalledRecord } from './results-memory.ts';
import { runEvidence } from './results-runs.ts';
import { sessionHit } from './results-sessions.ts';
import { instant, maybe, number, type Same, skipped } from './results-shared.ts';

const coverage = z.strictObject({
  complete: z.boolean(),
  truncated: z.union([z.literal(false), z.literal('limit'), z.literal('bytes')]),
  cursor: maybe(z.string()),
  ranked: z.strictObject({ considered: number, complete: z.boolean() }),
  query: maybe(
    z.strictObject({
      dropped: z.array(z.string()),
      relaxed: z.boolean(),
      stage: maybe(z.enum(['prefix', 'words', 'some'])),
    }),
  ),
  window: maybe(z.strictObject({ since: maybe(instant), until: maybe(instant) })),
  indexing: z.strictObject({ done: number, total: number }),
  skipped,
  skippedTotal: number,
  warnings: z.array(z.string()),
});

const result = z.strictObject({
  results: z.array(
    z.union([
      z.strictObject({ kind: z.literal('session'), hit: sessionHit }),
      // What a record's data holds is its definition's affair.
      z.strictObject({ kind: z.literal('episode'), record: recalledRecord }),
      z.strictObject({ kind: z.literal('run'), evidence: runEvidence }),
    ]),
  ),
  coverage: coverage satisfies Same<typeof coverage, EverythingResult['coverage']>,
});

export const SEARCH_RESULTS: Readonly<Record<string, z.ZodType>> = { search: result };
