// One open file that is surely the one that was looked at, inside the root (FILE-9), and reads from it (FILE-10).
import { sep } from 'node:path';
import { type BigIntStats, type FileSystem, OPEN_FLAGS, SystemTrouble, system } from './file-system.ts';

/** The file is changing under the reader's hands: what was read is worth nothing, look again (FILE-11). */
export class Unstable extends Error {}

/** The path leads out of the root. */
export class OutsideRoot extends Error {}

export interface OpenFile {
  /** Of the open file, before a byte was read. */
  readonly stat: BigIntStats;
  readonly size: number;
  /** Fills `buffer` from `offset` on; a file that ends before is unstable. */
  read(buffer: Buffer, offset: number): void;
  statNow(): BigIntStats;
  close(): void;
}

/** Opens what `seen` is the lstat of; anything else is Unstable, OutsideRoot or a SystemTrouble. */
export function openSeen(fs: FileSystem, path: string, realRoot: string, seen: BigIntStats): OpenFile {
  const fd = openTwice(fs, path);
  try {
    const stat = system(() => fs.fstatSync(fd, { bigint: true }));
    if (!stat.isFile() || !isSame(stat, seen)) throw new Unstable();
    const real = system(() => fs.realpathSync.native(path));
    if (real !== realRoot && !real.startsWith(withSeparator(realRoot))) throw new OutsideRoot();
    if (
      !isSame(
        stat,
        system(() => fs.lstatSync(real, { bigint: true })),
      )
    )
      throw new Unstable();
    return {
      stat,
      size: Number(stat.size),
      read: (buffer, offset) => readFully(fs, fd, buffer, offset),
      statNow: () => system(() => fs.fstatSync(fd, { bigint: true })),
      close: () => fs.closeSync(fd),
    };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

// Out of descriptors: another reader of this process may have closed one meanwhile; none of ours is open here.
function openTwice(fs: FileSystem, path: string): number {
  try {
    return system(() => fs.openSync(path, OPEN_FLAGS));
  } catch (error) {
    if (!(error instanceof SystemTrouble) || (error.code !== 'EMFILE' && error.code !== 'ENFILE')) throw error;
    return system(() => fs.openSync(path, OPEN_FLAGS));
  }
}

// As bigints: inode numbers above 2^53 stay apart (FILE-4).
function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function withSeparator(path: string): string {
  return path.endsWith(sep) ? path : path + sep;
}

function readFully(fs: FileSystem, fd: number, buffer: Buffer, offset: number): void {
  for (let done = 0; done < buffer.length; ) {
    const count = system(() => fs.readSync(fd, buffer, done, buffer.length - done, offset + done));
    if (count === 0) throw new Unstable();
    done += count;
  }
}
