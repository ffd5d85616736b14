// The commands of memory (EPI-190): `backstory memory recall|remember|…`, each over its operation.
import {
  erase,
  memoryApprove,
  memoryConsolidate,
  memoryForget,
  memoryInspect,
  memoryList,
  memoryPrune,
  memoryReflect,
  memoryReject,
  memoryTimeline,
  recall,
  remember,
} from '../api/operations.ts';
import { type Command, type Flag, flagsOf, type Renamed } from './command.ts';

const AGENT: Partial<Flag> = { value: 'A' };
const NAMESPACE: Partial<Flag> = { value: 'NS' };
/** The dimensions of a memory's scope, one by one (EPI-190). */
export const DIMENSIONS: readonly Flag[] = [
  { name: 'workspace', value: 'W', summary: 'The dimension workspace, in place of --namespace.' },
  { name: 'route', value: 'R', summary: 'The dimension route, such as /support.' },
  { name: 'tenant', value: 'T', summary: 'The dimension tenant.' },
  { name: 'user', value: 'U', summary: 'The dimension user.' },
  { name: 'agent-scope', value: 'X', summary: 'The dimension agent; --agent is whose store.' },
];
const CONTEXT: readonly Flag[] = [
  { name: 'agent', value: 'A', summary: "Whose memory: an agent's id.", standard: 'main' },
  { name: 'namespace', value: 'NS', summary: 'The namespace as it is stored, in place of its dimensions.' },
  ...DIMENSIONS,
];
const MATCH: Renamed = {
  query: false,
  tags: { name: 'tag', value: 'T' },
  period: { value: 'P' },
  tool: { value: 'N' },
  threadId: { name: 'thread', value: 'ID' },
  cursor: { value: 'C' },
};
const WORDS = { shown: '[WORDS…]', min: 0, max: Number.MAX_SAFE_INTEGER, words: true } as const;
const IDS = { shown: 'ID…', min: 1, max: 1_000 } as const;
const OF_RECORD: Renamed = { id: false, agent: AGENT, namespace: NAMESPACE };

