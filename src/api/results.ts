// The result of each operation as a zod schema, for MCP, OpenAPI and tests (SUR-1, SUR-30). Strict: a field that is not here
// is a fault. The types below hold the schemas and the TypeScript types to each other, both ways. Loads zod: see schema.ts.
import * as z from 'zod';
import { SESSION_KINDS } from '../model/session.ts';
import type {
  DescribeResult,
  HistoryResult,
  ListResult,
  SearchResult,
  SourcesReport,
  StatsResult,
  SyncReport,
} from './face.ts';

const maybe = <T extends z.ZodType>(schema: T): z.ZodExactOptional<T> => z.exactOptional(schema);
const number = z.int().min(0);
const instant = z.iso.datetime();
const counts = z.record(z.string(), number);
const kind = z.enum(SESSION_KINDS);
const skipped = z.array(z.strictObject({ what: z.string(), reason: z.string() }));

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
  sessions: z.strictObject({ searched: number, stale: number, unindexed: number }),
  sources: z.array(z.strictObject({ source: z.string(), root: z.string(), unread: number, reasons: counts })),
  notImported: number,
});

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

const sums = { sessions: number, messages: number, texts: number, characters: number, bytes: maybe(number) };
const stats = z.strictObject({
  total: z.strictObject(sums),
  agents: z.array(z.strictObject({ agentId: z.string(), ...sums })),
  skipped,
});

type Plain<T> = { -readonly [K in keyof T]: Plain<T[K]> };
type Same<Schema extends z.ZodType, T> = [z.infer<Schema>] extends [Plain<T>]
  ? [Plain<T>] extends [z.infer<Schema>]
    ? Schema
    : never
  : never;

const held: {
  readonly sessions_search: Same<typeof search, SearchResult>;
  readonly sessions_history: Same<typeof history, HistoryResult>;
  readonly sessions_list: Same<typeof list, ListResult>;
  readonly sessions_describe: Same<typeof describe, DescribeResult>;
  readonly sync: Same<typeof sync, SyncReport>;
  readonly sources_list: Same<typeof sources, SourcesReport>;
  readonly stats: Same<typeof stats, StatsResult>;
} = {
  sessions_search: search,
  sessions_history: history,
  sessions_list: list,
  sessions_describe: describe,
  sync,
  sources_list: sources,
  stats,
};

/** By the name of the operation. */
export const RESULTS: Readonly<Record<string, z.ZodType>> = held;

/** JSON Schema (2020-12) of an operation's result. */
export function resultJsonSchema(operation: string): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(RESULTS[operation] ?? z.unknown());
  return schema;
}
