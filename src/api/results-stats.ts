// The result of `stats` as a zod schema; see results.ts.
import * as z from 'zod';
import { SKIP_REASONS } from '../episodes/health.ts';
import { DELETION_REASONS } from '../model/episode.ts';
import { counts, instant, kind, maybe, number, type Same, skipped } from './results-shared.ts';
import type { StatsAnswer } from './stats.ts';

const ofKind = z.strictObject({ sessions: number, messages: number });
const sums = { sessions: number, messages: number, texts: number, characters: number, bytes: maybe(number) };
const kinds = z.strictObject({ episodic: number, semantic: number, reflection: number });
const memory = z.strictObject({
  agent: z.string(),
  records: number,
  active: number,
  candidates: number,
  kinds,
  parkedRuns: number,
  namespaces: z.array(
    z.strictObject({
      namespace: z.string(),
      records: number,
      active: number,
      candidates: number,
      kinds,
      runs: number,
      authored: number,
      parked: number,
    }),
  ),
  health: maybe(
    z.strictObject({
      recorded: number,
      duplicates: number,
      conflicts: number,
      skipped: z.partialRecord(z.enum(SKIP_REASONS), number),
      failed: number,
      queued: number,
      lost: number,
      masked: number,
      parked: number,
      dropped: number,
      lastRecordedAt: maybe(instant),
      lastFailure: maybe(z.strictObject({ at: instant, code: z.string(), message: z.string() })),
    }),
  ),
  deletions: maybe(
    z.array(
      z.strictObject({ namespace: z.string(), day: z.string(), reason: z.enum(DELETION_REASONS), count: number }),
    ),
  ),
  bytes: maybe(number),
});
const stats = z.strictObject({
  unknownBlocks: maybe(counts),
  total: z.strictObject(sums),
  agents: z.array(
    z.strictObject({ agentId: z.string(), ...sums, kinds: z.partialRecord(kind, ofKind), lastSync: maybe(instant) }),
  ),
  skipped,
  memory: maybe(z.array(memory)),
});

export const STATS_RESULT: Readonly<Record<string, z.ZodType>> = {
  stats: stats satisfies Same<typeof stats, StatsAnswer>,
};
