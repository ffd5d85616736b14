// Texts in which invisible characters split a secret: the passes run on a copy without them (MASK-20).
import { type Rewritten, rewritten } from './rewritten.ts';

// Whole colour sequences first, then control characters other than tab and line feed, then format characters; and the
// escapes that stand for them in JSON and in code (MASK-21).
const ESCAPED =
  /\\{1,7}(?:u00(?:0[0-8b-f]|1[\da-f]|7f|[89][\da-f]|ad)|u(?:200[b-f]|202[a-e]|206[\da-f]|feff)|x(?:0[0-8b-f]|1[\da-f]))/;
const INVISIBLE = new RegExp(
  String.raw`(?:\x1b|\\{1,7}(?:u001b|x1b|033|e))\[[\d;?]{0,24}[A-Za-z]|[\0-\x08\x0b-\x1f\x7f-\x9f]|\p{Cf}|${ESCAPED.source}`,
  'giu',
);

/** Beginnings of those escapes. */
export const ESCAPE_HINTS: readonly string[] = ['\\u00', '\\u20', '\\ufeff', '\\x0', '\\x1', '\\033[', '\\e['];

/** The text without control and format characters; undefined when it holds none. A CR before a LF counts as a line's end. */
export function withoutInvisible(text: string): Rewritten | undefined {
  return rewritten(text, INVISIBLE, (match, end) => (match === '\r' && text[end] === '\n' ? undefined : ''));
}
