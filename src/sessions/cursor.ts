// Opaque, signed places in a list of answers (SES-80). A cursor holds numbers and digests, never text.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { BackstoryError } from '../model/errors.ts';

/** Any JSON, signed: whoever changes a character of it has no cursor. */
export function signCursor(payload: unknown, key: string | Uint8Array): string {
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${body}.${signature(body, key)}`;
}

/** Throws `cursor_invalid` for what this key did not sign. */
export function openCursor(cursor: string, key: string | Uint8Array): unknown {
  const [body = '', signed = '', ...more] = cursor.split('.');
  const expected = Buffer.from(signature(body, key));
  const given = Buffer.from(signed);
  const matches = more.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
  if (!matches) throw cursorInvalid('It was not given by this home.');
  return JSON.parse(Buffer.from(body, 'base64url').toString());
}

/** What a cursor is bound to, in 16 hex digits. */
export function digestOf(...values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16);
}

export function cursorInvalid(why: string): BackstoryError {
  return new BackstoryError(
    'cursor_invalid',
    `The cursor does not belong to this call. ${why}`,
    'Pass coverage.cursor of the page before, with the same caller and the same other parameters.',
  );
}

export function cursorStale(): BackstoryError {
  return new BackstoryError(
    'cursor_stale',
    'What the cursor stood on has changed: a session was rewound, deleted or indexed anew.',
    'Search again without a cursor.',
  );
}

// 128 bits are enough against guessing, and keep the cursor short.
function signature(body: string, key: string | Uint8Array): string {
  return createHmac('sha256', key).update(body).digest('base64url').slice(0, 22);
}