export const MEMORY_COMMANDS: readonly Command[] = [
  {
    name: 'memory recall',
    summary: 'Recall what happened in earlier runs, and when.',
    description:
      'Records that hold more of the words come first, newer before older; without words, newest first. Exit code 1 ' +
      'when nothing was found, 4 when the scope lacks a dimension.',
    operands: WORDS,
    operation: recall,
    flags: [...flagsOf(recall, MATCH), ...CONTEXT],
    examples: [
      { title: 'What happened yesterday', command: 'backstory memory recall --route /support --period yesterday' },
      {
        title: 'Failed deployments of the last week',
        command: 'backstory memory recall deployment --route /ops --outcome error --since -7d',
      },
    ],
    load: async () => ({ run: (await import('./commands/memory-read.ts')).recallCommand }),
  },
  {
    name: 'memory remember',
    summary: 'Remember something for later runs.',
    description: "Kind and schema come from the route's memory.ts; without one it is an event: { event: TEXT }.",
    operands: { shown: 'TEXT', min: 1, max: Number.MAX_SAFE_INTEGER, words: true },
    operation: remember,
    flags: [
      ...flagsOf(remember, {
        content: false,
        data: { value: 'JSON', summary: "What is remembered, as the route's memory.ts asks for." },
        tags: { name: 'tag', value: 'T' },
        confidence: { value: 'N' },
      }),
      ...CONTEXT,
    ],
    examples: [
      { title: 'An event', command: 'backstory memory remember "moved to the new host" --route /ops --tag hosting' },
    ],
    load: async () => ({ run: (await import('./commands/memory-remember.ts')).run }),
  },
  {
    name: 'memory timeline',
    summary: 'Count what happened, by time and group.',
    operands: WORDS,
    operation: memoryTimeline,
    flags: [...flagsOf(memoryTimeline, { ...MATCH, bucket: { value: 'B' }, by: { value: 'G' } }), ...CONTEXT],
    examples: [
      {
        title: 'How many deployments failed last week, of how many',
        command: 'backstory memory timeline deploy --route /ops --outcome error --period "last week"',
      },
      {
        title: 'Outcomes of each day',
        command: 'backstory memory timeline --route /ops --since -30d --bucket day --by outcome',
      },
    ],
    load: async () => ({ run: (await import('./commands/memory-read.ts')).timelineCommand }),
  },
  {
    name: 'memory list',
    summary: 'List what waits for review, or records of another status.',
    operands: { shown: '', min: 0, max: 0 },
    operation: memoryList,
    flags: [
      ...flagsOf(memoryList, {
        agent: AGENT,
        namespace: NAMESPACE,
        query: { value: 'W' },
        cursor: { value: 'C' },
        status: { value: 'active|candidate|superseded|parked' },
      }),
      ...DIMENSIONS,
    ],
    examples: [
      { title: 'What waits for review', command: 'backstory memory list' },
      { title: 'Runs that wait for a person', command: 'backstory memory list --status parked' },
    ],
    load: async () => ({ run: (await import('./commands/memory-list.ts')).listCommand }),
  },
  {
    name: 'memory inspect',
    summary: 'Show one record whole, what hangs on it, and whether recall would show it.',
    operands: { shown: 'ID', min: 1, max: 1 },
    operation: memoryInspect,
    flags: [...flagsOf(memoryInspect, OF_RECORD), ...DIMENSIONS],
    examples: [{ title: 'One record', command: 'backstory memory inspect ep_f4f0288671fdd30ea96de2bd60cf1109' }],
    load: async () => ({ run: (await import('./commands/memory-list.ts')).inspectCommand }),
  },
  {
    name: 'memory approve',
    summary: 'Make candidates active.',
    description: 'Each id is its own transaction and its own line. The exit code is that of the first that failed.',
    operands: IDS,
    operation: memoryApprove,
    flags: [...flagsOf(memoryApprove, OF_RECORD), ...DIMENSIONS],
    examples: [{ title: 'Two of them', command: 'backstory memory approve mem_1 mem_2' }],
    load: async () => ({ run: (await import('./commands/memory-review.ts')).approveCommand }),
  },
  {
    name: 'memory reject',
    summary: 'Delete candidates.',
    operands: IDS,
    operation: memoryReject,
    flags: [...flagsOf(memoryReject, OF_RECORD), ...DIMENSIONS],
    examples: [{ title: 'One', command: 'backstory memory reject mem_1' }],
    load: async () => ({ run: (await import('./commands/memory-review.ts')).rejectCommand }),
  },
  {
    name: 'memory forget',
    summary: 'Delete records of any status, with what was made from them.',
    description: 'In rows, index and bytes. Exit code 3 when a reader still holds the write-ahead log.',
    operands: IDS,
    operation: memoryForget,
    flags: [...flagsOf(memoryForget, OF_RECORD), ...DIMENSIONS],
    examples: [{ title: 'One', command: 'backstory memory forget ep_f4f0288671fdd30ea96de2bd60cf1109' }],
    load: async () => ({ run: (await import('./commands/memory-review.ts')).forgetCommand }),
  },
  {
    name: 'memory prune',
    summary: 'Delete what expired and what is over budget.',
    description: 'Without flags every namespace of the agent, by the configured budgets.',
    operands: { shown: '', min: 0, max: 0 },
    operation: memoryPrune,
    flags: [
      ...flagsOf(memoryPrune, { agent: AGENT, namespace: { value: 'PREFIX' }, olderThan: { value: 'AGE' } }),
      ...DIMENSIONS,
    ],
    examples: [
      { title: 'What would go now', command: 'backstory memory prune --dry-run' },
      { title: 'Runs older than 90 days', command: 'backstory memory prune --older-than 90d --source run' },
    ],
    load: async () => ({ run: (await import('./commands/memory-upkeep.ts')).pruneCommand }),
  },
  {
    name: 'memory consolidate',
    summary: 'Make one summary of the old records of a week.',
    description: 'Needs no model unless memory.distill.summarize is set. Exit code 5 when a batch failed.',
    operands: { shown: '', min: 0, max: 0 },
    operation: memoryConsolidate,
    flags: [...flagsOf(memoryConsolidate, { agent: AGENT, namespace: NAMESPACE }), ...DIMENSIONS],
    examples: [{ title: 'What would be done', command: 'backstory memory consolidate --dry-run' }],
    load: async () => ({ run: (await import('./commands/memory-upkeep.ts')).consolidateCommand }),
  },
  {
    name: 'memory reflect',
    summary: 'Write insights from new records, as candidates for review.',
    description: 'Needs no model unless memory.distill.reflect is set. Exit code 5 when a batch failed.',
    operands: { shown: '', min: 0, max: 0 },
    operation: memoryReflect,
    flags: [...flagsOf(memoryReflect, { agent: AGENT, namespace: NAMESPACE }), ...DIMENSIONS],
    examples: [{ title: 'What would be written', command: 'backstory memory reflect --dry-run' }],
    load: async () => ({ run: (await import('./commands/memory-upkeep.ts')).reflectCommand }),
  },
  {
    name: 'erase',
    summary: 'Erase sessions, persons, memory or the index of a run: rows, index and bytes.',
    description:
      'Takes one selector; --tenant, --user and --agent-scope together are one. --agent alone erases all of an agent, ' +
      'beside another one it narrows that to its store. Asks on a terminal, and elsewhere needs --yes. Exit code 3 while ' +
      'bytes are still to go: a reader holds a write-ahead log, or memory is on PostgreSQL and waits for its vacuum.',
    operands: { shown: '', min: 0, max: 0 },
    operation: erase,
    flags: [
      ...flagsOf(erase, {
        subject: false,
        message: false,
        session: { value: 'KEY' },
        agent: AGENT,
        person: { value: 'P' },
        namespace: NAMESPACE,
        thread: { value: 'ID' },
        run: { value: 'ID' },
        runFolder: { value: 'DIR' },
        wait: { name: 'no-wait', sets: false, summary: 'Answer before the bytes of sessions are gone.' },
      }),
      ...DIMENSIONS.filter(({ name }) => ['tenant', 'user', 'agent-scope'].includes(name)),
      { name: 'yes', summary: 'Do not ask.' },
    ],
    examples: [
      {
        title: 'What a person left behind, counted only',
        command: 'backstory erase --tenant acme --user u1 --dry-run',
      },
      {
        title: 'A namespace and those below it',
        command: "backstory erase --namespace 'workspace=app|route=/ops' --within-prefix --yes",
      },
      { title: 'One thread of memory', command: 'backstory erase --thread thread-123' },
    ],
    load: () => import('./commands/erase.ts'),
  },
];
