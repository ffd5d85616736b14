// backstory explain: why a caller sees a session, or does not (VIS-60).
import { execute } from '../../api/operation.ts';
import { explain } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { listedItem } from '../last-list.ts';
import { renderExplanation } from '../render/explanation.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, home, look }) => {
    const session = listedItem(home, parsed.operands[0]!).sessionKey;
    const result = await execute(explain, backstory, caller, { ...parsed.input(), session });
    answer(io, parsed, result, () => renderExplanation(session, result, look));
    return EXIT.done;
  });
