// Operation: what was found on this machine, what is read, and what was skipped and why (SRC-54).
import type { SourcesReport } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';

export const sourcesList: Operation<object, SourcesReport> = defineOperation<object, SourcesReport>({
  name: 'sources_list',
  summary: 'Say what was found on this machine, what is read, and what was skipped and why.',
  description:
    'Each format and folder: how it was found, files by outcome, sessions, bytes, last sync, and after how many days the ' +
    'product deletes its own files.',
  who: 'operator',
  readOnly: true,
  spec: 'sources.md §5',
  parameters: {},
  examples: [{ title: 'All of them', input: {} }],
  run: (backstory) => backstory.sources.list(),
});
