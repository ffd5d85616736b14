// Where a local path starts and ends in a text (MASK-42 … MASK-44): one pass from left to right, bounded look-around.
import { endsEscape, isAlphanumeric } from './borders.ts';
import { pathEnd } from './path-end.ts';
import { type Literal, literalKey } from './path-roots.ts';

/** Units [start, end) of a text that are, or may be, a local path. */
export interface FoundPath {
  readonly start: number;
  readonly end: number;
  /** A relative path that has `..`: outside only if it climbs out. `run`: it stands behind `<run>`. */
  readonly form: 'absolute' | 'home' | 'relative' | 'run';
  /** Named by a root or by its form, so that no list of first segments is asked. */
  readonly sure: boolean;
}

export interface ScanOptions {
  readonly literals: ReadonlyMap<number, readonly Literal[]>;
  readonly posix: boolean;
  readonly windows: boolean;
}

const SLASH = 47;
const BACKSLASH = 92;
const TILDE = 126;
const DOLLAR = 36;
const PERCENT = 37;
const COLON = 58;
const STARTS = new Uint8Array(128);
for (const code of [SLASH, BACKSLASH, TILDE, DOLLAR, PERCENT]) STARTS[code] = 1;

/** Calls `found` for each, in order. Cost: one look at every unit, and one more at those of paths and URLs. */
export function scanPaths(text: string, options: ScanOptions, found: (path: FoundPath) => void): void {
  let behind = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || STARTS[code] === 0) continue;
    const next = candidateAt(text, at, code, behind, options);
    if (next === undefined) continue;
    if (typeof next === 'object') {
      if (next.start < behind) continue;
      found(next);
      behind = next.end;
      at = Math.max(at, next.end - 1);
    } else at = Math.max(at, next - 1);
  }
}

/** A path, or the end of something that holds none and is skipped. */
function candidateAt(
  text: string,
  at: number,
  code: number,
  behind: number,
  options: ScanOptions,
): FoundPath | number | undefined {
  const literal = literalAt(text, at, behind, options);
  if (literal) return literal;
  if (code === TILDE || code === DOLLAR) return homeAt(text, at, behind);
  if (code === PERCENT) return percentAt(text, at, behind, options);
  if (at === 0 || behind === at) return absoluteAt(text, at, code, behind, options);
  const before = text[at - 1]!;
  if (before === ':') {
    const skipped = schemeAt(text, at, options);
    if (skipped !== undefined) return skipped;
  }
  if (before === '.' && text[at - 2] === '.') return relativeAt(text, at, behind);
  if (before === '>' && text.startsWith('<run>', at - 5)) {
    return { start: at - 5, end: pathEnd(text, at, at - 5), form: 'run', sure: true };
  }
  // The name that was kept of a hidden path.
  if (before === ']' && text.startsWith('[hidden:path]', at - 13)) return pathEnd(text, at, at);
  return absoluteAt(text, at, code, behind, options);
}

function literalAt(text: string, at: number, behind: number, options: ScanOptions): FoundPath | undefined {
  const start = text.charCodeAt(at - 1) === COLON && isDrive(text, at - 2) ? at - 2 : at;
  if (start < behind) return undefined;
  const literals = options.literals.get(literalKey(text, start));
  if (!literals) return undefined;
  for (const literal of literals) {
    const end = start + literal.text.length;
    const written = text.slice(start, end);
    if ((literal.caseless ? written.toLowerCase() : written) !== literal.text || goesOn(text, end)) continue;
    if (literal.short && start > 0 && start !== behind && !isBorder(text, start)) continue;
    const from = fileStart(text, start);
    return { start: from, end: pathEnd(text, end, from), form: 'absolute', sure: true };
  }
  return undefined;
}

/** `/home/al` is not in `/home/alice`, nor in `/home/al.old`. */
function goesOn(text: string, at: number): boolean {
  const unit = text[at];
  if (unit === undefined) return false;
  if (unit === '.' || unit === '-') return /[\p{L}\p{N}_]/u.test(text[at + 1] ?? '');
  return /[\p{L}\p{M}\p{N}_@+~$]/u.test(unit);
}

/** Back over `file:` and its slashes. */
function fileStart(text: string, start: number): number {
  const scheme = /file:(?:\\?\/){0,3}$/i.exec(text.slice(Math.max(0, start - 11), start));
  return scheme ? start - scheme[0].length : start;
}

const WORD_BEFORE = /[A-Za-z][\w+.-]{0,15}$/;

