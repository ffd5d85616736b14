// What a reader of one kind of file must do with its lines; two implementations follow. It knows no bytes and no states.
import type { LineAt } from '../files/index.ts';
import type { Rows } from './rows.ts';

/** Where the next reading begins again, and what of the file's rows stays then. */
export interface Mark {
  readonly offset: number;
  readonly number: number;
  /** Rows before it. */
  readonly records: number;
  readonly pieces: number;
  readonly flags: number;
  /** For the content's constructor: no text of the file. */
  readonly data: string;
}

export interface Tail extends LineAt {
  readonly text: string;
}

export interface Content {
  readonly rows: Rows;
  line(text: string, at: LineAt): void;
  /** A part of a line that is too long for one string. */
  segment(text: string, at: LineAt, place: { readonly first: boolean; readonly last: boolean }): void;
  mark(): Mark;
  /**
   * The end of the file for now: makes the rows of what is not finished, after the mark. `showsEnd`: the unfinished last
   * word is given too. True when something was withheld that only time will show (RUN-52).
   */
  finish(tail: Tail | undefined, showsEnd: boolean): boolean;
}

/** A mark at the rows as they stand. */
export function markAt(rows: Rows, at: LineAt, data: string): Mark {
  const { offset, number } = at;
  return { offset, number, records: rows.nextRecord, pieces: rows.nextPiece, flags: rows.flags, data };
}

/** The line after one. The follower itself knows where it begins; until it comes nobody else does. */
export function nextOf({ offset, number }: LineAt): LineAt {
  return { offset, number: number + 1 };
}

/** The mark with its place, as soon as its line comes. */
export function withOffset(mark: Mark, at: LineAt): Mark {
  return mark.number === at.number ? { ...mark, offset: at.offset } : mark;
}
