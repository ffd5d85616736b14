// Lines longer than a piece: where they are cut, which words belong to which piece, and how a query meets one (RUN-56 –
// RUN-58). A word belongs to the piece in which it begins, whole; a phrase likewise. Knows no store.
import type { Masked } from '../redact/masked.ts';
import type { NewPiece } from '../store/run-index.ts';
import {
  GAP_TOKEN,
  MAX_PIECE_CHARS,
  type Match,
  matchStream,
  type ParsedQuery,
  piecesOf,
  type Spot,
  type TokenStream,
  tokenize,
} from '../text/index.ts';

// A token is told by what stands a little before it …
const BEFORE = 48;
// … and a word's parts by its first 1 024 units (TXT-15); some 60 words stand in as many.
const AFTER = 1_100;
/** Tokens on each side of a cut that a phrase across it is looked up by: one fewer than a phrase's that is looked up. */
const AROUND = 63;

type CutPiece = Pick<NewPiece, 'column' | 'text' | 'cut'>;

/** Takes a line in any chunks and gives its pieces, each as soon as what follows it is known. */
export class LineCutter {
  #before = '';
  #rest = '';
  #column: number;

  /** `column`: 1-based, of the line's first unit. */
  constructor(column: number) {
    this.#column = column;
  }

  /** Units not given yet. */
  get held(): number {
    return this.#rest.length;
  }

  *take(chunk: Masked): Generator<CutPiece> {
    this.#rest += chunk;
    let at = 0;
    while (this.#rest.length - at > MAX_PIECE_CHARS + AFTER) {
      const window = this.#rest.slice(at, at + MAX_PIECE_CHARS + AFTER);
      const { length } = piecesOf(window)[0]!.text;
      yield this.#piece(window, length);
      at += length;
    }
    this.#rest = this.#rest.slice(at);
  }

  *end(): Generator<CutPiece> {
    for (let at = 0; at < this.#rest.length; ) {
      const window = this.#rest.slice(at, at + MAX_PIECE_CHARS + AFTER);
      const { length } = piecesOf(window)[0]!.text;
      yield this.#piece(window, length);
      at += length;
    }
    this.#rest = '';
  }

  #piece(window: string, length: number): CutPiece {
    const text = window.slice(0, length) as Masked;
    const column = this.#column;
    const sides = (this.#before === '' ? 0 : 1) + (window.length > length ? 2 : 0);
    const cut = sides === 0 ? undefined : { sides, ...tokensOf(this.#before, text, window.slice(length)) };
    this.#column += length;
    this.#before = (this.#before + text).slice(-BEFORE);
    return { column, text, ...(cut === undefined ? {} : { cut }) };
  }
}

function tokensOf(before: string, text: string, after: string): { own: string[]; over: string[] } {
  const { stream, from, to } = streamAround(before, text, after);
  const own = stream.main.slice(from, to);
  for (const [index, parts] of stream.parts.entries()) {
    const word = stream.partOf[index]!;
    if (word >= from && word < to) own.push(GAP_TOKEN, ...parts);
  }
  if (after === '') return { own, over: [] };
  return { own, over: stream.main.slice(Math.max(from, to - AROUND), to + AROUND) as string[] };
}

// `from` … `to`: the main tokens that begin in `text`.
function streamAround(before: string, text: string, after: string): { stream: TokenStream; from: number; to: number } {
  const left = before.slice(-BEFORE);
  const stream = tokenize(left + text + after);
  const begin = left.length;
  let from = 0;
  while (from < stream.starts.length && stream.starts[from]! < begin) from++;
  let to = from;
  while (to < stream.starts.length && stream.starts[to]! < begin + text.length) to++;
  return { stream, from, to };
}

/** How a piece of a cut line meets a query: by the words and phrases that begin in it. */
export function matchCut(query: ParsedQuery, before: string, text: string, after: string): Match {
  const whole = before.slice(-BEFORE) + text + after;
  const { stream, from, to } = streamAround(before, text, after);
  const words = matchStream(query, part(stream, from, to, to), whole);
  if (query.clauses.every(({ anyOf }) => anyOf.every(({ tokens }) => tokens.length === 1))) return words;
  const phrases = matchStream(query, part(stream, from, stream.main.length, to), whole);
  const beginsHere = (spot: Spot): boolean => spot.position < to - from;
  const occurrences = query.clauses.map(({ anyOf }, index) => {
    if (anyOf.every(({ tokens }) => tokens.length === 1)) return words.occurrences[index]!;
    const here = phrases.occurrences[index]!.spots.filter(beginsHere);
    const main = Math.min(phrases.occurrences[index]!.main, here.length);
    return { main, parts: here.length - main, spots: here };
  });
  const found = occurrences.map((one) => one.main + one.parts > 0);
  return { ...words, found, occurrences, complete: found.every(Boolean), literal: phrases.literal };
}

// The stream from one main token to another, with the parts of its words before `partsTo`; offsets stay.
function part(stream: TokenStream, from: number, to: number, partsTo: number): TokenStream {
  const parts: (readonly string[])[] = [];
  const partOf: number[] = [];
  for (const [index, list] of stream.parts.entries()) {
    const word = stream.partOf[index]!;
    if (word < from || word >= partsTo) continue;
    parts.push(list);
    partOf.push(word - from);
  }
  return {
    main: stream.main.slice(from, to),
    starts: stream.starts.slice(from, to),
    ends: stream.ends.slice(from, to),
    parts,
    partOf,
  };
}
