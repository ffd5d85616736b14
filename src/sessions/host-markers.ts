// Entries of ours beside messages, the windows they open, and the two ways in which a target is refused (SES-6, SES-52).
import { BackstoryError } from '../model/errors.ts';
import type { HostEntry } from '../store/host.ts';
import { freeSessionId, type HostContext, type SessionWrite } from './host.ts';

/** An entry of ours under the leaf. */
export function markerEntry(
  session: SessionWrite['session'],
  window: number,
  kind: HostEntry['kind'],
  at: number,
  messageId: string,
  data: object | undefined,
): HostEntry {
  return {
    session: session.no,
    window,
    ...(session.leaf === undefined ? {} : { parent: session.leaf.id }),
    kind,
    state: 'active',
    at,
    messageId,
    blocks: data === undefined ? [] : [{ type: 'data', host: JSON.stringify(data) }],
  };
}

/** Opens a window that follows the current one. */
export async function newWindow(
  context: HostContext,
  { writing, session }: SessionWrite,
  given: string | undefined,
  reason: 'reset' | 'rewind',
): Promise<{ readonly window: number; readonly sessionId: string }> {
  const sessionId = await freeSessionId(context, writing, given);
  return { window: await writing.openWindow(session.no, sessionId, session.window, reason), sessionId };
}

export function targetBeforeReset(name: string, target: string): BackstoryError {
  return new BackstoryError(
    'target_before_reset',
    `${name} ${JSON.stringify(target)} lies before the latest reset, which stays in force.`,
    'Name the reset itself, or an entry after it.',
    { details: { [name]: target.slice(0, 128) } },
  );
}

export function targetNotOnBranch(name: string, target: string): BackstoryError {
  return new BackstoryError(
    'target_not_on_branch',
    `${name} ${JSON.stringify(target.slice(0, 128))} is no entry that this may go to.`,
    'Name an entry of the active branch after the latest reset; sessions_switch goes to abandoned ones.',
    { details: { [name]: target.slice(0, 128) } },
  );
}
