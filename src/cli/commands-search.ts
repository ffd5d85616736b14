// The command that is asked most: `backstory search`, and the flags that it shares with lists (SUR-22, SUR-60).
import { sessionsSearch } from '../api/operations.ts';
import { type Command, type Flag, flagsOf } from './command.ts';
import { DIMENSIONS } from './commands-memory.ts';
import { RUN } from './commands-runs.ts';

export const AGENT: Partial<Flag> = { name: 'agent', value: 'A' };
export const KIND: Partial<Flag> = { name: 'kind' };
export const SOURCE: Partial<Flag> = { value: 'S' };
export const PROJECT: Partial<Flag> = { value: 'DIR' };
export const CURSOR: Partial<Flag> = { value: 'C' };
export const ROOT: Flag = {
  name: 'root',
  value: 'DIR',
  repeats: true,
  summary:
    'Read this folder now, in place of those found on this machine. What was read stays in the home and is searched with the rest; give --home DIR to keep it apart.',
};

/** With --everything: whose memory, and which run. --agent is a filter here. */
export const EVERYTHING: readonly Flag[] = [
  { name: 'memory-agent', value: 'A', summary: 'With --everything: whose memory.', standard: 'main' },
  {
    name: 'namespace',
    value: 'NS',
    summary: 'With --everything: the memory to search, whole; in place of dimensions.',
  },
  ...[...DIMENSIONS, ...RUN].map((flag) => ({ ...flag, summary: `With --everything: ${lower(flag.summary)}` })),
];

function lower(summary: string): string {
  return summary[0]!.toLowerCase() + summary.slice(1);
}

export const search: Command = {
  name: 'search',
  summary: 'Find messages by their words.',
  description:
    'Reads what agents wrote since last time, then searches. All words must occur; "quoted words" are a phrase; -word ' +
    'excludes; word* is a prefix; OR stands between alternatives. Exit code 1 when nothing was found.',
  operands: { shown: 'WORDS…', min: 1, max: Number.MAX_SAFE_INTEGER, words: true },
  operation: sessionsSearch,
  flags: [
    ...flagsOf(sessionsSearch, {
      query: false,
      agents: AGENT,
      kinds: KIND,
      excludeKinds: { name: 'exclude-kind' },
      roles: { name: 'role' },
      session: { value: 'KEY' },
      nativeKey: { value: 'KEY' },
      source: SOURCE,
      project: PROJECT,
      cursor: CURSOR,
      ignoreCase: { name: 'match-case', sets: false, summary: 'A regular expression minds letter case.' },
      group: { name: 'by-session', sets: 'session', summary: 'One hit per session, with the number of its matches.' },
      waitMs: { value: 'MS', standard: '2 000' },
      budgetMs: { value: 'MS' },
      explain: { summary: 'Say how the query was read, what was looked at, and the score of each hit.' },
    }),
    ROOT,
    { name: 'no-sync', summary: 'Search what was read before; read no files now.' },
    {
      name: 'everything',
      summary:
        'Search episodes too, and the files of a run, each result labelled: the operation search. With --agent, --since, --until, --limit, and the flags below.',
    },
    ...EVERYTHING,
  ],
  examples: [
    { title: 'Messages that hold both words', command: 'backstory search checkout slow' },
    { title: 'A phrase, of the last week', command: 'backstory search \'"rate limit"\' --since -7d' },
    { title: 'A regular expression', command: "backstory search --regex 'timeout after [0-9]+ ?ms'" },
    { title: 'Not the drafts', command: 'backstory search -- rollback -draft' },
    {
      title: 'What one agent said in one project',
      command: 'backstory search migration --agent codex --project ~/shop',
    },
    {
      title: 'What was said, what was done, and what a run left behind',
      command: 'backstory search rollback --everything --route /support --run runs/42 --run-agent Alice',
    },
    { title: 'History copied from another machine', command: 'backstory search invoice --root /mnt/old-home' },
  ],
  load: () => import('./commands/search.ts'),
};
