// Which sessions and entries a selector names, within the scope (SES-171, SES-175).
import { resolveTime } from '../model/time.ts';
import type { AgentStore } from '../store/contract.ts';
import type { EraseFilter, EraseTarget } from '../store/erase.ts';
import type { EraseContext } from './erase.ts';
import { checkFlag, checkNames, checkText, invalidArgument } from './page-checks.ts';
import { lookUpSession, sessionNotFound, storesFor } from './page-context.ts';

/** Exactly one of `session`, `person`, `before`, `message`, `abandoned`; `agent` alone, or beside one of them. */
export interface EraseSelector {
  /** A key or a session id. */
  readonly session?: string;
  /** With `session`: the sessions that it started, and those they did, as well. */
  readonly descendants?: boolean;
  readonly agent?: string;
  /** Sessions whose people are this one alone. */
  readonly person?: string;
  /** With `person`: also their messages in sessions that others share. */
  readonly authored?: boolean;
  /** Sessions whose last activity was before this time. */
  readonly before?: string;
  readonly message?: { readonly session: string; readonly sessionId: string; readonly messageId: string };
  /** Entries that are off the active branch. */
  readonly abandoned?: true;
}

export interface Targets {
  readonly store: AgentStore;
  readonly sessions: readonly EraseTarget[];
  readonly entries: readonly number[];
  /** Only what is off the branch of these sessions. */
  readonly abandoned: boolean;
}

export interface Found {
  readonly perStore: readonly Targets[];
  /** Keys of sessions of several people. */
  readonly kept: readonly string[];
  /** Held in memory: named by no receipt (SES-14). */
  readonly incognito: readonly string[];
}

const SELECTORS = ['session', 'person', 'before', 'message', 'abandoned'] as const;

/** Throws `invalid_argument`, `session_not_found`, `time_invalid`. */
export async function targetsOf(context: EraseContext, selector: EraseSelector): Promise<Found> {
  checkSelector(selector);
  const { session, agent, person, before, message, abandoned } = selector;
  if (session !== undefined) return sessionTargets(context, session, selector.descendants === true);
  if (message !== undefined) return messageTarget(context, message);
  const stores = agent === undefined ? context.all : context.all.filter((store) => store.agentId === agent);
  if (person !== undefined) return personTargets(context, stores, person, selector.authored === true);
  const filter: EraseFilter = {
    ...(before === undefined ? {} : { before: instant(context, before) }),
    ...(abandoned === undefined ? {} : { abandoned }),
  };
  const perStore: Targets[] = [];
  for (const store of stores) {
    const sessions = await store.read((reading) => reading.eraseTargets(context.scope, filter));
    if (sessions.length > 0) perStore.push({ store, sessions, entries: [], abandoned: abandoned === true });
  }
  return { perStore, kept: [], incognito: [] };
}

async function sessionTargets(context: EraseContext, name: string, descendants: boolean): Promise<Found> {
  if (context.incognito.has(name)) return { perStore: [], kept: [], incognito: [name] };
  const chosen = new Map<AgentStore, EraseTarget[]>();
  const take = (store: AgentStore, targets: readonly EraseTarget[]): readonly string[] => {
    const known = chosen.get(store) ?? [];
    const added = targets.filter((one) => !known.some((other) => other.no === one.no));
    chosen.set(store, [...known, ...added]);
    return added.map((one) => one.key);
  };
  let keys: readonly string[] = [];
  for (const store of storesFor(context.all, name)) {
    const found = await store.read(async (reading) => {
      const named = await lookUpSession(reading, store, context.scope, name);
      return named && (await reading.eraseTargets(context.scope, { key: named.info.key }));
    });
    if (found !== undefined) keys = [...keys, ...take(store, found)];
  }
  if (keys.length === 0) throw sessionNotFound(name);
  // Down the links, whatever agent's store they lead to.
  while (descendants && keys.length > 0) {
    const next: string[] = [];
    for (const spawnedBy of keys) {
      for (const store of context.all) {
        next.push(...take(store, await store.read((reading) => reading.eraseTargets(context.scope, { spawnedBy }))));
      }
    }
    keys = next;
  }
  const perStore = [...chosen].map(([store, sessions]) => ({ store, sessions, entries: [], abandoned: false }));
  return { perStore, kept: [], incognito: [] };
}

