// What stands between a name and its value: separators, quotes in all their escapes (MASK-21, MASK-34).

/** A quote as it is written: `"`, `\"`, `\\\"`, `&quot;`, `\u0022` … */
export interface Quote {
  /** As written, with its backslashes. */
  readonly text: string;
  readonly at: number;
}

const QUOTE = /(?:\\{0,7}(?:["'`]|u0022|u0027)|&(?:quot|#34|#39|apos);)/y;

export function quoteAt(text: string, at: number): Quote | undefined {
  const code = text.charCodeAt(at);
  if (code !== 34 && code !== 39 && code !== 96 && code !== 92 && code !== 38) return undefined;
  QUOTE.lastIndex = at;
  const match = QUOTE.exec(text)?.[0];
  return match === undefined || /^u/.test(match) ? undefined : { text: match, at };
}

export interface Separator {
  /** Where the value begins. */
  readonly end: number;
  /** `tight`: a `=` with nothing around it. `flag`: white space behind an option. */
  readonly form: 'tight' | 'loose' | 'flag' | 'call' | 'tag' | 'attribute' | 'pair';
  /** The quote that closed the name, if one did. */
  readonly nameQuote: string | undefined;
}

const SIGN = /(?::{0,3}=>?|=>|\?=|:|：|＝|%3D|%3A)/iy;
// Names in a column: more space before the sign is fine where a quoted value follows.
const MOST_BLANKS = 24;

/** The separator behind a name that ends at `at`. `name`: where it starts. */
export function separatorAt(text: string, name: number, at: number): Separator | undefined {
  const quote = quoteAt(text, at);
  let end = at + (quote?.text.length ?? 0);
  const nameQuote = quote?.text;
  if (quote && text[end] === ']') end++;
  const before = blanksAt(text, end);
  SIGN.lastIndex = end + before;
  const sign = SIGN.exec(text)?.[0];
  if (sign !== undefined && !isComparison(text, end + before, sign)) {
    let valueStart = end + before + sign.length;
    const after = blanksAt(text, valueStart);
    valueStart += after;
    if ((before > 3 || after > 3) && !quoteAt(text, valueStart)) return undefined;
    valueStart = behindType(text, valueStart, sign);
    return { end: valueStart, form: /^(?:=|%3D)$/i.test(sign) && before + after === 0 ? 'tight' : 'loose', nameQuote };
  }
  if (quote) return behindQuotedName(text, name, end, quote.text);
  if (text[at] === '>') return tagAt(text, name, at);
  return optionAt(text, name, at);
}

function isComparison(text: string, at: number, sign: string): boolean {
  const next = text[at + sign.length];
  if (sign === '=' && (next === '=' || next === '~')) return true;
  // `::` of code, `://` of a URL.
  return sign === ':' && (next === ':' || (next === '/' && text[at + 2] === '/'));
}

function blanksAt(text: string, at: number): number {
  let end = at;
  while (end - at < MOST_BLANKS && (text.charCodeAt(end) === 32 || text.charCodeAt(end) === 9)) end++;
  return end - at;
}

const TYPE = /(?:&?(?:'\w{1,16} )?\w[\w<>[\]| .?]{0,40}?)[ \t]?=[ \t]?(?=[bfru@$]?["'`])/iy;

/** `password: string = "…"`: the value stands behind the type. */
function behindType(text: string, at: number, sign: string): number {
  if (sign !== ':') return at;
  TYPE.lastIndex = at;
  const match = TYPE.exec(text);
  return match ? at + match[0].length : at;
}

/** `("name", "value")` in a call; `key="name" value="value"`; `name: "X"` with `value:` on the next line. */
function behindQuotedName(text: string, name: number, end: number, quote: string): Separator | undefined {
  const open = name - quote.length;
  const before = text.slice(Math.max(0, open - 24), open);
  if (/\(\s{0,3}$/.test(before)) {
    const comma = /^\s{0,3},\s{0,3}(?=[bfru@$]?\\{0,7}["'`])/i.exec(text.slice(end, end + 16));
    if (comma) return { end: end + comma[0].length, form: 'call', nameQuote: quote };
  }
  if (/(?:key|name)\s{0,3}=\s{0,3}$/i.test(before)) {
    const value = /^\s{1,24}value\s{0,3}=\s{0,3}(?=\\{0,7}["'])/i.exec(text.slice(end, end + 48));
    if (value) return { end: end + value[0].length, form: 'attribute', nameQuote: quote };
  }
  return pairAt(text, open, end, quote);
}

/** `name: X` and `value: Y` on two lines, or side by side in JSON. */
export function pairAt(text: string, nameStart: number, end: number, quote: string | undefined): Separator | undefined {
  const before = text.slice(Math.max(0, nameStart - 24), nameStart);
  if (!/(?:^|[^\w])(?:name|key)\\{0,7}["']?[ \t]{0,3}[:=][ \t]{0,3}$/i.test(before)) return undefined;
  const behind = text.slice(end, end + 96);
  const value =
    /^[ \t]{0,3},?[ \t]{0,3}(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)?[ \t]{0,32}\\{0,7}["']?value\\{0,7}["']?[ \t]{0,3}[:=][ \t]{0,3}/i;
  const match = value.exec(behind);
  return match ? { end: end + match[0].length, form: 'pair', nameQuote: quote } : undefined;
}

function tagAt(text: string, name: number, at: number): Separator | undefined {
  return text[name - 1] === '<' ? { end: at + 1, form: 'tag', nameQuote: undefined } : undefined;
}

/** `--password X`, and `-Password 'X'` of PowerShell. */
function optionAt(text: string, name: number, at: number): Separator | undefined {
  if (text[name] !== '-' || (name > 0 && !/[\s"'`([=]/.test(text[name - 1]!))) return undefined;
  const blanks = blanksAt(text, at);
  if (blanks === 0 || blanks > 3) return undefined;
  const quoted = quoteAt(text, at + blanks) !== undefined;
  if (text[name + 1] !== '-' && !quoted) return undefined;
  return { end: at + blanks, form: 'flag', nameQuote: undefined };
}
