// Operation: evidence from the files of an agent's run (RUN-74, RUN-77). For operators; a model never names the folder.
import type { RetrievalResult, RunSearchParams } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';

export const runsSearch: Operation<RunSearchParams, RetrievalResult> = defineOperation<
  RunSearchParams,
  RetrievalResult
>({
  name: 'runs_search',
  summary: "Search the files of an agent's run.",
  description:
    'Finds notes, log and history records that an agent left in a run folder, by any of the words. Records of the current ' +
    'episode are given only for their own conversation, so name both; without them only other files are searched.',
  who: 'operator',
  readOnly: true,
  spec: 'run-files.md §16',
  parameters: {
    folder: { type: 'text', required: true, summary: 'The run folder.' },
    agent: { type: 'text', required: true, summary: 'The name that the agent’s files and lines bear.' },
    query: {
      type: 'text',
      secret: true,
      required: true,
      summary: 'Words; any of them may match. "Quoted words" are one.',
    },
    episode: { type: 'integer', min: 0, max: 999_999_999, summary: 'The current episode.' },
    conversation: { type: 'text', summary: 'The current conversation.' },
    scope: {
      type: 'choice',
      of: ['run', 'episode'],
      standard: 'run',
      summary: 'run: every episode. episode: only the current one.',
    },
    topK: { type: 'integer', min: 0, max: 1_000, standard: '10', summary: 'Pieces of evidence at most.' },
    mask: { type: 'boolean', summary: 'Hide credentials and local paths outside the run folder.' },
  },
  examples: [
    {
      title: 'What a turn may know',
      input: { folder: 'runs/42', agent: 'Alice', query: 'deploy', episode: 3, conversation: 'conv-1' },
    },
  ],
  run: (backstory, _caller, input, { signal, anyRunFolder }) =>
    backstory.runs.search(input, {
      ...(signal === undefined ? {} : { signal }),
      ...(anyRunFolder === undefined ? {} : { anyFolder: anyRunFolder }),
    }),
});
