// Operations: list records, and look at one, as an operator (episodes.md, Review).
import { MEMORY_KINDS, MEMORY_STATUSES } from '../model/episode.ts';
import type { Inspection, ListPage, ListPageOptions } from './face.ts';
import { ofOwnMemory } from './memory-bound.ts';
import { agent, id, namespace, withinNamespace } from './memory-parameters.ts';
import { defineOperation, type Operation } from './operation.ts';
import { cursor, since, until } from './shared-parameters.ts';

export type MemoryListInput = Omit<ListPageOptions, 'exactly'> & { readonly agent?: string };

export const memoryList: Operation<MemoryListInput, ListPage> = defineOperation<MemoryListInput, ListPage>({
  name: 'memory_list',
  summary: 'List what waits for review, or records of another status.',
  description: 'Newest first. With status parked, the runs that wait for a person.',
  who: 'operator',
  readOnly: true,
  spec: 'episodes.md EPI-120',
  parameters: {
    agent,
    namespace: withinNamespace,
    status: {
      type: 'choice',
      of: [...MEMORY_STATUSES, 'parked'],
      standard: 'candidate',
      summary: 'Records of this status, or runs that are parked.',
    },
    kind: { type: 'choice', of: MEMORY_KINDS, summary: 'Only records of this kind.' },
    query: { type: 'text', secret: true, summary: 'Only records that hold all these words.' },
    limit: { type: 'integer', min: 1, max: 200, standard: '50', summary: 'Records on one page.' },
    cursor,
  },
  examples: [
    { title: 'What waits for review', input: {} },
    { title: 'Runs that wait for a person', input: { status: 'parked' } },
  ],
  run: async (backstory, caller, input, { memory }) =>
    backstory.episodes.list(ofOwnMemory('memory_list', caller, memory, input)),
});

export interface MemoryInspectInput {
  readonly id: string;
  readonly agent?: string;
  readonly namespace?: string;
  readonly since?: string;
  readonly until?: string;
}

export const memoryInspect: Operation<MemoryInspectInput, Inspection> = defineOperation<MemoryInspectInput, Inspection>(
  {
    name: 'memory_inspect',
    summary: 'Show one record whole, what hangs on it, and whether recall would show it.',
    description: 'The only read that still shows a record which has expired and waits for a prune; it says so.',
    who: 'operator',
    readOnly: true,
    spec: 'episodes.md EPI-120',
    parameters: { id, agent, namespace, since, until },
    examples: [{ title: 'One record', input: { id: 'ep_f4f0288671fdd30ea96de2bd60cf1109' } }],
    run: async (backstory, caller, input, { memory }) =>
      backstory.episodes.inspect(ofOwnMemory('memory_inspect', caller, memory, input)),
  },
);
