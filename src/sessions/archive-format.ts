// The lines of an archive: what each may hold, how it is written and how it is read again (SUR-72, docs/archive.md).
// Knows no store and no file.
import { MEMORY_KINDS, MEMORY_STATUSES, SOURCE_TYPES } from '../model/episode.ts';
import { BackstoryError } from '../model/errors.ts';
import { agentOfKey, isAgentId, isReservedKey } from '../model/ids.ts';
import { SESSION_KINDS } from '../model/session.ts';
import { formatInstant } from '../model/time.ts';
import type {
  ArchivedCopy,
  ArchivedEntry,
  ArchivedFile,
  ArchivedKey,
  ArchivedRecord,
  ArchivedSession,
} from '../store/archive.ts';
import { ENTRY_KINDS, ROLES, STATES } from '../store/contract.ts';

export const ARCHIVE_VERSION = 1;

export interface Counts {
  readonly sessions: number;
  readonly files: number;
  readonly entries: number;
  readonly keys: number;
  readonly copies: number;
  readonly records: number;
}

/** Every line by its type. */
export interface Lines {
  readonly head: {
    readonly format: 'backstory-archive';
    readonly version: number;
    readonly agent: string;
    readonly raw: boolean;
  };
  readonly session: ArchivedSession;
  readonly file: ArchivedFile;
  readonly entry: ArchivedEntry;
  readonly key: ArchivedKey;
  readonly copy: ArchivedCopy;
  readonly record: ArchivedRecord;
  readonly end: { readonly counts: Counts; readonly sha256: string };
}

export type LineType = keyof Lines;
export type Line = { readonly [Type in LineType]: { readonly type: Type; readonly value: Lines[Type] } }[LineType];

/** The order of lines; each type before the next. */
export const LINE_ORDER: readonly LineType[] = ['head', 'session', 'file', 'entry', 'key', 'copy', 'record', 'end'];

/** The counter of a line's type in the trailer. */
export const COUNTED: Readonly<Partial<Record<LineType, keyof Counts>>> = {
  session: 'sessions',
  file: 'files',
  entry: 'entries',
  key: 'keys',
  copy: 'copies',
  record: 'records',
};

export const NO_LINES: Counts = { sessions: 0, files: 0, entries: 0, keys: 0, copies: 0, records: 0 };

/** One line with its line feed. Instants leave in the form of COM-3. */
export function lineOf<Type extends LineType>(type: Type, value: Lines[Type]): string {
  const times = INSTANTS[type];
  if (times === undefined) return `${JSON.stringify({ type, ...value })}\n`;
  const shown: Record<string, unknown> = { type, ...value };
  for (const name of times) if (shown[name] !== undefined) shown[name] = formatInstant(shown[name] as number);
  return `${JSON.stringify(shown)}\n`;
}

/** Throws `archive_invalid` with the number of the line, and `archive_newer`. */
export function readLine(text: string, number: number): Line {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalidArchive(`Line ${number} is not JSON`, number);
  }
  if (typeof parsed !== 'object' || parsed === null) throw invalidArchive(`Line ${number} is no object`, number);
  const { type, ...fields } = parsed as Record<string, unknown>;
  const known = typeof type === 'string' && Object.hasOwn(FIELDS, type) ? (type as LineType) : undefined;
  if (known === undefined) throw invalidArchive(`Line ${number} is of no known type`, number);
  if (known === 'head' && fields.format === 'backstory-archive' && Number(fields.version) > ARCHIVE_VERSION) {
    throw new BackstoryError(
      'archive_newer',
      `The archive is of version ${Number(fields.version)}; this release reads versions up to ${ARCHIVE_VERSION}.`,
      'Update backstory.',
    );
  }
  checkFields(fields, FIELDS[known], `Line ${number} (${known})`, number);
  for (const name of INSTANTS[known] ?? []) {
    if (fields[name] !== undefined) fields[name] = Date.parse(fields[name] as string);
  }
  return { type: known, value: fields } as unknown as Line;
}

/** `what` begins a sentence and ends without a full stop. */
export function invalidArchive(what: string, line?: number): BackstoryError {
  return new BackstoryError(
    'archive_invalid',
    `${what}: the archive is cut off or was changed. Nothing of it was taken over.`,
    'Export it again, or copy it again.',
    line === undefined ? {} : { details: { line } },
  );
}

/** A key of a session that may be in an archive of this agent. */
export function isKeyOf(agent: string, key: string): boolean {
  try {
    return agentOfKey(key) === agent && !isReservedKey(key);
  } catch {
    return false;
  }
}

const INSTANTS: Readonly<Partial<Record<LineType, readonly string[]>>> = {
  session: ['createdAt', 'lastAt', 'firstAt', 'archivedAt', 'hostGone'],
  entry: ['at'],
};

