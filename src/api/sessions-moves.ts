// Operations that move the tip of a session, or mark it: reset, rewind, switch, compact, archive (sessions.md §4).
import type {
  ArchiveParams,
  ArchiveResult,
  CompactParams,
  CompactResult,
  ResetParams,
  ResetResult,
  RewindParams,
  RewindResult,
  SwitchParams,
} from './face.ts';
import { defineOperation, type Operation } from './operation.ts';
import type { Parameter } from './parameters.ts';
import * as shared from './shared-parameters.ts';

const WRITES = { who: 'operator', readOnly: false, spec: 'sessions.md §4' } as const;
const conditions = { sessionId: shared.currentWindow, expectedLeaf: shared.expectedLeaf } as const;
const to: Parameter = { type: 'text', required: true, summary: 'The id of the entry to go to.' };
const window: Parameter = {
  type: 'choice',
  of: ['same', 'new'],
  standard: 'same',
  summary: 'Whether it opens a new window, with a session id of its own.',
};
const EXAMPLE_KEY = 'agent:main:telegram:direct:42';

export const sessionsReset: Operation<ResetParams, ResetResult> = defineOperation<ResetParams, ResetResult>({
  ...WRITES,
  name: 'sessions_reset',
  summary: 'Begin the current view of a session anew, with a tail of it or without.',
  description:
    'Writes a reset: the current view begins there, preceded by what was kept. Everything before stays stored, and is ' +
    'still searched and opened.',
  parameters: {
    key: { ...shared.key, required: true },
    reason: { type: 'text', standard: 'reset', summary: 'Why, at most 64 characters, such as new, idle or daily.' },
    keep: {
      type: 'integer',
      min: 0,
      max: 50,
      standard: '0',
      summary: 'How many of the newest user and assistant messages stay in view, from a user message on.',
    },
    keepFrom: { type: 'text', summary: 'The message of the view from which on to keep; not together with keep.' },
    window,
    sessionId: { type: 'text', summary: 'With window new the id of the new window, else the current one.' },
    expectedLeaf: shared.expectedLeaf,
  },
  examples: [{ title: 'With the last four messages', input: { key: EXAMPLE_KEY, reason: 'daily', keep: 4 } }],
  run: (backstory, _caller, input) => backstory.sessions.reset(input),
});

export const sessionsRewind: Operation<RewindParams, RewindResult> = defineOperation<RewindParams, RewindResult>({
  ...WRITES,
  name: 'sessions_rewind',
  summary: 'Go back to an entry: what followed it leaves the branch.',
  description:
    'What followed the entry is neither searched nor shown any more. It is not destroyed: sessions_switch brings it back.',
  parameters: { key: { ...shared.key, required: true }, to, window, ...conditions },
  examples: [{ title: 'To one message', input: { key: EXAMPLE_KEY, to: 'm-12' } }],
  run: (backstory, _caller, input) => backstory.sessions.rewind(input),
});

export const sessionsSwitch: Operation<SwitchParams, RewindResult> = defineOperation<SwitchParams, RewindResult>({
  ...WRITES,
  name: 'sessions_switch',
  summary: 'Make any entry after the latest reset the tip again.',
  description: 'Goes over to another branch, such as one that was rewound: its messages are searched and shown again.',
  parameters: { key: { ...shared.key, required: true }, to, ...conditions },
  examples: [{ title: 'To the end of an abandoned branch', input: { key: EXAMPLE_KEY, to: 'm-14' } }],
  run: (backstory, _caller, input) => backstory.sessions.switchTo(input),
});

export const sessionsCompact: Operation<CompactParams, CompactResult> = defineOperation<CompactParams, CompactResult>({
  ...WRITES,
  name: 'sessions_compact',
  summary: 'Write a summary of what was said so far.',
  description: 'For the host’s model. What it sums up stays on the branch, in history and in the index.',
  parameters: {
    key: { ...shared.key, required: true },
    summary: { type: 'text', secret: true, required: true, summary: 'The summary.' },
    firstKept: { type: 'text', summary: 'The first message that the summary does not stand for.' },
    ...conditions,
  },
  examples: [{ title: 'A summary', input: { key: EXAMPLE_KEY, summary: 'We agreed to ship on Friday.' } }],
  run: (backstory, _caller, input) => backstory.sessions.compact(input),
});

export const sessionsArchive: Operation<ArchiveParams, ArchiveResult> = defineOperation<ArchiveParams, ArchiveResult>({
  ...WRITES,
  name: 'sessions_archive',
  summary: 'Mark a session as put away, or take the mark back.',
  description: 'It stays stored, indexed, searched and readable; callers may leave archived sessions out.',
  parameters: {
    key: { ...shared.key, required: true },
    archived: { type: 'boolean', standard: 'true', summary: 'false takes the mark back.' },
  },
  examples: [{ title: 'Put away', input: { key: EXAMPLE_KEY } }],
  run: (backstory, _caller, input) => backstory.sessions.archive(input),
});
