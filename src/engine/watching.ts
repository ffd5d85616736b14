// What every live view of the engine takes, checked (SUR-41).
import { checkInteger, checkObject, invalidArgument } from '../sessions/page-checks.ts';

export interface WatchOptions {
  /** Ends the view. */
  readonly signal?: AbortSignal;
  /** Between two looks: 500 of 1–3 600 000. */
  readonly pollMs?: number;
}

/** Between two looks of a live view. */
export const POLL_MS = 500;
const MOST_POLL_MS = 3_600_000;

/** Throws `invalid_argument`. */
export function watchOptions(options: WatchOptions): WatchOptions {
  checkObject(options, 'options');
  checkInteger('pollMs', options.pollMs, 1, MOST_POLL_MS);
  // What is no signal would end every pause at once, and never the view.
  if (options.signal === undefined || options.signal instanceof AbortSignal) return options;
  throw invalidArgument('signal is no AbortSignal.', 'Give the signal of an AbortController, or leave it out.', {
    parameter: 'signal',
  });
}
