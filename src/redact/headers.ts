// HTTP headers that carry credentials, as lines, in -H '…', in JSON and in code; free-standing schemes (MASK-31).
import { beginsAt, isAlphanumeric } from './borders.ts';
import type { Hits } from './hints.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Range } from './ranges.ts';
import { type Quote, quoteAt } from './separators.ts';
import { openingQuote, quotedContent } from './values.ts';

/** `authorization` also ends `proxy-authorization`, `cookie` ends `set-cookie`, and so on: what stands before is looked at. */
const HEADERS = [
  'authorization',
  'cookie',
  'x-api-key',
  'apikey',
  'api-token',
  '-token',
  '-apikey',
  'token',
  'x-access-key',
];
export const HEADER_HINTS: readonly string[] = HEADERS;

export function findHeaders(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  const lines = new Lines(text);
  let behind = 0;
  // `token`, `-token` and `api-token` end at one place, and name one header.
  let named = -1;
  for (let index = 0; index < hits.length; index += 2) {
    const end = hits[index + 1]!;
    if (end <= behind || end === named) continue;
    const name = headerName(text, hits[index]!, end);
    if (!name) continue;
    named = end;
    const value = headerValue(text, name, end, lines);
    const range = value && secretPart(text, value, name.kind);
    if (!range) continue;
    found.push(range);
    behind = range.end;
  }
  return found;
}

interface HeaderName {
  readonly start: number;
  readonly kind: 'authorization' | 'cookie' | 'key';
  /** Alone it is an ordinary word: only a quoted header line counts. */
  readonly quotedLine: boolean;
}

function headerName(text: string, hint: number, end: number): HeaderName | undefined {
  let start = end - HEADERS[hint]!.length;
  // `token` alone counts only as a whole header line in quotes.
  if (HEADERS[hint] === 'token' && isAlphanumeric(text.charCodeAt(start - 1))) return undefined;
  while (start > 0 && end - start < 64 && /[\w-]/.test(text[start - 1]!)) start--;
  const name = text
    .slice(start, end)
    .toLowerCase()
    .replace(/^-+/, '')
    .replace(/^(?:\\?[nrt])(?=authorization|cookie|set-)/, '');
  if (/^(?:proxy-|x-)?authorization$/.test(name)) return { start, kind: 'authorization', quotedLine: false };
  if (/^(?:set-)?cookie2?$/.test(name)) return { start, kind: 'cookie', quotedLine: false };
  if (/^(?:x-(?:[\w-]{1,40}-)?(?:token|apikey|api-key|access-key)|api-token|private-token|job-token)$/.test(name)) {
    return { start, kind: 'key', quotedLine: false };
  }
  return /^(?:apikey|token|[\w-]+-token)$/.test(name) ? { start, kind: 'key', quotedLine: true } : undefined;
}

interface HeaderValue extends Range {
  readonly quoted: boolean;
}

const GAP = /[ \t]{0,3}(?::|=>|=|,)[ \t]{0,3}/y;

/** What follows the name: to the closing quote, else to the line's end. */
function headerValue(text: string, name: HeaderName, end: number, lines: Lines): HeaderValue | undefined {
  const nameQuote = quoteAt(text, end);
  const lineQuote = nameQuote ? undefined : quoteBefore(text, name.start);
  if (name.quotedLine && !lineQuote) return undefined;
  let at = end + (nameQuote?.text.length ?? 0);
  if (nameQuote && text[at] === ']') at++;
  GAP.lastIndex = at;
  const gap = GAP.exec(text)?.[0];
  // A comma parts name and value of a call, where both are quoted.
  if (gap === undefined || (gap.trim() === ',' && !nameQuote)) return undefined;
  at += gap.length;
  const quote = lineQuote ? undefined : openingQuote(text, at);
  if (quote) return { ...quotedContent(text, quote), quoted: true };
  if (gap.trim() !== ':' && !lineQuote) return undefined;
  if (lineQuote) return { ...quotedContent(text, { ...lineQuote, at: at - lineQuote.text.length }), quoted: true };
  return nameQuote ? undefined : { start: at, end: lines.endFrom(at), quoted: false };
}

