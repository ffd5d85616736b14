// backstory sessions describe: one session (SES-131).
import { execute } from '../../api/operation.ts';
import { sessionsDescribe } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { listedItem } from '../last-list.ts';
import { renderSession } from '../render/sessions.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, home, look }) => {
    const session = listedItem(home, parsed.operands[0]!).sessionKey;
    const result = await execute(sessionsDescribe, backstory, caller, { ...parsed.input(), session });
    answer(io, parsed, result, () => renderSession(result, look));
    return EXIT.done;
  });
