// The commands of the host face: what a program writes, from a shell. Operators only, as the whole command line is (COM-50).
import {
  sessionsAppend,
  sessionsArchive,
  sessionsCompact,
  sessionsCurrent,
  sessionsDelete,
  sessionsReset,
  sessionsRewind,
  sessionsSwitch,
} from '../api/operations.ts';
import { type Command, flagsOf } from './command.ts';

const KEY = { shown: 'SESSION_KEY', min: 1, max: 1 } as const;
const CONDITIONS = { key: false, sessionId: { value: 'ID' }, expectedLeaf: { value: 'ID' } } as const;
const EXAMPLE = 'agent:main:telegram:direct:42';
const load = (): ReturnType<Command['load']> => import('./commands/sessions-write.ts');

export const HOST_COMMANDS: readonly Command[] = [
  {
    name: 'sessions append',
    summary: 'Write messages of a session, read from standard input.',
    description:
      'One message per line as JSON: {"role": "user", "content": "…"}, with id, at, author and idempotencyKey if you ' +
      'like. Up to 10 000 lines are written all or none; more are written in several such parts.',
    operands: KEY,
    operation: sessionsAppend,
    flags: [
      ...flagsOf(sessionsAppend, {
        ...CONDITIONS,
        message: false,
        messages: false,
        custom: false,
        idempotencyKey: false,
        session: false,
        parentId: { value: 'ID' },
      }),
      {
        name: 'session',
        value: 'JSON',
        summary: 'Properties of the session: kind, spawnedBy, parent, owner, people, title.',
      },
    ],
    examples: [
      {
        title: 'One message',
        command: `backstory sessions append ${EXAMPLE} <<< '{"role": "user", "content": "hello"}'`,
      },
      { title: 'A file of them', command: `backstory sessions append ${EXAMPLE} --index later < messages.jsonl` },
    ],
    load: () => import('./commands/sessions-append.ts'),
  },
  {
    name: 'sessions reset',
    summary: 'Begin the current view of a session anew.',
    operands: KEY,
    operation: sessionsReset,
    flags: flagsOf(sessionsReset, { ...CONDITIONS, keepFrom: { value: 'ID' } }),
    examples: [{ title: 'With the last four messages', command: `backstory sessions reset ${EXAMPLE} --keep 4` }],
    load,
  },
  {
    name: 'sessions rewind',
    summary: 'Go back to an entry of a session: what followed it leaves the branch.',
    operands: KEY,
    operation: sessionsRewind,
    flags: flagsOf(sessionsRewind, { ...CONDITIONS, to: { value: 'ID' } }),
    examples: [{ title: 'To one message', command: `backstory sessions rewind ${EXAMPLE} --to m-12` }],
    load,
  },
  {
    name: 'sessions switch',
    summary: 'Make any entry after the latest reset the tip of its session again.',
    operands: KEY,
    operation: sessionsSwitch,
    flags: flagsOf(sessionsSwitch, { ...CONDITIONS, to: { value: 'ID' } }),
    examples: [
      { title: 'To the end of an abandoned branch', command: `backstory sessions switch ${EXAMPLE} --to m-14` },
    ],
    load,
  },
  {
    name: 'sessions compact',
    summary: 'Write a summary of what was said in a session so far.',
    operands: KEY,
    operation: sessionsCompact,
    flags: flagsOf(sessionsCompact, { ...CONDITIONS, firstKept: { value: 'ID' } }),
    examples: [{ title: 'A summary', command: `backstory sessions compact ${EXAMPLE} --summary 'We ship on Friday.'` }],
    load,
  },
  {
    name: 'sessions archive',
    summary: 'Mark a session as put away, or take the mark back.',
    operands: KEY,
    operation: sessionsArchive,
    flags: flagsOf(sessionsArchive, {
      key: false,
      archived: { name: 'undo', sets: false, summary: 'Take the mark back.' },
    }),
    examples: [{ title: 'Put away', command: `backstory sessions archive ${EXAMPLE}` }],
    load,
  },
  {
    name: 'sessions delete',
    summary: 'Delete a session: rows, index and bytes.',
    description:
      'The receipt says what was looked for again in rows, index and files. --dry-run counts and changes nothing. Exit code ' +
      '3 when bytes are still to go.',
    operands: KEY,
    operation: sessionsDelete,
    flags: flagsOf(sessionsDelete, {
      key: false,
      wait: { name: 'no-wait', sets: false, summary: 'Answer before the bytes are gone.' },
    }),
    examples: [{ title: 'What would go', command: `backstory sessions delete ${EXAMPLE} --dry-run` }],
    load,
  },
  {
    name: 'sessions current',
    summary: 'Print the current view of a session as its host wrote it, unmasked.',
    operands: KEY,
    operation: sessionsCurrent,
    flags: flagsOf(sessionsCurrent, { key: false }),
    examples: [{ title: 'The last forty', command: `backstory sessions current ${EXAMPLE} --max-messages 40` }],
    load,
  },
];
