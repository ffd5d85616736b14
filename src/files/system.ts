// The system calls of files/, replaceable in tests, and the platform's differences (FILE-26). Knows nothing of lines.
import type { BigIntStats, Dir } from 'node:fs';

/** The part of node:fs that is used. All synchronous: through the thread pool they take two to three times as long. */
export interface FileSystem {
  lstatSync(path: string, options: { bigint: true }): BigIntStats;
  fstatSync(fd: number, options: { bigint: true }): BigIntStats;
  openSync(path: string, flags: number): number;
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(fd: number): void;
  opendirSync(path: string, options: { bufferSize: number }): Pick<Dir, 'readSync' | 'closeSync'>;
  readonly realpathSync: { native(path: string): string };
}