async function messageTarget(
  context: EraseContext,
  { session, sessionId, messageId }: NonNullable<EraseSelector['message']>,
): Promise<Found> {
  for (const store of storesFor(context.all, session)) {
    const entry = await store.read(async (reading) => {
      const named = await lookUpSession(reading, store, context.scope, session);
      if (named === undefined) return undefined;
      const found = await reading.find(context.scope, named.info.no, messageId, sessionId);
      if (found !== undefined && found.type === 'message') return found.id;
      throw invalidArgument(
        `message.messageId ${JSON.stringify(messageId.slice(0, 200))} is no message of that window.`,
        'Take session, sessionId and messageId from the same hit.',
        { parameter: 'message.messageId' },
      );
    });
    if (entry !== undefined) {
      return { perStore: [{ store, sessions: [], entries: [entry], abandoned: false }], kept: [], incognito: [] };
    }
  }
  throw sessionNotFound(session);
}

async function personTargets(
  context: EraseContext,
  stores: readonly AgentStore[],
  person: string,
  authored: boolean,
): Promise<Found> {
  const perStore: Targets[] = [];
  const kept: string[] = [];
  for (const store of stores) {
    const found = await store.read(async (reading) => {
      const all = await reading.eraseTargets(context.scope, { person });
      const sessions = all.filter(({ people }) => people?.every((one) => one === person));
      const shared = all.filter(({ people }) => people?.some((one) => one !== person));
      const entries: number[] = [];
      if (authored) for (const { no } of shared) entries.push(...(await reading.authored(no, person)));
      return { sessions, shared, entries };
    });
    kept.push(...found.shared.map((one) => one.key));
    const { sessions, entries } = found;
    if (sessions.length + entries.length > 0) perStore.push({ store, sessions, entries, abandoned: false });
  }
  return { perStore, kept, incognito: [] };
}

function instant({ clock, timeZone }: EraseContext, before: string): number {
  return resolveTime(before, 'before', { now: clock.now(), timeZone });
}

function checkSelector(selector: EraseSelector): void {
  checkNames(selector, [...SELECTORS, 'agent', 'descendants', 'authored']);
  for (const name of ['session', 'person', 'before', 'agent'] as const) checkText(name, selector[name]);
  checkFlag('descendants', selector.descendants);
  checkFlag('authored', selector.authored);
  const given = SELECTORS.filter((name) => selector[name] !== undefined);
  if (given.length > 1) throw oneOf(`${given.join(' and ')} were given together.`, given);
  if (given.length === 0 && selector.agent === undefined) throw oneOf('No selector was given.', []);
  if (selector.abandoned !== undefined && (selector.abandoned as unknown) !== true) {
    throw oneOf('abandoned is not true.', ['abandoned']);
  }
  if (selector.descendants !== undefined && selector.session === undefined) {
    throw oneOf('descendants was given without session.', ['descendants', 'session']);
  }
  if (selector.authored !== undefined && selector.person === undefined) {
    throw oneOf('authored was given without person.', ['authored', 'person']);
  }
  const { message } = selector;
  if (message === undefined) return;
  if (typeof message !== 'object' || message === null) throw oneOf('message is not an object.', ['message']);
  checkNames(message, ['session', 'sessionId', 'messageId']);
  for (const name of ['session', 'sessionId', 'messageId'] as const)
    checkText(`message.${name}`, message[name] ?? null);
}

function oneOf(message: string, parameters: readonly string[]): ReturnType<typeof invalidArgument> {
  return invalidArgument(message, `Give exactly one of ${SELECTORS.join(', ')}, or agent.`, { parameters });
}
