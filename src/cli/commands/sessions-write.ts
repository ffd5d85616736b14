// backstory sessions reset, rewind, switch, compact, archive, delete, current: one operation on one session each.
import type { EraseReceipt } from '../../api/face.ts';
import { execute } from '../../api/operation.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { listedItem } from '../last-list.ts';
import { exitOfReceipt } from '../render/receipt.ts';
import { renderWritten } from '../render/written.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, home }) => {
    const key = listedItem(home, parsed.operands[0]!).sessionKey;
    const operation = parsed.command.operation!;
    const result = await execute(operation, backstory, caller, { ...parsed.input(), key });
    answer(io, parsed, result, () => renderWritten(operation.name, result));
    return operation.name === 'sessions_delete' ? exitOfReceipt(result as EraseReceipt) : EXIT.done;
  });