/** The quote directly before a header's name: the header line is all that it holds. */
function quoteBefore(text: string, start: number): Quote | undefined {
  if (!/["'`;27]/.test(text[start - 1] ?? '')) return undefined;
  for (let at = Math.max(0, start - 8); at < start; at++) {
    const quote = quoteAt(text, at);
    if (quote && at + quote.text.length === start) return quote;
  }
  return undefined;
}

/** Finds the ends of lines. Keeps the last one, so that many headers without a value on one line stay linear. */
class Lines {
  readonly #text: string;
  #from = -1;
  #end = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The line's end, or that of the string that holds the line, be it a quote or an escape. */
  endFrom(at: number): number {
    if (at >= this.#from && at < this.#end) return this.#end;
    let end = at;
    while (end < this.#text.length && !isLineEnd(this.#text, end)) end++;
    this.#from = at;
    this.#end = end;
    return end;
  }
}

function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 10 || code === 13 || code === 34 || code === 39 || code === 96) return true;
  return code === 92 && /[nr"']/.test(text[at + 1] ?? '');
}

const SCHEME =
  /^(?:Bearer|Basic|Token|Digest|Bot|ApiKey|Api-Key|Key|Negotiate|NTLM|Hawk|GoogleLogin|SharedKey|AWS4-HMAC-SHA256|OAuth|Splunk|SSWS|FlyV1|JWT|PAT)[ \t]+/i;

function secretPart(text: string, value: HeaderValue, kind: HeaderName['kind']): Range | undefined {
  const content = text.slice(value.start, Math.min(value.end, value.start + 1024));
  const trimmed = value.start + content.trimEnd().length;
  const end = content.length === value.end - value.start ? trimmed : value.end;
  if (kind === 'cookie') {
    const isCookie = end - value.start >= 6 && (/[\w.-]=[^\s=]/.test(content) || (value.quoted && /\d/.test(content)));
    return isCookie && !isPlaceholder(content.trim()) && !isCode(content) ? { start: value.start, end } : undefined;
  }
  const scheme = kind === 'authorization' ? (SCHEME.exec(content)?.[0].length ?? 0) : 0;
  const secret = content.slice(scheme).trim();
  if (secret.length < 4 || isPlaceholder(secret) || isCode(secret)) return undefined;
  // Without a known scheme, words are prose: "Authorization: see the manual".
  const known = scheme > 0 || (kind === 'key' && !/\s/.test(secret));
  if (!known && !/[\d=]/.test(secret) && !(value.quoted && /^\S{8,}$/.test(secret))) return undefined;
  if (!value.quoted && !/[\d=]/.test(secret) && (/\s/.test(secret) || secret.length < 16)) return undefined;
  return { start: value.start + scheme, end };
}

/** `config.token,` and `string;` as in code, where nothing is quoted. */
function isCode(value: string): boolean {
  return /^[A-Za-z_$][A-Za-z_$.?!]{0,80}[;,)}\]]{0,3}$/.test(value.trim()) && !/^[A-Za-z]{16,}$/.test(value.trim());
}

export const SCHEME_HINTS: readonly string[] = [
  'bearer ',
  'basic ',
  'token ',
  'digest ',
  'bot ',
  'bearer%20',
  'basic%20',
];

const AFTER_SCHEME = /[\w.~+/=-]{12,}/y;

/** `Bearer abc123…` wherever it stands. */
export function findSchemes(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  for (let index = 0; index < hits.length; index += 2) {
    const hint = SCHEME_HINTS[hits[index]!]!;
    const start = hits[index + 1]!;
    if (!beginsAt(text, start - hint.length)) continue;
    AFTER_SCHEME.lastIndex = start;
    const token = AFTER_SCHEME.exec(text)?.[0];
    if (token === undefined || !isToken(token.slice(0, 512), hint)) continue;
    // The full stop of a sentence stays.
    found.push({ start, end: start + token.replace(/[.-]{1,8}$/, '').length });
  }
  return found;
}

function isToken(token: string, hint: string): boolean {
  if (!/[\d=]/.test(token)) return false;
  if (hint.startsWith('digest')) return token.includes('=');
  // Paths, versions and dates behind words that are also prose.
  if (!hint.startsWith('bearer') && /^(?:[a-z]+[-./_])+[a-z]*[\d.]*$|^[\d.:/-]+$/.test(token)) return false;
  return true;
}
