// Completion scripts of three shells, from the table of commands (SUR-20). Pure.
import { type Command, type Flag, GLOBAL_FLAGS } from '../command.ts';
import { groupOf } from '../parse.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'bash') return bash(commands);
  return shell === 'zsh' ? zsh(commands) : fish(commands);
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const flags = flagsOf(command);
    const values = flags.flatMap((flag) => {
      if (flag.of)
        return [`      --${flag.name}) COMPREPLY=($(compgen -W ${quoted(flag.of.join(' '))} -- "$word")); return ;;`];
      return isPath(flag) ? [`      --${flag.name}) COMPREPLY=($(compgen -f -- "$word")); return ;;`] : [];
    });
    const offered = [...operandWords(command, commands), ...flags.map((flag) => `--${flag.name}`)];
    return [
      `  ${quoted(command.name)})`,
      ...(values.length > 0 ? ['    case "$before" in', ...values, '    esac'] : []),
      `    COMPREPLY=($(compgen -W ${quoted(offered.join(' '))} -- "$word")) ;;`,
    ].join('\n');
  });
  for (const [first, words] of groups(commands))
    cases.push(`  ${quoted(first)}) COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$word")) ;;`);
  const pairs = commands.filter((command) => command.name.includes(' ')).map((command) => quoted(command.name));
  return `# bash completion of backstory: source <(backstory completions bash)
_backstory() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -le 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(firstWords(commands).join(' '))} -- "$word"))
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$command \${COMP_WORDS[2]}" in ${pairs.join('|')}) command="$command \${COMP_WORDS[2]}" ;; esac
  fi
  case "$command" in
${cases.join('\n')}
  esac
}
complete -F _backstory backstory
`;
}

function zsh(commands: readonly Command[]): string {
  const described = firstWords(commands).map((name) => {
    const command = commands.find((one) => one.name === name);
    return `    ${quoted(`${name}:${(command?.summary ?? name).replaceAll(':', ' ')}`)}`;
  });
  const cases = commands.map((command) => {
    const flags = flagsOf(command).map((flag) => `      ${quoted(zshFlag(flag))} \\`);
    const words = operandWords(command, commands);
    const operands = words.length > 0 ? `'*: :(${words.join(' ')})'` : `'*: :'`;
    return [`    ${quoted(command.name)})`, '    _arguments \\', ...flags, `      ${operands} ;;`].join('\n');
  });
  for (const [first, words] of groups(commands))
    cases.push(`    ${quoted(first)}) _arguments '1: :(${words.join(' ')})' ;;`);
  const pairs = commands.filter((command) => command.name.includes(' ')).map((command) => quoted(command.name));
  return `#compdef backstory
# zsh completion of backstory: put it in a folder of $fpath as _backstory
_backstory() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  case "$command \${words[3]}" in ${pairs.join('|')}) (( CURRENT > 3 )) && { command="$command \${words[3]}"; shift words; (( CURRENT-- )) } ;; esac
  shift words; (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_backstory" ]; then _backstory "$@"; else compdef _backstory backstory; fi
`;
}

function zshFlag(flag: Flag): string {
  const summary = flag.summary.replace(/[[\]:]/g, ' ');
  const many = flag.repeats ? '*' : '';
  if (flag.value === undefined) return `${many}--${flag.name}[${summary}]`;
  const action = flag.of ? `(${flag.of.join(' ')})` : isPath(flag) ? '_files' : ' ';
  return `${many}--${flag.name}=[${summary}]:${flag.name}:${action}`;
}

function fish(commands: readonly Command[]): string {
  const lines = ['# fish completion of backstory', 'complete -c backstory -f'];
  const firsts = firstWords(commands);
  for (const name of firsts) {
    const summary = commands.find((command) => command.name === name)?.summary ?? name;
    lines.push(`complete -c backstory -n __fish_use_subcommand -a ${quoted(name)} -d ${quoted(summary)}`);
  }
  for (const [first, words] of groups(commands)) {
    const when = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${words.join(' ')}`;
    lines.push(`complete -c backstory -n ${quoted(when)} -a ${quoted(words.join(' '))}`);
  }
  for (const command of commands) {
    const [first, second] = command.name.split(' ');
    const seen = `__fish_seen_subcommand_from ${first}`;
    const when = second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`;
    const words = operandWords(command, commands);
    if (words.length > 0) lines.push(`complete -c backstory -n ${quoted(when)} -a ${quoted(words.join(' '))}`);
    for (const flag of flagsOf(command)) {
      const short = flag.short === undefined ? '' : ` -s ${flag.short}`;
      const value =
        flag.value === undefined
          ? ''
          : flag.of
            ? ` -x -a ${quoted(flag.of.join(' '))}`
            : isPath(flag)
              ? ' -r -F'
              : ' -x';
      lines.push(`complete -c backstory -n ${quoted(when)} -l ${flag.name}${short}${value} -d ${quoted(flag.summary)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function flagsOf(command: Command): readonly Flag[] {
  return [...command.flags, ...GLOBAL_FLAGS];
}

function firstWords(commands: readonly Command[]): string[] {
  return [...new Set(commands.map((command) => command.name.split(' ')[0]!))];
}

// Words that are no command themselves, such as `memory`, and the words that follow them.
function groups(commands: readonly Command[]): (readonly [string, readonly string[]])[] {
  return firstWords(commands).flatMap((first) => {
    const words = groupOf(commands, first).map(({ name }) => name.slice(first.length + 1));
    return words.length === 0 ? [] : [[first, words] as const];
  });
}

function operandWords(command: Command, commands: readonly Command[]): string[] {
  if (command.name === 'completions') return [...SHELLS];
  if (command.name === 'help') return firstWords(commands);
  const below = `${command.name} `;
  return commands.filter((one) => one.name.startsWith(below)).map((one) => one.name.slice(below.length));
}

function isPath(flag: Flag): boolean {
  return flag.value === 'DIR' || flag.value === 'FILE';
}

// One word in all three shells: single quotes, and none inside.
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
