// Runs of the command line that need no history: help, completions, wrong usage, the demo, lists of results.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { STORY } from '../../src/cli/demo/story.ts';
import { keepList, listedItem } from '../../src/cli/last-list.ts';
import { completionScript, SHELLS } from '../../src/cli/render/completions.ts';
import { run } from '../../src/cli/run.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import { keptIo } from './fake-io.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backstory-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function backstory(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = keptIo({ cwd: folder });
  const code = await run(argv, io);
  return { code, ...io.kept };
}

describe('help', () => {
  it('SUR-20: the overview names every command', async () => {
    for (const argv of [[], ['help'], ['--help'], ['-h']]) {
      const { code, out, err } = await backstory(...argv);
      expect([code, err]).toEqual([0, '']);
      for (const { name, summary } of COMMANDS) {
        expect(out).toContain(`  ${name}`);
        expect(out.replace(/\s+/g, ' ')).toContain(summary);
      }
    }
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'SUR-20: help of %s shows its flags and examples, also when the rest is wrong',
    async (name, command) => {
      const { code, out } = await backstory(...name.split(' '), '--help');
      expect(code).toBe(0);
      for (const flag of command.flags) expect(out).toContain(`--${flag.name}`);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) expect(out).toContain(`  ${example.command}\n`);
      expect((await backstory('help', ...name.split(' '))).out).toBe(out);
    },
  );

  it('SUR-20: every example parses as the command it stands under', async () => {
    const { commandOf, parse } = await import('../../src/cli/parse.ts');
    for (const command of COMMANDS) {
      for (const example of command.examples) {
        const [first, ...words] = shellWords(
          example.command.replace(/ (?:[|>]|<<?<? ).*$/, '').replace(/^source <\((.*)\)$/, '$1'),
        );
        const named = commandOf(COMMANDS, words)!;
        expect([first, named.command.name]).toEqual(['backstory', command.name]);
        expect(() => parse(named.command, named.rest)).not.toThrow();
      }
    }
  });

  it('SUR-20: the manual page names every command and flag', async () => {
    const { code, out } = await backstory('help', '--man');
    expect(code).toBe(0);
    expect(out).toMatch(/^\.TH BACKSTORY 1 /);
    for (const command of COMMANDS) {
      for (const flag of command.flags) expect(out).toContain(`\\-\\-${flag.name.replaceAll('-', '\\-')}`);
    }
    // No line may be taken for a request by accident.
    expect(out.split('\n').filter((line) => /^[.']/.test(line) && !/^\.(TH|SH|SS|TP|PP|B|br)\b/.test(line))).toEqual(
      [],
    );
  });

  it('SUR-20: a word that only begins commands lists them; with a wrong one behind it the error names them', async () => {
    for (const asked of [
      ['memory', '--help'],
      ['--json', 'memory', '-h'],
      ['memory', '--agent', 'a', '--help'],
      ['help', 'memory'],
    ]) {
      const { code, out, err } = await backstory(...asked);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/^Usage: backstory memory COMMAND/);
      for (const { name } of COMMANDS) expect(out.includes(`  ${name} `)).toBe(name.startsWith('memory '));
    }
    expect((await backstory('memory', 'recal', '--help')).err).toContain('did you mean recall?');
    expect((await backstory('memory', 'recall', '--help')).out).toContain('Usage: backstory memory recall');
  });

  it('--version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await backstory('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });
});

describe('completions', () => {
  it.each(SHELLS)('SUR-20: %s completes every command and flag', (shell) => {
    const script = completionScript(shell, COMMANDS);
    for (const command of COMMANDS) {
      for (const word of command.name.split(' ')) expect(script).toContain(word);
      for (const flag of command.flags)
        expect(script).toContain(shell === 'fish' ? `-l ${flag.name}` : `--${flag.name}`);
    }
  });

  it('SUR-20: bash completes as a user would type', () => {
    const script = `${completionScript('bash', COMMANDS)}
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _backstory; echo "\${COMPREPLY[@]}"; }
complete_line backstory se
complete_line backstory search --si
complete_line backstory search x --sort o
complete_line backstory sessions d
complete_line backstory completions ''
complete_line backstory memory re
complete_line backstory runs ''
`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')).toEqual([
      expect.stringMatching(/^search sessions/),
      '--since',
      'oldest',
      'describe delete',
      expect.stringMatching(/^bash zsh fish /),
      'recall remember reject reflect',
      'search',
    ]);
  });

  it('SUR-21: an unknown shell is wrong usage that names the nearest', async () => {
    const { code, err } = await backstory('completions', 'zhs');
    expect([code, err.split('\n')[0]]).toEqual([2, 'backstory: There are no completions for "zhs": did you mean zsh?']);
  });
});

