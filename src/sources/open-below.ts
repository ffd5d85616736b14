// Opens one file that, by its real path, lies below a root (SRC-1, SRC-22): no link is followed at its end, nothing waits.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

export interface Below {
  readonly size: number;
  /** At most `length` bytes; fewer at the end of the file. */
  read(offset: number, length: number): Buffer;
  close(): void;
}

export function openBelow(
  absolute: string,
  roots: readonly string[],
): Below | { readonly reason: 'gone' | 'outside_root' } {
  let descriptor: number | undefined;
  try {
    const real = realpathSync(absolute);
    if (!roots.some((root) => real.startsWith(root.endsWith(sep) ? root : root + sep)))
      return { reason: 'outside_root' };
    const file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    descriptor = file;
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('not a regular file');
    return { size: stat.size, read: (offset, length) => bytesAt(file, offset, length), close: () => closeSync(file) };
  } catch {
    if (descriptor !== undefined) closeSync(descriptor);
    return { reason: 'gone' };
  }
}

function bytesAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, fstatSync(file).size - offset)));
  let got = 0;
  while (got < bytes.length) {
    const count = readSync(file, bytes, got, bytes.length - got, offset + got);
    if (count === 0) break;
    got += count;
  }
  return bytes.subarray(0, got);
}
