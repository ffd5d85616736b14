// Arguments → a command with its flags and operands. Pure; knows no command by name. Node's own parseArgs cannot leave
// `-draft` (a word that a search excludes) alone, and commander costs 12 ms of the start: this costs none.
import { BackstoryError, nearest } from '../model/errors.ts';
import { type Command, type Flag, GLOBAL_FLAGS } from './command.ts';

export interface Parsed {
  readonly command: Command;
  readonly operands: readonly string[];
  has(flag: string): boolean;
  /** The last value given. */
  value(flag: string): string | undefined;
  values(flag: string): readonly string[];
  /** The operation's input, as far as flags give it. */
  input(): Record<string, unknown>;
}

/** The command that the arguments name, and the arguments behind its name. Undefined when they name none. */
export function commandOf(
  commands: readonly Command[],
  argv: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  const at = positionOfWord(argv, 0);
  if (at === undefined) return undefined;
  const next = positionOfWord(argv, at + 1) ?? positionOfSubCommand(commands, argv, at);
  const [first, second] = [argv[at]!, next === undefined ? undefined : argv[next]!];
  const without = (...places: number[]): readonly string[] => argv.filter((_, index) => !places.includes(index));
  const long = second === undefined ? undefined : commands.find((one) => one.name === `${first} ${second}`);
  if (long) return { command: long, rest: without(at, next!) };
  const command = commands.find((one) => one.name === first);
  if (command) return { command, rest: without(at) };
  const group = groupOf(commands, first);
  if (group.length > 0) throw subCommandNeeded(first, second, group);
  const names = [...new Set(commands.map((one) => one.name.split(' ')[0]!))];
  const near = nearest(first, names);
  throw new BackstoryError(
    'invalid_argument',
    `There is no command ${quoted(first)}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    'backstory help lists the commands.',
    { details: { command: first.slice(0, 80), ...(near === undefined ? {} : { nearest: near }) } },
  );
}

/** The commands below `first`. Empty when it is a command itself, or nothing. */
export function groupOf(commands: readonly Command[], first: string | undefined): readonly Command[] {
  if (first === undefined || commands.some(({ name }) => name === first)) return [];
  return commands.filter(({ name }) => name.startsWith(`${first} `));
}

/** The word whose commands are asked for: `memory --help`. Undefined when a command is named, or no help is asked. */
export function groupAsked(commands: readonly Command[], argv: readonly string[]): string | undefined {
  const at = positionOfWord(argv, 0);
  if (at === undefined || !argv.some((one) => one === '--help' || one === '-h')) return undefined;
  const isGroup = groupOf(commands, argv[at]).length > 0 && positionOfSubCommand(commands, argv, at) === undefined;
  return isGroup ? argv[at] : undefined;
}

function subCommandNeeded(first: string, second: string | undefined, group: readonly Command[]): BackstoryError {
  const names = group.map(({ name }) => name.slice(first.length + 1));
  const near = second === undefined ? undefined : nearest(second, names);
  const what = second === undefined ? `backstory ${first} needs a command.` : `There is no ${first} ${quoted(second)}`;
  const meant = near === undefined ? '.' : `: did you mean ${near}?`;
  return new BackstoryError(
    'invalid_argument',
    second === undefined ? what : `${what}${meant}`,
    `Its commands are: ${names.join(', ')}.`,
  );
}

// Global flags may stand before the command.
function positionOfWord(argv: readonly string[], from: number): number | undefined {
  for (let index = from; index < argv.length; index++) {
    const argument = argv[index]!;
    if (argument === '--') return undefined;
    if (!argument.startsWith('-')) return index;
    if (from > 0) return undefined;
    const flag = GLOBAL_FLAGS.find((one) => argument === `--${one.name}`);
    if (flag?.value !== undefined) index++;
  }
  return undefined;
}

// Of a command that only exists with a second word, flags may stand between the two (EPI-191).
function positionOfSubCommand(commands: readonly Command[], argv: readonly string[], at: number): number | undefined {
  const group = groupOf(commands, argv[at]);
  if (group.length === 0) return undefined;
  const flags = [...group.flatMap((command) => command.flags), ...GLOBAL_FLAGS];
  for (let index = at + 1; index < argv.length; index++) {
    const argument = argv[index]!;
    if (argument === '--') return undefined;
    if (!argument.startsWith('-')) return index;
    const flag = flags.find((one) => argument === `--${one.name}`);
    if (flag?.value !== undefined) index++;
  }
  return undefined;
}

/** Throws `invalid_argument` for an unknown flag (naming the nearest), a flag without its value, too few or too many operands. */
export function parse(command: Command, argv: readonly string[]): Parsed {
  const flags = [...command.flags, ...GLOBAL_FLAGS];
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index]!;
    if (argument === '--') {
      operands.push(...argv.slice(index + 1));
      break;
    }
    const flag = flagOf(command, flags, argument);
    if (flag === undefined) {
      operands.push(argument);
      continue;
    }
    const equals = argument.startsWith('--') ? argument.indexOf('=') : -1;
    const attached = equals < 0 ? undefined : argument.slice(equals + 1);
    if (flag.value === undefined) {
      if (attached !== undefined) throw usage(command, `--${flag.name} takes no value.`);
      given.set(flag.name, []);
      continue;
    }
    const value = attached ?? argv[++index];
    const isFlag = attached === undefined && flags.some((one) => value === `--${one.name}`);
    if (value === undefined || isFlag)
      throw usage(command, `--${flag.name} needs a value: --${flag.name} ${flag.value}.`);
    const values = given.get(flag.name) ?? [];
    if (values.length > 0 && !flag.repeats) throw usage(command, `--${flag.name} was given twice.`);
    values.push(...(flag.commas ? value.split(',').map((one) => one.trim()) : [value]));
    given.set(flag.name, values);
  }
  if (!given.has('help')) checkOperands(command, operands);
  return {
    command,
    operands,
    has: (name) => given.has(name),
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
    input: () => inputOf(command, given),
  };
}

function flagOf(command: Command, flags: readonly Flag[], argument: string): Flag | undefined {
  if (!argument.startsWith('-') || argument === '-') return undefined;
  if (!argument.startsWith('--')) {
    const flag = flags.find((one) => one.short !== undefined && argument === `-${one.short}`);
    // A word that a query excludes, or a negative number; elsewhere a mistake.
    if (flag || command.operands.words) return flag;
    throw unknownFlag(command, flags, argument);
  }
  const name = argument.slice(2).split('=', 1)[0]!;
  const flag = flags.find((one) => one.name === name);
  if (flag) return flag;
  throw unknownFlag(command, flags, argument.split('=', 1)[0]!);
}

function unknownFlag(command: Command, flags: readonly Flag[], argument: string): BackstoryError {
  const near = nearest(
    argument.replace(/^-+/, ''),
    flags.map((flag) => flag.name),
  );
  return usage(
    command,
    `backstory ${command.name} has no flag ${quoted(argument)}${near === undefined ? '.' : `: did you mean --${near}?`}`,
    command.operands.words ? ' Put -- before words that begin with two dashes.' : '',
  );
}

function checkOperands(command: Command, operands: readonly string[]): void {
  const { min, max, shown } = command.operands;
  if (operands.length < min) throw usage(command, `backstory ${command.name} needs ${shown}.`);
  if (operands.length > max) {
    const extra = command.operands.words ? '' : ` ${quoted(operands[max]!)}`;
    throw usage(
      command,
      max === 0
        ? `backstory ${command.name} takes no arguments, and${extra} was given.`
        : `backstory ${command.name} takes ${shown} only, and${extra} was given as well.`,
    );
  }
}

function inputOf(command: Command, given: ReadonlyMap<string, readonly string[]>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const flag of command.flags) {
    const values = given.get(flag.name);
    if (values === undefined || flag.parameter === undefined) continue;
    if (flag.value === undefined) input[flag.parameter] = flag.sets ?? true;
    else input[flag.parameter] = flag.commas ? values : values.at(-1);
  }
  return input;
}

function usage(command: Command, message: string, more = ''): BackstoryError {
  return new BackstoryError('invalid_argument', message, `See backstory ${command.name} --help.${more}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 79)}…`);
}
