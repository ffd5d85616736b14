// Operation: counts over memory, by time and group (episodes.md, Counts and timeline).
import type { TimelineOptions, TimelineResult } from './face.ts';
import { MATCH, memoryOf } from './memory-parameters.ts';
import { defineOperation, type Operation } from './operation.ts';

export const memoryTimeline: Operation<TimelineOptions, TimelineResult> = defineOperation<
  TimelineOptions,
  TimelineResult
>({
  name: 'memory_timeline',
  summary: 'Count what happened, by time and group.',
  description:
    'Exact counts over all records that match, such as how many deployments failed last week. With words a record counts ' +
    'if it holds all of them. With an outcome and no group the answer also says of how many.',
  who: 'anyone',
  readOnly: true,
  spec: 'episodes.md, Counts and timeline',
  parameters: {
    ...MATCH,
    bucket: {
      type: 'choice',
      of: ['none', 'hour', 'day', 'week', 'month'],
      standard: 'none',
      summary: 'Count in buckets of this length, at most 1 000.',
    },
    by: {
      type: 'choice',
      of: ['outcome', 'tool', 'kind', 'tag', 'thread'],
      summary: 'Count in groups; a run that used two tools is in both.',
    },
  },
  examples: [
    {
      title: 'Failed deployments of last week',
      input: { query: 'deploy', outcome: 'error', period: 'last week' },
    },
    { title: 'Outcomes by day', input: { bucket: 'day', by: 'outcome', since: '-30d' } },
  ],
  run: (_backstory, _caller, input, options) => memoryOf(options).timeline(input),
});
