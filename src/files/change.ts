// What two stats say about a file, before anything is opened (FILE-5). From numbers only.
import type { BigIntStats } from 'node:fs';

/** The few numbers of a FileState that decide whether a file has to be looked at; a store may keep them in columns. */
export interface SeenNumbers {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly birthNs?: bigint;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly settled: boolean;
}

/** `same`: row 6 of FILE-5, the file need not be opened nor its state decoded. Everything else: call `read`. */
export function changeOf(stat: BigIntStats, seen: SeenNumbers | undefined): 'same' | 'look' {
  if (seen === undefined || !seen.settled || !stat.isFile()) return 'look';
  return isIdentical(stat, seen) && hasEqualSizeAndTimes(stat, seen) ? 'same' : 'look';
}

/** Birth is compared only where it was known at first sight. Device and inode as 64 bits: above 2^53 too (FILE-4). */
export function isIdentical(stat: BigIntStats, seen: SeenNumbers): boolean {
  if (BigInt.asUintN(64, stat.ino) !== seen.ino || BigInt.asUintN(64, stat.dev) !== seen.dev) return false;
  return !seen.birthNs || seen.birthNs === stat.birthtimeNs;
}

export function hasEqualSizeAndTimes(stat: BigIntStats, seen: SeenNumbers): boolean {
  return stat.mtimeNs === seen.mtimeNs && stat.ctimeNs === seen.ctimeNs && Number(stat.size) === seen.size;
}
