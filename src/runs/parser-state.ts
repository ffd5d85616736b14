// What a parser must remember between two reads, as a short string for an anchor's data (FILE-19).
import type { Enclosing, RecordHeader, RecordKind } from './record.ts';

/** A class line was seen and no frame line yet (RUN-19). */
export interface TraceState {
  readonly enclosing: Enclosing;
  /** UTF-8 bytes of the lines since the class line. */
  bytes: number;
}

/** The state between two records. */
export interface BeforeRecord {
  /** No header was seen yet. */
  readonly atStart: boolean;
  readonly trace?: TraceState;
}

/** An open record without its text. */
export interface OpenState {
  readonly kind: RecordKind;
  readonly line: number;
  readonly offset: number;
  readonly header?: RecordHeader;
  readonly enclosing?: Enclosing;
  readonly before: BeforeRecord;
  readonly framed: boolean;
  readonly lineNow: number;
  readonly columnNow: number;
}

export interface ParserState extends BeforeRecord {
  readonly open?: OpenState;
}

const VERSION = 1;

export const ParserState: {
  encode(state: ParserState): string;
  /** What does not decode is the start of a file: everything is read again from there, nothing is guessed. */
  decode(data: string): ParserState;
} = {
  encode: (state) => JSON.stringify({ v: VERSION, ...state }),
  decode: (data) => {
    if (data === '') return { atStart: true };
    try {
      const { v, ...state } = JSON.parse(data) as { readonly v: number } & ParserState;
      return v === VERSION && typeof state.atStart === 'boolean' ? state : { atStart: true };
    } catch {
      return { atStart: true };
    }
  },
};
