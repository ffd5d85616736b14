// backstory help: the overview, one command, or the manual page.
import { BackstoryError, nearest } from '../../model/errors.ts';
import { EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { helpOf, manualPage, overview } from '../render/help.ts';
import { version } from '../version.ts';

export const run: Run = async (io, parsed) => {
  if (parsed.has('man')) {
    io.out(manualPage(COMMANDS, version()));
    return EXIT.done;
  }
  const name = parsed.operands.join(' ');
  if (name === '') {
    io.out(overview(COMMANDS, io.columns));
    return EXIT.done;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) {
    const names = COMMANDS.map((one) => one.name);
    const near = nearest(name, names);
    throw new BackstoryError(
      'invalid_argument',
      `There is no command ${JSON.stringify(name.slice(0, 80))}${near === undefined ? '.' : `: did you mean ${near}?`}`,
      `The commands are: ${names.join(', ')}.`,
    );
  }
  io.out(helpOf(command, io.columns));
  return EXIT.done;
};