describe('errors', () => {
  it('COM-20: one line with the message, then the hint, on standard error', async () => {
    expect(await backstory('serch', 'x')).toEqual({
      code: 2,
      out: '',
      err: 'backstory: There is no command "serch": did you mean search?\nbackstory help lists the commands.\n',
    });
  });

  it('COM-20, SUR-20: with --json the error is JSON on standard error, and standard output is empty', async () => {
    const { code, out, err } = await backstory('search', '--json', '--agnet', 'x');
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'invalid_argument',
        message: 'backstory search has no flag "--agnet": did you mean --agent?',
        hint: 'See backstory search --help. Put -- before words that begin with two dashes.',
      },
    });
  });

  it('COM-20: a bad setting stops the start and is named', async () => {
    const { code, err } = await backstory('stats', '--home', folder, '--time-zone', 'Europe/Berlni');
    expect(code).toBe(2);
    expect(err).toContain('Europe/Berlin');
  });
});

describe('the last list', () => {
  it('SUR-22: holds keys and no text, for its owner only', () => {
    const item = { sessionKey: 'agent:codex:a', sessionId: 'a', messageId: 'm', excerpt: 'words of somebody' };
    keepList(folder, [item]);
    const path = join(folder, 'last-list.json');
    expect(readFileSync(path, 'utf8')).not.toContain('words');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(listedItem(folder, '1')).toEqual({ sessionKey: 'agent:codex:a', sessionId: 'a', messageId: 'm' });
    expect(listedItem(folder, 'agent:codex:b')).toEqual({ sessionKey: 'agent:codex:b' });
    expect(() => listedItem(folder, '2')).toThrow('The last list has no number 2.');
  });

  it('SUR-22: without one, or with a broken one, a number is an error that says to search', () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    expect(() => listedItem(empty, '1')).toThrow('There is no list of results');
    writeFileSync(join(empty, 'last-list.json'), '{"items":[{"sessionKey":');
    expect(() => listedItem(empty, '1')).toThrow('There is no list of results');
  });
});

describe('the demo', () => {
  it('SUR-24: writes the files of three agents, and prints five commands', async () => {
    const { code, out, err } = await backstory('demo', '--into', 'made');
    expect([code, err]).toEqual([0, '']);
    expect(out.match(/^backstory /gm)).toHaveLength(5);
    expect(readdirSync(join(folder, 'made')).sort()).toEqual(['.claude', '.codex', '.openclaw']);
    expect(new Set(STORY.map(({ agent }) => agent)).size).toBe(3);
    expect((await backstory('demo', '--into', 'made')).code).toBe(2);
  });
});

