// Operation: take over what export wrote (SUR-72).
import type { ImportArchiveParams, ImportArchiveResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';

export const importArchive: Operation<ImportArchiveParams, ImportArchiveResult> = defineOperation<
  ImportArchiveParams,
  ImportArchiveResult
>({
  name: 'import_archive',
  summary: 'Take over an archive that export wrote.',
  description:
    'Checks all of the archive before anything of it counts. Sessions show when all of them are there. What is there ' +
    'already stays as it is, and what was deleted here stays away. Run it again after a crash: it goes on where it was.',
  who: 'operator',
  readOnly: false,
  local: true,
  spec: 'surfaces.md SUR-72',
  parameters: { file: { type: 'text', required: true, summary: 'The archive.' } },
  examples: [{ title: 'Take over an archive', input: { file: 'main.jsonl' } }],
  run: (backstory, caller, input, { signal, onProgress }) =>
    backstory.importArchive(caller, input, { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) }),
});
