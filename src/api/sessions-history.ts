// Operation: reopen a conversation, at its newest end or around a message (sessions.md §6).
import type { HistoryParams, HistoryResult } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

export const sessionsHistory: Operation<HistoryParams, HistoryResult> = defineOperation<HistoryParams, HistoryResult>({
  name: 'sessions_history',
  summary: 'Reopen a conversation, at its newest end or around one message.',
  description:
    'Reads a page of a transcript. With messageId and sessionId of a search hit the page stands around that message. ' +
    'Long blocks are cut and say how to fetch the rest.',
  who: 'anyone',
  readOnly: true,
  spec: 'sessions.md §6',
  parameters: {
    session: { ...shared.session, required: true },
    messageId: { type: 'text', summary: 'The message to stand around, as a hit names it.' },
    sessionId: { type: 'text', summary: 'One window of the session, as a hit names it.' },
    limit: {
      type: 'integer',
      min: 1,
      max: 200,
      operatorMax: 1_000,
      standard: '50',
      summary: 'Entries on the page, the message it stands around included.',
    },
    offset: {
      type: 'integer',
      min: 0,
      max: 2_147_483_647,
      standard: '0',
      summary: 'Skips the newest entries; not together with messageId.',
    },
    before: { type: 'text', summary: 'Entries before this message id; not together with messageId or offset.' },
    after: { type: 'text', summary: 'Entries after this message id; not together with messageId or offset.' },
    roles: { type: 'choices', of: ['user', 'assistant', 'system', 'tool'], summary: 'Only messages of these roles.' },
    since: shared.since,
    until: shared.until,
    includeTools: { type: 'boolean', standard: 'false', summary: 'Show tool calls and their results.' },
    includeReasoning: { type: 'boolean', standard: 'false', summary: 'Show reasoning.' },
    block: {
      type: 'integer',
      min: 0,
      max: 2_147_483_647,
      summary: 'Only this block of the message, beginning at the character that `from` gives.',
    },
    from: { type: 'integer', min: 0, max: 2_147_483_647, summary: 'The character to go on from in that block.' },
    maxBlockChars: {
      type: 'integer',
      min: 1,
      max: 4_000,
      operatorMax: 1_000_000,
      standard: '4 000',
      summary: 'Characters of one block before it is cut.',
    },
    maxBytes: {
      type: 'integer',
      min: 1_024,
      max: 81_920,
      operatorMax: 6_291_456,
      standard: '81 920',
      summary: 'Bytes of the whole page as JSON.',
    },
    scope: shared.scope,
    raw: {
      type: 'boolean',
      standard: 'false',
      operatorOnly: true,
      local: true,
      summary: 'Text as it was stored, not masked.',
    },
  },
  examples: [
    { title: 'The newest end', input: { session: 'agent:codex:0199-aa' } },
    {
      title: 'Around a hit',
      input: { session: 'agent:claude-code:s-1', sessionId: 's-1', messageId: 'a-2', limit: 7 },
    },
  ],
  run: (backstory, caller, input) => backstory.sessions.history(caller, input),
});