/** Words as a shell reads them, as far as the examples need it. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]!);
}

describe('COM-21: what went wrong, and what to do, in the words of the command line', () => {
  it('VIS-60: explain without an agent names the flag', async () => {
    const { code, err } = await backstory('explain', 'agent:main:main', '--home', join(folder, 'none'));
    expect([code, err]).toEqual([2, expect.stringContaining('--agent ID')]);
    expect(err).not.toContain('agentId');
  });

  it('EPI-14: recall without a dimension names its flag', async () => {
    const { code, err } = await backstory('memory', 'recall', 'x', '--home', join(folder, 'none'));
    expect([code, err]).toEqual([4, expect.stringContaining('--route NAME')]);
  });

  it('SUR-24: a search of everything in an empty home says what to do', async () => {
    const home = join(folder, 'none');
    const { code, err } = await backstory('search', 'x', '--everything', '--home', home, '--no-sync');
    expect([code, err]).toEqual([1, expect.stringContaining('backstory demo')]);
  });

  it('SUR-21, SES-75: a home of which nothing can be read is no empty history', async () => {
    const home = join(folder, 'broken');
    mkdirSync(join(home, 'agents'), { recursive: true });
    writeFileSync(join(home, 'agents', 'main.sqlite'), 'this is no database, and never was one');
    const { code, err } = await backstory('search', 'x', '--home', home, '--no-sync');
    expect([code, err]).toEqual([ERROR_CODES.store_damaged.exit, expect.stringContaining('backstory doctor')]);
    expect(err).not.toContain('no history');
  });

  it.each([['search', 'x', '--no-sync'], ['search', 'x', '--everything', '--no-sync'], ['sessions']])(
    'SUR-21, SUR-24: %s %s in a home that no folder can be says so, and not that there is no history',
    async (...argv) => {
      writeFileSync(join(folder, 'file'), '');
      const { code, err } = await backstory(...argv, '--home', join(folder, 'file', 'home'));
      expect([code, err]).toEqual([
        ERROR_CODES.store_read_only.exit,
        expect.stringContaining('cannot be a home (ENOTDIR)'),
      ]);
      expect(err).not.toContain('no history');
    },
  );

  it('VIS-60: explain takes an operator in place of an agent', async () => {
    const { code, out } = await backstory('explain', 'agent:home:main', '--operator', '--home', join(folder, 'none'));
    expect([code, out]).toEqual([0, expect.stringContaining('is visible: operator')]);
  });

  it('SUR-60: what does not go with --everything is named by its flag, and episodes that are not asked are said', async () => {
    const home = join(folder, 'none');
    const wrong = await backstory('search', 'x', '--everything', '--by-session', '--home', home);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--by-session does not go with --everything')]);
    const { err } = await backstory('search', 'x', '--everything', '--home', home, '--no-sync');
    expect(err).toContain('Episodes were not searched');
  });

  it('SUR-60, RUN-77: a search of everything asks the run and the memory that the flags name, and says which flag is wrong', async () => {
    const home = join(folder, 'everything');
    const at = ['--home', home, '--no-sync'];
    const all = ['search', 'rollback', '--everything', ...at];
    mkdirSync(join(folder, 'runs', '42'), { recursive: true });
    writeFileSync(join(folder, 'runs', '42', 'Alice.notes.md'), 'the rollback needs a flag\n');
    const config = join(folder, 'auto.json');
    writeFileSync(config, '{"memory":{"workspace":"app","writes":"auto"}}');
    const remember = ['memory', 'remember', '--home', home, '--config', config, '--route', '/ops'];
    expect((await backstory(...remember, 'the rollback was rehearsed')).code).toBe(0);
    const of = (kind: string, text: string): unknown => expect.objectContaining({ kind, ...shapeOf(kind, text) });
    const shapeOf = (kind: string, text: string): object =>
      kind === 'run'
        ? { evidence: expect.objectContaining({ text: expect.stringContaining(text) }) }
        : { record: expect.objectContaining({ content: expect.stringContaining(text) }) };
    const results = async (...flags: string[]): Promise<unknown> =>
      (JSON.parse((await backstory(...all, '--json', ...flags)).out) as { results: unknown }).results;
    const run = ['--run', './runs/42', '--run-agent', 'Alice'];
    expect(await results(...run)).toEqual([of('run', 'needs a flag')]);
    const memory = ['--config', config, '--route', '/ops'];
    expect(await results(...memory)).toEqual([of('episode', 'rehearsed')]);
    expect(await results('--config', config, '--namespace', 'workspace=app|route=/ops')).toHaveLength(1);
    expect(await results(...memory, ...run)).toHaveLength(2);
    expect(await results('--config', config, '--route', '/other')).toEqual([]);
    expect(await results(...memory, '--memory-agent', 'desk')).toEqual([]);
    for (const [argv, said] of [
      [[...all, '--run', 'runs/42'], '--run needs --run and --run-agent'],
      [[...all, ...run, '--episode', 'x'], '--episode is "x", no number'],
      [[...all, '--route', '/ops', '--tenant', 'acme'], '--tenant is no dimension of this memory'],
      [[...all, '--tenant', 'acme'], 'leave dimensions of the memory without a value'],
      [['search', 'rollback', ...at, ...run], '--run is for a search of everything'],
      [['search', 'rollback', ...at, '--route', '/ops'], '--route is for a search of everything'],
    ] as const) {
      const { code, err } = await backstory(...argv);
      expect([code > 1, err]).toEqual([true, expect.stringContaining(said)]);
    }
  });
});
