// What one look at a file came to, and the looks that end without opening it (FILE-5 rows 1, 2, 6; FILE-12, FILE-13).
import { type BigIntStats, SystemTrouble } from './file-system.ts';
import { OutsideRoot } from './open-file.ts';
import { isSameFile, isSameStat } from './stat-compare.ts';
import type { FileState } from './state.ts';

export type RestartReason = 'new' | 'shrank' | 'replaced' | 'rewritten';
export type NotReadReason = 'not_regular' | 'outside_root' | 'unstable' | 'unreadable' | 'binary' | 'utf16';

/**
 * `gone` and `not_regular`: the caller drops its rows and its state. `restarted`, `binary`, `utf16`: the sink was told
 * to, by `start`. `state` is what to keep, already committed; `detail` the code of the system's error.
 */
export interface ReadOutcome {
  readonly kind: 'same' | 'grown' | 'restarted' | 'gone' | 'skipped';
  readonly state?: FileState;
  readonly reason?: RestartReason | NotReadReason;
  readonly detail?: string;
}

// What O_NOFOLLOW says of a link (EMLINK on BSD), and a socket of being opened.
const NOT_REGULAR = new Set(['ELOOP', 'EMLINK', 'ENXIO']);
const GONE = new Set(['ENOENT', 'ENOTDIR']);

/** A look that the lstat alone decides; undefined: the file must be opened. */
export function unopened(state: FileState | undefined, seen: BigIntStats): ReadOutcome | undefined {
  if (!seen.isFile()) return { kind: 'skipped', reason: 'not_regular' };
  if (!state || !isSameFile(state, seen) || !isSameStat(state, seen)) return undefined;
  if (isNoText(state)) return skipped(state.kind, state);
  return state.settled ? { kind: 'same', state } : undefined;
}

export function isNoText(state: FileState): state is FileState & { readonly kind: 'binary' | 'utf16' } {
  return state.kind === 'binary' || state.kind === 'utf16';
}

export function skipped(reason: NotReadReason, state: FileState | undefined, detail?: string): ReadOutcome {
  return { kind: 'skipped', reason, ...(state ? { state } : {}), ...(detail === undefined ? {} : { detail }) };
}

/** Undefined for anything that is no trouble of the file itself. */
export function outcomeOfError(error: unknown, state: FileState | undefined): ReadOutcome | undefined {
  if (error instanceof OutsideRoot) return skipped('outside_root', state);
  if (!(error instanceof SystemTrouble)) return undefined;
  if (GONE.has(error.code)) return { kind: 'gone' };
  if (NOT_REGULAR.has(error.code)) return { kind: 'skipped', reason: 'not_regular' };
  return skipped('unreadable', state, error.code);
}
