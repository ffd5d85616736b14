// Arguments: which command they name, and what its flags and words are.
import { describe, expect, it } from 'vitest';
import { readInput } from '../../src/api/parameters.ts';
import { inputOf } from '../../src/cli/commands/open.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { folderOf, inputFrom } from '../../src/cli/input.ts';
import { commandOf, type Parsed, parse } from '../../src/cli/parse.ts';
import type { BackstoryError } from '../../src/model/errors.ts';

function parsed(line: string): Parsed {
  const named = commandOf(COMMANDS, line.split(' '));
  if (!named) throw new Error('no command');
  return parse(named.command, named.rest);
}

function errorOf(line: string): BackstoryError {
  try {
    parsed(line);
  } catch (error) {
    return error as BackstoryError;
  }
  throw new Error(`"${line}" did not fail`);
}

import { keptIo } from './fake-io.ts';

describe('arguments', () => {
  it('SUR-22: words and flags in any order', () => {
    const search = parsed(
      'search checkout --agent codex,claude-code slow --since -7d --role user --by-session --limit=3',
    );
    expect(search.operands).toEqual(['checkout', 'slow']);
    expect(search.input()).toEqual({
      agents: ['codex', 'claude-code'],
      since: '-7d',
      roles: ['user'],
      group: 'session',
      limit: '3',
    });
  });

  it.each([
    ['search rollback -draft', ['rollback', '-draft']],
    ['search -draft rollback', ['-draft', 'rollback']],
    ['search -- rollback -draft --json', ['rollback', '-draft', '--json']],
    ['search --json rollback -a -b', ['rollback', '-a', '-b']],
    ['search - x', ['-', 'x']],
  ])('SUR-22: a word that begins with a dash can be searched for or left out: %s', (line, words) => {
    expect(parsed(line).operands).toEqual(words);
  });

  it('SUR-22: global flags may stand before the command', () => {
    const open = parsed('--home /tmp/h --json open 3');
    expect([open.command.name, open.value('home'), open.has('json'), open.operands]).toEqual([
      'open',
      '/tmp/h',
      true,
      ['3'],
    ]);
  });

  it('SUR-22: a command of two words, and the same first word alone', () => {
    expect(parsed('sessions describe agent:codex:a').command.name).toBe('sessions describe');
    expect(parsed('sessions --since today').command.name).toBe('sessions');
  });

  it.each([
    ['serch x', 'There is no command "serch": did you mean search?'],
    ['search x --agnet codex', 'backstory search has no flag "--agnet": did you mean --agent?'],
    ['search x --since', '--since needs a value: --since T.'],
    ['search x --agent --json', '--agent needs a value: --agent A.'],
    ['search x --exact=yes', '--exact takes no value.'],
    ['search x --limit 1 --limit 2', '--limit was given twice.'],
    ['search', 'backstory search needs WORDS….'],
    ['open', 'backstory open needs HIT.'],
    ['open 1 2', 'backstory open takes HIT only, and "2" was given as well.'],
    ['stats now', 'backstory stats takes no arguments, and "now" was given.'],
    ['open 1 -x', 'backstory open has no flag "-x".'],
  ])('SUR-2, SUR-21: wrong usage is named, with the nearest: %s', (line, message) => {
    const error = errorOf(line);
    expect(error.message).toBe(message);
    expect([error.code, error.exitCode]).toEqual(['invalid_argument', 2]);
  });

  it('SUR-22: --around N is --limit 2N+1, and the three keys of the hit are the anchor', () => {
    const item = { sessionKey: 'agent:codex:a', sessionId: 'a', messageId: 'm', role: 'tool' };
    expect(inputOf(parsed('open 1 --around 3'), item)).toEqual({
      session: 'agent:codex:a',
      sessionId: 'a',
      messageId: 'm',
      includeTools: true,
      limit: 7,
    });
    expect(() => inputOf(parsed('open 1 --around 3 --limit 9'), item)).toThrow('--around and --limit');
    expect(() => inputOf(parsed('open 1 --around -1'), item)).toThrow('an integer from 0 to 499');
  });

  it('SRC-29: a project is a folder of the working folder or the home only where it is written so', () => {
    const io = keptIo({ cwd: '/src/shop', userHome: '/home/u' });
    const typed = ['.', '..', './api', '~/shop', '/src/other', 'C:\\\\shop', '.hidden'];
    expect(typed.map((one) => folderOf(io, one))).toEqual([
      '/src/shop',
      '/src',
      '/src/shop/api',
      '/home/u/shop',
      '/src/other',
      'C:\\\\shop',
      '.hidden',
    ]);
    expect(inputFrom(io, parsed('sessions --project . --limit 2'))).toEqual({ project: '/src/shop', limit: '2' });
  });

  it('SES-106: going on from a page leaves the anchor out', () => {
    const item = { sessionKey: 'agent:codex:a', sessionId: 'a', messageId: 'm' };
    expect(inputOf(parsed('open 1 --before m3'), item)).toEqual({ session: 'agent:codex:a', before: 'm3' });
  });

  it('SUR-22: every parameter of an operation that is not an operand or set by its own flag is a flag in kebab case', () => {
    for (const command of COMMANDS) {
      if (!command.operation) continue;
      const set = new Set(command.flags.flatMap((flag) => flag.parameter ?? []));
      const missing = Object.keys(command.operation.parameters).filter((name) => !set.has(name));
      expect([command.name, missing]).toEqual([command.name, WITHOUT_FLAG[command.name] ?? []]);
    }
  });

  it('SUR-1: what flags give is an input that the operation knows', () => {
    for (const command of COMMANDS) {
      const names = Object.keys(command.operation?.parameters ?? {});
      for (const flag of command.flags) if (flag.parameter !== undefined) expect(names).toContain(flag.parameter);
    }
    const { command, input } = parsed('search x --sort newest --per-session 2 --match-case --wait-ms 0');
    expect(readInput('sessions_search', command.operation!.parameters, { ...input(), query: 'x' }, true)).toEqual({
      query: 'x',
      sort: 'newest',
      perSession: 2,
      ignoreCase: false,
      waitMs: 0,
    });
  });
});

/** Operands, and what has a flag of another shape. */
const WITHOUT_FLAG: Readonly<Record<string, readonly string[]>> = {
  search: ['query'],
  open: ['session'],
  'import-archive': ['file'],
  'sessions describe': ['session'],
  // Messages come from standard input.
  'sessions append': ['key', 'message', 'messages', 'custom', 'idempotencyKey', 'session'],
  'sessions reset': ['key'],
  'sessions rewind': ['key'],
  'sessions switch': ['key'],
  'sessions compact': ['key'],
  'sessions archive': ['key'],
  'sessions delete': ['key'],
  'sessions current': ['key'],
  resume: ['session'],
  explain: ['session'],
  'runs search': ['folder', 'agent', 'query'],
  erase: ['message', 'subject'],
  'memory recall': ['query'],
  'memory remember': ['content'],
  'memory timeline': ['query'],
  'memory inspect': ['id'],
  'memory approve': ['id'],
  'memory reject': ['id'],
  'memory forget': ['id'],
  sync: ['roots', 'onlyGivenRoots', 'exclude'],
};
