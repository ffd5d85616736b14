// Values beside the name of a secret: assignments, options of commands, and prose (MASK-32 … MASK-37).
import { isWordUnit } from './borders.ts';
import type { Hits } from './hints.ts';
import { NAME_HINTS, type Name, overhangOf, secretName, wordOf } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Range } from './ranges.ts';
import { pairAt, type Separator, separatorAt } from './separators.ts';
import {
  hiddenPart,
  holdsDigitOrSymbol,
  isCode,
  openingQuote,
  quotedContent,
  Runs,
  withoutForeignBracket,
} from './values.ts';

export function findAssignments(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  const runs = new Runs(text);
  let behind = 0;
  for (let index = 0; index < hits.length; index += 2) {
    const word = wordOf(hits[index]!);
    const wordEnd = hits[index + 1]! - overhangOf(hits[index]!);
    // A name inside a value that is hidden already is part of it.
    if (wordEnd <= behind) continue;
    const end = nameEnd(text, wordEnd);
    if (end === undefined) continue;
    const range = valueBeside(text, wordEnd - word.length, end, word, runs);
    if (!range) continue;
    found.push(range);
    behind = range.end;
  }
  return found;
}

/** Behind the word and its digits; undefined when the word is not the name's last. */
function nameEnd(text: string, wordEnd: number): number | undefined {
  let end = wordEnd;
  while (end - wordEnd < 4 && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++;
  const code = text.charCodeAt(end);
  if (Number.isNaN(code)) return undefined;
  if (isWordUnit(code)) return undefined;
  const goesOn = (code === 45 || code === 46) && isWordUnit(text.charCodeAt(end + 1));
  return goesOn ? undefined : end;
}

function valueBeside(text: string, start: number, end: number, word: string, runs: Runs): Range | undefined {
  // The separator first: most words of prose have none, and the name is dearer to judge.
  const guess = startOfOption(text, start);
  const separator = separatorAt(text, guess, end) ?? pairAt(text, guess, end, undefined);
  if (!separator) return proseValue(text, start, end, word, runs);
  const name = secretName(text, start, end, word);
  if (!name) return undefined;
  return assignedValue(text, name, separator, runs);
}

/** Where the name begins, as far as separators need it: names are identifiers here. */
function startOfOption(text: string, start: number): number {
  let at = start;
  while (at > 0 && start - at < 96) {
    const code = text.charCodeAt(at - 1);
    if (!isWordUnit(code) && code !== 45 && code !== 46 && code !== 36) break;
    at--;
  }
  return at;
}

function assignedValue(text: string, name: Name, separator: Separator, runs: Runs): Range | undefined {
  const { end: at, form } = separator;
  if (form === 'tag') return tagValue(text, at);
  if (isVerdict(text, name, form)) return undefined;
  const quote = openingQuote(text, at);
  if (quote) {
    // `"token=" + value`: the quote closes a string of code.
    if (separator.nameQuote === undefined && text.startsWith(quote.text, name.start - quote.text.length))
      return undefined;
    const content = quotedContent(text, quote);
    if (/^[ \t]{0,3}[+.][ \t]{0,3}[A-Za-z_$]/.test(text.slice(content.start, content.start + 8))) return undefined;
    // `NO_AUTH = "mongodb://…"`: what a URL holds is judged as one.
    if (name.quotedOnly && /^[a-z][a-z0-9+.-]{1,24}:\/\//i.test(text.slice(content.start, content.start + 32)))
      return undefined;
    if (form === 'call' && /\s/.test(text.slice(content.start, Math.min(content.end, content.start + 256))))
      return undefined;
    return hiddenPart(text, content, 4);
  }
  if (name.quotedOnly || form === 'call' || form === 'attribute') return undefined;
  const connection = form === 'tight' ? connectionValue(text, name.start, at) : undefined;
  if (connection) return hiddenPart(text, connection, 1);
  return unquotedValue(text, name, separator, runs);
}

/** `--- PASS: TestX/case_2`, `all tests pass: run it`: a verdict or a verb, not a name. */
function isVerdict(text: string, name: Name, form: Separator['form']): boolean {
  if (name.word !== 'pass' || form !== 'loose') return false;
  const written = text.slice(name.start, name.end);
  if (!/^pass$/i.test(written)) return false;
  return written === 'PASS' || /[A-Za-z)][ \t]{1,3}$/.test(text.slice(Math.max(0, name.start - 4), name.start));
}

function tagValue(text: string, at: number): Range | undefined {
  const close = text.indexOf('<', at);
  if (close === -1 || close - at > 4096 || text[close + 1] !== '/') return undefined;
  const value = { start: at, end: close };
  return text.slice(at, close).includes('\n') ? undefined : hiddenPart(text, value, 4);
}

/** In `k=v;k=v` a value goes to the next `;` and may hold spaces, commas and brackets. */
function connectionValue(text: string, name: number, at: number): Range | undefined {
  const semicolon = semicolonBefore(text, name);
  if (semicolon === -1) return undefined;
  const before = text.slice(Math.max(0, semicolon - 128), semicolon);
  if (!/\w=/.test(before.slice(Math.max(before.lastIndexOf(';'), before.lastIndexOf('\n')) + 1))) return undefined;
  const length = text.slice(at, at + 512).search(/[;"'`\n\r\\]|$/);
  return length > 0 ? { start: at, end: at + length } : undefined;
}

/** The `;` before a name, with up to two more words of it between: `;User Account Password`. */
function semicolonBefore(text: string, name: number): number {
  let spaces = 0;
  for (let at = name - 1; at >= 0 && name - at < 56; at--) {
    const code = text.charCodeAt(at);
    if (code === 59) return at;
    if (code === 32 || code === 9) {
      if (++spaces > 3) return -1;
    } else if (!isWordUnit(code) && code !== 45) return -1;
  }
  return -1;
}

function unquotedValue(text: string, name: Name, separator: Separator, runs: Runs): Range | undefined {
  const { end: start, form } = separator;
  if (form === 'loose' && runs.isBarren(start) && !/[0-9a-f]{8}/i.test(text.slice(start, start + 8))) return undefined;
  const opens = text[start] === '$' || text[start] === '{';
  const placeholder = opens
    ? /^(?:\$\{\{[^}\n]{0,200}\}\}|\$\{[^}\n]{0,200}\}|\$\([^)\n]{0,200}\)|\{\{[^}\n]{0,200}\}\})/.exec(
        text.slice(start, start + 208),
      )
    : null;
  let end = Math.max(runs.endFrom(start), start + (placeholder?.[0].length ?? 0));
  if (end > start && end - start <= 4096) end = withoutForeignBracket(text, name.start, start, end);
  if (form !== 'tight') while (end > start && '.):'.includes(text[end - 1]!)) end--;
  const length = end - start;
  if (length < 4) return undefined;
  const value = text.slice(start, Math.min(end, start + 300));
  if (isNameItself(text, name, value) || isCall(text, end, value)) return undefined;
  if (isHexOrUuid(value)) return wrapped(hiddenPart(text, { start, end }, 4), value, separator);
  if (form === 'tight') {
    if (isSelfReference(value) || isArgument(text, name, value)) return undefined;
    return hiddenPart(text, { start, end }, 4);
  }
  if (form === 'flag') {
    if (value.startsWith('-') || (name.word === 'key' && /^[~.]{0,2}\//.test(value))) return undefined;
    return runs.holdsDigitOrSymbol(start, end) ? hiddenPart(text, { start, end }, 4) : undefined;
  }
  if (length < 6 || isCode(value) || !runs.holdsDigitOrSymbol(start, end)) return undefined;
  return wrapped(hiddenPart(text, { start, end }, 6), value, separator);
}

/** A bare number in JSON becomes a string, so that the JSON stays valid (MASK-7). */
function wrapped(range: Range | undefined, value: string, separator: Separator): Range | undefined {
  if (!range || separator.nameQuote === undefined || !/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[}\]]{0,8}$/.test(value))
    return range;
  const digits = /^[^}\]]*/.exec(value)![0].length;
  return { start: range.start, end: range.start + digits, delimiter: separator.nameQuote };
}

