// Fingerprints of a file's content: one per block, made while the bytes pass by (FILE-3). Knows no files.
import * as crypto from 'node:crypto';

export const BLOCK = 1_048_576;
/** Bytes of a hash. */
export const HASH = 16;
/** The first bytes, hashed apart: they tell a replaced file at the least cost. */
export const HEAD = 4_096;

/** The first 16 bytes of SHA-256. */
export function hashOf(bytes: Uint8Array): Buffer {
  return crypto.createHash('sha256').update(bytes).digest().subarray(0, HASH);
}

/** Hashes the blocks of a file in order, from a block border on; can say at any offset passed what they are up to there. */
export class BlockHasher {
  readonly #done: Buffer[] = [];
  readonly #before: Uint8Array;
  #head: Buffer = Buffer.alloc(0);
  #headHash: Uint8Array | undefined;
  #open: crypto.Hash | undefined;
  #offset: number;

  /** `offset` is a multiple of BLOCK; `before` the hashes of the blocks before it, `head` that of the first 4 KiB. */
  constructor(offset: number, before: Uint8Array, head: Uint8Array | undefined) {
    this.#offset = offset;
    this.#before = before;
    this.#headHash = offset > 0 ? head : undefined;
  }

  /** The bytes at the present offset; they must not cross a block border. */
  update(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#offset < HEAD) this.#head = Buffer.concat([this.#head, bytes.subarray(0, HEAD - this.#offset)]);
    this.#open ??= crypto.createHash('sha256');
    this.#open.update(bytes);
    this.#offset += bytes.length;
    if (this.#offset % BLOCK === 0) {
      this.#done.push(this.#open.digest().subarray(0, HASH));
      this.#open = undefined;
    }
  }

  get offset(): number {
    return this.#offset;
  }

  /** Hashes of all blocks of `[0, offset)`. */
  blocks(): Uint8Array {
    const open = this.#open ? [this.#open.copy().digest().subarray(0, HASH)] : [];
    return Buffer.concat([this.#before, ...this.#done, ...open]);
  }

  /** Hash of the first 4 KiB, or of the first `size` bytes if there are fewer. */
  head(size: number): Uint8Array {
    if (size < HEAD) return hashOf(this.#head.subarray(0, size));
    this.#headHash ??= hashOf(this.#head);
    return this.#headHash;
  }
}
