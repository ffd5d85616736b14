// A term as typed → the tokens that the index would hold for it (TXT-11, TXT-14, TXT-37). Knows no query around it.
import { MAX_TOKEN, wholeTokenOf } from './parts.ts';
import { pushRun } from './runs.ts';
import { sharpened, tokenize } from './tokenize.ts';
import { forEachWord } from './words.ts';

/** One token to look for. `cut`: the word was over 64 units, so `whole` is compared on the text (TXT-15, TXT-21). */
export interface QueryToken {
  readonly text: string;
  readonly prefix: boolean;
  readonly cut: boolean;
  readonly whole?: string;
  /** Continues the run of a script without spaces: the two are one word. */
  readonly joined?: true;
}

const HEX_WORD = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,40}$/;
// A marker without its brackets, as a word of its own: in a query it means the marker (TXT-12).
const BARE_MARKER = /(?<![\p{L}\p{M}\p{Nd}_[:-])hidden:[a-z][a-z0-9-]{0,31}(?![\p{L}\p{M}\p{Nd}_\]:-])/gu;

/** The tokens of a term, as the index would hold them side by side (TXT-11, TXT-14, TXT-37). */
export function queryTokens(typed: string): QueryToken[] {
  const text = typed.includes('hidden:') ? typed.replace(BARE_MARKER, '[$&]') : typed;
  const tokens: QueryToken[] = [];
  let runLength = 0;
  forEachWord(text, (word) => {
    if (word.plain && word.end - word.start > 1 && word.end - word.start < MAX_TOKEN) {
      runLength = 0;
      tokens.push(wordToken(text.slice(word.start, word.end).toLowerCase(), ''));
      return;
    }
    if (word.kind === 'run') {
      runLength = 0;
      pushRun(text, word, (token) => {
        runLength++;
        tokens.push({ text: token, prefix: false, cut: false, ...(runLength === 1 ? {} : { joined: true as const }) });
      });
      return;
    }
    const stream = tokenize(text.slice(word.start, word.end + sharpened(text, word).length));
    const [token] = stream.main;
    if (token === undefined) return;
    // A run's last character is a token of its own only where another one follows it; without, it is left out below.
    runLength = 0;
    if (word.kind === 'marker') tokens.push({ text: token, prefix: false, cut: false });
    else tokens.push(wordToken(token, text.slice(word.start, word.end)));
  });
  if (runLength === 1) tokens[tokens.length - 1] = { ...tokens.at(-1)!, prefix: true };
  else if (runLength > 1) tokens.pop();
  return tokens;
}

function wordToken(token: string, source: string): QueryToken {
  // Folding may lengthen: a word of fewer units than a token holds may still be cut.
  const whole = token.length >= MAX_TOKEN - 1 ? wholeTokenOf(source) : token;
  if (whole.length > token.length) return { text: token, prefix: false, cut: true, whole };
  // A pasted short commit id finds the long one (TXT-37).
  return { text: token, prefix: HEX_WORD.test(token), cut: false };
}
