// backstory help: the overview, one command, or the manual page.
import { oneNamed } from '../../model/named.ts';
import { EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { groupOf } from '../parse.ts';
import { helpOf, helpOfGroup, manualPage, overview } from '../render/help.ts';
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
  const group = groupOf(COMMANDS, name);
  if (group.length > 0) {
    io.out(helpOfGroup(name, group, io.columns));
    return EXIT.done;
  }
  io.out(helpOf(oneNamed('command', COMMANDS, name), io.columns));
  return EXIT.done;
};
