// backstory import-archive: takes over what export wrote, and says what was there already (SUR-72).
import { resolve } from 'node:path';
import { execute } from '../../api/operation.ts';
import { importArchive } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { withProgress } from '../progress.ts';
import { renderImport } from '../render/archive.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller }) => {
    const file = resolve(io.cwd, parsed.operands[0]!);
    const result = await withProgress(io, (onProgress) =>
      execute(importArchive, backstory, caller, { file }, { onProgress }),
    );
    answer(io, parsed, result, () => renderImport(result));
    return EXIT.done;
  });
