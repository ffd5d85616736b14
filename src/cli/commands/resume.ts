// backstory resume: prints the command that continues a session, and runs nothing (SRC-58).
import { execute } from '../../api/operation.ts';
import { sessionsDescribe } from '../../api/operations.ts';
import { answer, EXIT, hint } from '../answer.ts';
import type { Run } from '../command.ts';
import { listedItem } from '../last-list.ts';
import { harmless, oneLine } from '../render/text.ts';
import { orAfterSync } from '../sync-first.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async (opened) => {
    const { backstory, caller, home } = opened;
    const session = listedItem(home, parsed.operands[0]!).sessionKey;
    const result = await orAfterSync(parsed, opened, io, () =>
      execute(sessionsDescribe, backstory, caller, { ...parsed.input(), session }),
    );
    const { resume } = result;
    answer(io, parsed, result, () => (resume === undefined ? '' : `${harmless(resume)}\n`));
    if (resume !== undefined) return EXIT.done;
    if (!parsed.has('json')) hint(io, [`No agent that is known can continue ${oneLine(session, 200)}.`]);
    return EXIT.nothing;
  });
