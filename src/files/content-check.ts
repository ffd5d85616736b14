// Is the content still the one a state describes? Whole, or at the few places that a look can afford (FILE-6).
import { BLOCK, HASH, HEAD, hashOf } from './hashing.ts';
import type { OpenFile } from './open-file.ts';
import type { FileState } from './state.ts';

/** What is compared, and where it is read to. */
export interface Check {
  readonly file: OpenFile;
  readonly state: Pick<FileState, 'size' | 'head' | 'blocks' | 'checked'>;
  readonly buffer: Buffer;
  readonly onBytes: (bytes: number) => void;
}

/** Every block has its hash. `pause` is awaited between blocks. */
export async function fullCheck(check: Check, pause: () => void | Promise<void>): Promise<boolean> {
  for (let block = 0; block * BLOCK < check.state.size; block++) {
    await pause();
    if (!isBlockEqual(check, block)) return false;
  }
  return true;
}

/** The head, the last block and block `checked`; for files up to 2 MiB that is the full check. */
export function spotCheck(check: Check): boolean {
  const { size, checked, head } = check.state;
  const count = Math.ceil(size / BLOCK);
  if (count === 0) return true;
  const blocks = count <= 2 ? new Set([0, count - 1]) : new Set([checked, count - 1]);
  if (!blocks.has(0)) {
    const bytes = readInto(check, 0, HEAD);
    if (!hashOf(bytes).equals(head)) return false;
  }
  for (const block of blocks) if (!isBlockEqual(check, block)) return false;
  return true;
}

/** True if a spot check of `size` bytes leaves nothing out. */
export function isSpotCheckFull(size: number): boolean {
  return size <= 2 * BLOCK;
}

function isBlockEqual(check: Check, block: number): boolean {
  const { size, blocks } = check.state;
  const bytes = readInto(check, block * BLOCK, Math.min(BLOCK, size - block * BLOCK));
  return hashOf(bytes).equals(blocks.subarray(block * HASH, (block + 1) * HASH));
}

function readInto(check: Check, offset: number, length: number): Buffer {
  const bytes = check.buffer.subarray(0, length);
  check.file.read(bytes, offset);
  check.onBytes(length);
  return bytes;
}
