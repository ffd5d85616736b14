// A message as a host gives it (SES-11), checked and made ready to be stored (SES-22). Knows no store and no masker.
import { BackstoryError, nearest, shownValue } from './errors.ts';
import { isMessageId } from './ids.ts';
import type { Role } from './session.ts';
import { resolveTime } from './time.ts';

export interface Message {
  /** 1–128 characters without control characters; default: made. */
  readonly id?: string;
  readonly role: Role;
  /** A text is one text block. */
  readonly content: string | readonly Block[];
  /** Default: the clock. Years 1970–9999. */
  readonly at?: Date | string | number;
  /** Who said it, in a group. */
  readonly author?: Author;
}

export interface Author {
  readonly id: string;
  readonly name?: string;
}

/** A block of any type; those of SES-11 are checked, others are stored as they are and shown as their type. */
export type Block =
  | { readonly type: 'text' | 'input_text' | 'output_text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly content: string | readonly Block[];
      readonly isError?: boolean;
    }
  | { readonly type: 'image' | 'file'; readonly mediaType?: string; readonly data?: string; readonly ref?: string }
  | { readonly type: string; readonly [field: string]: unknown };

/** What is stored of it: JSON values only, well-formed text (SES-22). */
export interface CheckedMessage {
  readonly id?: string;
  readonly role: Role;
  readonly content: string | readonly JsonBlock[];
  readonly at?: number;
  readonly author?: Author;
  /** At most the bytes of the message as JSON; never less than they are. */
  readonly bytes: number;
}

export interface JsonBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export const TEXT_TYPES: readonly string[] = ['text', 'input_text', 'output_text'];
export const REASONING_TYPES: readonly string[] = ['reasoning', 'thinking', 'redacted_thinking'];
export const MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;

const ROLES: readonly string[] = ['user', 'assistant', 'system', 'tool'];
const FIELDS: readonly string[] = ['id', 'role', 'content', 'at', 'author', 'idempotencyKey'];
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
// The most bytes one character can take as JSON: \u0000.
const MOST_BYTES = 6;
const SPARE_BYTES = 2_048;

/** Throws `invalid_argument` that names the field, and `message_too_large`. `path`: what the message is called there. */
export function checkedMessage(message: Message, path: string): CheckedMessage {
  if (typeof message !== 'object' || message === null) throw bad(path, message, 'an object with role and content');
  for (const name of Object.keys(message)) {
    if (!FIELDS.includes(name)) throw unknownField(path, name, FIELDS);
  }
  const { id, role, at, author } = message;
  if (id !== undefined && !(typeof id === 'string' && isMessageId(id))) {
    throw bad(`${path}.id`, id, '1 to 128 characters without control characters');
  }
  if (!ROLES.includes(role)) throw bad(`${path}.role`, role, `one of ${ROLES.join(', ')}`);
  const content = checkedContent(message.content, `${path}.content`);
  const bytes = bytesOf(content);
  if (bytes > MAX_MESSAGE_BYTES) throw tooLarge(path, bytes);
  return {
    ...(id === undefined ? {} : { id }),
    role,
    content,
    ...(at === undefined ? {} : { at: instantOf(at, `${path}.at`) }),
    ...(author === undefined ? {} : { author: checkedAuthor(author, `${path}.author`) }),
    bytes,
  };
}

function checkedContent(content: unknown, path: string): string | readonly JsonBlock[] {
  if (typeof content === 'string') return content.toWellFormed();
  if (!Array.isArray(content)) throw bad(path, content, 'a text or a list of blocks');
  if (content.length === 0) throw bad(path, content, 'a text or a list of at least one block');
  // As JSON first: what holds itself has no end to check.
  const blocks = jsonOf(content, path) as readonly JsonBlock[];
  blocks.forEach((block, index) => {
    checkBlock(block, `${path}[${index}]`);
  });
  return blocks;
}

function checkBlock(block: unknown, path: string): void {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) throw bad(path, block, 'an object');
  const fields = block as Record<string, unknown>;
  const text = (name: string, required = true): void => {
    const value = fields[name];
    if (typeof value === 'string' || (value === undefined && !required)) return;
    throw bad(`${path}.${name}`, value, 'a text');
  };
  text('type');
  const type = String(fields.type);
  if (type === '') throw bad(`${path}.type`, type, 'a name');
  if (TEXT_TYPES.includes(type)) text('text');
  else if (type === 'reasoning') text('text');
  else if (type === 'tool_call') {
    text('id');
    text('name');
  } else if (type === 'tool_result') {
    text('id');
    if (typeof fields.content === 'string') return;
    if (!Array.isArray(fields.content)) throw bad(`${path}.content`, fields.content, 'a text or a list of blocks');
    fields.content.forEach((inner: unknown, index) => {
      checkBlock(inner, `${path}.content[${index}]`);
    });
  } else if (type === 'image' || type === 'file') {
    for (const name of ['mediaType', 'data', 'ref']) text(name, false);
  }
}

