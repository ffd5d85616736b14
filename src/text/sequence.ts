// Long sequences of tokens in a stream, in time that does not multiply the two: a pasted paragraph against a text of one
// repeated word (TXT-78). Shift-And: bit n of the state says that the first n + 1 tokens end here.
import { isToken } from './find.ts';
import type { QueryToken } from './query-tokens.ts';

/** Shorter ones are compared token by token. */
export const LONG_SEQUENCE = 8;
const BITS = 32;

/** Where the tokens begin side by side. */
export function startsOfSequence(tokens: readonly QueryToken[], list: readonly string[]): number[] {
  const starts: number[] = [];
  const words = Math.ceil(tokens.length / BITS);
  const maskOf = masksOf(tokens, words);
  const state = new Int32Array(words);
  const lastWord = (tokens.length - 1) >> 5;
  const lastBit = 1 << ((tokens.length - 1) & 31);
  // Words of the state that may hold a bit.
  let live = 0;
  for (let at = 0; at < list.length; at++) {
    const mask = maskOf(list[at]!);
    if (mask === undefined) {
      if (live > 0) state.fill(0, 0, live);
      live = 0;
      continue;
    }
    let carry = 1;
    const upTo = Math.min(words, live + 1);
    live = 0;
    for (let n = 0; n < upTo; n++) {
      const before = state[n]!;
      const now = ((before << 1) | carry) & mask[n]!;
      carry = before >>> 31;
      state[n] = now;
      if (now !== 0) live = n + 1;
    }
    if ((state[lastWord]! & lastBit) !== 0) starts.push(at - tokens.length + 1);
  }
  return starts;
}

// For a token of the text: at which places of the sequence it may stand.
function masksOf(tokens: readonly QueryToken[], words: number): (token: string) => Int32Array | undefined {
  const exact = new Map<string, Int32Array>();
  const prefixes = new Map<string, Int32Array>();
  for (const [index, token] of tokens.entries()) {
    const masks = token.prefix ? prefixes : exact;
    const mask = masks.get(token.text) ?? new Int32Array(words);
    masks.set(token.text, mask);
    mask[index >> 5]! |= 1 << (index & 31);
  }
  if (prefixes.size === 0) return (token) => exact.get(token);
  const known = new Map<string, Int32Array | undefined>();
  return (token) => {
    if (known.has(token)) return known.get(token);
    let mask = exact.get(token);
    for (const [prefix, places] of prefixes) {
      if (!isToken({ text: prefix, prefix: true, cut: false }, token)) continue;
      mask = mask ? mask.map((bits, n) => bits | places[n]!) : places;
    }
    known.set(token, mask);
    return mask;
  };
}
