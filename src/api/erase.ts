// Operation: erase what a selector names, in rows, index and bytes (SUR-73). One selector; each noun erases its own.
import { assertUnbound } from '../access/caller.ts';
import type { EraseSelector as MemorySelector } from '../episodes/erase-selector.ts';
import { bothReceipts, NOTHING_DELETED } from '../model/erasure.ts';
import { BackstoryError } from '../model/errors.ts';
import type { EraseSelector as SessionSelector } from '../sessions/erase-targets.ts';
import type { Backstory, Caller, EraseReceipt } from './face.ts';
import { assertAllMemory } from './memory-bound.ts';
import { dryRun } from './memory-parameters.ts';
import { defineOperation, type Operation } from './operation.ts';

export interface EraseInput {
  readonly session?: string;
  readonly descendants?: boolean;
  readonly agent?: string;
  readonly person?: string;
  readonly authored?: boolean;
  readonly before?: string;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly abandoned?: boolean;
  readonly namespace?: string;
  readonly withinPrefix?: boolean;
  readonly subject?: Readonly<Record<string, unknown>>;
  readonly thread?: string;
  readonly run?: string;
  readonly runFolder?: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
}

const OF_SESSIONS = ['session', 'person', 'before', 'message', 'abandoned'] as const;
const OF_MEMORY = ['namespace', 'subject', 'thread', 'run'] as const;

export const erase: Operation<EraseInput, EraseReceipt> = defineOperation<EraseInput, EraseReceipt>({
  name: 'erase',
  summary: 'Erase sessions, persons, memory or the index of a run, in rows, index and bytes.',
  description:
    'Takes exactly one selector: session, person, before, message or abandoned of sessions; namespace, subject, thread ' +
    'or run of memory, with everything that was made from it; runFolder; or agent alone, for all of an agent. Beside ' +
    'another one, agent narrows it to that agent. The receipt says what was looked for again.',
  who: 'operator',
  readOnly: false,
  spec: 'surfaces.md SUR-73',
  parameters: {
    session: { type: 'text', summary: 'This session: its key or an id of it.' },
    descendants: { type: 'boolean', summary: 'With session: also those that it started, and those they did.' },
    agent: { type: 'text', summary: 'Alone: all sessions and all memory of this agent. Else: only in its store.' },
    person: { type: 'text', summary: 'Sessions whose people are this one alone.' },
    authored: { type: 'boolean', summary: 'With person: also their messages in sessions that others share.' },
    before: { type: 'time', summary: 'Sessions whose last activity was before this time.' },
    message: { type: 'data', summary: 'One message: { session, sessionId, messageId }.' },
    abandoned: { type: 'boolean', summary: 'Entries that are off the active branch.' },
    namespace: { type: 'text', summary: 'The memory of this namespace.' },
    withinPrefix: { type: 'boolean', summary: 'With namespace: also of those that add dimensions to it.' },
    subject: { type: 'data', summary: 'Memory of every namespace that carries these: { tenant?, user?, agent? }.' },
    thread: { type: 'text', summary: 'Memory of this thread, and what was made from it.' },
    run: { type: 'text', summary: 'Memory of this run, and what was made from it.' },
    runFolder: { type: 'text', summary: 'The indexes that were made of this run folder.' },
    dryRun,
    wait: { type: 'boolean', standard: 'true', summary: 'false answers before the bytes of sessions are gone.' },
  },
  examples: [
    { title: 'What a tenant left behind, counted only', input: { subject: { tenant: 'acme' }, dryRun: true } },
    { title: 'One thread of memory', input: { thread: 'thread-123' } },
    { title: 'All of an agent', input: { agent: 'desk' } },
  ],
  run: async (backstory, caller, input, { memory }) => {
    const chosen = [...OF_SESSIONS, ...OF_MEMORY, 'runFolder' as const].filter((name) => input[name] !== undefined);
    if (chosen.length > 1) throw several(chosen);
    const [name] = chosen;
    const { agent } = input;
    const isOfSessions = name === undefined ? agent === undefined : (OF_SESSIONS as readonly string[]).includes(name);
    if (isOfSessions) return eraseSessions(backstory, caller, input);
    // Memory and run files are kept by namespace and by folder: no person narrows what would go.
    assertUnbound(caller, `Erasing by ${name ?? 'agent'}`);
    if (name === 'runFolder') return eraseRunFolder(backstory, input);
    assertAllMemory(`Erasing by ${name ?? 'agent'}`, caller, memory);
    return name === undefined ? eraseAgent(backstory, caller, input, agent!) : eraseMemory(backstory, input);
  },
});

function eraseSessions(backstory: Backstory, caller: Caller, input: EraseInput): Promise<EraseReceipt> {
  const { dryRun: isDry, wait, ...selector } = input;
  const options = { ...(isDry === undefined ? {} : { dryRun: isDry }), ...(wait === undefined ? {} : { wait }) };
  // Names and shapes are checked where they are read.
  return backstory.sessions.erase(caller, selector as SessionSelector, options);
}

function eraseMemory(backstory: Backstory, input: EraseInput): Promise<EraseReceipt> {
  const { agent, dryRun: isDry = false, wait: _, ...selector } = input;
  return backstory.episodes.erase(selector as MemorySelector, {
    ...(agent === undefined ? {} : { agent }),
    dryRun: isDry,
  });
}

/** Its sessions, and every namespace of its memory. */
async function eraseAgent(
  backstory: Backstory,
  caller: Caller,
  input: EraseInput,
  agent: string,
): Promise<EraseReceipt> {
  let receipt = await eraseSessions(backstory, caller, input);
  const { namespaces } = await backstory.episodes.stats({ agent });
  const isDry = input.dryRun === true;
  for (const { namespace } of namespaces) {
    receipt = bothReceipts(receipt, await backstory.episodes.erase({ namespace }, { agent, dryRun: isDry }));
  }
  return receipt;
}

async function eraseRunFolder(
  backstory: Backstory,
  { runFolder, dryRun: isDry, wait: _, ...others }: EraseInput,
): Promise<EraseReceipt> {
  const [other] = Object.keys(others);
  if (other !== undefined) throw several(['runFolder', other]);
  if (isDry) {
    throw new BackstoryError(
      'invalid_argument',
      'runFolder has no dry run: only what is made of its files again would go.',
      'Leave dryRun out.',
      { details: { options: ['runFolder', 'dryRun'] } },
    );
  }
  const { indexes } = await backstory.runs.erase(runFolder!);
  return {
    deleted: { ...NOTHING_DELETED, runIndexes: indexes },
    kept: [],
    revived: 0,
    verified: { rows: 0, index: 0, file: 'absent' },
    dryRun: false,
  };
}

function several(names: readonly string[]): BackstoryError {
  return new BackstoryError(
    'invalid_argument',
    `An erasure takes exactly one selector, and not ${names.join(' with ')}.`,
    'Give one of them; agent may stand beside one of sessions or memory.',
    { details: { options: names } },
  );
}
