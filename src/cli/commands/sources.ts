// backstory sources: what was found on this machine (SRC-54).
import { execute } from '../../api/operation.ts';
import { sourcesList } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderSources } from '../render/sources.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, look }) => {
    const result = await execute(sourcesList, backstory, caller);
    answer(io, parsed, result, () => renderSources(result, look));
    return EXIT.done;
  });
