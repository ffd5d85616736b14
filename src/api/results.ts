// The result of each operation as a zod schema, for MCP, OpenAPI and tests (SUR-1, SUR-30). Strict: a field that is not here
// is a fault. Each schema is held to its TypeScript type, both ways, where it stands. Loads zod, which the
// command line never does: it costs 30 to 45 ms of a start.
import * as z from 'zod';
import { ARCHIVE_RESULTS } from './results-archive.ts';
import { DOCTOR_RESULTS } from './results-doctor.ts';
import { EXPLANATION } from './results-explain.ts';
import { HOST_RESULTS } from './results-host.ts';
import { MEMORY_RESULTS } from './results-memory.ts';
import { RUN_RESULTS } from './results-runs.ts';
import { SEARCH_RESULTS } from './results-search.ts';
import { SESSION_RESULTS } from './results-sessions.ts';
import { SOURCE_RESULTS } from './results-sources.ts';
import { STATS_RESULT } from './results-stats.ts';

/** By the name of the operation. */
export const RESULTS: Readonly<Record<string, z.ZodType>> = {
  ...SEARCH_RESULTS,
  ...DOCTOR_RESULTS,
  ...ARCHIVE_RESULTS,
  ...SESSION_RESULTS,
  ...HOST_RESULTS,
  ...SOURCE_RESULTS,
  ...STATS_RESULT,
  explain: EXPLANATION,
  ...MEMORY_RESULTS,
  erase: HOST_RESULTS.sessions_delete!,
  ...RUN_RESULTS,
};

/** JSON Schema of an operation's result, which 2020-12 and draft 7 read alike: clients validate by either. */
export function resultJsonSchema(operation: string): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(RESULTS[operation] ?? z.unknown(), {
    override({ jsonSchema }) {
      // To draft 7 a list with prefixItems and no more items is one that holds nothing.
      const { prefixItems } = jsonSchema;
      if (prefixItems === undefined) return;
      delete jsonSchema.prefixItems;
      const [first, ...others] = [...new Set(prefixItems.map((item) => JSON.stringify(item)))];
      jsonSchema.items = others.length === 0 ? JSON.parse(first!) : { anyOf: prefixItems };
      Object.assign(jsonSchema, { minItems: prefixItems.length, maxItems: prefixItems.length });
    },
  });
  return schema;
}
