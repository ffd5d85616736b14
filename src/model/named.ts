// Looking something up by the name that somebody typed.
import { BackstoryError, type ErrorCode, nearest, shownValue } from './errors.ts';

/** The one of this name. Throws `code`, naming the nearest and all of them. */
export function oneNamed<T extends { readonly name: string }>(
  what: string,
  all: readonly T[],
  name: string,
  code: ErrorCode = 'invalid_argument',
): T {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  const names = all.map((one) => one.name);
  const near = nearest(name, names);
  throw new BackstoryError(
    code,
    `There is no ${what} ${shownValue(name, 80)}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    `The ${what}s are: ${names.join(', ')}.`,
  );
}
