// What a command is: plain data from which parsing, help, completions, the man page and docs/cli.md are derived.
import type { Operation } from '../api/operation.ts';
import type { Parameter } from '../api/parameters.ts';
import type { Io } from './io.ts';
import type { Parsed } from './parse.ts';

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in help; absent: the flag takes none. */
  readonly value?: string;
  readonly summary: string;
  /** May be given several times, or with commas where `commas` is set. */
  readonly repeats?: true;
  readonly commas?: true;
  /** Values that completion offers. */
  readonly of?: readonly string[];
  readonly standard?: string;
  /** The operation's parameter that it sets. */
  readonly parameter?: string;
  /** What a flag without a value sets its parameter to: `--match-case` sets `ignoreCase: false`. Default true. */
  readonly sets?: unknown;
}

export interface Operands {
  /** As shown in the usage line. */
  readonly shown: string;
  readonly min: number;
  readonly max: number;
  /** Words of a query: what begins with one dash and is no flag belongs to them. */
  readonly words?: true;
}

export interface Example {
  readonly command: string;
  readonly title: string;
}

export interface Command {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly operands: Operands;
  readonly operation?: Operation;
  readonly flags: readonly Flag[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** Runs a command; the number is the exit code (SUR-21). */
export type Run = (io: Io, parsed: Parsed) => Promise<number>;

/** Every command takes these (SUR-22). */
export const GLOBAL_FLAGS: readonly Flag[] = [
  {
    name: 'home',
    value: 'DIR',
    summary: 'Where backstory keeps its data.',
    standard: 'BACKSTORY_HOME, else ~/.backstory',
  },
  { name: 'config', value: 'FILE', summary: 'The configuration file.', standard: 'BACKSTORY_CONFIG' },
  {
    name: 'time-zone',
    value: 'ZONE',
    summary: 'The zone of times written without one, and of times shown, such as Europe/Berlin.',
    standard: 'UTC for reading; the machine’s for showing',
  },
  { name: 'strict', summary: 'Exit with 3 when something that could be in the answer was not looked at.' },
  { name: 'json', summary: 'Print exactly the result of the operation as JSON, and nothing else, on standard output.' },
  { name: 'help', short: 'h', summary: 'Show the help of this command.' },
];

export interface Renamed {
  /** Parameter → how its flag differs from what is derived; `false`: the command has no such flag. */
  readonly [parameter: string]: Partial<Flag> | false;
}

/** A flag of the same name in kebab case for each parameter of an operation (SUR-22). */
export function flagsOf(operation: Operation, renamed: Renamed = {}): readonly Flag[] {
  const flags: Flag[] = [];
  for (const [name, parameter] of Object.entries(operation.parameters)) {
    const change = renamed[name];
    if (change === false || parameter.type === 'objects' || parameter.type === 'dataList') continue;
    flags.push({
      name: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      summary: parameter.summary,
      parameter: name,
      ...(change?.sets === undefined ? valueFor(parameter) : {}),
      ...change,
    });
  }
  return flags;
}

function valueFor(parameter: Parameter): Partial<Flag> {
  if (parameter.type === 'boolean') return {};
  const standard = parameter.standard === undefined ? {} : { standard: parameter.standard };
  return { ...standard, ...placeholderOf(parameter) };
}

function placeholderOf(parameter: Parameter): Partial<Flag> {
  switch (parameter.type) {
    case 'integer':
      return { value: 'N' };
    case 'time':
      return { value: 'T' };
    case 'choice':
      return { value: parameter.of.length <= 4 ? parameter.of.join('|') : 'CHOICE', of: parameter.of };
    case 'choices':
      return {
        value: parameter.of.length <= 4 ? parameter.of.join(',') : 'LIST',
        of: parameter.of,
        repeats: true,
        commas: true,
      };
    case 'texts':
      return { value: 'NAME', repeats: true, commas: true };
    default:
      return { value: 'TEXT' };
  }
}
