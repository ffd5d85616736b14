// Where the terms of a query stand in a text: by its token stream, the general way that defines every other (TXT-11, TXT-21).
import { wholeTokenOf } from './parts.ts';
import type { QueryToken, Term } from './query.ts';
import type { TokenStream } from './tokenize.ts';

/** One occurrence: main positions it covers, and its range in the text. */
export interface Spot {
  readonly position: number;
  readonly last: number;
  readonly start: number;
  readonly end: number;
}

/** Occurrences of one term. `spots` holds the first 256 (TXT-44), main ones and parts alike, in the order of the text. */
export interface Occurrences {
  main: number;
  parts: number;
  spots: Spot[];
}

export const MAX_SPOTS = 256;

export function findInStream(term: Term, stream: TokenStream, text: string): Occurrences {
  const found: Occurrences = { main: 0, parts: 0, spots: [] };
  const spots: Spot[] = [];
  const { tokens } = term;
  const { main, starts, ends } = stream;
  for (let at = 0; at + tokens.length <= main.length; at++) {
    if (!isAt(tokens, stream, text, at)) continue;
    found.main++;
    const last = at + tokens.length - 1;
    if (spots.length < MAX_SPOTS) spots.push({ position: at, last, start: starts[at]!, end: ends[last]! });
  }
  const inParts: Spot[] = [];
  for (const [index, parts] of stream.parts.entries()) {
    const position = stream.partOf[index]!;
    for (let at = 0; at + tokens.length <= parts.length; at++) {
      if (!tokens.every((token, n) => isToken(token, parts[at + n]!))) continue;
      found.parts++;
      if (inParts.length < MAX_SPOTS) {
        inParts.push({ position, last: position, start: starts[position]!, end: ends[position]! });
      }
    }
  }
  found.spots = inParts.length === 0 ? spots : merged(spots, inParts);
  return found;
}

function isAt(tokens: readonly QueryToken[], stream: TokenStream, text: string, at: number): boolean {
  for (let n = 0; n < tokens.length; n++) {
    const token = tokens[n]!;
    if (!isToken(token, stream.main[at + n]!)) return false;
    if (token.cut && wholeTokenOf(text.slice(stream.starts[at + n], stream.ends[at + n])) !== token.whole) return false;
  }
  return true;
}

// `hidden*` begins no mask marker: that is one token, found as a whole or after its colon (TXT-12).
function isToken({ text, prefix }: QueryToken, found: string): boolean {
  if (!prefix) return found === text;
  return found.startsWith(text) && (text.includes(':') || !found.includes(':'));
}

function merged(spots: readonly Spot[], more: readonly Spot[]): Spot[] {
  return [...spots, ...more].sort((a, b) => a.start - b.start || a.end - b.end).slice(0, MAX_SPOTS);
}
