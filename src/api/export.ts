// Operation: one agent's history and memory as lines of JSON (SUR-72).
import type { ExportParams, ExportResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';

export const exportOperation: Operation<ExportParams, ExportResult> = defineOperation<ExportParams, ExportResult>({
  name: 'export',
  summary: "Write one agent's sessions and memory as JSON lines.",
  description:
    'A head, a line for each session, entry and record, and a last line with counts and a checksum (docs/archive.md). ' +
    'Texts are masked; with raw they are what was stored, and only then import_archive brings everything back as it was. ' +
    'Incognito sessions never leave.',
  who: 'operator',
  readOnly: false,
  local: true,
  spec: 'surfaces.md SUR-72',
  parameters: {
    agent: { type: 'text', standard: 'main', summary: 'Whose history.' },
    raw: { type: 'boolean', standard: 'false', summary: 'Unmasked, as it was stored.' },
    out: { type: 'text', standard: 'standard output, or where the host says', summary: 'The file to write.' },
  },
  examples: [{ title: 'All of an agent, to be brought back', input: { agent: 'main', raw: true, out: 'main.jsonl' } }],
  run: (backstory, caller, input, { output, signal }) =>
    backstory.export(caller, input, { ...(output ? { output } : {}), ...(signal ? { signal } : {}) }),
});
