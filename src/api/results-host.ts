// Results of the operations of the host face as zod schemas. Loads zod: see results.ts.
import * as z from 'zod';
import type {
  Appended,
  AppendedMany,
  ArchiveResult,
  CompactResult,
  CurrentView,
  EraseReceipt,
  ResetResult,
  RewindResult,
} from './face.ts';
import { instant, maybe, number, type Same } from './results-shared.ts';

const text = z.string();
const appended = z.strictObject({
  sessionId: text,
  messageId: text,
  seq: number,
  appended: z.boolean(),
  rebasedFrom: maybe(text),
});
const appendedMany = z.strictObject({ sessionId: text, messages: z.array(appended) });
const reset = z.strictObject({
  entryId: text,
  sessionId: text,
  kept: z.array(z.strictObject({ sessionId: text, messageId: text })),
});
const rewind = z.strictObject({ abandoned: number, sessionId: text, entryId: text });
const compact = z.strictObject({ entryId: text, sessionId: text });
const archive = z.strictObject({ sessionKey: text, archived: z.boolean() });
const receipt = z.strictObject({
  deleted: z.strictObject({
    sessions: number,
    entries: number,
    records: number,
    candidates: number,
    derived: number,
    parked: number,
    indexRows: number,
    runIndexes: number,
    bytes: number,
  }),
  kept: z.array(text),
  revived: number,
  verified: z.strictObject({ rows: number, index: number, file: z.enum(['absent', 'pending', 'found']) }),
  barrierAt: maybe(text),
  dryRun: z.boolean(),
});
const block = z.looseObject({ type: text });
const current = z.strictObject({
  sessionKey: text,
  sessionId: text,
  leaf: maybe(text),
  entries: z.array(
    z.strictObject({
      type: z.enum(['message', 'reset', 'rewind', 'switch', 'compaction', 'custom', 'erased']),
      sessionId: text,
      messageId: text,
      parentId: maybe(text),
      seq: number,
      at: instant,
      role: maybe(z.enum(['user', 'assistant', 'system', 'tool'])),
      content: maybe(z.union([text, z.array(block)])),
      author: maybe(z.strictObject({ id: text, name: maybe(text) })),
      reason: maybe(text),
      summary: maybe(text),
      firstKept: maybe(text),
      data: maybe(z.unknown()),
    }),
  ),
});

export const HOST_RESULTS: Readonly<Record<string, z.ZodType>> = {
  // Of one message, or of several: one object, since that is what tools and OpenAPI want of a result.
  sessions_append: z.strictObject({
    ...(appended satisfies Same<typeof appended, Appended>).partial().shape,
    ...(appendedMany satisfies Same<typeof appendedMany, AppendedMany>).partial().shape,
    sessionId: text,
  }),
  sessions_reset: reset satisfies Same<typeof reset, ResetResult>,
  sessions_rewind: rewind satisfies Same<typeof rewind, RewindResult>,
  sessions_switch: rewind,
  sessions_compact: compact satisfies Same<typeof compact, CompactResult>,
  sessions_archive: archive satisfies Same<typeof archive, ArchiveResult>,
  sessions_delete: receipt satisfies Same<typeof receipt, EraseReceipt>,
  sessions_current: current satisfies z.ZodType<unknown> as z.ZodType<CurrentView>,
};
