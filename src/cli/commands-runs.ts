// The command for run files (RUN-74): `backstory runs search`.
import { runsSearch } from '../api/operations.ts';
import { type Command, flagsOf } from './command.ts';

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
