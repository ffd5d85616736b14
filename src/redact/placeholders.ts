// Values that are no secrets but stand for one: variables, templates, calls, empty words (MASK-36).
import { isMarker, type Range } from './ranges.ts';

/** True when the whole value is a placeholder. What is judged is one value: a user and a password each for itself. */
export function isPlaceholder(value: string): boolean {
  if (value.length > 256) return false;
  // What begins with a letter or a digit and holds no sign of code is a value, or a word that stands for none.
  if (/^[A-Za-z0-9][\w-]*$/.test(value)) return EMPTY.test(value) || HARMLESS.test(value);
  return (
    EMPTY.test(value) ||
    HARMLESS.test(value) ||
    VARIABLE.test(value) ||
    TEMPLATE.test(value) ||
    CODE.test(value) ||
    COMPOSED.test(value) ||
    isMarker(value)
  );
}

const EMPTY =
  /^(?:null|nil|none|undefined|true|false|\[?(?:redacted|masked|hidden|removed|omitted)\]?|[\w-]{0,12}(?:\.{3,8}|…)|\.\.|\*+|-+|_+)$/i;
/** A colour, a version: words for them are among the names, as in `pass: "#4caf50"` and `"auth0": "^5.0.0"`. */
const HARMLESS = /^(?:#[\da-f]{3,8}|[\^~v]?\d{1,4}(?:\.\d{1,4}){1,3})$/i;
const VARIABLE =
  /^(?:\$\w+(?:(?:->|\.|::)\w+)*|\$\{\w+\}|\$env:\w+|\$\([^)]{1,200}\)|%\w+%|%[a-z]|%\(\w+\)s|@@\w+@@|\$\{\w+:?[?+][^}]*\})$/i;
const TEMPLATE =
  /^(?:\$?\{\{[^}]{1,200}\}\}\}?|[$#%]\{[A-Za-z_][\w.:[\]'"() -]{0,120}\}|\{[A-Za-z_][A-Za-z_.!: -]{0,64}\}|<[^<>\d]{1,120}>|\[[A-Z][A-Z_ -]{0,40}\]|`[^`]{1,200}`)$/;
/** Several of one template in a row: `${user}:${password}`. */
const COMPOSED = /^(?:\$\{[\w.$?!()[\]]{1,80}\}(?:\.\.\.|[:/@ ._-])?){2,8}$/;
const CODE =
  /^(?:(?:process\.env|os\.environ|import\.meta\.env|ENV|env)(?:\.\w{1,80}|\[["']?\w{1,80}["']?\])?!?|[A-Za-z_$][\w$.:]{0,120}\(.*\)?[;,]?)$/;

/** A dotted name of code without a digit, such as `var.db_password`. */
export function isDottedName(value: string): boolean {
  return /^[A-Za-z_$][A-Za-z_$]{0,80}(?:(?:\??\.|->|::)[A-Za-z_$][A-Za-z_$]{0,80}){1,8}[!?]?$/.test(value);
}

/** `parts[1]`: a place in a list, which is no value. */
export function isIndexed(value: string): boolean {
  return /^[A-Za-z_$][\w$.]{0,80}\[[^\]]{0,40}\]?$/.test(value);
}

/** `${X:-default}`: the default is a value (MASK-36). */
export function defaultIn(text: string, start: number, end: number): Range | undefined {
  const match = /^\$\{\w{1,80}:?[-=]/.exec(text.slice(start, Math.min(end, start + 100)));
  if (!match || text[end - 1] !== '}') return undefined;
  return { start: start + match[0].length, end: end - 1 };
}
