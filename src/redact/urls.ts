// Passwords in URLs: user info, and parameters that carry credentials (MASK-29, MASK-30).
import type { Hits } from './hints.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Range } from './ranges.ts';
import { hiddenPart } from './values.ts';

export const USER_INFO_HINTS: readonly string[] = ['://', '%3a%2f%2f'];

/** `scheme://user:PASS@host` and `scheme://TOKEN@host`. The password goes to the last `@` of the URL. */
export function findUserInfo(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  // The end of a URL and its last `@` hold for every `://` before them: this keeps many in a row linear.
  let end = -1;
  let lastAt = -1;
  for (let index = 1; index < hits.length; index += 2) {
    const start = hits[index]!;
    const encoded = hits[index - 1] === 1;
    if (!/[a-z0-9+.-]/i.test(text[start - USER_INFO_HINTS[hits[index - 1]!]!.length - 1] ?? '')) continue;
    if (start > end) {
      end = urlEnd(text, start);
      lastAt = lastSign(text, start, end);
    }
    if (lastAt < start) continue;
    const range = passwordIn(text, start, lastAt, encoded);
    if (range) found.push(range);
  }
  return found;
}

/** At the first white space, quote, `<` or `>`. */
function urlEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && !isUrlEnd(text.charCodeAt(end))) end++;
  return end;
}

function isUrlEnd(code: number): boolean {
  return code <= 32 || code === 34 || code === 39 || code === 96 || code === 60 || code === 62 || code === 0xa0;
}

/** The last `@`, or `%40` where there is none; a backslash before a quote is not part of the URL. */
function lastSign(text: string, start: number, end: number): number {
  // On a slice: lastIndexOf on the whole text would go back to its start.
  const url = text.slice(start, end);
  const at = url.includes('@') ? url.lastIndexOf('@') : url.lastIndexOf('%40');
  return at === -1 ? -1 : start + at;
}

function passwordIn(text: string, start: number, lastAt: number, encoded: boolean): Range | undefined {
  let colon = start;
  while (colon < lastAt && colon - start < 256 && !':/@?#'.includes(text[colon]!)) {
    if (encoded && /^%3a/i.test(text.slice(colon, colon + 3))) break;
    colon++;
  }
  if (colon >= lastAt) return colon === lastAt ? tokenAsUser(text, start, lastAt) : undefined;
  if (text[colon] === '@') return tokenAsUser(text, start, colon);
  const sign = text[colon] === ':' ? 1 : text[colon] === '%' ? 3 : 0;
  if (sign === 0) return undefined;
  const password = { start: colon + sign, end: lastAt };
  const content = text.slice(password.start, Math.min(password.end, password.start + 300));
  // `host:3000/a@b`: a port, and the `@` is of the path.
  if (/^\d{1,5}(?:[/?#]|$)/.test(content) && /^[\w.[\]-]+$/.test(text.slice(start, colon)) && /[/?#]/.test(content)) {
    return undefined;
  }
  return hiddenPart(text, password, 1);
}

/** `scheme://TOKEN@host`: shapes are found as such, so only long ones with a digit are meant here. */
function tokenAsUser(text: string, start: number, end: number): Range | undefined {
  const user = text.slice(start, Math.min(end, start + 512));
  if (!/^[\w.~+=%-]+$/.test(user) || !/\d/.test(user) || !/[A-Za-z0-9]{20}/.test(user)) return undefined;
  return isPlaceholder(user) ? undefined : { start, end };
}

const PARAMETERS = [
  ...['access_token', 'refresh_token', 'id_token', 'token', 'api_key', 'apikey', 'key', 'sig', 'signature', 'code'],
  ...['password', 'secret', 'client_secret', 'auth', 'assertion', 'x-amz-signature', 'x-amz-security-token'],
];
/** Words that are parameters of many harmless URLs: they need a digit and 16 units. */
const COMMON = new Set(['key', 'sig', 'code']);
/** The sign before the name: `?` and `&`, also as escapes; `;` is that of `&amp;`. */
const BEFORE = /(?:[?&]|&amp;|%26|%3f|\\u0026)$/i;

/** Names with their sign. What stands before is looked at where one occurs: with every sign they would be hundreds. */
export const PARAMETER_HINTS: readonly string[] = PARAMETERS.map((name) => `${name}=`);

export function findParameters(text: string, hits: Hits): Range[] {
  const found: Range[] = [];
  let end = -1;
  for (let index = 0; index < hits.length; index += 2) {
    const name = PARAMETERS[hits[index]!]!;
    const start = hits[index + 1]!;
    const nameStart = start - name.length - 1;
    if (!BEFORE.test(text.slice(Math.max(0, nameStart - 6), nameStart))) continue;
    // All parameters in a row without `&` end together.
    if (start >= end) end = parameterEnd(text, start);
    const value = text.slice(start, Math.min(end, start + 512));
    if (end - start < 6 || (COMMON.has(name) && (end - start < 16 || !/\d/.test(value)))) continue;
    const range = hiddenPart(text, { start, end }, 6);
    if (range) found.push(range);
  }
  return found;
}

function parameterEnd(text: string, start: number): number {
  // A template, its bracket included.
  let end = start + (/^\$?\{{1,2}[^{}\s"'`<>]{1,80}\}{1,2}/.exec(text.slice(start, start + 88))?.[0].length ?? 0);
  while (end < text.length && !isUrlEnd(text.charCodeAt(end)) && !'&#,;)]}|\\'.includes(text[end]!)) end++;
  return end;
}
