// backstory erase: what a selector names, after asking (EPI-191, SUR-73).
import { execute } from '../../api/operation.ts';
import { erase } from '../../api/operations.ts';
import { BackstoryError } from '../../model/errors.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { folderOf } from '../input.ts';
import type { Io } from '../io.ts';
import type { Parsed } from '../parse.ts';
import { exitOfReceipt, renderReceipt, toldOf } from '../render/receipt.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller }) => {
    const input = inputOf(io, parsed);
    const isDry = parsed.has('dry-run');
    if (!isDry && !parsed.has('yes')) {
      if (io.ask === undefined) throw needsYes();
      // A run's index can be made again, and has no dry run.
      const { wait: _, ...counts } = input;
      const would =
        'runFolder' in input ? undefined : await execute(erase, backstory, caller, { ...counts, dryRun: true });
      io.err(would === undefined ? '' : `This would erase ${toldOf(would)}. It cannot be undone.\n`);
      if (!/^y(es)?$/i.test((await io.ask('Erase it? [y/N] ')).trim())) {
        io.err('Nothing was erased.\n');
        return EXIT.refused;
      }
    }
    const receipt = await execute(erase, backstory, caller, input);
    answer(io, parsed, receipt, () => renderReceipt(receipt));
    return exitOfReceipt(receipt);
  });

function inputOf(io: Io, parsed: Parsed): Record<string, unknown> {
  const { runFolder, ...input } = parsed.input();
  const subject = Object.fromEntries(
    (['tenant', 'user', 'agent-scope'] as const).flatMap((flag) => {
      const value = parsed.value(flag);
      return value === undefined ? [] : [[flag === 'agent-scope' ? 'agent' : flag, value]];
    }),
  );
  return {
    ...input,
    ...(Object.keys(subject).length === 0 ? {} : { subject }),
    ...(typeof runFolder === 'string' ? { runFolder: folderOf(io, runFolder) } : {}),
  };
}

function needsYes(): BackstoryError {
  return new BackstoryError(
    'invalid_argument',
    'backstory erase asks before it erases, and nobody is there to answer.',
    'Add --yes, or --dry-run to see what would go.',
    { details: { parameter: 'yes' } },
  );
}