/** At the separator behind a colon: a drive, a `file:` URL, or the rest of another URL, which is skipped (MASK-46). */
function schemeAt(text: string, at: number, options: ScanOptions): FoundPath | number | undefined {
  const word = WORD_BEFORE.exec(text.slice(Math.max(0, at - 17), at - 1))?.[0];
  if (word === undefined) return undefined;
  if (/(?:^|[^a-z])file$/i.test(word)) {
    const start = at - 5;
    return { start, end: pathEnd(text, at, start), form: 'absolute', sure: true };
  }
  const isUrl = text[at] === '/' && text[at + 1] === '/';
  if (isUrl) {
    // No host: what follows is a path of this machine, as in `sqlite:///home/…`.
    if (text[at + 2] === '/' && word.length > 1) return absoluteAt(text, at + 2, SLASH, at + 2, options) ?? at + 3;
    return urlEnd(text, at + 2);
  }
  if (!options.windows || !isDrive(text, at - 2)) return undefined;
  return { start: at - 2, end: pathEnd(text, at, at - 2), form: 'absolute', sure: true };
}

function urlEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !/[\s"'`<>\\]/.test(text[end]!)) end++;
  return end;
}

/** One letter that no word ends in. */
function isDrive(text: string, at: number): boolean {
  const code = text.charCodeAt(at) | 32;
  if (at < 0 || code < 97 || code > 122) return false;
  return at === 0 || !isAlphanumeric(text.charCodeAt(at - 1)) || endsEscape(text, at);
}

const HOME = /(?:~(?:[a-z_][a-z0-9_-]{0,31})?|\$(?:HOME|\{HOME\}|env:USERPROFILE|env:APPDATA))(?=\\?[\\/])/y;

function homeAt(text: string, at: number, behind: number): FoundPath | undefined {
  if (at > 0 && at !== behind && /[\w~.)\]}-]/.test(text[at - 1]!) && !endsEscape(text, at)) return undefined;
  HOME.lastIndex = at;
  const home = HOME.exec(text)?.[0];
  if (home === undefined) return undefined;
  const end = pathEnd(text, at + home.length, at);
  return { start: at, end, form: /^(?:~|\$HOME|\$\{HOME\})$/.test(home) ? 'home' : 'absolute', sure: true };
}

const FOLDER_VARIABLE = /%(?:USERPROFILE|APPDATA|LOCALAPPDATA|HOMEPATH)%(?=[\\/])/iy;

/** `%USERPROFILE%\…`, and paths that are percent-encoded as a whole. */
function percentAt(text: string, at: number, behind: number, options: ScanOptions): FoundPath | number | undefined {
  FOLDER_VARIABLE.lastIndex = at;
  const variable = FOLDER_VARIABLE.exec(text)?.[0];
  if (variable) return { start: at, end: pathEnd(text, at + variable.length, at), form: 'absolute', sure: true };
  const encoded = text.slice(at, at + 3).toLowerCase();
  if (encoded === '%3a') {
    const isDriveHere = options.windows && /^%(?:5c|2f)/i.test(text.slice(at + 3, at + 6)) && isDrive(text, at - 1);
    if (isDriveHere) return { start: at - 1, end: pathEnd(text, at, at - 1), form: 'absolute', sure: true };
    return /^%2f%2f/i.test(text.slice(at + 3, at + 9)) ? urlEnd(text, at) : undefined;
  }
  if (encoded !== '%2f' || (at > 0 && at !== behind && !isBorder(text, at))) return undefined;
  const end = pathEnd(text, at, at);
  return { start: fileStart(text, at), end, form: 'absolute', sure: false };
}

/** `a/../../x`: the whole relative path around a `..`. */
function relativeAt(text: string, at: number, behind: number): FoundPath | undefined {
  let start = at;
  while (start > behind && at - start < 256 && /[\p{L}\p{N}\w.@~+\\/-]/u.test(text[start - 1]!)) start--;
  if (!/(?:^|[\\/])\.\.$/.test(text.slice(start, at))) return undefined;
  return { start, end: pathEnd(text, at, start), form: 'relative', sure: true };
}

