// backstory export: an agent's history as JSON lines, to standard output or a file (SUR-72).
import { resolve } from 'node:path';
import { execute } from '../../api/operation.ts';
import { exportOperation } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderExport } from '../render/archive.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller }) => {
    const { out, ...input } = parsed.input();
    if (typeof out === 'string') {
      const result = await execute(exportOperation, backstory, caller, { ...input, out: resolve(io.cwd, out) });
      answer(io, parsed, result, () => renderExport(result));
      return EXIT.done;
    }
    // Standard output holds the archive, and so the result is told on the other one.
    const output = async (text: string): Promise<void> => {
      io.out(text);
      await io.drained?.();
    };
    const result = await execute(exportOperation, backstory, caller, input, { output });
    io.err(parsed.has('json') ? `${JSON.stringify(result)}\n` : renderExport(result));
    return EXIT.done;
  });
