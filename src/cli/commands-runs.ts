// The command for run files (RUN-74): `backstory runs search`.
import { runsSearch } from '../api/operations.ts';
import { type Command, type Flag, flagsOf } from './command.ts';

/** A run and the turn in it, for commands that ask a run besides (RUN-77). */
export const RUN: readonly Flag[] = [
  { name: 'run', value: 'FOLDER', summary: 'The run folder.' },
  { name: 'run-agent', value: 'NAME', summary: 'The name that the files of that run bear.' },
  { name: 'episode', value: 'N', summary: 'The current episode of that run.' },
  { name: 'conversation', value: 'ID', summary: 'The current conversation of that run.' },
];

export const runsSearchCommand: Command = {
  name: 'runs search',
  summary: "Search the files of an agent's run.",
  description:
    'Finds notes, log and history records in a run folder, by any of the words. Records of the current episode are given ' +
    'only for their own conversation: name both. Exit code 1 when nothing was found.',
  operands: { shown: 'FOLDER AGENT WORDS…', min: 3, max: Number.MAX_SAFE_INTEGER, words: true },
  operation: runsSearch,
  flags: flagsOf(runsSearch, {
    folder: false,
    agent: false,
    query: false,
    episode: { value: 'N' },
    conversation: { value: 'ID' },
    topK: { name: 'top', value: 'K' },
  }),
  examples: [
    { title: 'Notes only', command: 'backstory runs search runs/42 Alice deploy' },
    {
      title: 'What a turn of a conversation may know',
      command: 'backstory runs search runs/42 Alice deploy --episode 3 --conversation conv-1',
    },
    { title: 'Without credentials and paths', command: 'backstory runs search runs/42 Alice token --mask' },
  ],
  load: () => import('./commands/runs-search.ts'),
};
