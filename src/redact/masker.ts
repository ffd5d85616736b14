// What a masker is, and ours: the one shape that hosts, settings and surfaces share (MASK-1 … MASK-9).
import { createHash } from 'node:crypto';
import { credentialMasker } from './credentials.ts';

/**
 * Text in, text out. Ours are total, deterministic, idempotent and linear, and keep the count of line feeds
 * (MASK-3 … MASK-6). A host may give its own.
 */
export interface Masker {
  /** Ours: 32 hex digits, or `off`. Changes when any rule or option changes; an index stores it (MASK-16). */
  readonly fingerprint: string;
  mask(text: string): string;
  /**
   * Consecutive parts of one unit (MASK-9a): `state` is what the part before returned, `''` first; the caller puts the
   * last `held` units before the next part.
   */
  maskPart?(text: string, state: string, last: boolean): { text: string; state: string; held: number };
}

export const Masker: {
  /** The identity. */
  readonly off: Masker;
  /** Hides credentials: key blocks, token shapes, values that stand beside a secret's name (masking.md §5 … §8). */
  credentials(): Masker;
  /** Left to right; the parts' order is part of the fingerprint (MASK-8). */
  compose(...maskers: readonly Masker[]): Masker;
} = {
  off: { fingerprint: 'off', mask: (text) => text, maskPart: (text, state) => ({ text, state, held: 0 }) },
  credentials: () => credentialMasker(),
  compose: (...maskers) => composed(maskers.filter((masker) => masker !== Masker.off)),
};

function composed(maskers: readonly Masker[]): Masker {
  if (maskers.length === 0) return Masker.off;
  const fingerprint = fingerprintOf('compose', ...maskers.map((masker) => masker.fingerprint));
  return { fingerprint, mask: (text) => maskers.reduce((masked, masker) => masker.mask(masked), text) };
}

function fingerprintOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
