// What a masker is, and ours: the one shape that hosts, settings and surfaces share (MASK-1 … MASK-9).
import { composed } from './compose.ts';
import { type CredentialOptions, credentialMasker } from './credentials.ts';
import { type ValueOptions, valuesMasker } from './known-values.ts';
import { type PathOptions, PathRedactor } from './paths.ts';
import { type MaskRule, rulesMasker } from './rules.ts';

export type { CredentialOptions, MaskRule, PathOptions, ValueOptions };
export { PathRedactor };

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
  /** Credentials and every local path outside the run folder (MASK-1). Throws `invalid_argument` for an empty folder. */
  hidingOutside(runFolder: string, options?: PathOptions & CredentialOptions): Masker;
  /** Hides credentials: key blocks, token shapes, values that stand beside a secret's name (masking.md §5 … §8). */
  credentials(options?: CredentialOptions): Masker;
  /** Local paths alone: what lies in `inside` becomes `<run>/…`, what lies outside `[hidden:path]`. */
  paths(options?: PathOptions): Masker;
  /** Known values, exact, in their common encodings (MASK-50). Throws `invalid_argument` with the index of a short one. */
  values(values: Iterable<string>, options?: ValueOptions): Masker;
  /** A host's own rules (MASK-51). Throws `mask_rule_unsafe` for a pattern that is not linear. */
  rules(rules: readonly MaskRule[]): Masker;
  /** Left to right; the parts' order is part of the fingerprint (MASK-8). */
  compose(...maskers: readonly Masker[]): Masker;
} = {
  off: { fingerprint: 'off', mask: (text) => text, maskPart: (text, state) => ({ text, state, held: 0 }) },
  hidingOutside: (runFolder, options = {}) => {
    const { inside: _, ...paths } = options;
    return Masker.compose(Masker.credentials(options), PathRedactor({ ...paths, inside: runFolder }));
  },
  credentials: (options) => credentialMasker(options),
  paths: (options) => PathRedactor(options),
  values: (values, options) => valuesMasker(values, options),
  rules: (rules) => rulesMasker(rules),
  compose: (...maskers) => composed(maskers, Masker.off),
};
