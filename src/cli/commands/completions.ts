// backstory completions: the completion script of a shell.
import { BackstoryError, nearest } from '../../model/errors.ts';
import { EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { completionScript, SHELLS } from '../render/completions.ts';

export const run: Run = async (io, parsed) => {
  const name = parsed.operands[0]!;
  const shell = SHELLS.find((one) => one === name);
  if (!shell) {
    const near = nearest(name, SHELLS);
    throw new BackstoryError(
      'invalid_argument',
      `There are no completions for ${JSON.stringify(name.slice(0, 80))}${near === undefined ? '.' : `: did you mean ${near}?`}`,
      `The shells are: ${SHELLS.join(', ')}.`,
    );
  }
  io.out(completionScript(shell, COMMANDS));
  return EXIT.done;
};
