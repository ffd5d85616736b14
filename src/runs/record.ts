// What a record of a run file is: as the parser yields it, and as an interpreter is shown it. Values only.

/** In the order of weight. DEBUG and TRACE records are left out with all their lines (RUN-16). */
export type Level = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'FATAL';

export const LEVELS: readonly Level[] = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

/** The conversation, and the state, of a line that belongs to none. It is not "unknown", which is `undefined` (RUN-2, RUN-4). */
export const NONE = '-';

/** The fields before a record's message. */
export interface RecordHeader {
  /** The writer's local time, `YYYY-MM-DDTHH:MM:SS`, never converted (RUN-5). */
  readonly time: string;
  /** Of log records only. */
  readonly level?: Level;
  readonly state: string;
  /** `-`: outside any conversation. Absent: unknown, a line of the old form (RUN-4). */
  readonly conversation?: string;
}

/**
 * `record`: with a header of this agent (RUN-13). `orphan`: the lines before a file's first header (RUN-17).
 * `unknown_writer`: begins like a header and is none of this agent; never evidence, and its text is not kept (RUN-15).
 */
export type RecordKind = 'record' | 'orphan' | 'unknown_writer';

/** The conversation of the record whose stack trace a suspect may lie in (RUN-19). */
export interface Enclosing {
  /** As in a header: absent is unknown. */
  readonly conversation?: string;
  /** The enclosing record is of an unknown writer: nobody may see what lies in it. */
  readonly unknownWriter?: true;
}

/** A record as its lines say it, before masking and interpretation. */
export interface RawRecord {
  readonly kind: RecordKind;
  /** 1-based number of its first line, and that line's byte offset (0 when the parser was not told). */
  readonly line: number;
  readonly offset: number;
  /** Absent for orphans and unknown writers. */
  readonly header?: RecordHeader;
  /** Present: a suspect, evidence only for who may see both conversations (RUN-21). */
  readonly enclosing?: Enclosing;
  /** The message: lines joined by `\n`, header and two-space indents removed. */
  readonly text: string;
  /**
   * `whole`, or, when `RecordParser.drain` was called on it, its parts in order. The texts joined are the whole: a part
   * that begins a line begins with the `\n` before it.
   */
  readonly part: 'whole' | 'first' | 'middle' | 'last';
  /** Where in the file the first unit of `text` lies: 1-based line, 1-based column in UTF-16 units. */
  readonly textLine: number;
  readonly textColumn: number;
}

/** What an interpreter is shown (RUN-22 – RUN-25). */
export interface RunRecord {
  /** The message: masked, lines joined by `\n`, indent removed. */
  readonly text: string;
  readonly time?: string;
  readonly level?: Level;
  readonly state?: string;
  /** Absent: unknown. */
  readonly conversation?: string;
  readonly episode?: number;
  /** Only the beginning of a record over 4 MiB (RUN-51). */
  readonly partial?: true;
}

/** True for what is left out before anything else looks at it: DEBUG and TRACE records, and unknown writers (RUN-15, RUN-16). */
export function isLeftOut(record: Pick<RawRecord, 'kind' | 'header'>): boolean {
  const level = record.header?.level;
  return record.kind === 'unknown_writer' || level === 'DEBUG' || level === 'TRACE';
}

/** The record as an interpreter is shown it: `text` is the masked text, `episode` that of RUN-40. */
export function runRecordOf(
  raw: Pick<RawRecord, 'header'>,
  text: string,
  episode: number | undefined,
  partial?: true,
): RunRecord {
  return {
    text,
    ...raw.header,
    ...(episode === undefined ? {} : { episode }),
    ...(partial === undefined ? {} : { partial }),
  };
}