/** The value as JSON keeps it, with lone surrogates replaced. Throws for what is no JSON, such as a cycle. */
export function jsonOf(value: unknown, path: string): unknown {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    throw new BackstoryError(
      'invalid_argument',
      `${path} holds itself, a BigInt, or too many levels: JSON can hold none of them.`,
      `Give ${path} a value that JSON can hold.`,
      { details: { parameter: path } },
    );
  }
  if (json === undefined) throw bad(path, undefined, 'a value that JSON can hold');
  return JSON.parse(json, /\\ud[89a-f]/i.test(json) ? wellFormed : undefined);
}

function wellFormed(_: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toWellFormed(), one]));
}

function instantOf(value: unknown, path: string): number {
  const allowed = 'a Date, milliseconds since 1970, or a time such as 2026-08-11T09:30:00Z, of the years 1970 to 9999';
  let instant: number;
  if (value instanceof Date) instant = value.getTime();
  else if (typeof value === 'number') instant = value;
  else if (typeof value === 'string' && /^\s*\d{4}-/.test(value)) {
    try {
      instant = resolveTime(value, path, { now: 0, timeZone: 'UTC' });
    } catch {
      throw bad(path, value, allowed);
    }
  } else throw bad(path, value, allowed);
  if (!Number.isInteger(instant) || instant < 0 || instant > LAST_INSTANT) throw bad(path, value, allowed);
  return instant;
}

function checkedAuthor(author: unknown, path: string): Author {
  if (typeof author !== 'object' || author === null) throw bad(path, author, 'an object with id and name');
  const { id, name, ...others } = author as { id?: unknown; name?: unknown };
  const [other] = Object.keys(others);
  if (other !== undefined) throw unknownField(path, other, ['id', 'name']);
  if (typeof id !== 'string' || id === '' || id.length > 256) throw bad(`${path}.id`, id, '1 to 256 characters');
  if (name === undefined) return { id: id.toWellFormed() };
  if (typeof name !== 'string' || name.length > 256) throw bad(`${path}.name`, name, 'at most 256 characters');
  return { id: id.toWellFormed(), name: name.toWellFormed() };
}

/** The bytes of a message as JSON, measured. */
export function measuredBytes({ content, author }: Pick<CheckedMessage, 'content' | 'author'>): number {
  return Buffer.byteLength(JSON.stringify({ content, author }));
}

// Most messages are far from the bound: only long ones are measured.
function bytesOf(content: string | readonly JsonBlock[]): number {
  if (typeof content === 'string' && content.length * MOST_BYTES < MAX_MESSAGE_BYTES / 4) {
    return content.length * MOST_BYTES + SPARE_BYTES;
  }
  return Buffer.byteLength(JSON.stringify(content)) + SPARE_BYTES;
}

function tooLarge(path: string, bytes: number): BackstoryError {
  return new BackstoryError(
    'message_too_large',
    `${path} is ${bytes} bytes as JSON, over ${MAX_MESSAGE_BYTES}.`,
    'Store large data elsewhere, and give the message a ref to it.',
    { details: { bytes, limit: MAX_MESSAGE_BYTES } },
  );
}

function unknownField(path: string, name: string, fields: readonly string[]): BackstoryError {
  const shown = shownValue(name, 80);
  const like = nearest(name, fields) ?? (name === 'text' && fields === FIELDS ? 'content' : undefined);
  const asked = like === undefined ? '' : `Did you mean ${like}? `;
  return new BackstoryError(
    'invalid_argument',
    `${path} has no field ${shown}.`,
    `${asked}Its fields are ${fields.join(', ')}.`,
    { details: { parameter: path } },
  );
}

function bad(field: string, value: unknown, allowed: string): BackstoryError {
  // Texts of messages never stand in an error (SES-143): only short words and numbers are shown.
  const shown =
    typeof value === 'string' && value.length <= 40
      ? JSON.stringify(value)
      : typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : kindOf(value);
  return new BackstoryError('invalid_argument', `${field} is ${shown}, not ${allowed}.`, `Give ${field} ${allowed}.`, {
    details: { parameter: field },
  });
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'string' ? `a text of ${value.length} characters` : `a value of type ${typeof value}`;
}
