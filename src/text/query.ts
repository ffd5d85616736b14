// What a person typed → what it means (TXT-30 … TXT-38). Never throws for pasted text; knows no engine.
import { BackstoryError } from '../model/errors.ts';
import { type QueryToken, queryTokens } from './query-tokens.ts';
import { sanitize } from './sanitize.ts';

/** Tokens side by side, in order; at least one. */
export interface Term {
  readonly typed: string;
  readonly kind: 'word' | 'literal' | 'phrase';
  readonly tokens: readonly QueryToken[];
}

/** Terms joined by OR; most have one. */
export interface Clause {
  readonly anyOf: readonly Term[];
}

export type Stage = 'prefix' | 'words' | 'some';

/** A regular expression as what decides (TXT-40). */
export interface Expression {
  /** Each of these is in every text that it matches, as far as an index of words can tell; none: any text may match. */
  readonly candidates: readonly Clause[];
  /** Whether it matches a line of a masked, sanitized text. */
  test(text: string): boolean;
  /** Where: sorted, apart, at most `most`. */
  spots(text: string, most?: number): { readonly start: number; readonly end: number }[];
}

export interface ParsedQuery {
  readonly mode: 'all' | 'any' | 'regex';
  readonly typed: string;
  readonly clauses: readonly Clause[];
  readonly excluded: readonly Term[];
  /** What yields no token, as typed (TXT-33). */
  readonly dropped: readonly string[];
  /** How it was loosened, if it was (TXT-39). */
  readonly stage?: Stage;
  /** In mode `regex`, which has no clauses. */
  readonly expression?: Expression;
  /** How it was read, in lines for people (TXT-38). */
  explain(): string;
}

export const MAX_QUERY_CHARS = 4_096;
const MAX_TERMS = 128;
const MIN_PREFIX = 2;
const QUOTES: Readonly<Record<string, readonly string[]>> = {
  '"': ['"'],
  '“': ['”', '“'],
  '„': ['“', '”'],
  '«': ['»'],
  '「': ['」'],
};
const SPACE = /\s/;
const EXCLUDED = /^-[\p{L}\p{Nd}]/u;
const UNSPACED =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

interface Typed {
  /** With its quotes, star and minus. */
  readonly raw: string;
  readonly text: string;
  readonly quoted: boolean;
  readonly excluded: boolean;
}

/** Throws `query_too_long`, and `query_empty` when no term is left to look for. */
export function parseQuery(typed: string, options: { readonly mode?: 'all' | 'any' } = {}): ParsedQuery {
  const { mode = 'all' } = options;
  if (mode === 'all' && typed.length > MAX_QUERY_CHARS) throw tooLong(typed.length, MAX_QUERY_CHARS, 'characters');
  const terms = [...termsIn(sanitize(typed), mode)];
  if (mode === 'all' && terms.length > MAX_TERMS) throw tooLong(terms.length, MAX_TERMS, 'terms');
  const query = mode === 'all' ? readAll(typed, terms) : whole(readAny(typed, terms));
  if (query.clauses.length === 0) throw empty(query.dropped, query.excluded.length > 0);
  return query;
}

/** `parseQuery` in mode `any` for a turn as long as a page: `pause` is asked after each of its terms, and may wait. */
export async function parseTurn(typed: string, pause: () => void | Promise<void>): Promise<ParsedQuery> {
  const steps = readAny(typed, termsIn(sanitize(typed), 'any'));
  for (;;) {
    const { done, value } = steps.next();
    if (!done) await pause();
    else if (value.clauses.length > 0) return value;
    else throw empty(value.dropped, false);
  }
}

