// One line of text → the header it begins with (RUN-2 … RUN-6, RUN-15). Linear, never throws, knows no other line.
import { LEVELS, type Level, type RecordHeader } from './record.ts';

export interface HeaderLine {
  readonly header: RecordHeader;
  /** The first line of the message, and the unit of the line at which it begins. */
  readonly message: string;
  readonly messageAt: number;
}

const TIME_CHARS = 19;
const SPACE = 0x20;
const MAX_FIELD_CHARS = 200;
const UNFIT = /[\s\p{Cc}\p{Cs}]/u;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const DEL = 0x7f;
const ZERO = 0x30;
const TAB = 0x09;
/** Between a level and the state. */
const MAX_SPACES = 5;
/** Each level by its first unit: no two begin alike. */
const LEVEL_OF: ReadonlyMap<number, Level> = new Map(LEVELS.map((name) => [name.charCodeAt(0), name]));

/** The header of this agent; `unreadable` for a line that begins like a header and is none; `undefined` for any other line. */
export function readHeader(line: string, agent: string): HeaderLine | 'unreadable' | undefined {
  if (!hasDateAndTime(line)) return undefined;
  const fields = afterTime(line);
  if (fields === undefined) return undefined;
  if (!fields.wellSpaced) return 'unreadable';
  const state = readField(line, fields.at);
  if (state === undefined) return 'unreadable';
  let at = fields.at + state.length + 3;
  // After `[state] `, a `[` always begins the conversation field (RUN-4): no agent's name holds one, so an unfit field is
  // no name either.
  const conversation = line[at] === '[' ? readField(line, at) : undefined;
  if (conversation !== undefined) at += conversation.length + 3;
  if (!line.startsWith(agent, at)) return 'unreadable';
  at += agent.length;
  if (at < line.length && line.charCodeAt(at) !== SPACE) return 'unreadable';
  // One shape per form of line, made without spreading: this runs for every record of every file.
  const time = `${line.slice(0, 10)}T${line.slice(11, TIME_CHARS)}`;
  const { level } = fields;
  const header: RecordHeader =
    conversation === undefined
      ? level === undefined
        ? { time, state }
        : { time, level, state }
      : level === undefined
        ? { time, state, conversation }
        : { time, level, state, conversation };
  return { header, message: line.slice(at + 1), messageAt: Math.min(at + 1, line.length) };
}

/** True for what a state or conversation field can hold: 1–200 units without brackets, white space, control characters. */
export function isField(value: string): boolean {
  if (value.length === 0 || value.length > MAX_FIELD_CHARS) return false;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code <= SPACE || code === OPEN || code === CLOSE || code === DEL) return false;
    // Rare, and then the regular expression's: it knows the white space and lone surrogates of Unicode.
    if (code > DEL) return !/[[\]]/.test(value) && !UNFIT.test(value);
  }
  return true;
}

/** True for a calendar date and a time of day: `2026-02-30` and `24:00:00` are none (RUN-5). */
export function hasDateAndTime(text: string): boolean {
  if (text.length < TIME_CHARS || !isLike(text)) return false;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  return inRange(digits(text, 11, 13), 23) && inRange(digits(text, 14, 16), 59) && inRange(digits(text, 17, 19), 59);
}

// The units between the digits; the first digit first, since most lines of a message begin with none.
function isLike(text: string): boolean {
  const first = text.charCodeAt(0) - ZERO;
  return (
    first >= 0 &&
    first <= 9 &&
    text.charCodeAt(4) === 0x2d &&
    text.charCodeAt(7) === 0x2d &&
    text.charCodeAt(10) === SPACE &&
    text.charCodeAt(13) === 0x3a &&
    text.charCodeAt(16) === 0x3a
  );
}

function inRange(value: number, most: number): boolean {
  return value >= 0 && value <= most;
}

// -1 when a unit is no ASCII digit.
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

// Where the `[` of the state is, and the level before it. Any number of spaces and tabs still *begins like* a header: a
// line that is only spaced wrongly must not join another conversation's record (RUN-15).
function afterTime(line: string): { at: number; level: Level | undefined; wellSpaced: boolean } | undefined {
  const levelAt = afterBlanks(line, TIME_CHARS);
  if (levelAt === TIME_CHARS) return undefined;
  const spaced = levelAt === TIME_CHARS + 1 && line.charCodeAt(TIME_CHARS) === SPACE;
  if (line.charCodeAt(levelAt) === OPEN) return { at: levelAt, level: undefined, wellSpaced: spaced };
  const level = LEVEL_OF.get(line.charCodeAt(levelAt));
  if (level === undefined || !line.startsWith(level, levelAt)) return undefined;
  const levelEnd = levelAt + level.length;
  const at = afterBlanks(line, levelEnd);
  if (at === levelEnd || line.charCodeAt(at) !== OPEN) return undefined;
  return { at, level, wellSpaced: spaced && at - levelEnd <= MAX_SPACES && !line.slice(levelEnd, at).includes('\t') };
}

function afterBlanks(line: string, from: number): number {
  let at = from;
  while (line.charCodeAt(at) === SPACE || line.charCodeAt(at) === TAB) at++;
  return at;
}

// The field `[…] ` at `from`; undefined when it is empty, unfit, or not followed by a space.
function readField(line: string, from: number): string | undefined {
  let close = from + 1;
  const last = Math.min(line.length, close + MAX_FIELD_CHARS);
  while (close < last && line.charCodeAt(close) !== CLOSE) close++;
  if (line.charCodeAt(close) !== CLOSE || line.charCodeAt(close + 1) !== SPACE) return undefined;
  const value = line.slice(from + 1, close);
  return isField(value) ? value : undefined;
}
