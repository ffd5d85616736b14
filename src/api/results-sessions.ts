// Results of the operations on sessions (sessions.md §5 … §7).
import * as z from 'zod';
import type { DescribeResult, HistoryResult, ListResult, SearchHit, SearchResult } from './face.ts';
import { coverage, instant, kind, maybe, number, type Plain, type Same } from './results-shared.ts';

const hit = z.strictObject({
  sessionKey: z.string(),
  sessionId: z.string(),
  messageId: z.string(),
  timestamp: instant,
  role: z.enum(['user', 'assistant', 'tool', 'thinking']),
  excerpt: z.string().max(300),
  excerptFrom: maybe(z.number()),
  ranges: z.array(z.tuple([number, number])),
  score: z.number(),
  missing: maybe(z.array(z.string())),
  agentId: z.string(),
  kind,
  title: maybe(z.string()),
  source: maybe(z.string()),
  project: maybe(z.string()),
  archived: maybe(z.literal(true)),
  redacted: maybe(z.literal(true)),
  stale: maybe(z.literal(true)),
  inCurrentView: z.boolean(),
  alsoIn: maybe(z.strictObject({ sessionKeys: z.array(z.string()), count: number })),
  matches: maybe(z.strictObject({ count: number, exact: z.boolean() })),
});

const search = z.strictObject({
  hits: z.array(hit),
  indexing: z.boolean(),
  warning: maybe(z.string()),
  coverage,
  explain: maybe(
    z.strictObject({
      query: z.string(),
      texts: number,
      averageLength: z.number(),
      documentFrequency: z.array(number),
    }),
  ),
});

const cut = z.union([
  z.strictObject({
    shown: number,
    total: number,
    next: maybe(z.strictObject({ block: number, from: number })),
  }),
  z.strictObject({ reason: z.enum(['binary', 'source_gone', 'source_changed', 'source_outside']) }),
]);

const block = z.strictObject({
  type: z.string(),
  text: maybe(z.string()),
  id: maybe(z.string()),
  name: maybe(z.string()),
  mediaType: maybe(z.string()),
  bytes: maybe(number),
  cut: maybe(cut),
  redacted: maybe(z.literal(true)),
});

const entry = z.strictObject({
  type: z.enum(['message', 'reset', 'rewind', 'switch', 'compaction', 'custom', 'erased']),
  sessionId: z.string(),
  messageId: z.string(),
  role: maybe(z.enum(['user', 'assistant', 'system', 'tool'])),
  timestamp: instant,
  atGuessed: maybe(z.literal(true)),
  author: maybe(z.strictObject({ id: z.string(), name: maybe(z.string()) })),
  reason: maybe(z.string()),
  shadowed: maybe(z.literal(true)),
  blocks: z.array(block),
});

const windows = z.array(
  z.strictObject({ sessionId: z.string(), reason: z.string(), from: instant, to: instant, entries: number }),
);

const history = z.strictObject({
  sessionKey: z.string(),
  sessionId: z.string(),
  view: z.enum(['current', 'interval', 'window']),
  entries: z.array(entry),
  anchor: maybe(z.strictObject({ messageId: z.string(), found: z.boolean(), index: maybe(number) })),
  total: number,
  more: z.strictObject({
    older: z.boolean(),
    newer: z.boolean(),
    before: maybe(z.string()),
    after: maybe(z.string()),
  }),
  offset: maybe(number),
  nextOffset: maybe(number),
  windows,
  omitted: z.strictObject({ tools: number, reasoning: number }),
  truncated: z.union([z.literal(false), z.literal('bytes')]),
  bytes: number,
  indexing: z.boolean(),
  warning: maybe(z.string()),
});

const origin = z.strictObject({
  source: z.string(),
  root: maybe(z.string()),
  project: maybe(z.string()),
  projects: maybe(z.array(z.string())),
  slug: maybe(z.string()),
  gitBranch: maybe(z.string()),
  model: maybe(z.string()),
  version: maybe(z.string()),
  file: maybe(z.string()),
  archived: maybe(z.literal(true)),
  automation: maybe(z.literal(true)),
  nativeId: maybe(z.string()),
  nativeKey: maybe(z.string()),
  forkedFrom: maybe(z.string()),
  hostGone: maybe(number),
  promptsOnly: maybe(z.literal(true)),
});

const row = z.strictObject({
  sessionKey: z.string(),
  sessionId: z.string(),
  agentId: z.string(),
  kind,
  title: maybe(z.string()),
  createdAt: instant,
  lastAt: instant,
  messages: number,
  archived: z.boolean(),
  stale: z.boolean(),
  spawnedBy: maybe(z.string()),
  origin: maybe(origin),
});

const list = z.strictObject({ sessions: z.array(row), coverage });
const describe = z.strictObject({
  ...row.shape,
  parent: maybe(z.string()),
  owner: maybe(z.string()),
  windows,
  resume: maybe(z.string()),
});

/** A hit, for results that hold hits among others. */
export const sessionHit: z.ZodType<Plain<SearchHit>> = hit satisfies Same<typeof hit, SearchHit>;

export const SESSION_RESULTS: Readonly<Record<string, z.ZodType>> = {
  sessions_search: search satisfies Same<typeof search, SearchResult>,
  sessions_history: history satisfies Same<typeof history, HistoryResult>,
  sessions_list: list satisfies Same<typeof list, ListResult>,
  sessions_describe: describe satisfies Same<typeof describe, DescribeResult>,
};
