// Operations: prune, consolidate and reflect: nothing of it runs by itself (episodes.md, Retention, Distillation).
import { MEMORY_KINDS } from '../model/episode.ts';
import type { DistillOptions, DistillResult, PruneInput, PruneReport } from './face.ts';
import { ofOwnMemory } from './memory-bound.ts';
import { agent, dryRun, withinNamespace } from './memory-parameters.ts';
import { defineOperation, type Operation } from './operation.ts';
import type { ParameterTable } from './parameters.ts';

export const memoryPrune: Operation<PruneInput, PruneReport> = defineOperation<PruneInput, PruneReport>({
  name: 'memory_prune',
  summary: 'Delete what expired and what is over budget.',
  description:
    'Without parameters every namespace, by the configured budgets. A recorder prunes its own namespace with each write; ' +
    'this is for namespaces without traffic, and for deleting by age.',
  who: 'operator',
  readOnly: false,
  spec: 'episodes.md EPI-66',
  parameters: {
    agent,
    namespace: withinNamespace,
    cap: {
      type: 'integer',
      min: 0,
      max: 10_000_000,
      standard: 'memory.episodes.cap',
      summary: 'How many run records a namespace keeps.',
    },
    authoredCap: {
      type: 'integer',
      min: 0,
      max: 10_000_000,
      standard: 'memory.authored.cap',
      summary: 'How many remembered events a namespace keeps.',
    },
    olderThan: {
      type: 'text',
      summary: 'Delete by event time as well: older than this age, such as 90d. Needs source or kind.',
    },
    source: {
      type: 'choice',
      of: ['run', 'tool'],
      summary: 'What olderThan deletes: records of runs, or remembered ones.',
    },
    kind: { type: 'choice', of: MEMORY_KINDS, summary: 'What olderThan deletes: records of this kind.' },
    dryRun,
  },
  examples: [
    { title: 'What would go now', input: { dryRun: true } },
    { title: 'Runs older than 90 days', input: { olderThan: '90d', source: 'run' } },
  ],
  run: async (backstory, caller, input, { memory }) =>
    backstory.episodes.prune(ofOwnMemory('memory_prune', caller, memory, input)),
});

export type MemoryDistillInput = Omit<DistillOptions, 'exactly'> & { readonly agent?: string };

const DISTILL: ParameterTable<MemoryDistillInput> = {
  agent,
  namespace: withinNamespace,
  maxBatches: {
    type: 'integer',
    min: 1,
    max: 10_000,
    standard: 'memory.distill.maxBatches',
    summary: 'At most so many batches.',
  },
  dryRun: { ...dryRun, summary: 'List batches, their records and the text that would be written; write nothing.' },
  summarize: {
    type: 'boolean',
    standard: 'false',
    summary: 'In a dry run, call the configured function as well.',
  },
};

export const memoryConsolidate: Operation<MemoryDistillInput, DistillResult> = defineOperation<
  MemoryDistillInput,
  DistillResult
>({
  name: 'memory_consolidate',
  summary: 'Make one summary of the old records of a week.',
  description:
    'Needs no model: the same records give the same text, unless memory.distill.summarize is set. Sources are superseded ' +
    'and expire soon; the summary expires with the first of them unless memory.distill.summaryTtlMs says otherwise.',
  who: 'operator',
  readOnly: false,
  spec: 'episodes.md EPI-140',
  parameters: DISTILL,
  examples: [{ title: 'What would be done', input: { dryRun: true } }],
  run: async (backstory, caller, input, { memory }) =>
    backstory.episodes.consolidate(ofOwnMemory('memory_consolidate', caller, memory, input)),
});

export const memoryReflect: Operation<MemoryDistillInput, DistillResult> = defineOperation<
  MemoryDistillInput,
  DistillResult
>({
  name: 'memory_reflect',
  summary: 'Write insights from new records, as candidates for review.',
  description:
    'Needs no model: it names inputs and tools of which at least half of three or more runs failed, unless ' +
    'memory.distill.reflect is set. Each record is reflected on once.',
  who: 'operator',
  readOnly: false,
  spec: 'episodes.md EPI-147',
  parameters: DISTILL,
  examples: [{ title: 'What would be written', input: { dryRun: true } }],
  run: async (backstory, caller, input, { memory }) =>
    backstory.episodes.reflect(ofOwnMemory('memory_reflect', caller, memory, input)),
});
