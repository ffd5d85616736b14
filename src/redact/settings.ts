// From the settings of masking to a masker: what sessions and episodes share (MASK-53).
import { type CredentialOptions, Masker, type MaskRule } from './masker.ts';

export interface MaskingSettings extends CredentialOptions {
  readonly rules?: readonly MaskRule[];
  readonly values?: readonly string[];
  /** Also local paths outside the working folder. */
  readonly paths?: boolean;
}

/**
 * Credentials at least (MASK-2), in the order of MASK-19. Without settings it is `Masker.credentials()`. Throws
 * `mask_rule_unsafe`, `invalid_argument`. With `runFolder`, paths outside it are hidden too, and those inside become `<run>`.
 */
export function maskerFor(settings: MaskingSettings = {}, { runFolder }: { readonly runFolder?: string } = {}): Masker {
  const { rules = [], values = [], paths = false, ...options } = settings;
  return Masker.compose(
    ...(values.length > 0 ? [Masker.values(values)] : []),
    Masker.credentials(options),
    ...(rules.length > 0 ? [Masker.rules(rules)] : []),
    ...(runFolder !== undefined ? [Masker.paths({ inside: runFolder })] : paths ? [Masker.paths()] : []),
  );
}
