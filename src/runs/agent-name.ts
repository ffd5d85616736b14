// The name a host writes in its lines and files (RUN-1). It is not the agent id of sessions and is never folded into one.
import { BackstoryError, shownValue } from '../model/errors.ts';

export { shownValue };

export const MAX_NAME_CHARS = 200;

const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}[\]/\\]/u;

/** The same name. Throws `invalid_argument` naming the value (RUN-1). */
export function checkedAgentName(name: string): string {
  const problem = problemOf(name);
  if (problem === undefined) return name;
  throw new BackstoryError(
    'invalid_argument',
    `The agent name ${shownValue(name)} ${problem}.`,
    `An agent name has 1 to ${MAX_NAME_CHARS} characters, none of them a control or format character, "[", "]", "/" or "\\", no space at either end, and is neither "." nor "..".`,
  );
}

function problemOf(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'is no string';
  if (name.length === 0) return 'is empty';
  if (name.length > MAX_NAME_CHARS) return `has ${name.length} characters`;
  if (name === '.' || name === '..') return 'names a folder';
  if (name.trim() !== name) return 'has a space at an end';
  // \p{Cs} catches lone surrogates: UTF-8 cannot hold them, so two names would become one.
  return FORBIDDEN.test(name) ? 'holds a character that a line or a file name cannot' : undefined;
}
