// How long texts are cut: into index documents (TXT-22) and into pieces of a line (TXT-60, RUN-57).
import { safeCut } from './cut.ts';

export const MAX_PIECE_CHARS = 2_000;
export const MAX_DOCUMENT_CHARS = 65_536;
const OVERLAP = 1_024;
const PIECE_SLACK = 200;
const WHITE = /\s/;
const APART = /[,;(){}<>|"]/;

export interface Piece {
  readonly text: string;
  /** Units before it in its line. */
  readonly column: number;
}

export interface TextDocument<T extends string = string> {
  readonly from: number;
  readonly text: T;
}

/** At most 65 536 units each, overlapping by 1 024, so that its tsvector stays under 1 MiB. */
export function documentsOf<T extends string>(text: T): TextDocument<T>[] {
  if (text.length <= MAX_DOCUMENT_CHARS) return [{ from: 0, text }];
  const documents: TextDocument<T>[] = [];
  for (let from = 0; ; ) {
    if (text.length - from <= MAX_DOCUMENT_CHARS) {
      documents.push({ from, text: text.slice(from) as T });
      return documents;
    }
    const to = betweenWords(text, from + MAX_DOCUMENT_CHARS);
    documents.push({ from, text: text.slice(from, to) as T });
    from = betweenWords(text, to - OVERLAP);
  }
}

/** Pieces of one line, at most `max` units each; joined they are the line. An empty line has none. */
export function piecesOf(line: string, max: number = MAX_PIECE_CHARS): Piece[] {
  const pieces: Piece[] = [];
  for (let from = 0; from < line.length; ) {
    let to = line.length;
    if (to - from > max) {
      to = safeCut(line, afterWhite(line, from + max, PIECE_SLACK) ?? from + max, -1, from + 1);
      // Nothing but one sequence: it is cut all the same, though no surrogate pair is.
      if (to <= from) to = from + max - (isLow(line.charCodeAt(from + max)) ? 1 : 0);
    }
    pieces.push({ text: line.slice(from, to), column: from });
    from = to;
  }
  return pieces;
}

// In the last 1 024 units before `at`: after white space, else beside a character that is in no word, so that no half
// word becomes a token.
function betweenWords(text: string, at: number): number {
  const white = afterWhite(text, at, OVERLAP);
  if (white !== undefined) return white;
  for (let cut = at; cut > at - OVERLAP; cut--) if (APART.test(text[cut - 1]!)) return cut;
  return isLow(text.charCodeAt(at)) ? at - 1 : at;
}

function afterWhite(text: string, at: number, slack: number): number | undefined {
  for (let cut = at; cut > at - slack && cut > 0; cut--) if (WHITE.test(text[cut - 1]!)) return cut;
  return undefined;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
