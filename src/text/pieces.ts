// How long texts are cut: into index documents (TXT-22) and into pieces of a line (TXT-60, RUN-57).
import { safeCut } from './excerpt.ts';

export const MAX_PIECE_CHARS = 2_000;
export const MAX_DOCUMENT_CHARS = 65_536;
const OVERLAP = 1_024;
const PIECE_SLACK = 200;

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
    const to = whiteBefore(text, from + MAX_DOCUMENT_CHARS, OVERLAP);
    documents.push({ from, text: text.slice(from, to) as T });
    from = whiteBefore(text, to - OVERLAP, OVERLAP);
  }
}

/** Pieces of one line, at most `max` units each; joined they are the line. An empty line has none. */
export function piecesOf(line: string, max: number = MAX_PIECE_CHARS): Piece[] {
  const pieces: Piece[] = [];
  for (let from = 0; from < line.length; ) {
    let to = line.length;
    if (to - from > max) {
      const white = whiteBefore(line, from + max, PIECE_SLACK);
      to = white < from + max ? white : safeCut(line, from + max, -1, from + 1);
      if (to <= from) to = from + max;
    }
    pieces.push({ text: line.slice(from, to), column: from });
    from = to;
  }
  return pieces;
}

// After the last white space of the `slack` units before `at`; else `at`, not within a surrogate pair.
function whiteBefore(text: string, at: number, slack: number): number {
  for (let cut = at; cut > at - slack; cut--) if (/\s/.test(text[cut - 1]!)) return cut;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
