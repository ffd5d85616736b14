// What is wrong with a regular expression: where and why, or which construct no linear-time engine has (TXT-40, COM-20).
import { BackstoryError } from '../model/errors.ts';

/** What backtracking engines know and RE2 does not, by what it looks like. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/^\(\?=/, 'look-ahead (?=…)'],
  [/^\(\?!/, 'negative look-ahead (?!…)'],
  [/^\(\?<=/, 'look-behind (?<=…)'],
  [/^\(\?<!/, 'negative look-behind (?<!…)'],
  [/^\(\?>/, 'atomic group (?>…)'],
  [/^\(\?\(/, 'condition (?(…)…)'],
  [/^\(\?(?:R|&|P>|P=|[+-]?[0-9])/, 'recursion or reference (?…)'],
  [/^\(\?#/, 'comment (?#…)'],
  [/^\\[1-9]/, 'back reference \\1'],
  [/^\\[kg][<{'0-9-]/, 'back reference \\k<…>'],
  [/^\\[ZGKXRhHNuc]/, 'an escape that is not of RE2 (\\Z \\G \\K \\X \\R \\h \\N \\u \\c)'],
  [/^(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\+/, 'possessive repetition'],
];

/** `regex_unsupported` naming the construct, else `regex_invalid` naming position and cause. Never the expression. */
export function regexError(typed: string, error: unknown): BackstoryError {
  for (const at of significant(typed)) {
    const rest = typed.slice(at, at + 24);
    const construct = UNSUPPORTED.find(([pattern]) => pattern.test(rest))?.[1];
    if (construct !== undefined) return unsupported(construct, at);
  }
  const { error: cause = 'cannot be read', input } = error as { error?: string; input?: string | null };
  const position = positionOf(typed, cause, input ?? undefined);
  return new BackstoryError(
    'regex_invalid',
    `The expression cannot be read at position ${position}: ${cause}.`,
    'Correct it (RE2 syntax), or leave regex out to search for its words.',
    { details: { position, cause } },
  );
}

function unsupported(construct: string, position: number): BackstoryError {
  return new BackstoryError(
    'regex_unsupported',
    `The expression uses ${construct} at position ${position}, which cannot run in linear time.`,
    'Write it without (RE2 syntax), or leave regex out to search for its words.',
    { details: { construct, position } },
  );
}

/** Offsets that begin a construct: not inside a class, not behind a backslash, not inside `\Q…\E`. */
function* significant(typed: string): Generator<number> {
  let inClass = false;
  for (let at = 0; at < typed.length; at++) {
    if (typed.startsWith('\\Q', at)) {
      const end = typed.indexOf('\\E', at + 2);
      if (end < 0) return;
      at = end + 1;
      continue;
    }
    if (!inClass) yield at;
    if (typed[at] === '\\') at++;
    else if (typed[at] === '[' && !inClass) {
      inClass = true;
      // A bracket that comes first is a character.
      if (typed[at + 1] === '^') at++;
      if (typed[at + 1] === ']') at++;
    } else if (typed[at] === ']') inClass = false;
  }
}

// The engine names what it stopped at, not where; brackets without a partner are counted here.
function positionOf(typed: string, cause: string, stopped: string | undefined): number {
  if (cause === 'missing closing )' || cause === 'unexpected )') {
    const open: number[] = [];
    for (const at of significant(typed)) {
      if (typed[at] === '(' && typed[at - 1] !== '\\') open.push(at);
      else if (typed[at] === ')' && typed[at - 1] !== '\\' && open.pop() === undefined) return at;
    }
    return open[0] ?? typed.length;
  }
  const at = stopped === undefined ? -1 : typed.lastIndexOf(stopped);
  return at < 0 ? Math.max(0, typed.length - 1) : at;
}
