// Operation: counts and sizes within the caller's scope, from counters (SUR-71).
import type { StatsParams, StatsResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export const stats: Operation<StatsParams, StatsResult> = defineOperation<StatsParams, StatsResult>({
  name: 'stats',
  summary: 'Count sessions, messages and bytes.',
  description: 'Counts and sizes of what the caller may see, kept up to date and never found by scanning.',
  who: 'anyone',
  readOnly: true,
  spec: 'surfaces.md SUR-71',
  parameters: { scope: shared.scope },
  examples: [{ title: 'All of them', input: {} }],
  run: (backstory, caller, input) => backstory.sessions.stats(caller, input),
});
