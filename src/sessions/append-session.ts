// The session of an append: where it is held, what the first write fixes, what later writes may change (SES-3, SES-4).
import { BackstoryError } from '../model/errors.ts';
import { agentOfKey, isReservedKey, kindOfKey } from '../model/ids.ts';
import { SESSION_KINDS, type SessionKind } from '../model/session.ts';
import type { AgentStore } from '../store/contract.ts';
import type { HostSession } from '../store/host.ts';
import type { Writing } from '../store/writing.ts';
import { freeSessionId, type HostContext } from './host.ts';
import { incognitoRequired, isIncognito } from './incognito.ts';
import { checkFlag, checkNames, checkOneOf, invalidArgument } from './page-checks.ts';

export interface SessionProperties {
  /** Default: what the key says (SES-3). Fixed by the first write, as are `spawnedBy` and `incognito`. */
  readonly kind?: Exclude<SessionKind, 'imported'>;
  /** Key of the session that started it. */
  readonly spawnedBy?: string;
  /** Keys of the session it reports to, and of the one that controls it; null clears. */
  readonly parent?: string | null;
  readonly owner?: string | null;
  /** Ids of the persons it belongs to, at most 1 000. */
  readonly people?: readonly string[];
  /** At most 200 characters; null clears. */
  readonly title?: string | null;
  /** Never on a disk (SES-14). */
  readonly incognito?: boolean;
}

/** Where a session is held, and whom it would belong to if it began now. */
export interface Place {
  readonly store: AgentStore;
  readonly incognito: boolean;
  readonly inherited?: readonly string[];
}

interface AskedSession {
  readonly key: string;
  readonly sessionId?: string;
  readonly session: SessionProperties;
}

const NAMES = ['kind', 'spawnedBy', 'parent', 'owner', 'people', 'title', 'incognito'];
const MAX_PEOPLE = 1_000;
const MAX_PERSON = 256;
const MAX_TITLE = 200;

export function checkedProperties(given: SessionProperties): SessionProperties {
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument('session is not an object.', `Give session an object with ${NAMES.join(', ')}.`, {
      parameter: 'session',
    });
  }
  checkNames(given, NAMES);
  checkOneOf(
    'session.kind',
    given.kind,
    SESSION_KINDS.filter((kind) => kind !== 'imported'),
  );
  checkFlag('session.incognito', given.incognito);
  for (const name of ['spawnedBy', 'parent', 'owner'] as const) {
    const link: unknown = given[name];
    if (link === undefined || (link === null && name !== 'spawnedBy')) continue;
    if (typeof link !== 'string') throw badProperty(name, 'a session key');
    agentOfKey(link);
  }
  const { people, title } = given;
  const isPerson = (one: unknown): boolean => typeof one === 'string' && one !== '' && one.length <= MAX_PERSON;
  if (people !== undefined && !(Array.isArray(people) && people.length <= MAX_PEOPLE && people.every(isPerson))) {
    throw badProperty('people', `a list of at most ${MAX_PEOPLE} ids of 1 to ${MAX_PERSON} characters`);
  }
  if (typeof title === 'string' ? title.length > MAX_TITLE : title !== undefined && title !== null) {
    throw badProperty('title', `a text of at most ${MAX_TITLE} characters`);
  }
  return {
    ...given,
    ...(people === undefined ? {} : { people: [...new Set(people.map((one) => one.toWellFormed()))] }),
    ...(typeof title === 'string' ? { title: title.toWellFormed() } : {}),
  };
}

/** Opens the store that holds the session, or will. Throws `key_invalid`, `incognito_required`, `session_property_fixed`. */
export async function placeOf(context: HostContext, { key, session }: AskedSession): Promise<Place> {
  const agentId = agentOfKey(key);
  const { spawnedBy, parent, incognito: wanted } = session;
  const held = context.incognito.has(key);
  if (held && wanted === false && !isReservedKey(key)) throw propertyFixed('incognito', key);
  const incognito = isIncognito(context.incognito, { key, spawnedBy, parent, incognito: wanted });
  const inherited = await inheritedPeople(context, session);
  if (!incognito) {
    const store = (await context.stores.open(agentId, { create: true }))!;
    return { store, incognito, ...inherited };
  }
  if (!held && !isReservedKey(key)) {
    const onDisk = await context.stores.open(agentId);
    const known = await onDisk?.read((reading) => reading.hostSession(key));
    if (known !== undefined) throw propertyFixed('incognito', key);
  }
  return { store: await context.incognito.store(key), incognito, ...inherited };
}

