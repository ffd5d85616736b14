// backstory runs search: evidence from a run folder (RUN-74 – RUN-76).
import { resolve } from 'node:path';
import { execute } from '../../api/operation.ts';
import { runsSearch } from '../../api/operations.ts';
import { answer, exitOf, hint } from '../answer.ts';
import type { Run } from '../command.ts';
import { folderOf } from '../input.ts';
import { coverageLines, renderEvidence } from '../render/evidence.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, look }) => {
    const [folder, agent, ...words] = parsed.operands;
    // A folder is always that of the working folder: nothing was recorded on another machine here.
    const input = { ...parsed.input(), folder: resolve(io.cwd, folderOf(io, folder!)), agent, query: words.join(' ') };
    const result = await execute(runsSearch, backstory, caller, input, { anyRunFolder: true });
    answer(io, parsed, result, () => renderEvidence(result.evidence, look));
    if (result.evidence.length === 0) hint(io, ['no evidence found']);
    hint(io, coverageLines(result.coverage));
    return exitOf(parsed, result.evidence.length > 0, result.coverage);
  });
