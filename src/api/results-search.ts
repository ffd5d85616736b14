// Result of the one search over everything (SUR-60).
import * as z from 'zod';
import type { EverythingResult } from './face.ts';
import { recalledRecord } from './results-memory.ts';
import { runEvidence } from './results-runs.ts';
import { sessionHit } from './results-sessions.ts';
import { coverageWith, type Same } from './results-shared.ts';

const coverage = coverageWith({});

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
