// backstory stats: counts and sizes (SUR-71).
import { execute } from '../../api/operation.ts';
import { stats } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderStats } from '../render/stats.ts';
import { syncQuietly } from '../sync-first.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async (opened) => {
    const { backstory, caller, look } = opened;
    await syncQuietly(parsed, opened, io);
    const result = await execute(stats, backstory, caller, parsed.input());
    answer(io, parsed, result, () => renderStats(result, look));
    return EXIT.done;
  });
