// Names a set of rules by their content, so that an index made under others is known to be stale (MASK-16).
import { createHash } from 'node:crypto';

/** 32 hex digits over everything that decides what a masker hides. */
export function fingerprintOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
