// Where the terms of a query stand in a text: by its token stream, the general way that defines every other (TXT-11, TXT-21).
import { wholePartsOf, wholeTokenOf } from './parts.ts';
import type { Term } from './query.ts';
import type { QueryToken } from './query-tokens.ts';
import { LONG_SEQUENCE, startsOfSequence } from './sequence.ts';
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
  /** In parts of words that are no main occurrence themselves (TXT-43). */
  parts: number;
  spots: Spot[];
}

export const MAX_SPOTS = 256;

export function findInStream(term: Term, stream: TokenStream, text: string, maxSpots: number = MAX_SPOTS): Occurrences {
  const { tokens } = term;
  const { main } = stream;
  const found: Occurrences = { main: 0, parts: 0, spots: [] };
  const cut = tokens.some((token) => token.cut);
  const take = (at: number): void => {
    if (cut && !isUncutAt(tokens, stream, text, at)) return;
    found.main++;
    if (found.spots.length < maxSpots) found.spots.push(spotAt(tokens, stream, at));
  };
  if (tokens.length > LONG_SEQUENCE) for (const at of startsOfSequence(tokens, main)) take(at);
  else {
    for (let at = 0; at + tokens.length <= main.length; at++) if (isSequenceAt(tokens, main, at)) take(at);
  }
  const inParts = findInParts(tokens, stream, text, maxSpots, found);
  if (inParts.length > 0) {
    found.spots = [...found.spots, ...inParts].sort((a, b) => a.start - b.start || a.end - b.end).slice(0, maxSpots);
  }
  return found;
}

/** `hidden*` begins no mask marker: that is one token, found as a whole or after its colon (TXT-12). */
export function isToken({ text, prefix }: QueryToken, found: string): boolean {
  if (!prefix) return found === text;
  return found.startsWith(text) && (text.includes(':') || !found.includes(':'));
}

/** Whether a word of over 64 units is the one asked for, told by its text and not by its cut token (TXT-15). */
export function isWhole(token: QueryToken, whole: string): boolean {
  const asked = token.whole ?? token.text;
  return token.prefix ? whole.startsWith(asked) : whole === asked;
}

/** Whether the tokens stand side by side in a list, from `at` on. */
export function isSequenceAt(tokens: readonly QueryToken[], list: readonly string[], at: number): boolean {
  for (let n = 0; n < tokens.length; n++) if (!isToken(tokens[n]!, list[at + n]!)) return false;
  return true;
}

/** Whether the tokens stand side by side in the parts of one word. */
export function countInParts(tokens: readonly QueryToken[], parts: readonly string[], word: string): number {
  let count = 0;
  for (let at = 0; at + tokens.length <= parts.length; at++) {
    if (!isSequenceAt(tokens, parts, at)) continue;
    if (tokens.some((token) => token.cut)) {
      const whole = wholePartsOf(word);
      if (!tokens.every((token, n) => !token.cut || isWhole(token, whole[at + n]!))) continue;
    }
    count++;
  }
  return count;
}

function isUncutAt(tokens: readonly QueryToken[], stream: TokenStream, text: string, at: number): boolean {
  for (let n = 0; n < tokens.length; n++) {
    const token = tokens[n]!;
    if (token.cut && !isWhole(token, wholeTokenOf(text.slice(stream.starts[at + n], stream.ends[at + n])))) {
      return false;
    }
  }
  return true;
}

// In a run a token covers two characters, and so two positions; a query of one character covers the first alone.
function spotAt(tokens: readonly QueryToken[], stream: TokenStream, at: number): Spot {
  const { main, starts, ends } = stream;
  const last = at + tokens.length - 1;
  const next = starts[last + 1];
  const isPair = next !== undefined && next < ends[last]!;
  if (!isPair) return { position: at, last, start: starts[at]!, end: ends[last]! };
  const token = tokens.at(-1)!;
  const onlyFirst = token.prefix && token.text.length < main[last]!.length;
  return { position: at, last: onlyFirst ? last : last + 1, start: starts[at]!, end: onlyFirst ? next : ends[last]! };
}

function findInParts(
  tokens: readonly QueryToken[],
  stream: TokenStream,
  text: string,
  maxSpots: number,
  found: Occurrences,
): Spot[] {
  const spots: Spot[] = [];
  const { main, starts, ends } = stream;
  for (const [index, parts] of stream.parts.entries()) {
    if (tokens.length > parts.length) continue;
    const position = stream.partOf[index]!;
    const start = starts[position]!;
    const end = ends[position]!;
    const count = countInParts(tokens, parts, text.slice(start, end));
    if (count === 0) continue;
    const fits = position + tokens.length <= main.length && isSequenceAt(tokens, main, position);
    if (fits && isUncutAt(tokens, stream, text, position)) continue;
    found.parts += count;
    if (spots.length < maxSpots) spots.push({ position, last: position, start, end });
  }
  return spots;
}
