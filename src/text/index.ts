// Strings in, values out: tokens, the query language, ranking, excerpts, pieces (text.md). No store, no clock, no locale.
export { safeCut } from './cut.ts';
export { type Excerpt, type ExcerptOptions, excerptOf } from './excerpt.ts';
export type { Occurrences, Spot } from './find.ts';
export { fold } from './fold.ts';
export { type Match, matchStream, matchText } from './match.ts';
export { documentsOf, MAX_DOCUMENT_CHARS, MAX_PIECE_CHARS, type Piece, piecesOf, type TextDocument } from './pieces.ts';
export {
  type Clause,
  type Expression,
  MAX_QUERY_CHARS,
  type ParsedQuery,
  parseQuery,
  parseTurn,
  type Stage,
  type Term,
} from './query.ts';
export type { QueryToken } from './query-tokens.ts';
export { relax } from './relax.ts';
export { sanitize } from './sanitize.ts';
export { compareScores, idfOf, type Statistics, scoreOf } from './score.ts';
export { GAP_TOKEN, indexTokens, TOKENIZER_ID, TOKENIZER_VERSION, type TokenStream, tokenize } from './tokenize.ts';
