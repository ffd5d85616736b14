// Closes what was said so far: everything before stays stored and searchable, the current view begins anew (SES-50).
import { isSessionId } from '../model/ids.ts';
import type { NamedEntry } from '../store/host.ts';
import {
  asLeaf,
  badSessionId,
  type Conditions,
  checkConditionNames,
  type HostContext,
  type SessionWrite,
  writeSession,
} from './host.ts';
import { markerEntry, newWindow, targetBeforeReset, targetNotOnBranch } from './host-markers.ts';
import { checkInteger, checkNames, checkOneOf, checkText, invalidArgument } from './page-checks.ts';

export interface ResetParams extends Omit<Conditions, 'sessionId'> {
  readonly key: string;
  /** At most 64 characters. Default `reset`. */
  readonly reason?: string;
  /** Newest user and assistant messages to keep in the view, 0–50; leading assistant messages are left out. */
  readonly keep?: number;
  /** Keep from this message of the current view on; not together with `keep`. */
  readonly keepFrom?: string;
  /** `new`: the reset opens a new window. */
  readonly window?: 'same' | 'new';
  /** Of the new window; with `window: "same"` the window that must be the current one. */
  readonly sessionId?: string;
}

export interface ResetResult {
  readonly entryId: string;
  readonly sessionId: string;
  readonly kept: readonly { readonly sessionId: string; readonly messageId: string }[];
}

const MAX_REASON = 64;
const MAX_KEPT = 50;

/**
 * Throws `session_not_found`, `invalid_argument`, `leaf_conflict`, `window_not_current`, `session_id_taken`,
 * `target_not_on_branch`, `target_before_reset`.
 */
export async function reset(context: HostContext, params: ResetParams): Promise<ResetResult> {
  checkReset(params);
  const { key, reason = 'reset', window = 'same', sessionId, expectedLeaf } = params;
  const opens = window === 'new';
  const conditions = {
    key,
    ...(expectedLeaf === undefined ? {} : { expectedLeaf }),
    ...(opens || sessionId === undefined ? {} : { sessionId }),
  };
  return writeSession(context, conditions, async (at) => {
    const { writing, session } = at;
    const kept = await keptOf(at, params);
    const opened = opens ? await newWindow(context, at, sessionId, 'reset') : session;
    const entryId = context.newId();
    const now = context.clock.now();
    const entry = await writing.hostInsert(markerEntry(session, opened.window, 'reset', now, entryId, { reason }));
    await writing.keep(
      session.no,
      kept.map((one) => one.id),
    );
    await writing.hostUpdate(session.no, asLeaf(session, entry, now));
    return {
      entryId,
      sessionId: opened.sessionId,
      kept: kept.map((one) => ({ sessionId: one.sessionId, messageId: one.messageId })),
    };
  });
}

/** The tail that stays in view: never copied, only marked. */
async function keptOf(
  { writing, session }: SessionWrite,
  { keep = 0, keepFrom }: ResetParams,
): Promise<readonly NamedEntry[]> {
  if (keepFrom === undefined) {
    if (keep === 0) return [];
    const tail = (await writing.viewMessages(session.no)).slice(-keep);
    const first = tail.findIndex((one) => one.role === 'user');
    return first < 0 ? [] : tail.slice(first);
  }
  const messages = await writing.viewMessages(session.no);
  const from = await writing.entryNamed(session.no, keepFrom);
  const isKept = messages.some((one) => one.id === from?.id);
  if (from === undefined || from.state === 'side') throw targetNotOnBranch('keepFrom', keepFrom);
  if (!isKept && from.id < ((await writing.latestReset(session.no)) ?? 0))
    throw targetBeforeReset('keepFrom', keepFrom);
  const kept = messages.filter((one) => one.id >= from.id);
  if (kept.length <= MAX_KEPT) return kept;
  throw invalidArgument(
    `keepFrom ${JSON.stringify(keepFrom)} would keep ${kept.length} messages, over ${MAX_KEPT}.`,
    'Name a later message.',
    { parameter: 'keepFrom', limit: MAX_KEPT },
  );
}

function checkReset(params: ResetParams): void {
  checkNames(params, ['key', 'reason', 'keep', 'keepFrom', 'window', 'sessionId', 'expectedLeaf']);
  const { reason, keep, keepFrom, window, sessionId } = params;
  checkConditionNames(params);
  checkText('reason', reason);
  if (reason !== undefined && reason.length > MAX_REASON) {
    throw invalidArgument(`reason is ${reason.length} characters long.`, `Give reason at most ${MAX_REASON}.`, {
      parameter: 'reason',
      limit: MAX_REASON,
    });
  }
  checkInteger('keep', keep, 0, MAX_KEPT);
  checkText('keepFrom', keepFrom);
  checkOneOf('window', window, ['same', 'new']);
  if (keep !== undefined && keepFrom !== undefined) {
    throw invalidArgument('keep was given together with keepFrom.', 'Leave out keep or keepFrom.', {
      parameters: ['keep', 'keepFrom'],
    });
  }
  if (sessionId !== undefined && !isSessionId(sessionId)) throw badSessionId('sessionId', sessionId);
}
