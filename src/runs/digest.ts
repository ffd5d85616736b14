// Hashes that stand for texts in the index: of ids and paths, to be compared with, and of records, to find copies.
import { createHash } from 'node:crypto';
import type { RecordKindName } from '../store/run-index.ts';

/** SHA-256 of an id or a path. */
export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Equal for copies: of one kind and compared text. Keyed, so that nobody can make two texts meet (RUN-66). */
export function digestOf(salt: Uint8Array, kind: RecordKindName, compared: string): bigint {
  return createHash('sha256').update(salt).update(`${kind}\n`).update(compared).digest().readBigInt64BE(0);
}
