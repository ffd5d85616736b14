// Cuts the blocks of a page and drops entries until the page fits its bound of bytes (SES-111). Reads nothing.
import type { HistoryEntry, ShownBlock } from '../model/session.ts';
import { cutBlock, type WholeBlock } from './blocks-shown.ts';

/** An entry with all that is shown of it, before any cut. */
export interface WholeEntry {
  readonly entry: Omit<HistoryEntry, 'blocks'>;
  readonly blocks: readonly WholeBlock[];
}

export interface Fitted {
  readonly entries: readonly HistoryEntry[];
  /** Dropped from the older and from the newer end. */
  readonly droppedOlder: number;
  readonly droppedNewer: number;
  /** Something was dropped or shortened to fit. */
  readonly truncated: boolean;
}

/**
 * Drops whole entries: unanchored from the oldest end, anchored from the end farther from the anchor, the older on a
 * tie. `keep` is the place of the anchor, else of the entry that stays when all others go; its blocks are shortened in
 * proportion when it alone is too large.
 */
export function fitted(whole: readonly WholeEntry[], keep: number, room: number, maxBlockChars: number): Fitted {
  const entries = whole.map((entry) => shownEntry(entry, maxBlockChars));
  const sizes = entries.map((entry) => byteLength(entry) + 1);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let [first, last] = [0, entries.length - 1];
  while (total > room && first < last) {
    const older = keep - first >= last - keep;
    total -= sizes[older ? first++ : last--]!;
  }
  const kept = entries.slice(first, last + 1);
  const tooLarge = total > room && kept.length === 1;
  if (tooLarge) kept[0] = shortened(whole[first]!, room, maxBlockChars);
  const droppedNewer = entries.length - 1 - last;
  return { entries: kept, droppedOlder: first, droppedNewer, truncated: tooLarge || first > 0 || droppedNewer > 0 };
}

/** UTF-8 bytes of a value as JSON. */
export function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function shownEntry({ entry, blocks }: WholeEntry, maxBlockChars: number): HistoryEntry {
  return { ...entry, blocks: blocks.map((block) => cutBlock(block, maxBlockChars)) };
}

// Bytes per character differ from block to block, so the share is found by trying: each try is at least a tenth less.
function shortened(whole: WholeEntry, room: number, maxBlockChars: number): HistoryEntry {
  const limits = whole.blocks.map(({ block }) => Math.min(block.text?.length ?? 0, maxBlockChars));
  let share = 1;
  for (;;) {
    const blocks: ShownBlock[] = whole.blocks.map((block, index) =>
      cutBlock(block, Math.floor(limits[index]! * share)),
    );
    const entry = { ...whole.entry, blocks };
    const size = byteLength(entry);
    if (size <= room || share === 0) return entry;
    share = Math.min(share * (room / size), share * 0.9);
    if (limits.every((limit) => limit * share < 1)) share = 0;
  }
}
