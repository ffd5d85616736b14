// How far a value goes, and whether it is one that must be hidden (MASK-35).
import { defaultIn, isDottedName, isIndexed, isPlaceholder } from './placeholders.ts';
import type { Range } from './ranges.ts';
import { type Quote, quoteAt } from './separators.ts';

const SYMBOL_OR_DIGIT = /[\d!@#$%^&*+~?]/;

/** Holds a digit or one of the symbols that a word of prose does not have. */
export function holdsDigitOrSymbol(value: string): boolean {
  return SYMBOL_OR_DIGIT.test(value);
}

/** A quote at `at`, or behind a string's prefix such as `f` or `b`. */
export function openingQuote(text: string, at: number): Quote | undefined {
  const quote = quoteAt(text, at);
  if (quote) return quote;
  const code = text.charCodeAt(at) | 32;
  // b f r u and @ $ of C#.
  if (code !== 98 && code !== 102 && code !== 114 && code !== 117 && text[at] !== '@' && text[at] !== '$')
    return undefined;
  const behind = quoteAt(text, at + 1);
  return behind && !behind.text.startsWith('\\') ? behind : undefined;
}

/** What stands in the quote that opens at `quote`: to the matching quote, else to the line's end. */
export function quotedContent(text: string, quote: Quote): Range {
  let start = quote.at + quote.text.length;
  if (/[0-9;]$/.test(quote.text)) return { start, end: literalEnd(text, start, quote.text) };
  const mark = quote.text.charCodeAt(quote.text.length - 1);
  const level = quote.text.length - 1;
  // Three quotes open a string of several lines.
  if (level === 0 && text.charCodeAt(start) === mark && text.charCodeAt(start + 1) === mark) start += 2;
  let slashes = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) return { start, end: text.charCodeAt(at - 1) === RETURN ? Math.max(start, at - 1) : at };
    if (code === BACKSLASH) {
      slashes++;
      continue;
    }
    if (code === mark && (level === 0 ? slashes % 2 === 0 : slashes <= level)) {
      // Fewer backslashes than the opening quote has: the string around this one ends here.
      return { start, end: Math.max(start, at - (level === 0 ? 0 : slashes)) };
    }
    slashes = 0;
  }
  return { start, end: text.length };
}

function literalEnd(text: string, start: number, literal: string): number {
  const close = text.indexOf(literal, start);
  const most = close === -1 ? text.length : close;
  const lineFeed = text.slice(start, most).indexOf('\n');
  return lineFeed === -1 ? most : start + lineFeed;
}

/** Finds the ends of unquoted values in one text. Keeps the last one, since all values within a run end together. */
export class Runs {
  readonly #text: string;
  #from = -1;
  #end = -1;
  /** Up to here a run holds neither digit nor symbol: what begins later in it does not either. */
  #barren = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** To white space, a quote, `;` `&` `,`, or an escape that stands for one of them. */
  endFrom(at: number): number {
    if (at >= this.#from && at < this.#end) return this.#end;
    let end = at;
    while (end < this.#text.length && !isEnd(this.#text, end)) end++;
    this.#from = at;
    this.#end = end;
    return end;
  }

  /** Known already to hold neither digit nor symbol from `at` on. */
  isBarren(at: number): boolean {
    return at < this.#barren;
  }

  holdsDigitOrSymbol(start: number, end: number): boolean {
    if (start < this.#barren) return false;
    if (SYMBOL_OR_DIGIT.test(this.#text.slice(start, end))) return true;
    this.#barren = end;
    return false;
  }
}

function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code <= 32) return true;
  if (code >= 128) return code === 0xa0 || code >= 0x2000 ? /[\s。，、；）」』]/.test(text[at]!) : false;
  if (code === 34 || code === 39 || code === 96 || code === 59 || code === 38 || code === 44) return true;
  if (code === 60) return /[A-Za-z/!]/.test(text[at + 1] ?? '') && at > 0 && !/[=:\s]/.test(text[at - 1]!);
  if (code !== BACKSLASH) return false;
  const next = text[at + 1];
  return (
    next === 'n' ||
    next === 'r' ||
    next === 't' ||
    next === '"' ||
    next === "'" ||
    /^\\+["'n]/.test(text.slice(at, at + 9))
  );
}

/** The value without a closing bracket whose opener stands before the name. */
export function withoutForeignBracket(text: string, name: number, start: number, end: number): number {
  let depth = 0;
  const most = Math.min(end, start + 256);
  for (let at = start; at < most; at++) {
    const unit = text[at]!;
    if (unit === '(' || unit === '[' || unit === '{') depth++;
    else if (unit === ')' || unit === ']' || unit === '}') {
      depth--;
      if (depth < 0 && isOpenBefore(text, name, unit === ')' ? '(' : unit === ']' ? '[' : '{', unit)) return at;
    }
  }
  return end;
}

function isOpenBefore(text: string, name: number, opener: string, closer: string): boolean {
  let depth = 0;
  for (let at = name - 1; at >= 0 && name - at <= 256 && text[at] !== '\n'; at--) {
    if (text[at] === closer) depth++;
    else if (text[at] === opener && depth-- === 0) return true;
  }
  return false;
}

/** The part of a quoted or otherwise delimited value that must be hidden; undefined for placeholders. */
export function hiddenPart(text: string, value: Range, least: number): Range | undefined {
  if (value.end - value.start < least) return undefined;
  const content = text.slice(value.start, Math.min(value.end, value.start + 300));
  const part = defaultIn(text, value.start, value.end);
  if (part) return part.end - part.start >= 4 && !isPlaceholder(text.slice(part.start, part.end)) ? part : undefined;
  const scheme = /^(?:Bearer|Basic|Token|Digest|Bot) /i.exec(content)?.[0].length ?? 0;
  if (isPlaceholder(content.slice(scheme))) return undefined;
  return scheme === content.length ? undefined : { start: value.start + scheme, end: value.end };
}

/** Code, not a value: only asked where nothing is quoted. */
export function isCode(value: string): boolean {
  return value.length <= 256 && (isDottedName(value) || isIndexed(value));
}

const LINE_FEED = 10;
const RETURN = 13;
const BACKSLASH = 92;
