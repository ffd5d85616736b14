// Every setting once: where it stands, what it may be, what it is by default, and what it is for (COM-40).
// Flags, environment variables, the config file and the reference page are derived from this table.
import { type Check, flag, integer, listOf, mapOf, oneOf, reader, recordOf, text, time, timeZone } from './checks.ts';
import { MASKING_SETTINGS } from './masking.ts';
import { MEMORY_SETTINGS } from './memory.ts';
import * as visibility from './visibility.ts';

export interface Setting {
  /** Keys joined by dots; `<source>` stands for the name of a format. */
  readonly path: string;
  readonly check: Check;
  /** A value, or a sentence where it depends on the machine or on who opens. */
  readonly default: unknown;
  /** The default is such a sentence. */
  readonly depends?: true;
  readonly env?: string;
  /** Without the two hyphens. */
  readonly flag?: string;
  readonly help: string;
  /** Of a value that is a secret: what may be shown of it. */
  readonly shown?: (value: never) => unknown;
}

export const SETTINGS: readonly Setting[] = [
  {
    path: 'home',
    check: text,
    default: '~/.backstory',
    env: 'BACKSTORY_HOME',
    flag: 'home',
    help: 'The folder that holds everything Backstory stores.',
  },
  {
    path: 'timeZone',
    check: timeZone,
    default: 'UTC',
    env: 'BACKSTORY_TIME_ZONE',
    flag: 'time-zone',
    help: 'The zone of times that name none, and of days, weeks and months.',
  },
  {
    path: 'busyTimeoutMs',
    check: integer(0, 60_000),
    default: 5_000,
    env: 'BACKSTORY_BUSY_TIMEOUT_MS',
    help: 'How long a write waits for other processes, in milliseconds.',
  },
  {
    path: 'visibility.visibility',
    check: visibility.visibility,
    default: 'all',
    help: "Whose sessions a caller sees: every agent's, its own agent's, its own session with its descendants, or its own alone.",
  },
  {
    path: 'visibility.agentToAgent.enabled',
    check: flag,
    default: true,
    help: 'false: no agent sees ordinary sessions of another. Subagents in other stores stay visible to whoever started them.',
  },
  {
    path: 'visibility.agentToAgent.allow',
    check: visibility.allow,
    default: 'absent: every pair',
    depends: true,
    help: 'Which agent may see which: { from, to, mutual? }, or strings that both match. [] is nobody.',
  },
  {
    path: 'visibility.sandbox.sessions',
    check: visibility.sandboxSessions,
    default: 'spawned',
    help: 'spawned: a sandboxed caller sees its own session and those it spawned. all: sandboxed or not is no difference.',
  },
  {
    path: 'visibility.people',
    check: visibility.people,
    default: 'narrow',
    help: 'narrow: a caller bound to a person sees that person alone. require: a caller bound to none sees only its own session.',
  },
  {
    path: 'visibility.agents',
    check: visibility.agents,
    default: {},
    help: 'Other values of all of the above for a requesting agent, by its id or a pattern. An exact id wins, then the first that fits.',
  },
  {
    path: 'sessions.maskAtRest',
    check: flag,
    default: false,
    help: 'Whether what a host appends is stored masked; sessions_current then returns it masked.',
  },
  {
    path: 'sessions.index.extra',
    check: listOf(oneOf('tools', 'thinking')),
    default: [],
    help: 'What is indexed besides messages: tools (what tools gave back), thinking (reasoning); the first 16 KiB of each. Searched when a call includes it.',
  },
  {
    path: 'sessions.reconcileOnOpen',
    check: flag,
    default: false,
    help: 'Whether opening begins with the index work that is left, and not only the next search or sync.',
  },
  {
    path: 'runs.folders',
    check: listOf(text),
    default: [],
    help: 'Folders whose run folders may be searched over HTTP and by other callers that are no command line.',
  },
  {
    path: 'sources.roots',
    check: listOf(recordOf({ source: text, path: text, agent: text }, ['source', 'path'])),
    default: [],
    help: 'Folders to read besides those that are found, each with its format and, if given, an agent id of its own.',
  },
  {
    path: 'sources.exclude',
    check: listOf(recordOf({ source: text, project: text, path: text, session: text, since: time, until: time }, [])),
    default: [],
    help: 'What is never read. All fields of a rule must match; a rule also deletes what had been read before it was there.',
  },
  {
    path: 'sources.projectAliases',
    check: mapOf(text),
    default: {},
    help: 'Folders that have moved: the recorded name, and the name it is found by as well.',
  },
  {
    path: 'sources.toolInputChars',
    check: integer(0, 16_384),
    default: 2_000,
    help: 'How many characters of the arguments of a tool call are stored; the rest is read from its file when asked for.',
  },
  {
    path: 'sources.parse',
    check: oneOf('fast', 'full'),
    default: 'fast',
    help: 'full parses every line of every file. The result is the same; use it to report a difference.',
  },
  {
    path: 'sources.syncOnSearch',
    check: flag,
    default: 'false in the library, true on the command line and in servers',
    depends: true,
    help: 'Whether a search first reads what changed in the files of agents.',
  },
  {
    path: 'sources.onHostDelete',
    check: oneOf('keep', 'erase'),
    default: 'keep',
    help: 'What happens to sessions whose files their own product deleted.',
  },
  {
    path: 'sources.formats.<source>.enabled',
    check: flag,
    default: true,
    help: 'false stops reading one format; its sessions stay.',
  },
  {
    path: 'sources.formats.<source>.roots',
    check: listOf(text),
    default: [],
    help: 'Folders to read for one format besides those that are found.',
  },
  {
    path: 'sources.readers',
    check: listOf(reader),
    default: [],
    help: 'Readers of further formats, as code: only in the library and in config files that are code.',
  },
  ...MASKING_SETTINGS,
  ...MEMORY_SETTINGS,
];
