// Parameters that several operations of memory take, described once; and the memory context that some of them need.
import { MEMORY_KINDS, OUTCOMES } from '../model/episode.ts';
import { BackstoryError } from '../model/errors.ts';
import type { MatchOptions, MemoryContext } from './face.ts';
import type { ExecuteOptions } from './operation.ts';
import type { Parameter, ParameterTable } from './parameters.ts';
import { since, until } from './shared-parameters.ts';

/** The filters of recall and timeline (EPI-70). */
export const MATCH: ParameterTable<MatchOptions> = {
  kind: { type: 'choice', of: MEMORY_KINDS, summary: 'Only records of this kind.' },
  query: {
    type: 'text',
    secret: true,
    summary: 'Words to look for, at most 4 096 characters; "quoted words" are a phrase.',
  },
  tags: { type: 'texts', maxItems: 64, summary: 'Only records with one of these tags.' },
  since,
  until,
  period: {
    type: 'text',
    summary: 'In place of since and until: today, yesterday, last week, 2026-08, 2026-W33, past 24 hours.',
  },
  outcome: { type: 'choice', of: OUTCOMES, summary: 'Only runs that ended so.' },
  tool: { type: 'text', summary: 'Only runs that used the tool of this name.' },
  threadId: { type: 'text', summary: 'Only runs of this thread.' },
};

export const agent: Parameter = { type: 'text', standard: 'main', summary: "Whose memory: an agent's id." };
export const namespace: Parameter = {
  type: 'text',
  summary: 'Only in this namespace, such as workspace=app|route=/support.',
};
export const withinNamespace: Parameter = {
  type: 'text',
  standard: 'all',
  summary: 'Only in this namespace and those that add dimensions to it.',
};
export const id: Parameter = { type: 'text', required: true, summary: 'The id of the record.' };
export const dryRun: Parameter = {
  type: 'boolean',
  standard: 'false',
  summary: 'Say what would be done, and change nothing.',
};

/** Throws `scope_unresolved` where the host fixed no memory context (COM-50). */
export function memoryOf({ memory }: ExecuteOptions): MemoryContext {
  if (memory !== undefined) return memory;
  throw new BackstoryError(
    'scope_unresolved',
    'There is no memory context in this call.',
    'The host fixes one: its agent, route and scope, never the model.',
    { details: { dimensions: [] } },
  );
}
