// Results of writing and taking over archives (SUR-72).
import * as z from 'zod';
import type { ExportResult, ImportArchiveResult } from './face.ts';
import { maybe, number, type Same } from './results-shared.ts';

const exported = z.strictObject({
  agent: z.string(),
  raw: z.boolean(),
  counts: z.strictObject({
    sessions: number,
    files: number,
    entries: number,
    keys: number,
    copies: number,
    records: number,
  }),
  bytes: number,
  sha256: z.string(),
  out: maybe(z.string()),
});

const imported = z.strictObject({
  agent: z.string(),
  raw: z.boolean(),
  sha256: z.string(),
  sessions: z.strictObject({ imported: number, kept: number, erased: number, taken: number }),
  entries: number,
  records: z.strictObject({ imported: number, kept: number }),
});

export const ARCHIVE_RESULTS: Readonly<Record<string, z.ZodType>> = {
  export: exported satisfies Same<typeof exported, ExportResult>,
  import_archive: imported satisfies Same<typeof imported, ImportArchiveResult>,
};
