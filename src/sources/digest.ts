// Digests: of a line, for pointers (SRC-21), and of an entry without a native id (SRC-13).
import { hash } from 'node:crypto';

/** First 16 hex digits of the SHA-256 of a line's bytes. */
export function lineDigest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, 16);
}

/** First 16 hex digits of SHA-256 over kind, text and n, where n counts equal ones before it in the session. */
export class EntryIds {
  readonly #seen: Map<string, number>;

  constructor(saved: readonly (readonly [string, number])[] = []) {
    this.#seen = new Map(saved);
  }

  next(kind: string, text: string): string {
    const base = hash('sha256', `${kind}\0${text}`, 'hex').slice(0, 12);
    const n = this.#seen.get(base) ?? 0;
    this.#seen.set(base, n + 1);
    return hash('sha256', `${kind}\0${text}\0${n}`, 'hex').slice(0, 16);
  }

  save(): [string, number][] {
    return [...this.#seen];
  }
}
