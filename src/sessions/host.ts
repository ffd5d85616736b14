// What every write of the host face stands on: the store that holds a session, its row, and the conditions of a write
// (SES-26). The host has no caller and no scope (sessions.md, two faces).
import type { Clock, NewId } from '../model/clock.ts';
import { BackstoryError, shownValue } from '../model/errors.ts';
import { agentOfKey, isReservedKey, isSessionId } from '../model/ids.ts';
import type { Masker } from '../redact/masker.ts';
import type { AgentStore, StoreSet } from '../store/contract.ts';
import type { HostChange, HostSession } from '../store/host.ts';
import type { Writing } from '../store/writing.ts';
import type { ExtraContext } from './extra.ts';
import type { Incognito } from './incognito.ts';
import { checkText, invalidArgument } from './page-checks.ts';
import { sessionNotFound } from './page-context.ts';

export interface HostContext extends ExtraContext {
  readonly stores: StoreSet;
  readonly incognito: Incognito;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly masker: Masker;
  /** The setting `sessions.maskAtRest` (SES-43). */
  readonly maskAtRest: boolean;
}

/** What any write may be made conditional on (SES-26). */
export interface Conditions {
  /** Must be the current window, else `window_not_current`. */
  readonly sessionId?: string;
  /** Id of the entry that must be the newest on the branch, else `leaf_conflict`. */
  readonly expectedLeaf?: string;
}

/** A write to one session that exists. Throws `session_not_found` (SES-58), and what `checkConditions` throws. */
export interface SessionWrite {
  readonly writing: Writing;
  readonly session: HostSession;
  readonly incognito: boolean;
}

export async function writeSession<T>(
  context: HostContext,
  params: { readonly key: string } & Conditions,
  work: (at: SessionWrite) => Promise<T>,
): Promise<T> {
  const { store, incognito } = await existingStore(context, params.key);
  return store.write(async (writing) => {
    const session = await writing.hostSession(params.key);
    if (session === undefined) throw sessionNotFound(params.key);
    await checkConditions(context, writing, session, params);
    return work({ writing, session, incognito });
  });
}

/** The store that holds a session which exists, on disk or in memory. Throws `key_invalid`, `session_not_found`. */
export async function existingStore(
  context: HostContext,
  key: string,
): Promise<{ readonly store: AgentStore; readonly incognito: boolean }> {
  const agentId = agentOfKey(checkedKey(key));
  if (context.incognito.has(key)) return { store: await context.incognito.store(key), incognito: true };
  const store = isReservedKey(key) ? undefined : await context.stores.open(agentId);
  if (store === undefined) throw sessionNotFound(key);
  return { store, incognito: false };
}

/** Throws `invalid_argument` for what is no text; `key_invalid` comes from the grammar. */
export function checkedKey(key: unknown): string {
  if (typeof key === 'string') return key;
  throw invalidArgument('key is missing, or not a text.', 'Give key a session key: agent:<agent>:….', {
    parameter: 'key',
  });
}

export async function checkConditions(
  context: HostContext,
  writing: Writing,
  session: HostSession,
  { sessionId, expectedLeaf }: Conditions,
): Promise<void> {
  if (sessionId !== undefined && sessionId !== session.sessionId) {
    if (await writing.isGone(sessionId, context.clock.now())) throw sessionGone(sessionId);
    throw new BackstoryError(
      'window_not_current',
      `Session id ${JSON.stringify(sessionId)} is not the current window, which is ${JSON.stringify(session.sessionId)}.`,
      'Leave sessionId out, or read sessions_current again.',
      { details: { sessionId, current: session.sessionId } },
    );
  }
  if (expectedLeaf !== undefined && expectedLeaf !== session.leaf?.messageId) throw leafConflict(expectedLeaf, session);
}

export function leafConflict(expectedLeaf: string, session: HostSession | undefined): BackstoryError {
  const leaf = session?.leaf?.messageId;
  return new BackstoryError(
    'leaf_conflict',
    `expectedLeaf is ${JSON.stringify(expectedLeaf)}, and the newest entry is ${leaf === undefined ? 'none' : JSON.stringify(leaf)}.`,
    'Read sessions_current again, and decide anew.',
    { details: { expectedLeaf, ...(leaf === undefined ? {} : { leaf }) } },
  );
}

export function sessionGone(sessionId: string): BackstoryError {
  return new BackstoryError(
    'session_gone',
    `Session id ${JSON.stringify(sessionId)} is of a session that was deleted.`,
    'Leave sessionId out: that starts a new session under the key.',
    { details: { sessionId } },
  );
}

export function checkConditionNames({ sessionId, expectedLeaf }: Conditions): void {
  checkText('expectedLeaf', expectedLeaf);
  if (sessionId === undefined) return;
  if (typeof sessionId === 'string' && isSessionId(sessionId)) return;
  throw badSessionId('sessionId', sessionId);
}

export function badSessionId(name: string, value: unknown): BackstoryError {
  return invalidArgument(
    `${name} is ${shownValue(value, 140)}.`,
    `Give ${name} 1 to 128 letters, digits, dots, underscores and hyphens, a letter or digit first.`,
    { parameter: name },
  );
}

/** A session id as given, or a new one. Throws `session_id_taken`, `session_gone` (SES-5, SES-174). */
export async function freeSessionId(
  context: HostContext,
  writing: Writing,
  given: string | undefined,
): Promise<string> {
  if (given === undefined) return context.newId();
  if (await writing.isGone(given, context.clock.now())) throw sessionGone(given);
  if ((await writing.windowOwner(given)) !== undefined) {
    throw new BackstoryError(
      'session_id_taken',
      `Session id ${JSON.stringify(given)} is one of this agent's already.`,
      'Leave the session id out to have one made, or give another.',
      { details: { sessionId: given } },
    );
  }
  return given;
}

/** What an entry written now does to the session's row: it is the leaf, and the newest activity. */
export function asLeaf(session: HostSession, entry: number, at: number): HostChange {
  return { leaf: entry, lastAt: Math.max(at, session.lastAt) };
}