function absoluteAt(
  text: string,
  at: number,
  code: number,
  behind: number,
  { posix, windows }: ScanOptions,
): FoundPath | number | undefined {
  if (code === BACKSLASH) {
    const isEscapedSlash = text[at + 1] === '/' && text[at - 1] !== BACKSLASH_TEXT;
    if (!isEscapedSlash) return windows ? uncAt(text, at) : undefined;
  }
  if (!posix || (at > 0 && at !== behind && isWithinWord(text, at))) return undefined;
  const first = /^\\?\/([^\\/\s"'`<>|*?,;:)\]}]{1,64})/.exec(text.slice(at, at + 68))?.[1];
  if (first === undefined) return undefined;
  const known = FOLDERS.has(first);
  if (at > 0 && at !== behind && !isBorder(text, at) && !(known && isSoftBorder(text, at))) return undefined;
  const end = pathEnd(text, at, at);
  return isLocal(text, at, end, first, known) ? { start: at, end, form: 'absolute', sure: false } : end;
}

const BACKSLASH_TEXT = '\\';
const UNC = /(\\{2}(?:\\{2})?)([\w.$?-]{1,64})(\\{1,2})[\w$.]/y;

/** `\\host\share`, or with each backslash doubled. Two before `n`, `t`, `r`, `u` are an escape. */
function uncAt(text: string, at: number): FoundPath | undefined {
  if (/[\w\\]/.test(text[at - 1] ?? '')) return undefined;
  UNC.lastIndex = at;
  const match = UNC.exec(text);
  if (!match || match[1]!.length !== match[3]!.length * 2) return undefined;
  if (match[1]!.length === 2 && (/^[ntru]/.test(match[2]!) || (match[2]!.length < 2 && match[2] !== '?')))
    return undefined;
  const host = at + match[1]!.length + match[2]!.length;
  return { start: at, end: pathEnd(text, host, at), form: 'absolute', sure: true };
}

/** Most slashes stand in a word, as in `and/or`: told without a regular expression. */
function isWithinWord(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (!isAlphanumeric(before)) return before === SLASH || before === UNDERSCORE || before === DOT;
  const two = text.charCodeAt(at - 2);
  // What an escape ends in, and the letter of an option.
  return !(
    two === BACKSLASH ||
    two === HYPHEN ||
    before === LETTER_M ||
    text.charCodeAt(at - 3) === PERCENT ||
    text.charCodeAt(at - 6) === BACKSLASH
  );
}

const UNDERSCORE = 95;
const DOT = 46;
const HYPHEN = 45;
const LETTER_M = 109;

/** Nothing before that a path could be a part of. `@`, `#`, `*` and brackets are aliases, pointers, globs, expressions. */
function isBorder(text: string, at: number): boolean {
  const before = text[at - 1]!;
  if (!/[A-Za-z0-9._~:/\\<@#*)\]}%$!-]/.test(before)) return true;
  if (/[A-Za-z0-9]/.test(before)) {
    // `-I/usr/include`, and the escapes of JSON and terminals.
    return endsEscape(text, at) || /(?:^|\s)-[A-Za-z]$/.test(text.slice(Math.max(0, at - 3), at));
  }
  return false;
}

/** Where only a folder that every machine has is taken for a path. */
function isSoftBorder(text: string, at: number): boolean {
  return ':@#)]!'.includes(text[at - 1]!);
}

const FOLDERS = new Set(
  (
    'home Users root tmp var etc opt usr mnt media srv private Volumes Library Applications System proc dev run data ' +
    'workspace workspaces builds app nix snap cygdrive'
  ).split(' '),
);
/** First segments that are as often those of a route. */
const ALSO_ROUTES = new Set(['data', 'run', 'app', 'builds', 'workspace', 'workspaces', 'media', 'dev']);
const METHOD = /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|CONNECT|TRACE)["']?[\s,]{1,3}["'`]?$/;
const ROUTE =
  /(?:\broutes?\w{0,8}|\bendpoints?|path\\{0,3}["']?\s{0,2}[:=])\\{0,3}["']?\s{0,2}[:=(]?\s{0,2}\\{0,3}["'`]?$/i;

/** MASK-44: a first segment that machines have, or three segments and more; routes of HTTP are none. */
function isLocal(text: string, start: number, end: number, first: string, known: boolean): boolean {
  if (!known) {
    if (/[\^$(){}|\\[]/.test(first)) return false;
    const segments = text
      .slice(start, end)
      .split(/[\\/]+/)
      .filter((segment) => segment !== '');
    if (segments.length < 3) return false;
  }
  const before = text.slice(Math.max(0, start - 32), start);
  if (METHOD.test(before)) return false;
  return (known && !ALSO_ROUTES.has(first)) || !ROUTE.test(before);
}