function isNameItself(text: string, name: Name, value: string): boolean {
  // With up to four signs before it.
  if (value.length > name.end - name.start + 4) return false;
  const own = text
    .slice(name.start, name.end)
    .toLowerCase()
    .replace(/^[$-]+/, '');
  const bare = value.toLowerCase().replace(/^[:$@%]+/, '');
  return bare === own || bare === name.word;
}

/** `os.getenv('X')`: the value ended at the quote, or at the bracket, and the call goes on. */
function isCall(text: string, end: number, value: string): boolean {
  return (
    /^[A-Za-z_$][\w$.:>-]{0,120}\($/.test(value.slice(0, 130)) ||
    (text[end] === '(' && /^[A-Za-z_$][\w$.:]*$/.test(value))
  );
}

function isHexOrUuid(value: string): boolean {
  return /^(?:[0-9a-f]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(value);
}

const ROOTS =
  /^(?:self|this|args|cls|config|cfg|conf|ctx|context|settings|env|process|os|options|opts|params|props|state|req|request|res|response|event|secrets|vars|var|local|data|kwargs|app|client|session|user|credentials|creds|result)[.[]/;

/** `password=self.password`: read from somewhere, as in `process.env.X`. */
function isSelfReference(value: string): boolean {
  return ROOTS.test(value) && isCode(value);
}

/** `f(token=auth_token)`: a variable that is named for a secret, as an argument. */
function isArgument(text: string, name: Name, value: string): boolean {
  if (!/^[a-z]+(?:_[a-z]+)+$/.test(value)) return false;
  if (!/_(?:password|passwd|secret|token|key|credentials?|pwd)$/.test(value)) return false;
  return /[(,][ \t]{0,3}$|(?:^|\n)[ \t]{1,32}$/.test(text.slice(Math.max(0, name.start - 34), name.start));
}

const PROSE_WORDS = new Set(['pass', 'auth', 'login']);
const VERB = /[ \t]{1,3}(?:(?:is|was|to)[ \t]{1,3}|(?=\\{0,7}["'`]))/iy;

/** `the password is …`, `with password "…"` (MASK-37). */
function proseValue(text: string, start: number, end: number, word: string, runs: Runs): Range | undefined {
  if (PROSE_WORDS.has(word)) return undefined;
  VERB.lastIndex = end;
  const verb = VERB.exec(text);
  if (!verb) return undefined;
  const at = end + verb[0].length;
  const quote = openingQuote(text, at);
  const value = quote ? quotedContent(text, quote) : { start: at, end: proseEnd(text, at, runs.endFrom(at)) };
  if (
    value.end - value.start < 6 ||
    value.end - value.start > 256 ||
    isWordsOnly(text, value, runs, quote !== undefined)
  )
    return undefined;
  if (!secretName(text, start, end, word)) return undefined;
  const content = text.slice(value.start, value.end);
  if (isPlaceholder(content) || isCode(content)) return undefined;
  return hiddenPart(text, value, 6);
}

function proseEnd(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && '.,:;)]}'.includes(text[trimmed - 1]!)) trimmed--;
  return trimmed;
}

function isWordsOnly(text: string, value: Range, runs: Runs, quoted: boolean): boolean {
  if (!quoted) return !runs.holdsDigitOrSymbol(value.start, value.end);
  const content = text.slice(value.start, value.end);
  return /\s/.test(content) || !holdsDigitOrSymbol(content);
}

export const BUNDLE_HINTS: readonly string[] = ['bundle_'];

/** Bundler's `BUNDLE_HOST: user:password` (MASK-33). */
export function findBundles(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  for (let index = 1; index < hits.length; index += 2) {
    const match = /^([\w]{3,80}["']?[ \t]{0,3}[:=][ \t]{0,3}["']?)([^\s:"';]{1,128}:[^\s:"';/]{1,128})/.exec(
      text.slice(hits[index]!, hits[index]! + 360),
    );
    if (!match) continue;
    const start = hits[index]! + match[1]!.length;
    const range = hiddenPart(text, { start, end: start + match[2]!.length }, 4);
    if (range) found.push(range);
  }
  return found;
}

export const ASSIGNMENT_HINTS: readonly string[] = NAME_HINTS;
