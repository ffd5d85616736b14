// A query as FTS5 MATCH text. Every token stands between quotes, so nothing typed can become an operator (TXT-24).

// FTS5's tokenizer (`ascii tokenchars '_'`) splits at ASCII punctuation. Private-use letters never stand in a token
// (text/ reads them as punctuation), so each such character has one of its own.
const PRIVATE_USE = 0xe000;
const SPLITTING = /[^A-Za-z0-9_\u{80}-\u{10ffff}]/gu;
const PLAIN = /^[A-Za-z0-9_\u{80}-\u{10ffff}]*$/u;

/** A token as the index holds it: `c++` and `hidden:private-key` under private-use letters, others as they are (TXT-20). */
export function ftsToken(token: string): string {
  if (PLAIN.test(token)) return token;
  return token.replace(SPLITTING, (character) => String.fromCharCode(PRIVATE_USE + character.charCodeAt(0)));
}
