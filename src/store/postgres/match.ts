// A text's tokens as a tsvector and a query as a tsquery, both written out token by token: PostgreSQL's own parsers never
// see a text (TXT-20, TXT-24). What a tsvector forgets (TXT-21) is told by the tokens themselves.
import { type Clause, indexTokens, type ParsedQuery, type Term } from '../../text/index.ts';
import { isExact } from '../index-decides.ts';

// A tsvector keeps positions up to 16 383, and 255 of one lexeme.
const MOST_POSITIONS = 16_383;
const MOST_OF_ONE = 255;
/** Of the 1 MiB that a tsvector may take, in UTF-8 of its lexemes with their entries. */
const MOST_BYTES = 900_000;
// First letters of lexemes that are no token: private use, which text/ reads as punctuation.
const PLACE = '\ue001';
const MARK_OF = '\ue002';
/** Of a row whose tokens do not fit: any word may stand in it. */
const UNTOLD = '\ue003';

/** Lexeme of an agent's namespace. */
export function placeOf(agent: string, ns: number): string {
  return PLACE + agent + PLACE + ns;
}

/** The column `words` as text for a cast, and whether its positions are all there. */
export function vectorOf(
  place: string,
  text: string | undefined,
  marks: readonly string[],
): { readonly words: string; readonly exact: boolean } {
  const positions = new Map<string, number[]>();
  const tokens = text === undefined ? [] : indexTokens(text);
  let exact = tokens.length <= MOST_POSITIONS;
  for (const [at, token] of tokens.entries()) {
    const known = positions.get(token);
    if (known === undefined) positions.set(token, [at + 1]);
    else if (known.length < MOST_OF_ONE) known.push(at + 1);
    else exact = false;
  }
  let bytes = 0;
  for (const [token, list] of positions) bytes += Buffer.byteLength(token) + 8 + 2 * list.length;
  const others = [place, ...marks.map((mark) => MARK_OF + mark)];
  if (bytes > MOST_BYTES) return { words: [...others, UNTOLD].map(quoted).join(' '), exact: false };
  const told = [...positions].map(([token, list]) => (exact ? `${quoted(token)}:${list.join(',')}` : quoted(token)));
  return { words: [...others.map(quoted), ...told].join(' '), exact };
}

/** What to look for: `loose` finds at least every row, and where `exact` rows are meant `strict` decides them. */
export interface Wanted {
  readonly loose: string;
  /** Absent: `loose` decides every row but those that hold no words at all. */
  readonly strict?: string;
  /** Whether a row without positions holds it. */
  readonly holds: (text: string) => boolean;
}

/** All of these clauses, without what the query excludes; undefined when nothing is required. */
export function wantedOf(clauses: readonly Clause[], excluded: readonly Term[] = []): Wanted | undefined {
  if (clauses.length === 0) return undefined;
  const without = excluded.filter(isExact);
  const hasPhrases = [...clauses.flatMap(({ anyOf }) => anyOf), ...without].some(({ tokens }) => tokens.length > 1);
  const print = (join: ' <-> ' | ' & '): string => {
    const needed = clauses.map(({ anyOf }) => `(${anyOf.map((term) => termOf(term, join)).join(' | ')})`);
    // A phrase that is only words may stand in a row that is wanted.
    const taken = without.filter(({ tokens }) => join === ' <-> ' || tokens.length === 1);
    return [...needed, ...taken.map((term) => `!(${termOf(term, join)})`)].join(' & ');
  };
  const loose = print(' & ');
  return {
    loose: `((${loose}) | ${quoted(UNTOLD)})`,
    ...(hasPhrases ? { strict: print(' <-> ') } : {}),
    holds(text) {
      const tokens = indexTokens(text);
      const holdsTerm = (term: Term): boolean => phrasesOf(term).every((phrase) => standsIn(phrase, tokens));
      return clauses.every(({ anyOf }) => anyOf.some(holdsTerm)) && !without.some(holdsTerm);
    },
  };
}

/** Required clauses of a query by their indices. */
export function requiredOf(query: ParsedQuery, require: readonly number[]): Wanted | undefined {
  const clauses = require.map((index) => query.clauses[index]).filter((clause) => clause !== undefined);
  return wantedOf(clauses, query.excluded);
}

/** Rows with any mark of each of these lists. */
export function marksWanted(lists: readonly (readonly string[])[]): string {
  return lists.map((marks) => `(${marks.map((mark) => quoted(MARK_OF + mark)).join(' | ')})`).join(' & ');
}

/** Several tsquery texts at once. */
export function allOf(...queries: readonly (string | undefined)[]): string {
  return queries
    .filter((one) => one !== undefined && one !== '')
    .map((one) => `(${one})`)
    .join(' & ');
}

export function quoted(lexeme: string): string {
  return `'${lexeme.replace(/['\\]/g, '$&$&')}'`;
}

interface Word {
  readonly text: string;
  readonly prefix: boolean;
}

// As FTS5 reads it (store/sqlite/match.ts): a prefix ends a phrase, and what follows it is another, anywhere.
function phrasesOf({ tokens }: Term): Word[][] {
  const phrases: Word[][] = [[]];
  for (const [at, { text, prefix }] of tokens.entries()) {
    phrases.at(-1)!.push({ text, prefix });
    if (prefix && at < tokens.length - 1) phrases.push([]);
  }
  return phrases;
}

function termOf(term: Term, join: ' <-> ' | ' & '): string {
  const word = ({ text, prefix }: Word): string => quoted(text) + (prefix ? ':*' : '');
  const phrases = phrasesOf(term).map((phrase) => `(${phrase.map(word).join(join)})`);
  return phrases.length === 1 ? phrases[0]! : `(${phrases.join(' & ')})`;
}

function standsIn(phrase: readonly Word[], tokens: readonly string[]): boolean {
  return tokens.some((_, at) =>
    phrase.every(({ text, prefix }, n) => {
      const found = tokens[at + n];
      return found !== undefined && (prefix ? found.startsWith(text) : found === text);
    }),
  );
}
