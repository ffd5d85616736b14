// Credentials as arguments: -u of curl, wget and http, -p of mysql (MASK-32). Long options are assignments.
import type { Hits } from './hints.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Range } from './ranges.ts';
import { openingQuote, quotedContent } from './values.ts';

export const USER_HINTS: readonly string[] = [' -u', '\t-u', ' --user', '\t--user', ' --proxy-user', '\t--proxy-user'];
export const MYSQL_HINTS: readonly string[] = [' -p', '\t-p'];

/** `curl -u user:PASS`, `:PASS`, `TOKEN:`, with quotes around either half. */
export function findUserOptions(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  const commands = commandsIn(text, hits, /(?:^|[\s;|&(`"'/$])(?:curl|wget|https?|xh)(?:\.exe)?(?=\s)/g);
  for (let index = 1; index < hits.length; index += 2) {
    const at = hits[index]!;
    if (!isOptionOf(text, commands, at)) continue;
    const gap = /^(?:=|[ \t]{1,3})?/.exec(text.slice(at, at + 4))![0];
    if (gap === '' && text.slice(at - 2, at) !== '-u') continue;
    const range = passwordOf(text, at + gap.length);
    if (range) found.push(range);
  }
  return found;
}

/** Where the commands end that the options may belong to: looked for once, and only when there are options. */
function commandsIn(text: string, hits: Hits, command: RegExp): readonly number[] {
  if (hits.length === 0) return [];
  const ends: number[] = [];
  for (const match of text.matchAll(command)) ends.push(match.index + match[0].length);
  return ends;
}

const MAX_COMMAND = 600;

/** The nearest command before stands on the same line, or on one that a backslash continues. */
function isOptionOf(text: string, commands: readonly number[], at: number): boolean {
  let low = 0;
  let high = commands.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (commands[middle]! < at) low = middle + 1;
    else high = middle;
  }
  const command = commands[low - 1];
  if (command === undefined || at - command > MAX_COMMAND) return false;
  return !/(?<!\\)\r?\n/.test(text.slice(command, at));
}

function passwordOf(text: string, start: number): Range | undefined {
  const first = halfAt(text, start);
  if (!first) return undefined;
  const whole = text.slice(first.start, first.end);
  if (isPlaceholder(whole) || /^<.*>$/.test(whole)) return undefined;
  const colon = first.quoted || !text[first.behind] || text[first.behind] !== ':' ? colonIn(whole) : -1;
  if (colon === -1) {
    // "user":"pass": each half in its own quotes.
    if (text[first.behind] !== ':') return undefined;
    const second = halfAt(text, first.behind + 1);
    return second && judged(text, second.start, second.end);
  }
  const password = { start: first.start + colon + 1, end: first.end };
  if (password.end > password.start) return judged(text, password.start, password.end);
  // "TOKEN:": the token is the user.
  return judged(text, first.start, first.start + colon);
}

function halfAt(text: string, start: number): (Range & { quoted: boolean; behind: number }) | undefined {
  const quote = openingQuote(text, start);
  if (quote) {
    const content = quotedContent(text, quote);
    return { ...content, quoted: true, behind: content.end + quote.text.length };
  }
  const end = wordEnd(text, start);
  return end === start ? undefined : { start, end, quoted: false, behind: end };
}

/** An argument without quotes; a template of a shell or of a workflow in it may hold spaces. */
function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && end - start < 256) {
    const template =
      text[end] === '$'
        ? /^\$(?:\{\{[^}\n]{0,80}\}\}|\([^)\n]{0,80}\))/.exec(text.slice(end, end + 88))?.[0]
        : undefined;
    if (template === undefined && /[\s"'`;|&\\]/.test(text[end]!)) break;
    end += template?.length ?? 1;
  }
  return end;
}

/** The colon between user and password; one within `${{ … }}` or `{…}` is none. */
function colonIn(value: string): number {
  let depth = 0;
  for (let at = 0; at < value.length; at++) {
    if (value[at] === '{' || value[at] === '(') depth++;
    else if (value[at] === '}' || value[at] === ')') depth--;
    else if (value[at] === ':' && depth <= 0) return at;
  }
  return -1;
}

function judged(text: string, start: number, end: number): Range | undefined {
  const value = text.slice(start, end);
  return end - start < 1 || isPlaceholder(value) ? undefined : { start, end };
}

/** `mysql -pPASS`. */
export function findMysqlOptions(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  const commands = commandsIn(text, hits, /(?:^|[\s;|&(`"'/])(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)(?=\s)/g);
  for (let index = 1; index < hits.length; index += 2) {
    const start = hits[index]!;
    // Lower case: a port is -P. A space means that the password is asked for.
    if (text[start - 1] !== 'p' || /^[\s-]?$/.test(text.slice(start, start + 1))) continue;
    if (!isOptionOf(text, commands, start)) continue;
    const half = halfAt(text, start);
    const range = half && judged(text, half.start, half.end);
    if (range) found.push(range);
  }
  return found;
}
