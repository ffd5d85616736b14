// Goes back to an entry, or over to another branch: the leaf moves, and a marker says so (SES-52, SES-53).
import type { NamedEntry } from '../store/host.ts';
import { moveTip } from './branch-moves.ts';
import {
  asLeaf,
  type Conditions,
  checkConditionNames,
  type HostContext,
  type SessionWrite,
  writeSession,
} from './host.ts';
import { markerEntry, newWindow, targetBeforeReset, targetNotOnBranch } from './host-markers.ts';
import { checkNames, checkOneOf, checkText } from './page-checks.ts';

export interface RewindParams extends Conditions {
  readonly key: string;
  /** An entry of the active branch after the latest reset, or that reset. */
  readonly to: string;
  readonly window?: 'same' | 'new';
}

export interface SwitchParams extends Conditions {
  readonly key: string;
  /** Any entry after the latest reset, such as the end of an abandoned branch. */
  readonly to: string;
}

export interface RewindResult {
  /** Entries that left the active branch. Nothing was destroyed (SES-56). */
  readonly abandoned: number;
  readonly sessionId: string;
  /** Of the marker; of the leaf when nothing was written. */
  readonly entryId: string;
}

/** Throws `session_not_found`, `target_not_on_branch`, `target_before_reset`, `leaf_conflict`, `window_not_current`. */
export async function rewind(context: HostContext, params: RewindParams): Promise<RewindResult> {
  checkNames(params, ['key', 'to', 'window', 'sessionId', 'expectedLeaf']);
  checkOneOf('window', params.window, ['same', 'new']);
  checkTarget(params);
  return writeSession(context, params, async (at) => {
    const target = await targetOf(at, params.to);
    if (target.state === 'side') throw targetNotOnBranch('to', params.to);
    return moveTo(context, at, target, 'rewind', params.window === 'new');
  });
}

/** Makes an entry the tip again: its messages come back to the index (SES-53). Throws as `rewind` does. */
export async function switchTo(context: HostContext, params: SwitchParams): Promise<RewindResult> {
  checkNames(params, ['key', 'to', 'sessionId', 'expectedLeaf']);
  checkTarget(params);
  return writeSession(context, params, async (at) => {
    const target = await targetOf(at, params.to);
    if (target.aside) throw targetNotOnBranch('to', params.to);
    return moveTo(context, at, target, 'switch', false);
  });
}

async function targetOf({ writing, session }: SessionWrite, to: string): Promise<NamedEntry> {
  const target = await writing.entryNamed(session.no, to);
  if (target === undefined) throw targetNotOnBranch('to', to);
  const reset = (await writing.latestReset(session.no)) ?? 0;
  if (target.id < reset) throw targetBeforeReset('to', to);
  return target;
}

async function moveTo(
  context: HostContext,
  at: SessionWrite,
  target: NamedEntry,
  kind: 'rewind' | 'switch',
  opens: boolean,
): Promise<RewindResult> {
  const { writing, session } = at;
  if (target.id === session.leaf?.id) {
    return { abandoned: 0, sessionId: session.sessionId, entryId: target.messageId };
  }
  const { abandoned, messagesAdded } = await moveTip(context, at, target);
  const opened = opens ? await newWindow(context, at, undefined, 'rewind') : session;
  const entryId = context.newId();
  const now = context.clock.now();
  const marker = markerEntry(session, opened.window, kind, now, entryId, undefined);
  const entry = await writing.hostInsert({ ...marker, parent: target.id });
  await writing.hostUpdate(session.no, { ...asLeaf(session, entry, now), messagesAdded });
  return { abandoned, sessionId: opened.sessionId, entryId };
}

function checkTarget(params: SwitchParams): void {
  checkText('to', params.to ?? null);
  checkConditionNames(params);
}
