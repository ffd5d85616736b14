// Moves the tip of a session to another entry, and the index with it (SES-52 … SES-54).
import type { Moved } from '../store/host.ts';
import type { HostContext, SessionWrite } from './host.ts';

// Up to here index rows change in the same transaction; beyond, the session is dirty and follows soon (SES-54).
const MAX_ENTRIES = 4_000;
const MAX_BYTES = 4 * 1024 * 1024;

const NOTHING: Moved = { entries: 0, messages: 0, texts: [], bytes: 0 };

/**
 * Makes `target` the last entry of the active branch: what followed it leaves, and what leads to it comes back. Returns
 * how many entries left, and by how much the number of messages on the branch changed.
 */
export async function moveTip(
  context: HostContext,
  { writing, session, incognito }: SessionWrite,
  target: { readonly id: number; readonly state: string },
): Promise<{ readonly abandoned: number; readonly messagesAdded: number }> {
  const side = target.state === 'side';
  const meets = side ? await writing.meetsBranch(target.id) : target.id;
  const left = await writing.leaveBranch(session.no, meets);
  const joined = side ? await writing.joinBranch(target.id) : NOTHING;
  if (!incognito) await followIndex(context, { writing, session, incognito }, left, joined);
  return { abandoned: left.entries, messagesAdded: joined.messages - left.messages };
}

async function followIndex(
  context: HostContext,
  { writing, session }: SessionWrite,
  left: Moved,
  joined: Moved,
): Promise<void> {
  const texts = [...left.texts, ...joined.texts];
  if (texts.length === 0) return;
  if (left.entries + joined.entries <= MAX_ENTRIES && left.bytes + joined.bytes <= MAX_BYTES) {
    await writing.index(texts, context.prepare);
    return;
  }
  const from = Math.min(...[left.texts[0], joined.texts[0]].filter((id) => id !== undefined));
  const through = Math.max(left.texts.at(-1) ?? 0, joined.texts.at(-1) ?? 0);
  await writing.markDirty(session.no, from, through);
}
