// The line format of run files by its public name: what writes it, and how other loggers are set up to (RUN-7 – RUN-11).
import { type HistoryFields, historyLine, type LogFields, logLine } from './line.ts';
import { logbackHistoryPattern, logbackLogPattern } from './logback.ts';
import { fromPino, fromWinston, type WinstonInfo } from './loggers.ts';

/**
 * Makes records. `RecordParser` reads them back: a message comes back equal, with every line end as `\n` (RUN-8). All
 * throw `invalid_argument`, naming field and value, for an agent, state, conversation, level or time that no line can hold.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: the name and form are given.
export class AgentRecordFormat {
  /** `date time [state] [conversation] agent message`, ending in one `\n`. */
  static historyLine(fields: HistoryFields): string {
    return historyLine(fields);
  }

  /** `date time LEVEL [state] [conversation] agent message`, ending in one `\n`; the error's stack follows, indented. */
  static logLine(fields: LogFields): string {
    return logLine(fields);
  }

  /** Text for a logback `<pattern>` that writes history records; the MDC keys are `episode-state` and `conversation-id`. */
  static logbackHistoryPattern(agent: string): string {
    return logbackHistoryPattern(agent);
  }

  /** The same for log records. */
  static logbackLogPattern(agent: string): string {
    return logbackLogPattern(agent);
  }

  /** A line of pino's JSON → one log record. `err.stack` is the stack. */
  static fromPino(jsonLine: string, agent: string): string {
    return fromPino(jsonLine, agent);
  }

  /** For winston's `format.printf`: one log record without its last line end, which the transport adds. */
  static fromWinston(info: WinstonInfo, agent: string): string {
    return fromWinston(info, agent);
  }
}
