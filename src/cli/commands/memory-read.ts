// backstory memory recall, backstory memory timeline: what a context's records say (EPI-190).
import { execute } from '../../api/operation.ts';
import { memoryTimeline, recall } from '../../api/operations.ts';
import { answer, exitOf, hint } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderRecalled, renderTimeline, saidOf } from '../render/memory.ts';
import { withEngine } from '../with-engine.ts';
import { contextFrom } from './memory-scope.ts';

export const recallCommand: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, look }) => {
    const memory = await contextFrom(parsed, backstory);
    const input = { ...parsed.input(), ...wordsOf(parsed.operands) };
    const result = await execute(recall, backstory, caller, input, { memory });
    answer(io, parsed, result, () => renderRecalled(result, look));
    if (!parsed.has('json')) hint(io, saidOf(result, look));
    return exitOf(parsed, result.status === 'found' && result.records.length > 0, result.coverage);
  });

export const timelineCommand: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, look }) => {
    const memory = await contextFrom(parsed, backstory);
    const input = { ...parsed.input(), ...wordsOf(parsed.operands) };
    const result = await execute(memoryTimeline, backstory, caller, input, { memory });
    answer(io, parsed, result, () => renderTimeline(result, look));
    return exitOf(parsed, result.total > 0, result.coverage);
  });

function wordsOf(operands: readonly string[]): { readonly query?: string } {
  return operands.length === 0 ? {} : { query: operands.join(' ') };
}
