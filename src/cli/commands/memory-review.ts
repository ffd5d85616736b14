// backstory memory approve, reject, forget: each id its own transaction and its own line (EPI-191).
import { execute, type Operation } from '../../api/operation.ts';
import { memoryApprove, memoryForget, memoryReject } from '../../api/operations.ts';
import { isBackstoryError } from '../../model/errors.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { PENDING } from '../render/receipt.ts';
import { oneLine } from '../render/text.ts';
import { counted } from '../render/time.ts';
import { withEngine } from '../with-engine.ts';
import { namespaceFrom } from './memory-scope.ts';

export const approveCommand: Run = each(memoryApprove, (id, { status, superseded }) => {
  if (status === 'superseded') return `${id} is active in place of ${superseded}.`;
  return status === 'refreshed' ? `${id} was known, and is refreshed.` : `${id} is active.`;
});

export const rejectCommand: Run = each(memoryReject, (id) => `${id} is deleted.`);

export const forgetCommand: Run = each(
  memoryForget,
  (id, { parked, derived, revived, file }) => {
    const bytes = file === 'pending' ? ` Its ${PENDING}` : '';
    if (parked > 0) return `${id}: the parked run is dropped.${bytes}`;
    const more = [
      ...(derived > 0 ? [`with ${counted(derived, 'record')} made from it`] : []),
      ...(revived > 0 ? [`${counted(revived, 'source')} active again`] : []),
    ];
    return `${id} is deleted${more.length === 0 ? '' : `, ${more.join(', ')}`}.${bytes}`;
  },
  ({ file }) => (file === 'pending' ? EXIT.incomplete : EXIT.done),
);

/** The exit code is that of the first that failed. */
function each<Result>(
  operation: Operation<never, Result>,
  line: (id: string, result: Result) => string,
  exit: (result: Result) => number = () => EXIT.done,
): Run {
  return (io, parsed) =>
    withEngine(io, parsed, async ({ backstory, caller }) => {
      const namespace = await namespaceFrom(parsed, backstory);
      const input = { ...parsed.input(), ...(namespace === undefined ? {} : { namespace }) };
      let first: number = EXIT.done;
      for (const id of parsed.operands) {
        try {
          const result = await execute(operation, backstory, caller, { ...input, id });
          answer(io, parsed, result, () => `${oneLine(line(id, result))}\n`);
          if (first === EXIT.done) first = exit(result);
        } catch (error) {
          // One alone fails as every command does.
          if (!isBackstoryError(error) || parsed.operands.length === 1) throw error;
          io.err(
            parsed.has('json')
              ? `${JSON.stringify({ error: error.toJSON() })}\n`
              : `backstory: ${error.message}\n${error.hint}\n`,
          );
          if (first === EXIT.done) first = error.exitCode;
        }
      }
      return first;
    });
}
