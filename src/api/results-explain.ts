// The result of `explain` as a zod schema; see results.ts.
import * as z from 'zod';
import { SESSION_KINDS } from '../model/session.ts';

const row = z.int().min(1).max(17);

export const EXPLANATION: z.ZodType = z.strictObject({
  exists: z.boolean(),
  visible: z.boolean(),
  row,
  reason: z.string(),
  steps: z.array(z.strictObject({ row, applies: z.boolean(), because: z.string() })),
  settings: z.array(z.strictObject({ name: z.string(), value: z.unknown(), from: z.string() })),
  chain: z.optional(
    z.array(
      z.strictObject({
        key: z.string(),
        link: z.enum(['spawnedBy', 'parent', 'owner']),
        kind: z.enum(SESSION_KINDS),
      }),
    ),
  ),
  change: z.optional(z.string()),
});
