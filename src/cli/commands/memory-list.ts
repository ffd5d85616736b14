// backstory memory list, backstory memory inspect: records as an operator sees them (EPI-120).
import { execute } from '../../api/operation.ts';
import { memoryInspect, memoryList } from '../../api/operations.ts';
import { answer, EXIT, exitOf, hint } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderInspection, renderList } from '../render/memory-records.ts';
import { withEngine } from '../with-engine.ts';
import { namespaceFrom } from './memory-scope.ts';

export const listCommand: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, look }) => {
    const namespace = await namespaceFrom(parsed, backstory);
    const input = { ...parsed.input(), ...(namespace === undefined ? {} : { namespace }) };
    const result = await execute(memoryList, backstory, caller, input);
    answer(io, parsed, result, () => renderList(result, look));
    const found = result.records.length + result.parked.length;
    if (!parsed.has('json')) {
      if (found === 0) hint(io, [`No ${parsed.value('status') ?? 'candidate'} there.`]);
      if (result.coverage.truncated) hint(io, ['There are more: add --limit N, or --cursor from --json.']);
    }
    return exitOf(parsed, found > 0, result.coverage);
  });

export const inspectCommand: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, look }) => {
    const namespace = await namespaceFrom(parsed, backstory);
    const input = { ...parsed.input(), ...(namespace === undefined ? {} : { namespace }), id: parsed.operands[0] };
    const result = await execute(memoryInspect, backstory, caller, input);
    answer(io, parsed, result, () => renderInspection(result, look));
    return EXIT.done;
  });
