// The system calls this module makes, their errors as one type, and what differs between platforms (FILE-12, FILE-26).

import type { BigIntStats, Dirent } from 'node:fs';
import * as nodeFs from 'node:fs';

export type { BigIntStats } from 'node:fs';

/** The part of `node:fs` that is used; tests wrap it to stage races. */
export interface FileSystem {
  lstatSync(path: string, options: { bigint: true }): BigIntStats;
  fstatSync(fd: number, options: { bigint: true }): BigIntStats;
  openSync(path: string, flags: number): number;
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(fd: number): void;
  readdirSync(path: string, options: { withFileTypes: true }): Dirent[];
  readonly realpathSync: { native(path: string): string };
}

export const systemFs: FileSystem = nodeFs;

/** Windows has neither flag: links are told by lstat alone there, and pipes have no path among files. */
export const OPEN_FLAGS: number =
  nodeFs.constants.O_RDONLY | (nodeFs.constants.O_NOFOLLOW ?? 0) | (nodeFs.constants.O_NONBLOCK ?? 0);

/** An error of a system call made here: never one of a sink. */
export class SystemTrouble extends Error {
  readonly code: string;
  constructor(code: string, cause: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Runs system calls; what they throw becomes a SystemTrouble. */
export function system<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | null)?.code;
    if (typeof code !== 'string') throw error;
    throw new SystemTrouble(code, error);
  }
}
