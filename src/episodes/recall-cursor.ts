// How a recall goes on after a page: signed, bound to the context and the options, with the statistics of the first page, so
// that pages joined equal one large page (EPI-70). Holds numbers, ids and digests, never text.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { BackstoryError } from '../model/errors.ts';
import type { Place, TermStatistics } from './order.ts';
import type { RecallOptions } from './recall-options.ts';

/** The state of a recall between two pages. */
export interface Progress {
  /** The instant of the first page: windows and ages do not move on. */
  readonly now: number;
  /** The last record shown. */
  readonly last: Place;
  readonly statistics?: TermStatistics;
}

/** Whose memory, and which of it. */
export interface Bound {
  readonly agentId: string;
  readonly namespace: string;
  readonly key: Uint8Array;
}

export function signProgress(progress: Progress, options: RecallOptions, bound: Bound): string {
  const payload = JSON.stringify({ bound: digestOf(options, bound), ...progress });
  const body = Buffer.from(payload).toString('base64url');
  return `${body}.${signatureOf(body, bound)}`;
}

/** Throws `cursor_invalid` for a cursor of another home, another context or other options. */
export function openProgress(cursor: string, options: RecallOptions, bound: Bound): Progress {
  const [body = '', signed = '', ...more] = cursor.split('.');
  const expected = Buffer.from(signatureOf(body, bound));
  const given = Buffer.from(signed);
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalid('It was not given by this home.');
  }
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as Progress & { readonly bound: string };
  if (payload.bound !== digestOf(options, bound)) throw invalid('Its options or its memory are others.');
  return payload;
}

function digestOf({ cursor: _, ...options }: RecallOptions, { agentId, namespace }: Bound): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(['recall', agentId, namespace, sorted]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

// 128 bits are enough against guessing.
function signatureOf(body: string, { key }: Bound): string {
  return createHmac('sha256', key).update(`recall ${body}`).digest('base64url').slice(0, 22);
}

function invalid(why: string): BackstoryError {
  return new BackstoryError(
    'cursor_invalid',
    `The cursor does not belong to this call. ${why}`,
    'Pass coverage.cursor of the last answer, in the same context and with the same other options.',
  );
}
