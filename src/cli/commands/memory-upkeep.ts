// backstory memory prune, consolidate, reflect: what is only done when somebody asks for it (EPI-66, EPI-140).
import type { DistillResult } from '../../api/face.ts';
import { execute, type Operation } from '../../api/operation.ts';
import { memoryConsolidate, memoryPrune, memoryReflect } from '../../api/operations.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderDistilled, renderPruned } from '../render/memory-records.ts';
import { withEngine } from '../with-engine.ts';
import { namespaceFrom } from './memory-scope.ts';

export const pruneCommand: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller }) => {
    const namespace = await namespaceFrom(parsed, backstory);
    const input = { ...parsed.input(), ...(namespace === undefined ? {} : { namespace }) };
    const result = await execute(memoryPrune, backstory, caller, input);
    answer(io, parsed, result, () => renderPruned(result));
    return EXIT.done;
  });

export const consolidateCommand: Run = distil(memoryConsolidate);
export const reflectCommand: Run = distil(memoryReflect);

function distil(operation: Operation<never, DistillResult>): Run {
  return (io, parsed) =>
    withEngine(io, parsed, async ({ backstory, caller, look }) => {
      const namespace = await namespaceFrom(parsed, backstory);
      const input = { ...parsed.input(), ...(namespace === undefined ? {} : { namespace }) };
      const result = await execute(operation, backstory, caller, input);
      answer(io, parsed, result, () => renderDistilled(result, look));
      return result.failed > 0 ? EXIT.internal : EXIT.done;
    });
}
