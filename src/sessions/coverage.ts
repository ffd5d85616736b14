// What an answer over sessions looked at and what not (COM-30, SES-84). Counts only what the caller may see.
import type { Coverage, Skipped } from '../model/coverage.ts';
import { formatInstant, type TimeWindow } from '../model/time.ts';
import type { SyncRoot } from './sync-report.ts';

export interface SessionsCoverage extends Coverage {
  readonly sessions: { readonly searched: number; readonly stale: number; readonly unindexed: number };
  readonly sources: readonly {
    readonly source: string;
    readonly root: string;
    readonly unread: number;
    readonly reasons: Readonly<Record<string, number>>;
  }[];
  /** Transcripts found on disk, not in any store; over 0: not complete. */
  readonly notImported: number;
}

/** What is known before an answer is cut to a page. */
export interface Looked {
  readonly failed: readonly { readonly agentId: string; readonly reason: string }[];
  readonly sessions: number;
  readonly window: TimeWindow;
  readonly warnings?: readonly string[];
  /** Sessions whose index was made with other maskers or another tokenizer (SES-151). */
  readonly stale?: number;
  readonly ranked?: Coverage['ranked'];
  readonly query?: Coverage['query'];
  readonly indexing?: Coverage['indexing'];
  /** What a sync just before left unread, of roots that the caller may be told of. */
  readonly synced?: readonly SyncRoot[];
  /** Of the stale sessions, those of which nothing is indexed yet. */
  readonly unindexed?: number;
}

const MAX_LISTED = 20;

export function coverageOf(looked: Looked): SessionsCoverage {
  const { failed, window, synced = [], indexing = { done: 0, total: 0 } } = looked;
  const notImported = synced.reduce((sum, { left = 0 }) => sum + left, 0);
  const unwritten = synced.filter(({ state }) => state === 'store_failed');
  const skipped: Skipped[] = [
    ...failed.map(({ agentId, reason }) => ({ what: agentId, reason })),
    ...unwritten.map(({ root, detail = '' }) => ({ what: root, reason: detail.split(':', 1)[0]! })),
  ];
  const since = window.since === undefined ? {} : { since: formatInstant(window.since) };
  const until = window.until === undefined ? {} : { until: formatInstant(window.until) };
  const timed = window.since !== undefined || window.until !== undefined;
  return {
    complete: skipped.length === 0 && indexing.done === indexing.total && notImported === 0,
    truncated: false,
    ranked: looked.ranked ?? { considered: 0, complete: true },
    ...(looked.query === undefined ? {} : { query: looked.query }),
    ...(timed ? { window: { ...since, ...until } } : {}),
    indexing,
    skipped: skipped.slice(0, MAX_LISTED),
    skippedTotal: skipped.length,
    warnings: looked.warnings ?? [],
    sessions: { searched: looked.sessions, stale: looked.stale ?? 0, unindexed: looked.unindexed ?? 0 },
    sources: unreadOf(synced),
    notImported,
  };
}

/** Roots of which files were left or passed over (SRC-59). */
function unreadOf(synced: readonly SyncRoot[]): SessionsCoverage['sources'] {
  return synced.flatMap(({ source, root, unread = 0, reasons = {} }) =>
    unread === 0 ? [] : [{ source, root, unread, reasons }],
  );
}

/** Messages that are indexed as they should be, of all in scope (SES-84). `stale`: the snapshots of stores that are not. */
export function indexingOf<Snapshot>(
  totals: ReadonlyMap<Snapshot, { readonly texts: number }>,
  stale: ReadonlyMap<unknown, unknown>,
): Coverage['indexing'] {
  let [done, total] = [0, 0];
  for (const [snapshot, { texts }] of totals) {
    total += texts;
    if (!stale.has(snapshot)) done += texts;
  }
  return { done, total };
}
