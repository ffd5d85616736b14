// Operations: approve, reject and forget a record (episodes.md, Review).
import type { Approval, Forgotten } from './face.ts';
import { ofOwnMemory } from './memory-bound.ts';
import { agent, id, namespace } from './memory-parameters.ts';
import { defineOperation, type Operation } from './operation.ts';

export interface MemoryIdInput {
  readonly id: string;
  readonly agent?: string;
  readonly namespace?: string;
}

export const memoryApprove: Operation<MemoryIdInput, Approval> = defineOperation<MemoryIdInput, Approval>({
  name: 'memory_approve',
  summary: 'Make a candidate active.',
  description: 'Its event time stays. A fact replaces the active one about the same thing, or refreshes it.',
  who: 'operator',
  readOnly: false,
  spec: 'episodes.md EPI-121',
  parameters: { id, agent, namespace },
  examples: [{ title: 'One', input: { id: 'mem_7' } }],
  run: async (backstory, caller, input, { memory }) =>
    backstory.episodes.approve(ofOwnMemory('memory_approve', caller, memory, input)),
});

export interface Rejected {
  readonly id: string;
  readonly rejected: true;
}

export const memoryReject: Operation<MemoryIdInput, Rejected> = defineOperation<MemoryIdInput, Rejected>({
  name: 'memory_reject',
  summary: 'Delete a candidate.',
  description: 'Only a candidate; memory_forget deletes a record of any status.',
  who: 'operator',
  readOnly: false,
  spec: 'episodes.md EPI-122',
  parameters: { id, agent, namespace },
  examples: [{ title: 'One', input: { id: 'mem_7' } }],
  run: async (backstory, caller, input, { memory }) => {
    await backstory.episodes.reject(ofOwnMemory('memory_reject', caller, memory, input));
    return { id: input.id, rejected: true };
  },
});

export const memoryForget: Operation<MemoryIdInput, Forgotten> = defineOperation<MemoryIdInput, Forgotten>({
  name: 'memory_forget',
  summary: 'Delete a record of any status, with what was made from it; or drop a parked run.',
  description:
    'In rows, index and bytes. Sources that only a deleted summary had superseded become active again. A fact that was ' +
    'superseded by it stays so.',
  who: 'operator',
  readOnly: false,
  spec: 'episodes.md EPI-122',
  parameters: { id, agent, namespace },
  examples: [{ title: 'One', input: { id: 'ep_f4f0288671fdd30ea96de2bd60cf1109' } }],
  run: async (backstory, caller, input, { memory }) =>
    backstory.episodes.forget(ofOwnMemory('memory_forget', caller, memory, input)),
});
