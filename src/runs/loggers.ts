// What pino and winston hand out → one record (RUN-11). Neither is imported: their shapes are read as plain data.

import { inspect } from 'node:util';
import { type Clock, systemClock } from '../model/clock.ts';
import { BackstoryError } from '../model/errors.ts';
import { type LogFields, logLine } from './line.ts';
import { LEVELS, type Level } from './record.ts';

/** The fields of a record without the agent. */
export type LoggedFields = Omit<LogFields, 'agent'>;

/** What is read of a winston info object. `Symbol.for('level')` is the level before colours. */
export interface WinstonInfo {
  readonly level: string;
  readonly message: unknown;
  readonly [key: string | symbol]: unknown;
}

/** One log record, its `\n` included. Throws `invalid_argument` for a line that is no JSON object or ids that no line can hold. */
export function fromPino(jsonLine: string, agent: string, clock: Clock = systemClock): string {
  return logLine({ ...pinoFields(jsonLine, clock), agent });
}

/**
 * One log record for `format.printf`, without its last `\n`: a winston transport adds the line end itself. Throws
 * `invalid_argument` for ids that no line can hold.
 */
export function fromWinston(info: WinstonInfo, agent: string, clock: Clock = systemClock): string {
  return logLine({ ...winstonFields(info, clock), agent }).slice(0, -1);
}

const PINO_LEVELS: ReadonlyArray<readonly [number, Level]> = [
  [60, 'FATAL'],
  [50, 'ERROR'],
  [40, 'WARN'],
  [30, 'INFO'],
  [20, 'DEBUG'],
];

export function pinoFields(jsonLine: string, clock: Clock = systemClock): LoggedFields {
  const line = objectOf(jsonLine);
  const error = line.err as { readonly stack?: unknown } | null | undefined;
  // pino's serializer puts the causes into the stack itself.
  const stack = typeof error?.stack === 'string' && error.stack !== '' ? error.stack : undefined;
  return {
    time: instantOf(line.time, clock),
    level: pinoLevel(line.level),
    message: textOf(line.msg),
    ...(stack === undefined ? {} : { error: { stack } }),
    ...placeOf(line),
  };
}

const WINSTON_LEVELS: Readonly<Record<string, Level>> = {
  error: 'ERROR',
  warn: 'WARN',
  info: 'INFO',
  http: 'INFO',
  verbose: 'DEBUG',
  debug: 'DEBUG',
  silly: 'TRACE',
  // Of winston's other ready level sets, and names of other loggers.
  emerg: 'FATAL',
  alert: 'FATAL',
  crit: 'FATAL',
  fatal: 'FATAL',
  warning: 'WARN',
  trace: 'TRACE',
};

export function winstonFields(info: WinstonInfo, clock: Clock = systemClock): LoggedFields {
  const level = String(info[Symbol.for('level')] ?? info.level);
  const message: unknown = info.message;
  const error = [info.err, info.error, message].find((value) => value instanceof Error) ?? stackFieldOf(info);
  return {
    time: instantOf(info.timestamp, clock),
    // A level of the host's own is shown: INFO is the least that is.
    level: Object.hasOwn(WINSTON_LEVELS, level) ? WINSTON_LEVELS[level]! : 'INFO',
    message: message instanceof Error ? message.message : textOf(message),
    ...(error === undefined ? {} : { error }),
    ...placeOf(info),
  };
}

// format.errors({ stack: true }), and logger.error(text, error), leave the stack here; the cause beside it.
function stackFieldOf(info: WinstonInfo): { readonly stack: string; readonly cause: unknown } | undefined {
  return typeof info.stack === 'string' && info.stack !== '' ? { stack: info.stack, cause: info.cause } : undefined;
}

function objectOf(jsonLine: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(jsonLine);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, without the line: it may hold anything.
  }
  throw new BackstoryError(
    'invalid_argument',
    'A line for fromPino is no JSON object.',
    'Give it the lines that pino writes, before any pretty printing.',
  );
}

// Rounded down to the next level, and never below the first (RUN-11). A name: `formatters.level` of the host.
function pinoLevel(level: unknown): Level {
  if (typeof level === 'number') return PINO_LEVELS.find(([least]) => level >= least)?.[1] ?? 'TRACE';
  return LEVELS.find((name) => name === String(level).toUpperCase()) ?? 'INFO';
}

// Milliseconds, ISO text with a zone, a local time; anything else, and none: now.
function instantOf(time: unknown, clock: Clock): number | string {
  if (typeof time === 'number' && Number.isFinite(time)) return time;
  if (typeof time === 'string') {
    if (/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d$/.test(time)) return time;
    const parsed = Date.parse(time);
    if (!Number.isNaN(parsed)) return parsed;
  }
  return clock.now();
}

function textOf(message: unknown): string {
  if (message === undefined || message === null) return '';
  if (typeof message === 'string') return message;
  try {
    return typeof message === 'object' ? (JSON.stringify(message) ?? '') : String(message);
  } catch {
    return inspect(message);
  }
}

// An id that is not text is an error of the host's: it is refused like an unfit one, not turned into text (RUN-9).
function placeOf(fields: Readonly<Record<string, unknown>>): Pick<LogFields, 'state' | 'conversation'> {
  return {
    state: (fields['episode-state'] ?? undefined) as string | undefined,
    conversation: (fields['conversation-id'] ?? undefined) as string | undefined,
  };
}
