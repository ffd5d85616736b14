// The type of text that may be stored in an index or shown: only this folder makes it (MASK-9).
import type { Masker } from './masker.ts';

declare const masked: unique symbol;

/** Text that went through a masker as a whole, before it was cut (MASK-14). Index writers accept nothing else. */
export type Masked = string & { readonly [masked]: true };

/** The one way to make a `Masked` (MASK-9). Throws what a host's own masker throws; our maskers never do (MASK-3). */
export function applyMask(masker: Masker, text: string): Masked {
  const output: unknown = masker.mask(text);
  // Raw text is never used in place of what a broken masker did not give: the caller leaves the whole unit out.
  if (typeof output !== 'string') throw new TypeError('The masker returned no string.');
  return output as Masked;
}
