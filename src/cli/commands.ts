// The table of commands (SUR-22). Each loads its code only when it runs, so that one command's start does not pay for
// another's.
import {
  explain,
  sessionsDescribe,
  sessionsHistory,
  sessionsList,
  sourcesList,
  stats,
  sync,
} from '../api/operations.ts';
import { type Command, type Flag, flagsOf } from './command.ts';
import { MEMORY_COMMANDS } from './commands-memory.ts';
import { runsSearchCommand } from './commands-runs.ts';
import { AGENT, CURSOR, KIND, PROJECT, ROOT, SOURCE, search } from './commands-search.ts';
import { mcp, serve } from './commands-servers.ts';
import { UPKEEP_COMMANDS } from './commands-upkeep.ts';
import { HOST_COMMANDS } from './host-commands.ts';

const SESSION: Partial<Flag> = { name: 'session', value: 'KEY' };

const open: Command = {
  name: 'open',
  summary: 'Reopen the conversation of a hit, at that message.',
  description:
    'HIT is the number that the last search or list showed, or a session key. Without a message it shows the newest end.',
  operands: { shown: 'HIT', min: 1, max: 1 },
  operation: sessionsHistory,
  flags: [
    ...flagsOf(sessionsHistory, {
      session: false,
      messageId: { name: 'message', value: 'ID' },
      sessionId: { value: 'ID' },
      before: { value: 'ID' },
      after: { value: 'ID' },
      roles: { name: 'role' },
      from: { value: 'N' },
    }),
    { name: 'around', value: 'N', summary: 'This many entries on both sides: the same as --limit 2N+1.' },
  ],
  examples: [
    { title: 'The third hit of the last search', command: 'backstory open 3' },
    {
      title: 'With three entries on both sides, and what the tools did',
      command: 'backstory open 3 --around 3 --include-tools',
    },
    { title: 'The newest end of a session', command: 'backstory open agent:codex:0199-aa --limit 20' },
  ],
  load: () => import('./commands/open.ts'),
};

const sessions: Command = {
  name: 'sessions',
  summary: 'List sessions, newest activity first.',
  operands: { shown: '', min: 0, max: 0 },
  operation: sessionsList,
  flags: flagsOf(sessionsList, {
    agents: AGENT,
    kinds: KIND,
    spawnedBy: { value: 'KEY' },
    nativeKey: { value: 'KEY' },
    source: SOURCE,
    project: PROJECT,
    cursor: CURSOR,
  }),
  examples: [
    { title: 'What was active today', command: 'backstory sessions --since today' },
    { title: 'Of one project', command: 'backstory sessions --project ~/shop --limit 10' },
  ],
  load: () => import('./commands/sessions.ts'),
};

const describe: Command = {
  name: 'sessions describe',
  summary: 'Describe one session: its windows, its links, and how to continue it.',
  operands: { shown: 'SESSION_KEY', min: 1, max: 1 },
  operation: sessionsDescribe,
  flags: flagsOf(sessionsDescribe, { session: false }),
  examples: [{ title: 'The second of the last list', command: 'backstory sessions describe 2' }],
  load: () => import('./commands/describe.ts'),
};

const resume: Command = {
  name: 'resume',
  summary: 'Print the command that continues a session in its own agent. Runs nothing.',
  operands: { shown: 'SESSION_KEY', min: 1, max: 1 },
  operation: sessionsDescribe,
  flags: flagsOf(sessionsDescribe, { session: false }),
  examples: [
    { title: 'Of the first hit', command: 'backstory resume 1' },
    { title: 'By its key', command: 'backstory resume agent:claude-code:s-1' },
  ],
  load: () => import('./commands/resume.ts'),
};

const syncCommand: Command = {
  name: 'sync',
  summary: 'Read what agents on this machine wrote since last time.',
  description: 'Reads their files and changes none. Prints nothing when there was nothing to do.',
  operands: { shown: '', min: 0, max: 0 },
  operation: sync,
  flags: [
    ...flagsOf(sync, {
      sources: { name: 'source', value: 'S', standard: 'every format' },
      onlyGivenRoots: false,
      budgetMs: { value: 'MS' },
    }),
    ROOT,
    {
      name: 'exclude',
      value: 'GLOB',
      repeats: true,
      summary: 'Do not read files whose path below their root matches, and delete what was read from them.',
    },
  ],
  examples: [
    { title: 'Everything', command: 'backstory sync' },
    {
      title: 'A folder copied from another machine',
      command: 'backstory sync --root /mnt/old/.claude --source claude-code',
    },
  ],
  load: () => import('./commands/sync.ts'),
};

