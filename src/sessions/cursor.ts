// Opaque, sealed places in a list of answers (SES-80). A cursor holds numbers and digests, never text.
import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { BackstoryError } from '../model/errors.ts';

/**
 * Any JSON, sealed: whoever changes a character of it has no cursor, and whoever reads it learns nothing. It holds how far a
 * store was written, and so how much was by sessions that the caller does not see (VIS-51). The same payload gives the same
 * cursor.
 */
export function signCursor(payload: unknown, key: string | Uint8Array): string {
  const text = Buffer.from(JSON.stringify(payload));
  const seal = sealOf(text, key);
  const body = createCipheriv(CIPHER, secretOf(key), seal).update(text);
  return `${body.toString('base64url')}.${seal.toString('base64url')}`;
}

/** Throws `cursor_invalid` for what this key did not seal. */
export function openCursor(cursor: string, key: string | Uint8Array): unknown {
  const [body = '', sealed = '', ...more] = cursor.split('.');
  const seal = Buffer.from(sealed, 'base64url');
  // One spelling each: what decodes to the same bytes is another cursor.
  const whole = seal.length === SEAL_BYTES && more.length === 0 && `${respelt(body)}.${respelt(sealed)}` === cursor;
  if (!whole) throw cursorInvalid(NOT_OURS);
  const text = createDecipheriv(CIPHER, secretOf(key), seal).update(Buffer.from(body, 'base64url'));
  if (!timingSafeEqual(sealOf(text, key), seal)) throw cursorInvalid(NOT_OURS);
  return JSON.parse(text.toString());
}

const NOT_OURS = 'It was not given by this home.';
const CIPHER = 'aes-256-ctr';
// 128 bits are enough against guessing, and are what the cipher begins with.
const SEAL_BYTES = 16;

// Of the text itself, so that no two texts are ever written over with the same stream.
function sealOf(text: Uint8Array, key: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update('cursor seal ').update(text).digest().subarray(0, SEAL_BYTES);
}

function secretOf(key: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update('cursor text').digest();
}

function respelt(part: string): string {
  return Buffer.from(part, 'base64url').toString('base64url');
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
