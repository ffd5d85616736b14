// backstory explain: why a caller sees a session, or does not (VIS-60).
import { execute } from '../../api/operation.ts';
import { explain } from '../../api/operations.ts';
import { BackstoryError } from '../../model/errors.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { listedItem } from '../last-list.ts';
import { renderExplanation } from '../render/explanation.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, home, look }) => {
    if (!parsed.has('agent') && !parsed.has('operator')) {
      throw new BackstoryError(
        'invalid_argument',
        'explain is not told whose view is meant.',
        'Give --agent ID, and --session KEY, --person or --sandboxed where they matter; or --operator.',
        { details: { parameter: 'agent' } },
      );
    }
    const session = listedItem(home, parsed.operands[0]!).sessionKey;
    const result = await execute(explain, backstory, caller, { ...parsed.input(), session });
    answer(io, parsed, result, () => renderExplanation(session, result, look));
    return EXIT.done;
  });
