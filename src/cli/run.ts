// One run of the command line: arguments in, exit code out. Everything that goes wrong ends here, in one shape (COM-20).
import { type ErrorJson, isBackstoryError } from '../model/errors.ts';
import { EXIT } from './answer.ts';
import { COMMANDS } from './commands.ts';
import type { Io } from './io.ts';
import { commandOf, groupAsked, groupOf, parse } from './parse.ts';

/** Never throws. The number is the exit code (SUR-21). */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    const group = groupAsked(COMMANDS, argv);
    if (group !== undefined) {
      const { helpOfGroup } = await import('./render/help.ts');
      io.out(helpOfGroup(group, groupOf(COMMANDS, group), io.columns));
      return EXIT.done;
    }
    const named = commandOf(COMMANDS, argv);
    if (!named) return await withoutCommand(argv, io);
    const parsed = parse(named.command, named.rest);
    if (parsed.has('help')) {
      const { helpOf } = await import('./render/help.ts');
      io.out(helpOf(named.command, io.columns));
      return EXIT.done;
    }
    const { run: runCommand } = await named.command.load();
    return await runCommand(io, parsed);
  } catch (error) {
    return await report(error, argv, io);
  }
}

async function withoutCommand(argv: readonly string[], io: Io): Promise<number> {
  if (argv.includes('--version') || argv.includes('-V')) {
    const { version } = await import('./version.ts');
    io.out(`${version()}\n`);
    return EXIT.done;
  }
  const { overview } = await import('./render/help.ts');
  const isHelp = argv.length === 0 || argv.includes('--help') || argv.includes('-h');
  if (isHelp) io.out(overview(COMMANDS, io.columns));
  else io.err(`backstory: no command was given\nbackstory help lists the commands.\n`);
  return isHelp ? EXIT.done : EXIT.usage;
}

// With --json the error is JSON too, on standard error: standard output holds a result or nothing.
async function report(error: unknown, argv: readonly string[], io: Io): Promise<number> {
  const isOurs = isBackstoryError(error);
  const shown: Omit<ErrorJson, 'code'> & { readonly code: string } = isOurs ? error.toJSON() : unexpected(error, io);
  const end = argv.indexOf('--');
  const asJson = (end < 0 ? argv : argv.slice(0, end)).includes('--json');
  // A message names the value that was wrong, and a terminal must not obey it (SUR-23).
  const { harmless } = await import('./render/text.ts');
  io.err(asJson ? `${JSON.stringify({ error: shown })}\n` : harmless(`backstory: ${shown.message}\n${shown.hint}\n`));
  if (!isOurs && io.env.BACKSTORY_DEBUG && error instanceof Error) io.err(`${error.stack}\n`);
  return isOurs ? error.exitCode : EXIT.internal;
}

function unexpected(
  error: unknown,
  io: Io,
): { readonly code: string; readonly message: string; readonly hint: string } {
  const message = error instanceof Error ? error.message.split('\n', 1)[0]!.slice(0, 300) : 'unknown';
  const hint = io.env.BACKSTORY_DEBUG
    ? 'Please report it with the lines below.'
    : 'Please report it, with what BACKSTORY_DEBUG=1 adds.';
  return { code: 'internal', message: `internal error: ${message}`, hint };
}
