// Operation: read what agents on this machine wrote since last time (sources.md §5).
import type { SyncParams, SyncReport } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';

export const sync: Operation<SyncParams, SyncReport> = defineOperation<SyncParams, SyncReport>({
  name: 'sync',
  summary: 'Read what agents on this machine wrote since last time.',
  description:
    'Reads new and changed transcripts of every agent found on this machine. Only reads their files. The counts of the ' +
    'report add up: found = imported + unchanged + skipped + failed.',
  who: 'operator',
  readOnly: false,
  spec: 'sources.md §5',
  parameters: {
    sources: { type: 'texts', maxItems: 100, standard: 'every format', summary: 'Only these formats.' },
    roots: {
      type: 'objects',
      maxItems: 100,
      summary: 'Folders to read besides those found.',
      fields: {
        source: { type: 'text', required: true, summary: 'The format of its files.' },
        path: { type: 'text', required: true, summary: 'The folder.' },
        agent: { type: 'text', summary: "The agent id to store it under, in place of the format's own." },
      },
    },
    onlyGivenRoots: { type: 'boolean', standard: 'false', summary: 'Read the given folders in place of those found.' },
    exclude: {
      type: 'objects',
      maxItems: 1_000,
      summary: 'What is not read, and is deleted where it had been: all fields of one rule must match.',
      fields: {
        source: { type: 'text', summary: 'A format.' },
        project: { type: 'text', summary: 'A glob over the recorded folder.' },
        path: { type: 'text', summary: 'A glob over the path of the file below its root.' },
        session: { type: 'text', summary: 'A glob over the native session id.' },
      },
    },
    again: {
      type: 'boolean',
      standard: 'false',
      summary: 'Read sessions again that were deleted; otherwise they stay away.',
    },
    budgetMs: {
      type: 'integer',
      min: 0,
      max: 86_400_000,
      standard: 'none',
      summary: 'Stops between batches when these milliseconds are used up; the next call goes on.',
    },
  },
  examples: [
    { title: 'Everything', input: {} },
    { title: 'A copied folder', input: { roots: [{ source: 'claude-code', path: '/mnt/old/.claude' }] } },
  ],
  run: (backstory, _caller, input, { signal, onProgress }) =>
    backstory.sources.sync({ ...input, ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) }),
});
