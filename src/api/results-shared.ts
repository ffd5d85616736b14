// Parts that the results of several operations have, as zod schemas, and the check that holds a schema to its type.
import * as z from 'zod';
import { SESSION_KINDS, type SessionKind } from '../model/session.ts';
import type { SessionsCoverage } from './face.ts';

export const maybe = <T extends z.ZodType>(schema: T): z.ZodExactOptional<T> => z.exactOptional(schema);
export const number: z.ZodInt = z.int().min(0);
export const instant: z.ZodISODateTime = z.iso.datetime();
export const counts: z.ZodType<Record<string, number>> = z.record(z.string(), number);
export const kind: z.ZodType<SessionKind> = z.enum(SESSION_KINDS);
export const skipped: z.ZodType<{ what: string; reason: string }[]> = z.array(
  z.strictObject({ what: z.string(), reason: z.string() }),
);

type Text = z.ZodExactOptional<z.ZodString>;

/** COM-30: what every coverage has. */
interface CoverageShape {
  readonly complete: z.ZodBoolean;
  readonly truncated: z.ZodType<false | 'limit' | 'bytes'>;
  readonly cursor: Text;
  readonly ranked: z.ZodType<{ considered: number; complete: boolean }>;
  readonly query: z.ZodExactOptional<
    z.ZodType<{ dropped: string[]; relaxed: boolean; stage?: 'prefix' | 'words' | 'some' }>
  >;
  readonly window: z.ZodExactOptional<z.ZodType<{ since?: string; until?: string }>>;
  readonly indexing: z.ZodType<{ done: number; total: number }>;
  readonly skipped: typeof skipped;
  readonly skippedTotal: z.ZodInt;
  readonly warnings: z.ZodArray<z.ZodString>;
}

const base: CoverageShape = {
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
};

/** A coverage with what an operation adds to it. */
export function coverageWith<More extends z.ZodRawShape>(
  more: More,
): z.ZodObject<CoverageShape & More, z.core.$strict> {
  return z.strictObject({ ...base, ...more });
}

const sessionsCoverage = coverageWith({
  sessions: z.strictObject({ searched: number, stale: number, unindexed: number }),
  sources: z.array(z.strictObject({ source: z.string(), root: z.string(), unread: number, reasons: counts })),
  notImported: number,
});

/** Without `readonly`, as zod infers types. */
export type Plain<T> = { -readonly [K in keyof T]: Plain<T[K]> };

export const coverage: z.ZodType<Plain<SessionsCoverage>> = sessionsCoverage satisfies Same<
  typeof sessionsCoverage,
  SessionsCoverage
>;

type KeysDeep<T> = T extends readonly (infer Item)[]
  ? KeysDeep<Item>[]
  : T extends object
    ? { [K in keyof T]-?: KeysDeep<Exclude<T[K], undefined>> }
    : 0;

/** The schema, where its type and `T` are the same, both ways, optional fields included; else never. */
export type Same<Schema extends z.ZodType, T> = [z.infer<Schema>, KeysDeep<z.infer<Schema>>] extends [
  Plain<T>,
  KeysDeep<Plain<T>>,
]
  ? [Plain<T>, KeysDeep<Plain<T>>] extends [z.infer<Schema>, KeysDeep<z.infer<Schema>>]
    ? Schema
    : never
  : never;
