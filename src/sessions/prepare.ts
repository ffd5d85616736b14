// The one order in which a text becomes indexable: mask, sanitize, mask again where that changed it (TXT-2, SES-42).
import { applyMask } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import type { IndexText } from '../store/writing.ts';
import { sanitize } from '../text/index.ts';

/** Makes stored text ready for the index and for answers. `clean`: both steps left it as it was. */
export function preparerOf(masker: Masker): (text: string) => IndexText {
  return (text) => {
    let masked = applyMask(masker, text);
    const sanitized = sanitize(masked);
    if (sanitized !== masked) masked = applyMask(masker, sanitized);
    return { masked, clean: masked === text };
  };
}
