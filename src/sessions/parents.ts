// Under which stored entry a record hangs: one rule per mode of a format (SRC-31, SRC-32).
import type { Source } from '../sources/contract.ts';
import type { Live } from './live.ts';

export interface Parent {
  readonly id: number | undefined;
  /** It hangs under a branch already left (SRC-33). */
  readonly side: boolean;
  /** The record names it, and it is there: only then do two prompts under it make a branch (SRC-107). */
  readonly recorded: boolean;
  /** The record names one that is not there (yet): the entry hangs under the one before it (SRC-32). */
  readonly dangling: boolean;
}

export function parentOf(live: Live, mode: Source['branches'], id: string | undefined, what: 'entry' | 'link'): Parent {
  const none = { side: false, recorded: false, dangling: false };
  if (mode === 'linear' || mode === 'marked') return { id: live.last, ...none };
  const before = mode === 'strict' ? (live.leaf ?? live.last) : live.last;
  if (id === undefined) return { id: mode === 'strict' && what === 'entry' ? before : undefined, ...none };
  const known = live.known.get(id);
  if (!known) return { id: before, ...none, dangling: true };
  const parent = 'entry' in known ? known.entry.id : (known.ancestor ?? undefined);
  if (mode === 'strict') {
    // After a reset nothing moves the leaf above it (SRC-141).
    const above = live.latestReset !== undefined && parent !== undefined && parent < live.latestReset;
    return { id: above ? before : parent, ...none, recorded: true };
  }
  const side = 'entry' in known && known.entry.state === 'side';
  return { id: parent, side, recorded: true, dangling: false };
}
