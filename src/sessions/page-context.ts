// What every read of sessions is given, and the one session that a parameter names (SES-70, SES-85). Never opens a store.
import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scope.ts';
import type { Clock } from '../model/clock.ts';
import { BackstoryError } from '../model/errors.ts';
import type { Masker } from '../redact/masker.ts';
import type { AgentStore, Awaitable } from '../store/contract.ts';
import type { Reading, SessionInfo } from '../store/reading.ts';

export interface ReadContext {
  /** Opened, in the byte order of their agents. A read looks at no other. */
  readonly stores: readonly AgentStore[];
  /** Stores that could not be opened: named in coverage, and the rest answers (SES-75). */
  readonly failed: readonly { readonly agentId: string; readonly reason: string }[];
  readonly scope: Scope;
  /** For links into stores that this read does not look at; default: those it does. */
  readonly openStore?: (agentId: string) => Promise<AgentStore | undefined>;
  /** For `current` and `main`. */
  readonly caller: Caller;
  readonly masker: Masker;
  /** Sentences about the engine itself, for every answer's coverage; asked when the answer is made. */
  readonly warnings?: () => readonly string[];
  readonly clock: Clock;
  /** IANA name, for times without a zone (COM-10). */
  readonly timeZone: string;
  /** Whose bounds hold: `library`, the default, may ask for more at once than an agent (COM-2). */
  readonly bounds?: 'agent' | 'library';
}

/** What reads need that go on by cursor. */
export interface PagedContext extends ReadContext {
  /** Signs cursors (SES-80). Asked only when there is one to make or to open. */
  readonly cursorKey: () => Awaitable<string | Uint8Array>;
  /** A project as it may have been recorded: itself, and what aliases name the same (SRC-29). Default: itself. */
  readonly projectsOf?: (project: string) => readonly string[];
}

/** The session that a parameter names: a key, or one of its windows. */
export interface NamedSession {
  readonly store: AgentStore;
  readonly info: SessionInfo;
  /** Only when a session id was given. */
  readonly sessionId?: string;
}

/** `current` and `main` as keys; anything else as it is. Throws `invalid_argument` when the caller has no such session. */
export function sessionNameOf(caller: Caller, session: string): string {
  if (session === 'current') {
    if (caller.sessionKey !== undefined) return caller.sessionKey;
    throw noSuchCaller(session, 'a session key');
  }
  if (session === 'main') {
    if (caller.agentId !== undefined) return `agent:${caller.agentId}:main`;
    throw noSuchCaller(session, 'an agent');
  }
  return session;
}

/** Looks in one snapshot. Ids of windows are unique within an agent only. */
export async function lookUpSession(
  reading: Reading,
  store: AgentStore,
  scope: Scope,
  name: string,
): Promise<NamedSession | undefined> {
  if (isKey(name)) {
    const info = await reading.session(scope, name);
    return info && { store, info };
  }
  const info = await reading.sessionOfWindow(scope, name);
  return info && { store, info, sessionId: name };
}

/** Stores that may have it: the agent's for a key, all for a session id. */
export function storesFor(stores: readonly AgentStore[], name: string): readonly AgentStore[] {
  return isKey(name) ? stores.filter((store) => store.agentId === name.split(':')[1]) : stores;
}

export function isKey(name: string): boolean {
  return name.startsWith('agent:');
}

/** One text for unknown, invisible and deleted alike (VIS-50). */
export function sessionNotFound(name: string): BackstoryError {
  return new BackstoryError(
    'session_not_found',
    `There is no session ${JSON.stringify(name.slice(0, 600))}.`,
    'Give a session key (agent:<agent>:…) or a session id from a hit or from sessions_list.',
    { details: { session: name.slice(0, 600) } },
  );
}

function noSuchCaller(session: string, what: string): BackstoryError {
  return new BackstoryError(
    'invalid_argument',
    `session ${JSON.stringify(session)} needs a caller with ${what}, and this one has none.`,
    'Name the session by its key or its session id.',
    { details: { parameter: 'session' } },
  );
}
