// Operations: delete a session with its bytes (sessions.md §10), and read what its host sends to a model (SES-30).
import type { CurrentParams, CurrentView, DeleteParams, EraseReceipt } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export const sessionsDelete: Operation<DeleteParams, EraseReceipt> = defineOperation<DeleteParams, EraseReceipt>({
  name: 'sessions_delete',
  summary: 'Delete a session: rows, index and bytes.',
  description:
    'Removes all windows, messages and index rows of a session, and then their bytes from the files. The receipt says ' +
    'what was looked for again. An imported transcript is not read again by sync.',
  who: 'operator',
  readOnly: false,
  spec: 'sessions.md §10',
  parameters: {
    key: { ...shared.key, required: true },
    descendants: {
      type: 'boolean',
      standard: 'false',
      summary: 'Also the sessions that it started, and those they did.',
    },
    dryRun: { type: 'boolean', standard: 'false', summary: 'Count only; change nothing.' },
    wait: {
      type: 'boolean',
      standard: 'true',
      summary: 'false answers before the bytes are gone, with file "pending".',
    },
  },
  examples: [{ title: 'What would go', input: { key: 'agent:main:telegram:direct:42', dryRun: true } }],
  run: (backstory, caller, input) => backstory.sessions.delete(caller, input),
});

export const sessionsCurrent: Operation<CurrentParams, CurrentView> = defineOperation<CurrentParams, CurrentView>({
  name: 'sessions_current',
  summary: 'Read the current view of a session as its host wrote it.',
  description: 'Unmasked, in order, one snapshot: kept messages, the latest reset, and everything after it.',
  who: 'operator',
  readOnly: true,
  spec: 'sessions.md §2',
  parameters: {
    key: { ...shared.key, required: true },
    maxMessages: {
      type: 'integer',
      min: 1,
      max: 1_000_000,
      standard: 'all of them',
      summary: 'Only the newest messages, with what stands between them.',
    },
  },
  examples: [{ title: 'The last forty', input: { key: 'agent:main:telegram:direct:42', maxMessages: 40 } }],
  run: (backstory, _caller, { key, ...options }) => backstory.sessions.current(key, options),
});
