// Operation: write messages of a session, each with its index row in the same transaction (sessions.md §2).
import { BackstoryError } from '../model/errors.ts';
import type { Appended, AppendedMany, AppendManyParams, AppendParams } from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import * as shared from './shared-parameters.ts';

/** One of `message`, `messages` and `custom`. */
export type SessionsAppendInput = AppendParams & Partial<Pick<AppendManyParams, 'messages'>>;

export const sessionsAppend: Operation<SessionsAppendInput, Appended | AppendedMany> = defineOperation<
  SessionsAppendInput,
  Appended | AppendedMany
>({
  name: 'sessions_append',
  summary: 'Write one message of a session, or several at once.',
  description:
    'Writes a message under the newest entry, and its index row with it: when this answers, the next search finds it. ' +
    'The first write to a key begins the session. With an idempotency key the same message is written once, however ' +
    'often it is sent. Several messages are written all or none.',
  who: 'operator',
  readOnly: false,
  spec: 'sessions.md §2',
  parameters: {
    key: { ...shared.key, required: true },
    message: {
      type: 'data',
      secret: true,
      summary: 'The message: { id?, role, content, at?, author? }; content is a text or a list of blocks.',
    },
    messages: {
      type: 'dataList',
      summary: 'Several messages, each with an idempotencyKey of its own or none, at most 10 000.',
    },
    custom: {
      type: 'data',
      secret: true,
      summary: 'In place of a message: { data, display?, id? }, data of the host’s own, at most 64 KiB.',
    },
    idempotencyKey: {
      type: 'text',
      summary: '1 to 200 characters: the same key with the same message writes it once.',
    },
    session: {
      type: 'data',
      secret: true,
      summary: 'Properties of the session: { kind, spawnedBy, parent, owner, people, title, incognito }.',
    },
    sessionId: { ...shared.currentWindow, summary: 'The current window, or the session id of a new session.' },
    expectedLeaf: shared.expectedLeaf,
    parentId: { type: 'text', standard: 'the newest entry', summary: 'The entry to hang the message under.' },
    onStaleParent: {
      type: 'choice',
      of: ['rebase', 'branch', 'reject'],
      standard: 'rebase',
      summary: 'What happens when parentId is no longer the newest entry.',
    },
    aside: { type: 'boolean', standard: 'false', summary: 'On no branch: not in history, and not searched.' },
    index: {
      type: 'choice',
      of: ['now', 'later'],
      standard: 'now',
      summary: 'Whether the message is indexed in the same transaction, or soon after.',
    },
  },
  examples: [
    {
      title: 'A message of a person',
      input: {
        key: 'agent:main:telegram:direct:42',
        message: { role: 'user', content: 'Ship the rollback plan on Friday' },
        idempotencyKey: 'tg-update-9913',
      },
    },
  ],
  run(backstory, _caller, input) {
    const { messages, ...one } = input;
    if (messages === undefined) return backstory.sessions.append(one);
    const { message, custom, idempotencyKey, ...many } = one;
    if (message === undefined && custom === undefined && idempotencyKey === undefined) {
      return backstory.sessions.appendMany({ ...many, messages });
    }
    throw new BackstoryError(
      'invalid_argument',
      'messages was given together with message, custom or idempotencyKey.',
      'Give messages alone; each of them may have an idempotencyKey.',
      { details: { parameter: 'messages' } },
    );
  },
});
