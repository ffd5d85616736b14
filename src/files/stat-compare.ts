// What numbers of a stat say about a file seen before: its identity, its times, how long it is at rest. Reads nothing.
import type { Clock } from '../model/clock.ts';
import type { BigIntStats } from './file-system.ts';
import type { FileState } from './state.ts';

// FAT keeps times to 2 s, older kernels to 4 ms: two writes within that may show one time (FILE-7).
const COARSEST_NS = 2_000_000_000n;

/** Raises suspicion only: a number may be reused at once, a device's changes over a reboot (FILE-4). */
export function isSameFile(state: FileState, stat: BigIntStats): boolean {
  if (state.dev !== stat.dev || state.ino !== stat.ino) return false;
  return state.birthNs === 0n || stat.birthtimeNs === 0n || state.birthNs === stat.birthtimeNs;
}

export function isSameStat(state: FileState, stat: BigIntStats): boolean {
  return state.size === Number(stat.size) && state.mtimeNs === stat.mtimeNs && state.ctimeNs === stat.ctimeNs;
}

/** The fields of a state that the stat gives. A birth equal to ctime is one that the file system made up. */
export function identityOf(
  before: FileState | undefined,
  stat: BigIntStats,
): Pick<FileState, 'dev' | 'ino' | 'birthNs' | 'mtimeNs' | 'ctimeNs'> {
  const { dev, ino, mtimeNs, ctimeNs, birthtimeNs } = stat;
  const firstBirth = birthtimeNs === ctimeNs ? 0n : birthtimeNs;
  const birthNs = before && isSameFile(before, stat) ? before.birthNs : firstBirth;
  return { dev, ino, birthNs, mtimeNs, ctimeNs };
}

/** FILE-7: an mtime in the future counts from the moment it was first seen. */
export function timingOf(
  before: FileState | undefined,
  stat: BigIntStats,
  clock: Clock,
): { readonly sinceNs: bigint; readonly isOld: boolean } {
  const nowNs = BigInt(Math.floor(clock.now())) * 1_000_000n;
  const since = stat.mtimeNs < nowNs ? stat.mtimeNs : nowNs;
  const sinceNs = before?.mtimeNs === stat.mtimeNs ? before.sinceNs : since;
  return { sinceNs, isOld: nowNs - sinceNs >= COARSEST_NS };
}
