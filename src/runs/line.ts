// One record → its text, header and all (RUN-2, RUN-3, RUN-7 – RUN-9). Nothing a message holds can begin a line.
import { BackstoryError } from '../model/errors.ts';
import { checkedAgentName, shownValue } from './agent-name.ts';
import { stackOf } from './error-text.ts';
import { hasDateAndTime, isField } from './header.ts';
import { LINE_ENDS } from './line-ends.ts';
import { LEVELS, type Level, NONE } from './record.ts';

/** Where a record belongs. Missing or undefined: `-`, none. */
export interface RecordPlace {
  readonly state?: string | undefined;
  readonly conversation?: string | undefined;
}

export interface HistoryFields extends RecordPlace {
  /**
   * An instant (`Date`, milliseconds, ISO text with a zone), written in this process's local time; or a local time
   * `YYYY-MM-DD HH:MM:SS` (or with `T`), written as it is (RUN-5).
   */
  readonly time: Date | number | string;
  readonly agent: string;
  readonly message: string;
  /** Its stack and those of its causes follow the message. */
  readonly error?: unknown;
}

export interface LogFields extends HistoryFields {
  readonly level: Level;
}

/** One history record, ending in one `\n`. Throws `invalid_argument` for a field that the grammar cannot hold (RUN-9). */
export function historyLine(fields: HistoryFields): string {
  return lineOf(fields, '');
}

/** One log record, ending in one `\n`. Throws `invalid_argument` for a field that the grammar cannot hold (RUN-9). */
export function logLine(fields: LogFields): string {
  if (!LEVELS.includes(fields.level)) {
    throw invalid('level', fields.level, `A level is one of ${LEVELS.join(', ')}.`);
  }
  return lineOf(fields, `${fields.level.padEnd(5)} `);
}

/** The place with its fields filled in. Throws `invalid_argument` naming field and value (RUN-9). */
export function checkedPlace(place: RecordPlace): { readonly state: string; readonly conversation: string } {
  return { state: checkedField('state', place.state), conversation: checkedField('conversation', place.conversation) };
}

function lineOf(fields: HistoryFields, level: string): string {
  const { state, conversation } = checkedPlace(fields);
  const head = `${stamp(fields.time)} ${level}[${state}] [${conversation}] ${checkedAgentName(fields.agent)}`;
  const message = indented(textOf(fields.message));
  const stack = stackOf(fields.error);
  return `${head}${message === '' ? '' : ` ${message}`}${stack === '' ? '' : `\n  ${indented(stack)}`}\n`;
}

function indented(text: string): string {
  return text.replace(LINE_ENDS, '\n  ');
}

// A host without types may log anything; a log line is no place to fail for it.
function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  try {
    return message === undefined ? '' : String(message);
  } catch {
    return '';
  }
}

function checkedField(field: 'state' | 'conversation', value: string | undefined): string {
  if (value === undefined) return NONE;
  if (typeof value === 'string' && isField(value)) return value;
  throw invalid(
    field,
    value,
    `A ${field} has 1 to 200 characters, none of them a bracket, white space or a control character. It is never altered, because two ids must not become one.`,
  );
}

const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/;

// `YYYY-MM-DD HH:MM:SS`
function stamp(time: Date | number | string): string {
  if (typeof time === 'string' && !ZONED.test(time)) {
    const local = time.length === 19 ? `${time.slice(0, 10)}${time[10] === 'T' ? ' ' : time[10]}${time.slice(11)}` : '';
    if (hasDateAndTime(local)) return local;
    throw invalidTime(time);
  }
  if (typeof time !== 'number' && typeof time !== 'string' && Object.prototype.toString.call(time) !== '[object Date]')
    throw invalidTime(time);
  const date = new Date(time);
  const year = date.getFullYear();
  if (!(year >= 1 && year <= 9999)) throw invalidTime(time);
  const day = `${String(year).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

function invalidTime(time: unknown): BackstoryError {
  return invalid('time', time, 'A time is a Date, milliseconds, ISO text with a zone, or a local YYYY-MM-DD HH:MM:SS.');
}

function invalid(field: string, value: unknown, hint: string): BackstoryError {
  return new BackstoryError('invalid_argument', `The ${field} ${shownValue(value)} does not fit a record line.`, hint, {
    details: { field },
  });
}