type Check = (value: unknown) => boolean;
/** A name with a question mark may be absent. */
type Table = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const name: Check = (value) => typeof value === 'string' && value !== '' && value.length <= 4_096;
const flag: Check = (value) => typeof value === 'boolean';
const yes: Check = (value) => value === true;
const whole: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const instant: Check = (value) => typeof value === 'string' && value.length <= 32 && !Number.isNaN(Date.parse(value));
const object: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const list =
  (of: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(of);
const oneOf =
  (allowed: readonly string[]): Check =>
  (value) =>
    allowed.includes(value as string);
const hex: Check = (value) => typeof value === 'string' && /^([0-9a-f]{2})+$/.test(value);
const shaped =
  (table: Table): Check =>
  (value) =>
    object(value) && faultOf(value as object, table) === undefined;
const host: Check = (value) => typeof value === 'string' || whole(value);
const pointer: Check = (value) =>
  object(value) && whole((value as { file?: unknown }).file) && hex((value as { digest?: unknown }).digest);
const numbers: Check = (value) =>
  object(value) && Object.values(value as object).every((one) => typeof one === 'number');

const BLOCKS: Readonly<Record<string, Table>> = {
  text: { text, 'host?': text },
  reasoning: { 'pointer?': pointer, 'text?': text, 'host?': host },
  tool_call: { id: text, name: text, 'input?': text, 'pointer?': pointer, 'host?': host },
  tool_result: { id: text, 'pointer?': pointer, 'text?': text, 'host?': host },
  image: { 'mediaType?': text, 'bytes?': whole, 'host?': host },
  file: { 'mediaType?': text, 'bytes?': whole, 'host?': host },
  other: { name: text, 'host?': host },
  data: { host },
};

const block: Check = (value) => {
  if (!object(value)) return false;
  const { type, ...fields } = value as Record<string, unknown>;
  return typeof type === 'string' && Object.hasOwn(BLOCKS, type) && faultOf(fields, BLOCKS[type]!) === undefined;
};

const RECORD: Table = {
  id: name,
  namespace: name,
  kind: oneOf(MEMORY_KINDS),
  status: oneOf(MEMORY_STATUSES),
  content: text,
  data: object,
  source: shaped({ type: oneOf(SOURCE_TYPES), id: text, 'threadId?': text, 'runId?': text }),
  confidence: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  tags: list(text),
  createdAt: instant,
  updatedAt: instant,
  'effectiveAt?': instant,
  'expiresAt?': instant,
  'supersedes?': list(text),
  'derivedFrom?': list(text),
};

const FIELDS: Readonly<Record<LineType, Table>> = {
  head: {
    format: (value) => value === 'backstory-archive',
    version: whole,
    agent: (value) => text(value) && isAgentId(String(value)),
    raw: flag,
  },
  session: {
    key: name,
    kind: oneOf(SESSION_KINDS),
    'title?': text,
    'titleRank?': whole,
    createdAt: instant,
    lastAt: instant,
    'firstAt?': instant,
    'archivedAt?': instant,
    'hostGone?': instant,
    'spawnedBy?': name,
    'parent?': name,
    'owner?': name,
    'people?': list(text),
    'source?': text,
    'project?': text,
    'nativeKey?': text,
    'origin?': object,
    'unknown?': numbers,
    messages: whole,
    'leaf?': whole,
    windows: (value) =>
      list(shaped({ sessionId: name, reason: name, 'previous?': name, 'first?': whole }))(value) &&
      (value as []).length > 0,
  },
  file: { no: whole, source: name, root: name, path: name, 'session?': name },
  entry: {
    no: whole,
    session: name,
    sessionId: name,
    messageId: text,
    'parent?': whole,
    kind: oneOf(ENTRY_KINDS),
    'role?': oneOf(ROLES),
    state: oneOf(STATES),
    at: instant,
    'author?': shaped({ id: text, 'name?': text }),
    'blocks?': list(block),
    'list?': yes,
    'apart?': (value) =>
      object(value) && Object.entries(value as object).every(([place, json]) => /^\d+$/.test(place) && text(json)),
    'copyOf?': whole,
    'guessed?': yes,
    'kept?': yes,
    'prompt?': yes,
    'gone?': yes,
    'aside?': yes,
    'displayed?': yes,
  },
  key: { session: name, idempotencyKey: text, entry: whole },
  copy: { digest: hex, entry: whole },
  record: { record: shaped(RECORD), 'identity?': hex, traces: list(hex) },
  end: { counts: shaped(Object.fromEntries(Object.keys(NO_LINES).map((one) => [one, whole]))), sha256: hex },
};

/** The first field that is missing, of another type, or not known. */
function faultOf(fields: object, table: Table): string | undefined {
  for (const [named, check] of Object.entries(table)) {
    const field = named.replace('?', '');
    const value = (fields as Record<string, unknown>)[field];
    if (value === undefined ? field === named : !check(value)) return field;
  }
  return Object.keys(fields).find((field) => !Object.hasOwn(table, field) && !Object.hasOwn(table, `${field}?`));
}

function checkFields(fields: object, table: Table, what: string, number: number): void {
  const fault = faultOf(fields, table);
  if (fault !== undefined) throw invalidArchive(`${what} has no good ${JSON.stringify(fault.slice(0, 40))}`, number);
}
