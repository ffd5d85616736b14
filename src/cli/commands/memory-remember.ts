// backstory memory remember: a person writes a record (EPI-105, EPI-190).
import { execute } from '../../api/operation.ts';
import { remember } from '../../api/operations.ts';
import { BackstoryError } from '../../model/errors.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { oneLine } from '../render/text.ts';
import { withEngine } from '../with-engine.ts';
import { contextFrom } from './memory-scope.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller }) => {
    const memory = await contextFrom(parsed, backstory);
    const text = parsed.operands.join(' ');
    const { data, ...input } = parsed.input();
    const result = await execute(
      remember,
      backstory,
      caller,
      {
        ...input,
        content: text,
        data: data === undefined ? { event: text } : jsonOf(String(data)),
      },
      { memory },
    );
    answer(io, parsed, result, () => `${oneLine(result.text)}\n`);
    return result.status === 'rejected' ? EXIT.usage : EXIT.done;
  });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BackstoryError(
      'invalid_argument',
      '--data is no JSON.',
      'Give an object, quoted for the shell: --data \'{"event":"refunded"}\'.',
      { details: { parameter: 'data' } },
    );
  }
}
