// Help, from the table of commands: the overview, one command, the manual page. Pure.
import { SETTINGS } from '../../config/settings.ts';
import { type Command, type Flag, GLOBAL_FLAGS } from '../command.ts';
import { wrapped } from './text.ts';

export const TAGLINE =
  'Everything your agents said and did, found again by the exact words and reopened where it happened.';

export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, 'found, or done; also when the reader of a pipe went away'],
  [1, 'nothing found'],
  [2, 'wrong usage'],
  [3, 'not complete, and --strict was given'],
  [4, 'refused'],
  [5, 'internal, or damaged data'],
];

/** Those of the settings, and the command line's own. */
export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ...SETTINGS.flatMap(({ env, help }) => (env === undefined ? [] : [[env, help] as const])),
  ['BACKSTORY_CONFIG', 'The configuration file.'],
  ['NO_COLOR', 'No colour, when set to anything.'],
  ['BACKSTORY_DEBUG', 'Print the stack of an internal error.'],
];

export function usageOf(command: Command): string {
  return ['backstory', command.name, command.operands.shown, '[flags]'].filter((part) => part !== '').join(' ');
}

/** `--agent A`, `-h, --help` */
export function flagHead(flag: Flag): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`;
}

export function flagText(flag: Flag): string {
  const more = [
    ...(flag.of !== undefined && !flag.value?.includes(flag.of[0]!) ? [`One of ${flag.of.join(', ')}.`] : []),
    ...(flag.repeats ? [flag.commas ? 'Several with commas.' : 'May be given several times.'] : []),
    ...(flag.standard === undefined ? [] : [`Default: ${flag.standard}.`]),
  ];
  return [flag.summary, ...more].join(' ');
}

export function overview(commands: readonly Command[], columns: number): string {
  const lines = [TAGLINE, '', 'Usage: backstory COMMAND [flags]', '', 'Commands:'];
  for (const command of commands) lines.push(...row(command.name, command.summary, columns));
  lines.push('', 'Flags of every command:');
  for (const flag of GLOBAL_FLAGS) lines.push(...row(flagHead(flag), flagText(flag), columns));
  lines.push(...row('--version', 'Print the version.', columns));
  lines.push('', 'Begin with:');
  lines.push(
    '  backstory search checkout slow     search what your agents already wrote',
    '  backstory demo                     try it on a made-up history',
  );
  lines.push(
    '',
    'backstory help COMMAND shows its flags and examples. The manual page: backstory help --man | man -l -',
  );
  return `${lines.join('\n')}\n`;
}

/** The commands below a word that is none itself, such as `memory`. */
export function helpOfGroup(first: string, group: readonly Command[], columns: number): string {
  const lines = [`Usage: backstory ${first} COMMAND [flags]`, '', 'Commands:'];
  for (const command of group) lines.push(...row(command.name, command.summary, columns));
  lines.push('', `backstory help ${first} COMMAND shows its flags and examples.`);
  return `${lines.join('\n')}\n`;
}

export function helpOf(command: Command, columns: number): string {
  const lines = [command.summary, '', `Usage: ${usageOf(command)}`];
  if (command.description !== undefined) lines.push('', ...wrapped(command.description, columns));
  if (command.flags.length > 0) lines.push('', 'Flags:');
  for (const flag of command.flags) lines.push(...row(flagHead(flag), flagText(flag), columns));
  lines.push('', 'Flags of every command:');
  for (const flag of GLOBAL_FLAGS) lines.push(...row(flagHead(flag), flagText(flag), columns));
  lines.push('', 'Examples:');
  for (const { title, command: line } of command.examples) lines.push(`  # ${title}`, `  ${line}`);
  return `${lines.join('\n')}\n`;
}

/** The manual page, in the language of man(7). */
export function manualPage(commands: readonly Command[], version: string): string {
  const lines = [
    `.TH BACKSTORY 1 "" "backstory ${roff(version)}" "User Commands"`,
    '.SH NAME',
    `backstory \\- ${roff(TAGLINE)}`,
    '.SH SYNOPSIS',
    '.B backstory',
    'COMMAND [flags]',
    '.SH COMMANDS',
  ];
  for (const command of commands) {
    lines.push(`.SS ${roff(usageOf(command))}`, roff(command.description ?? command.summary));
    for (const flag of command.flags) lines.push('.TP', `.B ${roff(flagHead(flag))}`, roff(flagText(flag)));
    for (const { title, command: line } of command.examples)
      lines.push('.PP', roff(`${title}:`), '.br', `.B ${roff(line)}`);
  }
  lines.push('.SH FLAGS OF EVERY COMMAND');
  for (const flag of GLOBAL_FLAGS) lines.push('.TP', `.B ${roff(flagHead(flag))}`, roff(flagText(flag)));
  lines.push('.SH EXIT STATUS');
  for (const [code, meaning] of EXIT_CODES) lines.push('.TP', `.B ${code}`, roff(meaning));
  lines.push('.SH ENVIRONMENT');
  for (const [name, meaning] of ENVIRONMENT) lines.push('.TP', `.B ${name}`, roff(meaning));
  return `${lines.join('\n')}\n`;
}

function row(head: string, text: string, columns: number): string[] {
  const width = 24;
  const lines = wrapped(text, Math.max(30, Math.min(columns, 110) - width - 4));
  const first = head.length <= width ? [`  ${head.padEnd(width)}  ${lines.shift() ?? ''}`] : [`  ${head}`];
  return [...first, ...lines.map((line) => `${' '.repeat(width + 4)}${line}`)];
}

// A dash is written so that it can be searched for and copied; a leading dot or quote would be a request.
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