const sources: Command = {
  name: 'sources',
  summary: 'Say what was found on this machine, what is read, and what was skipped and why.',
  operands: { shown: '', min: 0, max: 0 },
  operation: sourcesList,
  flags: [],
  examples: [{ title: 'All of them', command: 'backstory sources' }],
  load: () => import('./commands/sources.ts'),
};

const statsCommand: Command = {
  name: 'stats',
  summary: 'Count sessions, messages, records of memory and bytes.',
  operands: { shown: '', min: 0, max: 0 },
  operation: stats,
  flags: flagsOf(stats, {}),
  examples: [{ title: 'Everything', command: 'backstory stats' }],
  load: () => import('./commands/stats.ts'),
};

const explainCommand: Command = {
  name: 'explain',
  summary: 'Explain why a caller sees a session, or does not.',
  operands: { shown: 'SESSION_KEY', min: 1, max: 1 },
  operation: explain,
  flags: flagsOf(explain, { session: false, agentId: AGENT, sessionKey: SESSION, person: { value: 'P' } }),
  examples: [
    {
      title: 'Why desk does not see a session of home',
      command: 'backstory explain agent:home:main --agent desk --session agent:desk:main',
    },
  ],
  load: () => import('./commands/explain.ts'),
};

const mask: Command = {
  name: 'mask',
  summary: 'Show a text as it would be searched and shown: with what is hidden.',
  description:
    'Reads standard input. Masking is a floor, not a guarantee: no rule knows a secret that looks like a word. The ' +
    'configuration’s masking block counts.',
  operands: { shown: '', min: 0, max: 0 },
  flags: [
    {
      name: 'run-folder',
      value: 'DIR',
      summary: 'Hide local paths outside this folder as well; paths inside begin with <run>.',
    },
    { name: 'explain', summary: 'Name the line and the rule of each marker on standard error, never the value.' },
  ],
  examples: [
    { title: 'What would be hidden of a log', command: 'backstory mask --explain < app.log' },
    { title: 'As run files are read', command: 'backstory mask --run-folder runs/42 < runs/42/agent.log' },
  ],
  load: () => import('./commands/mask.ts'),
};

const demo: Command = {
  name: 'demo',
  summary: 'Make a small history in a throwaway folder, and print five commands to try on it.',
  operands: { shown: '', min: 0, max: 0 },
  flags: [
    { name: 'into', value: 'DIR', summary: 'The folder to make it in.', standard: 'a new one for temporary files' },
  ],
  examples: [{ title: 'In a temporary folder', command: 'backstory demo' }],
  load: () => import('./commands/demo.ts'),
};

const completions: Command = {
  name: 'completions',
  summary: 'Print the completion script of a shell.',
  operands: { shown: 'bash|zsh|fish', min: 1, max: 1 },
  flags: [],
  examples: [
    { title: 'bash', command: 'source <(backstory completions bash)' },
    { title: 'zsh', command: 'backstory completions zsh > ~/.zfunc/_backstory' },
    { title: 'fish', command: 'backstory completions fish > ~/.config/fish/completions/backstory.fish' },
  ],
  load: () => import('./commands/completions.ts'),
};

const help: Command = {
  name: 'help',
  summary: 'Show the commands, or the help of one.',
  operands: { shown: '[COMMAND]', min: 0, max: 2 },
  flags: [{ name: 'man', summary: 'Print the manual page, for man -l.' }],
  examples: [
    { title: 'One command', command: 'backstory help search' },
    { title: 'The manual page', command: 'backstory help --man | man -l -' },
  ],
  load: () => import('./commands/help.ts'),
};

export const COMMANDS: readonly Command[] = [
  search,
  open,
  sessions,
  describe,
  resume,
  ...HOST_COMMANDS,
  syncCommand,
  sources,
  runsSearchCommand,
  ...MEMORY_COMMANDS,
  statsCommand,
  ...UPKEEP_COMMANDS,
  explainCommand,
  serve,
  mcp,
  mask,
  demo,
  completions,
  help,
];