function whole(steps: Generator<undefined, ParsedQuery>): ParsedQuery {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function* termsIn(text: string, mode: 'all' | 'any'): Generator<Typed> {
  const absent = new Set<string>();
  for (let at = 0; at < text.length; ) {
    if (SPACE.test(text[at]!)) {
      at++;
      continue;
    }
    const minus = mode === 'all' && text[at] === '-' ? 1 : 0;
    const open = text[at + minus];
    const closers = open === undefined ? undefined : QUOTES[open];
    const close = closers ? firstOf(text, closers, at + minus + 1, absent) : -1;
    if (close > 0) {
      const raw = text.slice(at, close + 1);
      yield { raw, text: text.slice(at + minus + 1, close), quoted: true, excluded: minus === 1 };
      at = close + 1;
      continue;
    }
    let end = at;
    while (end < text.length && !SPACE.test(text[end]!)) end++;
    const raw = text.slice(at, end);
    // `-draft` excludes; `--force`, `-` and `a-b` are literal (TXT-31).
    const excluded = minus === 1 && (closers !== undefined || EXCLUDED.test(raw));
    yield { raw, text: excluded ? raw.slice(1) : raw, quoted: false, excluded };
    at = end;
  }
}

// A closing quote that is not there is looked for once only: many opening ones stay linear.
function firstOf(text: string, closers: readonly string[], from: number, absent: Set<string>): number {
  let first = -1;
  for (const closer of closers) {
    const at = absent.has(closer) ? -1 : text.indexOf(closer, from);
    if (at < 0) absent.add(closer);
    else if (first < 0 || at < first) first = at;
  }
  return first;
}

function readAll(typed: string, terms: readonly Typed[]): ParsedQuery {
  const clauses: Term[][] = [];
  const excluded: Term[] = [];
  const dropped: string[] = [];
  // `OR` joins the terms before and after it. One that is dropped leaves the other alone; beside an exclusion it is a word.
  let joins = false;
  let joinable = false;
  let left: Term[] | undefined;
  for (const [index, term] of terms.entries()) {
    const next = terms[index + 1];
    if (!term.quoted && term.raw === 'AND' && index > 0 && next !== undefined) continue;
    if (!term.quoted && term.raw === 'OR' && joinable && !joins && next !== undefined && !next.excluded) {
      joins = true;
      continue;
    }
    const read = readTerm(term);
    if (!read) dropped.push(term.raw);
    if (term.excluded) {
      if (read) excluded.push(read);
    } else if (read && joins && left) left.push(read);
    else if (read) {
      left = [read];
      clauses.push(left);
    } else if (!joins) left = undefined;
    joinable = !term.excluded;
    joins = false;
  }
  return made({ mode: 'all', typed, clauses: clauses.map((anyOf) => ({ anyOf })), excluded, dropped });
}

// A turn of a chat is a sentence: each word and each quoted phrase is a term of its own, none of them required.
function* readAny(typed: string, terms: Iterable<Typed>): Generator<undefined, ParsedQuery> {
  const clauses = new Map<string, Clause>();
  const dropped: string[] = [];
  // A turn repeats its words: each is read once.
  const seen = new Set<string>();
  const add = (term: Term): void => {
    const name = term.tokens.map((token) => `${token.whole ?? token.text}${token.prefix ? '*' : ''}`).join(' ');
    if (!clauses.has(name)) clauses.set(name, { anyOf: [term] });
  };
  for (const term of terms) {
    if (seen.has(term.raw)) continue;
    seen.add(term.raw);
    const read = readTerm({ ...term, excluded: false }, 'any');
    if (!read) dropped.push(term.raw);
    else if (term.quoted) add(read);
    else for (const token of read.tokens) add({ typed: token.text, kind: 'word', tokens: [alone(token)] });
    yield;
  }
  return made({ mode: 'any', typed, clauses: [...clauses.values()], excluded: [], dropped });
}

// A sentence without spaces is no phrase: each of its pairs is a term (EPI-81).
function alone({ joined: _, ...token }: QueryToken): QueryToken {
  return token;
}

function readTerm(term: Typed, mode: 'all' | 'any' = 'all'): Term | undefined {
  const starred = mode === 'all' && !term.quoted && /[^*]\*$/.test(term.text);
  const text = starred ? term.text.slice(0, -1) : term.text;
  const tokens = queryTokens(text);
  const last = tokens.at(-1);
  if (!last) return undefined;
  if (starred && endsInWord(text)) {
    const short = last.text.length < MIN_PREFIX && !UNSPACED.test(last.text);
    if (!short) tokens[tokens.length - 1] = { ...last, prefix: true };
  }
  const typed = term.quoted ? term.text : text;
  const single = tokens.every((token, index) => index === 0 || token.joined);
  return {
    typed,
    kind: term.quoted && !single ? 'phrase' : single && !hasPunctuation(text) ? 'word' : 'literal',
    tokens,
  };
}

function endsInWord(text: string): boolean {
  return /[\p{L}\p{M}\p{Nd}_]$/u.test(text);
}

function hasPunctuation(text: string): boolean {
  return /[^\p{L}\p{M}\p{Nd}_]/u.test(text);
}

/** Gives a query its explanation. */
export function made(query: Omit<ParsedQuery, 'explain'>): ParsedQuery {
  return { ...query, explain: () => explained(query) };
}

function explained(query: Omit<ParsedQuery, 'explain'>): string {
  const lines = query.clauses.map((clause) => {
    const needed = query.mode === 'any' || query.stage === 'some' ? 'may hold' : 'must hold';
    return `${needed} ${clause.anyOf.map(describeTerm).join(' or ')}`;
  });
  for (const term of query.excluded) lines.push(`must not hold ${describeTerm(term)}`);
  for (const term of query.dropped) lines.push(`not looked for: ${term} (no letter or digit in it)`);
  return lines.join('\n');
}

function describeTerm(term: Term): string {
  const tokens = term.tokens.map((token) => `${token.whole ?? token.text}${token.prefix ? '…' : ''}`);
  return tokens.length === 1 ? `the word ${tokens[0]}` : `${tokens.join(' ')}, side by side`;
}

function tooLong(length: number, limit: number, unit: string): BackstoryError {
  return new BackstoryError(
    'query_too_long',
    `The query is ${length} ${unit} long; at most ${limit} are allowed.`,
    'Search for fewer words, or for the rarest part of it.',
    { details: { length, limit } },
  );
}

function empty(dropped: readonly string[], onlyExcluded: boolean): BackstoryError {
  const named = dropped.slice(0, 20).map((term) => JSON.stringify(term.slice(0, 40)));
  const what = named.length > 0 ? `: ${named.join(', ')} ${named.length === 1 ? 'is' : 'are'} no word` : '';
  return new BackstoryError(
    'query_empty',
    onlyExcluded ? 'The query only says what to leave out.' : `The query has no word to look for${what}.`,
    'A word is made of letters or digits of any script; add one.',
    { details: { dropped: [...dropped] } },
  );
}
