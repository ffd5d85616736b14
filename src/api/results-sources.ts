// Results of the operations on what agents on this machine wrote (sources.md).
import * as z from 'zod';
import type { SourcesReport, SyncReport } from './face.ts';
import { counts, instant, maybe, number, type Same, skipped } from './results-shared.ts';

const syncRoot = z.strictObject({
  source: z.string(),
  root: z.string(),
  state: z.enum([
    'ok',
    'off',
    'root_not_found',
    'root_unreadable',
    'present_but_unread',
    'no_reader',
    'busy',
    'store_failed',
  ]),
  agentId: maybe(z.string()),
  files: maybe(number),
  unread: maybe(number),
  left: maybe(number),
  reasons: maybe(counts),
  detail: maybe(z.string()),
});

const sync = z.strictObject({
  files: z.strictObject({
    found: number,
    imported: number,
    unchanged: number,
    skipped,
    skippedTotal: number,
    failed: skipped,
    failedTotal: number,
  }),
  entries: z.strictObject({ added: number, changed: number, erased: number }),
  excluded: number,
  bytes: number,
  roots: z.array(syncRoot),
  left: number,
  durationMs: number,
});

const sources = z.strictObject({
  sources: z.array(
    z.strictObject({
      source: z.string(),
      title: z.string(),
      root: z.string(),
      state: z.enum(['ok', 'off', 'root_not_found', 'root_unreadable', 'present_but_unread', 'no_reader']),
      how: maybe(z.enum(['default', 'environment', 'given'])),
      agentId: maybe(z.string()),
      detail: maybe(z.string()),
      files: counts,
      bytes: number,
      sessions: number,
      counts,
      lastSync: maybe(instant),
      keepsDays: maybe(number),
      goSoon: maybe(number),
    }),
  ),
});

export const SOURCE_RESULTS: Readonly<Record<string, z.ZodType>> = {
  sync: sync satisfies Same<typeof sync, SyncReport>,
  sources_list: sources satisfies Same<typeof sources, SourcesReport>,
};
