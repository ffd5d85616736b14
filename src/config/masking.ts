// The settings of masking (MASK-53): what is hidden besides credentials, for sessions and episodes alike. Holds the shape and
// its checks; whether a pattern is linear is checked where the masker is made.
import { type Check, flag, invalid, listOf, plainObject, recordOf, text } from './checks.ts';
import type { Setting } from './settings.ts';

/** A rule of a host (MASK-51). In JSON a pattern is a text such as `/ACME-\d{6}/i`. */
export interface MaskRuleSetting {
  readonly name: string;
  readonly pattern: RegExp | string;
  readonly group?: number | string;
  readonly hints?: readonly string[];
  readonly keep?: (value: string) => boolean;
  readonly unsafe?: boolean;
}

export interface MaskingConfig {
  readonly rules?: readonly MaskRuleSetting[];
  readonly allow?: readonly (RegExp | string)[];
  readonly values?: readonly string[];
  readonly paths?: boolean;
  readonly entropy?: boolean;
  readonly cards?: boolean;
  readonly iban?: boolean;
  readonly emails?: boolean;
  readonly phones?: boolean;
}

/** The same with patterns compiled; what is absent is off. */
export interface ResolvedMasking extends MaskingConfig {
  readonly rules?: readonly (MaskRuleSetting & { readonly pattern: RegExp })[];
  readonly allow?: readonly RegExp[];
}

const pattern: Check = {
  allowed: 'a regular expression, or a text such as "/ACME-[0-9]{6}/i"',
  read(value, path) {
    if (value instanceof RegExp) return value;
    const parts = typeof value === 'string' ? /^\/(.{1,4096})\/([imsu]{0,4})$/s.exec(value) : null;
    try {
      if (parts) return new RegExp(parts[1]!, parts[2]);
    } catch {
      // Said below: the engine's own message quotes the pattern.
    }
    throw invalid(path, value, pattern.allowed);
  },
};

const group: Check = {
  allowed: 'the number or the name of a group',
  read(value, path) {
    if (
      (typeof value === 'number' && Number.isInteger(value) && value >= 0) ||
      (typeof value === 'string' && value !== '')
    )
      return value;
    throw invalid(path, value, group.allowed);
  },
};

const keep: Check = {
  allowed: 'a function that says of a value whether it stays',
  read(value, path) {
    if (typeof value === 'function') return value;
    throw invalid(path, value, keep.allowed);
  },
};

const values: Check = {
  allowed: 'a list of texts of at least 8 characters',
  read(value, path) {
    // The value itself never gets into an error: only its place does.
    const hidden = `${path}, a list`;
    if (!Array.isArray(value)) throw invalid(path, typeof value, values.allowed);
    value.forEach((each, index) => {
      if (typeof each !== 'string' || each.length < 8)
        throw invalid(`${hidden} at ${index}`, '(hidden)', values.allowed);
    });
    return value;
  },
};

const rules = listOf(
  recordOf({ name: text, pattern, group, hints: listOf(text), keep, unsafe: flag }, ['name', 'pattern']),
);

function off(name: string, help: string): Setting {
  return { path: `masking.${name}`, check: flag, default: false, help };
}

export const MASKING_SETTINGS: readonly Setting[] = [
  {
    path: 'masking.rules',
    check: rules,
    default: [],
    help: 'More rules: { name, pattern, group?, hints?, keep?, unsafe? }. What one finds becomes [hidden:name]. A pattern whose time could grow faster than the text is refused.',
  },
  {
    path: 'masking.allow',
    check: listOf(pattern),
    default: [],
    help: 'Values that one of these patterns matches stay visible. Bodies of private keys never do.',
  },
  {
    path: 'masking.values',
    check: values,
    default: [],
    shown: (hidden: readonly string[]) => hidden.map(() => '[hidden:value]'),
    help: 'Exact values that are hidden wherever they stand, also JSON-escaped, URL-encoded, in base64 or in hex. For what must be exact; keep them in a config file that is code and reads them from elsewhere.',
  },
  off('paths', 'true also hides local paths outside the working folder.'),
  off('entropy', 'true also hides what looks random, in windows of 32 characters.'),
  off('cards', 'true also hides numbers of payment cards.'),
  off('iban', 'true also hides IBANs.'),
  off('emails', 'true also hides e-mail addresses.'),
  off('phones', 'true also hides phone numbers.'),
];

/** Only what was given: a masker without options is the one everybody shares. */
export function maskingOf(settings: ReadonlyMap<string, unknown>): ResolvedMasking {
  const given = MASKING_SETTINGS.filter(({ path }) => settings.has(path));
  return plainObject(
    Object.fromEntries(given.map(({ path }) => [path.slice('masking.'.length), settings.get(path)])),
    'masking',
    'an object',
  );
}
