// A masker that fails hides everything: its unit is left out, told once, and never shown raw (MASK-3).
import type { Masker } from './masker.ts';

/** The same masker, total: of a unit that it throws for, or gives no text of, nothing is left. */
export function failClosed(masker: Masker, onFailure: () => void): Masker {
  const closed = {
    fingerprint: masker.fingerprint,
    mask(text: string): string {
      try {
        const masked: unknown = masker.mask(text);
        if (typeof masked === 'string') return masked;
      } catch {
        // Told below; the error may hold the text.
      }
      onFailure();
      return '';
    },
  };
  const { maskPart } = masker;
  return maskPart === undefined ? closed : { ...closed, maskPart: maskPart.bind(masker) };
}
