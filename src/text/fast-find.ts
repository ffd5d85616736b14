// The same occurrences as find.ts, without tokenising the text: for texts whose words are all ASCII (measured: 5 to 20
// times faster on candidates of a search). A property test holds the two together.
import { countInParts, findInStream, isToken, isWhole, MAX_SPOTS, type Occurrences, type Spot } from './find.ts';
import { cutToken, partsOf } from './parts.ts';
import type { Term } from './query.ts';
import type { QueryToken } from './query-tokens.ts';
import { LONG_SEQUENCE } from './sequence.ts';
import { sharpened, type TokenStream, tokenize } from './tokenize.ts';

// ASCII, and punctuation, symbols and emoji that are in no word.
const NOT_PLAIN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: code units, not characters, are told apart here
  /(?:[^\x00-\x7f\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2010-\u2027\u2030-\u205e\u20ac\u2190-\u2bff\u3000-\u3002\ufe0f\ud83c-\ud83e\udc00-\udfff]|\w\ufe0f|\[hidden:)/;
const APOSTROPHES = /[a-z0-9_]+(?:(?<=[a-z])'(?=[a-z])[a-z0-9_]+)+/g;
const PLAIN_TOKEN = /^[a-z0-9_]+$/;
const ASCII_TOKEN = /^[\x00-\x7f]*$/;

const NO_PARTS: readonly string[] = [];

interface Run {
  readonly start: number;
  readonly end: number;
  readonly main: string;
  /** After the mark of `C++`. */
  readonly next: number;
}

/**
 * Finds terms in one text; what the text needs is made when first asked for. `lower`: the text in lower case. `stops`: only
 * spots are asked for, no counts, so that it may end with the last of them.
 */
export function finderOf(
  text: string,
  lower: string = text.toLowerCase(),
  maxSpots: number = MAX_SPOTS,
  stops = false,
): (term: Term) => Occurrences {
  let stream: TokenStream | undefined;
  const general = (term: Term): Occurrences => {
    stream ??= tokenize(text);
    return findInStream(term, stream, text, maxSpots);
  };
  if (!isPlain(text)) return general;
  const plain = new PlainText(text, lower, maxSpots, stops);
  return (term) => {
    const short = term.tokens.length <= LONG_SEQUENCE;
    if (short && term.tokens.every((token) => PLAIN_TOKEN.test(token.text))) return plain.find(term);
    return term.tokens.every((token) => ASCII_TOKEN.test(token.text))
      ? general(term)
      : { main: 0, parts: 0, spots: [] };
  };
}

// Most texts are ASCII, and told by their size in bytes several times faster than by a pattern.
function isPlain(text: string): boolean {
  return Buffer.byteLength(text) === text.length ? !text.includes('[hidden:') : !NOT_PLAIN.test(text);
}

class PlainText {
  readonly #text: string;
  readonly #lower: string;
  readonly #apostrophes: boolean;
  readonly #maxSpots: number;
  readonly #stops: boolean;
  /** Where the main tokens begin, as far as `#read`. */
  readonly #starts: number[] = [];
  #read = 0;
  #inToken = false;

  constructor(text: string, lower: string, maxSpots: number, stops: boolean) {
    this.#text = text;
    this.#stops = stops;
    this.#maxSpots = maxSpots;
    this.#lower = lower.includes('’') ? lower.replaceAll('’', "'") : lower;
    this.#apostrophes = this.#lower.includes("'") && /[a-z]'[a-z]/.test(this.#lower);
  }

  find(term: Term): Occurrences {
    const found: Occurrences = { main: 0, parts: 0, spots: [] };
    const [first] = term.tokens;
    if (!first) return found;
    for (let at = this.#lower.indexOf(first.text); at >= 0; ) {
      const run = this.#runAt(at);
      this.#take(term, run, found);
      // Words with an apostrophe stand elsewhere and are sorted in below.
      if (this.#stops && found.spots.length >= this.#maxSpots && !this.#apostrophes) break;
      at = this.#lower.indexOf(first.text, run.end);
    }
    // A word with an apostrophe holds its token in no one place: `don't` is `dont`.
    if (this.#apostrophes) {
      for (const match of this.#lower.matchAll(APOSTROPHES)) {
        if (!match[0].includes(first.text)) this.#take(term, this.#runAt(match.index), found);
      }
      found.spots.sort((a, b) => a.start - b.start);
    }
    if (found.spots.length > this.#maxSpots) found.spots.length = this.#maxSpots;
    return found;
  }

  #take(term: Term, run: Run, found: Occurrences): void {
    const { tokens } = term;
    const spots = found.spots.length < this.#maxSpots || this.#apostrophes;
    const end = this.#sequenceEnd(tokens, run);
    if (end !== undefined) {
      found.main++;
      if (spots) found.spots.push(new PlainSpot(this, run.start, end));
      return;
    }
    // Parts count only where the word is no main occurrence itself (TXT-43).
    const parts = this.#partsOf(run);
    const count = parts.length === 0 ? 0 : countInParts(tokens, parts, this.#text.slice(run.start, run.end));
    found.parts += count;
    if (spots && count > 0) found.spots.push(new PlainSpot(this, run.start, run.next));
  }

  // Where the tokens end that begin at this run, each the main token of the word after the one before.
  #sequenceEnd(tokens: readonly QueryToken[], first: Run): number | undefined {
    let run: Run | undefined = first;
    for (const [n, token] of tokens.entries()) {
      if (n > 0) run = run && this.#runAfter(run.next);
      if (!run || !isToken(token, run.main)) return undefined;
      if (token.cut && !isWhole(token, this.#lower.slice(run.start, run.end).replaceAll("'", ''))) return undefined;
    }
    return run?.next;
  }

  #partsOf(run: Run): readonly string[] {
    if (run.next > run.end) return [run.main[0]!];
    return this.#isOneHump(run) ? NO_PARTS : partsOf(this.#text.slice(run.start, run.end));
  }

  // Most words: lower case after the first letter, and nothing else.
  #isOneHump({ start, end }: Run): boolean {
    for (let at = start + 1; at < end; at++) if (!isLetter(this.#text.charCodeAt(at))) return false;
    return true;
  }

  #runAt(at: number): Run {
    let start = at;
    let end = at;
    while (start > 0 && this.#isInWord(start - 1)) start--;
    while (end < this.#lower.length && this.#isInWord(end)) end++;
    return this.#run(start, end);
  }

  #runAfter(from: number): Run | undefined {
    for (let at = from; at < this.#lower.length; at++) {
      if (!isWordCode(this.#lower.charCodeAt(at))) continue;
      const run = this.#runAt(at);
      if (run.start < run.end) return run;
      at = run.end;
    }
    return undefined;
  }

  #run(from: number, to: number): Run {
    let start = from;
    let end = to;
    while (start < end && this.#lower.charCodeAt(start) === 0x5f) start++;
    while (end > start && this.#lower.charCodeAt(end - 1) === 0x5f) end--;
    const word = this.#lower.slice(start, end);
    const sharp = end - start === 1 ? sharpened(this.#text, { start, end }) : '';
    const main = cutToken(word.includes("'") ? word.replaceAll("'", '') : word) + sharp;
    return { start, end, main, next: end + sharp.length };
  }

  #isInWord(at: number): boolean {
    const code = this.#lower.charCodeAt(at);
    if (isWordCode(code)) return true;
    return code === 0x27 && isLetter(this.#lower.charCodeAt(at - 1)) && isLetter(this.#lower.charCodeAt(at + 1));
  }

  /** Index of the last main token that begins at or before an offset. Reads no further than that. */
  indexAt(offset: number): number {
    if (this.#read <= offset) this.#readTo(offset);
    return indexIn(this.#starts, offset);
  }

  // A token begins at the first letter or digit after anything else than a letter, digit, `_` or inner apostrophe.
  #readTo(offset: number): void {
    const lower = this.#lower;
    const starts = this.#starts;
    let inToken = this.#inToken;
    let at = this.#read;
    for (; at <= offset; at++) {
      const code = lower.charCodeAt(at);
      const kind = code < 128 ? KINDS[code] : OTHER;
      if (kind === WORD) {
        if (!inToken) starts.push(at);
        inToken = true;
      } else if (kind === OTHER && !(code === 0x27 && this.#apostrophes && this.#isInWord(at))) inToken = false;
    }
    this.#inToken = inToken;
    this.#read = at;
  }
}

/** Its positions are counted when asked for: only the nearness of two words needs them. */
class PlainSpot implements Spot {
  readonly start: number;
  readonly end: number;
  readonly #text: PlainText;

  constructor(text: PlainText, start: number, end: number) {
    this.#text = text;
    this.start = start;
    this.end = end;
  }

  get position(): number {
    return this.#text.indexAt(this.start);
  }

  get last(): number {
    return this.#text.indexAt(this.end - 1);
  }
}

// One look-up instead of five comparisons.
const OTHER = 0;
const WORD = 1;
const UNDERSCORE = 2;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x5f) return UNDERSCORE;
  return /[a-z0-9]/.test(String.fromCharCode(code)) ? WORD : OTHER;
});

function isWordCode(code: number): boolean {
  return code < 128 && KINDS[code] !== OTHER;
}

function isLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

// Index of the last start at or before an offset.
function indexIn(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
