// Operation: one question over sessions, episodes and run files (SUR-60).
import type { EverythingParams, EverythingResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export const search: Operation<EverythingParams, EverythingResult> = defineOperation<
  EverythingParams,
  EverythingResult
>({
  name: 'search',
  summary: 'Find words in transcripts, in episodes and in the files of a run, all at once.',
  description:
    'Every word must occur. Each result says its kind and carries the keys that reopen it: sessions_history for a session, ' +
    'recall for an episode, file and line for a run. Use sessions_search for more filters.',
  who: 'anyone',
  readOnly: true,
  spec: 'surfaces.md SUR-60',
  parameters: {
    query: { type: 'text', secret: true, required: true, summary: 'What to look for, 1 to 4 096 characters.' },
    since: shared.since,
    until: shared.until,
    limit: { type: 'integer', min: 1, max: 25, operatorMax: 500, standard: '10', summary: 'Results in one answer.' },
    agents: shared.agents,
    run: {
      type: 'data',
      operatorOnly: true,
      summary: 'Also the files of this run: { folder, agent, episode?, conversation? }.',
    },
    waitMs: shared.waitMs,
  },
  examples: [{ title: 'Everything that was said or done about it', input: { query: 'rollback plan' } }],
  run: (backstory, caller, input, { memory, signal, anyRunFolder }) =>
    backstory.search(caller, input, {
      ...(memory === undefined ? {} : { memory }),
      ...(signal === undefined ? {} : { signal }),
      ...(anyRunFolder === undefined ? {} : { anyRunFolder }),
    }),
});
