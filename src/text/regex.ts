// A regular expression as a query (TXT-40): read by re2js, so that it takes linear time whatever is typed. Loaded only when
// one is asked for, since the engine costs 20 ms of a start. Knows no store.
import { RE2JS } from 're2js';
import { BackstoryError } from '../model/errors.ts';
import { type Expression, MAX_QUERY_CHARS, made, type ParsedQuery } from './query.ts';
import { regexError } from './regex-errors.ts';
import { indexClauses, needlesOf, requiredLiterals } from './regex-literals.ts';

// Where an expression says so itself, `^` and `$` are ends of a text: then each line is looked at alone.
const OWN_ENDS = /\\[Az]|\(\?[a-zA-Z]*-[a-zA-Z]*m/;
/** Found in one text for its excerpt. */
const MAX_SPOTS = 256;
// Where in a line a match stands is told at 2 to 10 MB/s, whether there is one at 70: long lines are looked at in stretches.
const STRETCH = 65_536;
const OVERLAP = 4_096;
// `ſ` is an `s` to an expression without case, and no `s` in lower case.
const LONG_S = 'ſ';

/**
 * The whole string as one expression in RE2 syntax, over lines. Throws `regex_invalid`, `regex_unsupported`,
 * `query_empty`, `query_too_long`.
 */
export function parseRegex(typed: string, options: { readonly ignoreCase?: boolean } = {}): ParsedQuery {
  const { ignoreCase = true } = options;
  if (typed.length > MAX_QUERY_CHARS) throw tooLong(typed.length);
  if (typed === '') throw nothing();
  const engine = compiled(typed, ignoreCase);
  const required = requiredLiterals(typed);
  const needles = needlesOf(required);
  const alone = OWN_ENDS.test(typed);
  const could = (text: string): boolean => {
    if (needles.length === 0) return true;
    const lower = text.toLowerCase();
    return needles.every((anyOf) => anyOf.some((needle) => lower.includes(needle))) || lower.includes(LONG_S);
  };
  const expression: Expression = {
    candidates: indexClauses(required),
    test: (text) => could(text) && (alone || engine.test(text)) && someLine(engine, text),
    spots: (text, most = MAX_SPOTS) => spotsIn(engine, text, most),
  };
  const lines = [`must match the expression ${typed}${ignoreCase ? '' : ', as to letter case too'}`];
  const words = expression.candidates.map(({ anyOf }) => anyOf.map((term) => term.typed).join(' or '));
  if (words.length > 0) lines.push(`looked for by the index: ${words.join(', ')}`);
  else lines.push('no word it needs is known: messages are looked at one by one, the newest first');
  const query = made({ mode: 'regex', typed, clauses: [], excluded: [], dropped: [], expression });
  return { ...query, explain: () => lines.join('\n') };
}

function compiled(typed: string, ignoreCase: boolean): RE2JS {
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  try {
    // Without flags first: they would move the positions that errors name.
    RE2JS.compile(typed);
    return RE2JS.compile(typed, flags);
  } catch (error) {
    throw regexError(typed, error);
  }
}

// What matches a line matches the whole text, but not the other way round: `\s` crosses lines.
function someLine(engine: RE2JS, text: string): boolean {
  if (!text.includes('\n')) return engine.test(text);
  for (const { start, end } of linesOf(text)) if (engine.test(text.slice(start, end))) return true;
  return false;
}

function* linesOf(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = 0; start <= text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    yield { start, end };
    start = end + 1;
  }
}

function spotsIn(engine: RE2JS, text: string, most: number): { start: number; end: number }[] {
  const spots: { start: number; end: number }[] = [];
  for (const line of linesOf(text)) {
    for (let from = line.start; from < line.end || from === line.start; from += STRETCH - OVERLAP) {
      const to = Math.min(line.end, from + STRETCH);
      const stretch = text.slice(from, to);
      if (engine.test(stretch)) pushSpots(engine, stretch, from, most, spots, [from > line.start, to < line.end]);
      if (spots.length >= most) return spots;
      if (to === line.end) break;
    }
  }
  return spots;
}

function pushSpots(
  engine: RE2JS,
  stretch: string,
  from: number,
  most: number,
  spots: { start: number; end: number }[],
  [cutStart, cutEnd]: readonly [boolean, boolean],
): void {
  const matcher = engine.matcher(stretch);
  while (spots.length < most && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    // At an edge that is only ours `^`, `$` and `\b` may lie; and an empty match marks nothing.
    if (start === end || (cutStart && start === 0) || (cutEnd && end === stretch.length)) continue;
    if (from + start >= (spots.at(-1)?.end ?? 0)) spots.push({ start: from + start, end: from + end });
  }
}

function tooLong(length: number): BackstoryError {
  return new BackstoryError(
    'query_too_long',
    `The expression is ${length} characters long; at most ${MAX_QUERY_CHARS} are allowed.`,
    'Search for a shorter part of it.',
    { details: { length, limit: MAX_QUERY_CHARS } },
  );
}

function nothing(): BackstoryError {
  return new BackstoryError('query_empty', 'The expression is empty.', 'Give an expression in RE2 syntax.');
}
