// Whether a word or a token begins here, through the escapes of JSON, URLs and terminals (MASK-21).

/** True when nothing before `at` belongs to the word that begins there. With `loose`, `_` and `-` are a border too. */
export function beginsAt(text: string, at: number, loose?: 'loose'): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (!isAlphanumeric(before)) return loose === 'loose' || (before !== UNDERSCORE && before !== HYPHEN);
  return endsEscape(text, at);
}

/** True for `\n`, `\t`, `\u0022`, `%3D` and the end of a colour sequence directly before `at`. */
export function endsEscape(text: string, at: number): boolean {
  const two = text.charCodeAt(at - 2);
  const one = text[at - 1]!;
  if (two === BACKSLASH) return 'nrtbf'.includes(one);
  if (text[at - 3] === '%') {
    const code = Number.parseInt(text.slice(at - 2, at), 16);
    if (code < 128 && !isAlphanumeric(code)) return true;
  }
  if (text[at - 6] === '\\' && text[at - 5] === 'u') return /^\\u00[0-3][0-9a-f]$/i.test(text.slice(at - 6, at));
  return one === 'm' && /(?:\x1b|\\x1b|\\e|\\033|\\u001b)?\[[\d;]{0,16}m$/i.test(text.slice(Math.max(0, at - 24), at));
}

export function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** A letter of any script: what a word may go on with. */
export function isWordUnit(code: number): boolean {
  if (code < 128) return isAlphanumeric(code) || code === UNDERSCORE;
  return /[\p{L}\p{N}]/u.test(String.fromCharCode(code));
}

const UNDERSCORE = 95;
const HYPHEN = 45;
const BACKSLASH = 92;
