// Result of the operation on run files (run-files.md §11).
import * as z from 'zod';
import type { Evidence } from '../model/retrieval.ts';
import type { RetrievalResult } from './face.ts';
import { coverageWith, maybe, number, type Plain, type Same } from './results-shared.ts';

// Local time without a zone: it is the writer's own (RUN-5).
const place = {
  file: z.string(),
  line: number,
  episode: maybe(number),
  conversation: maybe(z.string()),
  time: maybe(z.string()),
};

const evidence = z.strictObject({
  ...place,
  text: z.string(),
  kind: z.enum(['note', 'told', 'said']),
  column: number,
  level: maybe(z.enum(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'])),
  state: maybe(z.string()),
  copies: number,
  alsoAt: z.array(z.strictObject(place)),
});

const result = z.strictObject({
  evidence: z.array(evidence),
  coverage: coverageWith({
    files: number,
    reasons: z.array(z.enum(['no_run_folder', 'needs_episode_and_conversation', 'needs_episode', 'index_busy'])),
  }),
});

/** A piece of evidence, for results that hold some among others. */
export const runEvidence: z.ZodType<Plain<Evidence>> = evidence satisfies Same<typeof evidence, Evidence>;

export const RUN_RESULTS: Readonly<Record<string, z.ZodType>> = {
  runs_search: result satisfies Same<typeof result, RetrievalResult>,
};