/** From `spawnedBy`, else from `parent`, whatever agent's they are (SES-4). */
async function inheritedPeople(
  context: HostContext,
  { people, spawnedBy, parent }: SessionProperties,
): Promise<{ readonly inherited?: readonly string[] }> {
  if (people !== undefined) return {};
  for (const link of [spawnedBy, parent]) {
    if (typeof link !== 'string') continue;
    const store = context.incognito.has(link)
      ? await context.incognito.store(link)
      : await context.stores.open(agentOfKey(link));
    const known = await store?.read((reading) => reading.hostSession(link));
    if (known?.people !== undefined) return { inherited: known.people };
  }
  return {};
}

/** Begins the session with its first window (SES-21). Throws `session_id_taken`, `session_gone`. */
export async function createdSession(
  context: HostContext,
  writing: Writing,
  { inherited, incognito }: Place,
  { key, sessionId, session }: AskedSession,
  at: number,
): Promise<HostSession> {
  const id = await freeSessionId(context, writing, sessionId);
  const { kind = kindOfKey(key), spawnedBy, parent, owner, people = inherited, title } = session;
  if (!incognito && (await writing.meta('index')) === undefined) await writing.setMeta('index', context.fingerprint);
  const made = await writing.hostCreate({
    key,
    kind,
    sessionId: id,
    createdAt: at,
    ...(spawnedBy === undefined ? {} : { spawnedBy }),
  });
  const rest = {
    ...(parent === undefined || parent === null ? {} : { parent }),
    ...(owner === undefined || owner === null ? {} : { owner }),
    ...(people === undefined ? {} : { people }),
    ...(title === undefined || title === null ? {} : { title }),
  };
  if (Object.keys(rest).length > 0) await writing.hostUpdate(made.no, rest);
  return { ...made, ...rest };
}

/** Sets what may change. Throws `session_property_fixed`, naming what may not (SES-4). */
export async function updatedProperties(
  writing: Writing,
  known: HostSession,
  { incognito }: Place,
  { key, session }: AskedSession,
): Promise<void> {
  const { kind, spawnedBy, parent, owner, people, title } = session;
  if (kind !== undefined && kind !== known.kind) throw propertyFixed('kind', key);
  if (spawnedBy !== undefined && spawnedBy !== known.spawnedBy) throw propertyFixed('spawnedBy', key);
  if (session.incognito !== undefined && session.incognito !== incognito) throw propertyFixed('incognito', key);
  const change = {
    ...(parent === undefined || parent === (known.parent ?? null) ? {} : { parent }),
    ...(owner === undefined || owner === (known.owner ?? null) ? {} : { owner }),
    ...(people === undefined ? {} : { people: people.length === 0 ? null : people }),
    ...(title === undefined || title === (known.title ?? null) ? {} : { title }),
  };
  if (Object.keys(change).length > 0) await writing.hostUpdate(known.no, change);
}

function propertyFixed(name: string, key: string): BackstoryError {
  if (name === 'incognito' && isReservedKey(key)) {
    return incognitoRequired(`Session ${JSON.stringify(key)} is incognito by its key.`, 'Use another key.');
  }
  return new BackstoryError(
    'session_property_fixed',
    `${name} of session ${JSON.stringify(key)} was fixed by its first write, and another value was given.`,
    `Leave ${name} out, or use another key.`,
    { details: { property: name } },
  );
}

function badProperty(name: string, allowed: string): BackstoryError {
  return invalidArgument(`session.${name} is not ${allowed}.`, `Give session.${name} ${allowed}.`, {
    parameter: `session.${name}`,
  });
}
