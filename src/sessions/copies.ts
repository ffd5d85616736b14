// Copies of one message in several sessions of an agent: forks, resumed and re-stamped files (SRC-15, SRC-106, SRC-125).
import { createHash } from 'node:crypto';
import type { StoredBlock } from '../model/session.ts';
import type { Writing } from '../store/writing.ts';
import type { MessageOp } from './batch.ts';
import { sameTexts } from './shape.ts';

/** Where the identity over several files is not the message id itself: its digest. */
export function copyDigestOf(op: MessageOp): Uint8Array | undefined {
  const copyId = op.blocks[0]?.copyId;
  if (copyId === undefined || copyId === op.id) return undefined;
  return createHash('sha256').update(copyId).digest().subarray(0, 16);
}

/** The entry of another session that is the same message: its body and index row serve this one too. */
export async function originalOf(
  writing: Writing,
  session: number,
  op: MessageOp,
  blocks: readonly StoredBlock[],
): Promise<number | undefined> {
  const copyId = op.blocks[0]?.copyId;
  if (copyId === undefined || !blocks.some((block) => block.type === 'text')) return undefined;
  const digest = copyDigestOf(op);
  const found = await writing.originals(
    session,
    digest === undefined ? [copyId] : [],
    digest === undefined ? [] : [digest],
  );
  const candidates =
    digest === undefined ? found.byId.get(copyId) : found.byDigest.get(Buffer.from(digest).toString('hex'));
  for (const candidate of candidates ?? []) {
    const content = await writing.content(candidate.id);
    if (content && sameTexts(content.blocks, blocks)) return candidate.id;
  }
  return undefined;
}
