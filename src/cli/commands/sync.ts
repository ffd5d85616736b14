// backstory sync: read what changed, and say what happened to every file (SRC-59, SRC-81).
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderSync } from '../render/sync.ts';
import { syncNow } from '../sync-first.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async (opened) => {
    const exclude = parsed.values('exclude').map((path) => ({ path }));
    const input = { ...parsed.input(), ...(exclude.length > 0 ? { exclude } : {}) };
    const report = await syncNow(io, parsed, opened, input);
    answer(io, parsed, report, () => renderSync(report, opened.look));
    // Whoever asked to read shall not take nothing written for done.
    if (report.roots.some(({ state }) => state === 'store_failed')) return EXIT.internal;
    const { skipped } = report.files;
    const isLeft = skipped.some(({ reason }) => reason === 'budget' || reason === 'busy');
    return parsed.has('strict') && (isLeft || report.files.failedTotal > 0) ? EXIT.incomplete : EXIT.done;
  });
