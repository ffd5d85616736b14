// Digests: of a line, for pointers (SRC-21), and of an entry without a native id (SRC-13).
import { hash } from 'node:crypto';

/** First 16 hex digits of the SHA-256 of a line's bytes. */
export function lineDigest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, 16);
}

// 8 characters of base64 are 48 bits: of 1 000 texts no two are expected to share them.
const SHORT = 8;
const MAX_EXACT = 1_000;
// Counters per text, and in all: 12 KiB of base64.
const ROWS = 3;
const COUNTERS = 4_608;

/**
 * First 16 hex digits of SHA-256 over kind, text and n, where n counts equal ones before it in the session. Beyond 1 000
 * different texts the counts are kept in a sketch of fixed size (SRC-43: 64 KiB for everything), where n may be larger
 * than the true count. It still rises with each equal text, so that no id comes twice, and it is the same whether a file
 * is read at once or in parts.
 */
export class EntryIds {
  #exact: Map<string, number> | undefined;
  #sketch: Uint16Array | undefined;

  constructor(saved?: unknown) {
    const { exact = '', more = [], sketch } = (saved ?? {}) as Saved;
    if (typeof sketch === 'string') {
      this.#sketch = new Uint16Array(COUNTERS);
      Buffer.from(sketch, 'base64').copy(Buffer.from(this.#sketch.buffer));
      return;
    }
    this.#exact = new Map(more);
    for (let at = 0; at < exact.length; at += SHORT) this.#exact.set(exact.slice(at, at + SHORT), 1);
  }

  next(kind: string, text: string): string {
    const n = this.#countOf(hash('sha256', `${kind}\0${text}`, 'base64'));
    return hash('sha256', `${kind}\0${text}\0${n}`, 'hex').slice(0, 16);
  }

  get isEmpty(): boolean {
    return this.#exact?.size === 0;
  }

  save(): unknown {
    if (this.#sketch) return { sketch: Buffer.from(this.#sketch.buffer).toString('base64') };
    let exact = '';
    const more: [string, number][] = [];
    for (const [name, count] of this.#exact ?? []) {
      if (count === 1) exact += name;
      else more.push([name, count]);
    }
    return { exact, ...(more.length > 0 ? { more } : {}) };
  }

  // How many equal ones came before.
  #countOf(digest: string): number {
    if (this.#sketch) return raise(this.#sketch, digest, 1);
    const exact = this.#exact!;
    const name = digest.slice(0, SHORT);
    const n = exact.get(name) ?? 0;
    exact.set(name, n + 1);
    if (exact.size > MAX_EXACT) {
      this.#sketch = new Uint16Array(COUNTERS);
      for (const [each, count] of exact) raise(this.#sketch, each, count);
      this.#exact = undefined;
    }
    return n;
  }
}

interface Saved {
  /** Names of texts seen once, end to end; of others, with their counts. */
  readonly exact?: string;
  readonly more?: readonly (readonly [string, number])[];
  readonly sketch?: string;
}

// A count-min sketch: a text's count is the least of its counters, and it raises those.
function raise(sketch: Uint16Array, digest: string, by: number): number {
  const hashed = Buffer.from(digest.slice(0, SHORT), 'base64');
  const places = Array.from({ length: ROWS }, (_, row) => hashed.readUInt16BE(row * 2) % COUNTERS);
  const n = Math.min(...places.map((place) => sketch[place]!));
  for (const place of places) sketch[place] = Math.max(sketch[place]!, n + by);
  return n;
}
