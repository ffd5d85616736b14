// When nothing at all could be looked at: a store or the home that fails is no empty history (COM-21, SUR-21).
import { homeTrouble } from '../engine/home.ts';
import type { Skipped } from '../model/coverage.ts';
import { ERROR_CODES, type ErrorCode } from '../model/errors.ts';

export interface Unread {
  readonly exit: number;
  /** For people: what is wrong, and what to do. */
  readonly lines: readonly string[];
}

/** `looked`: how much was looked at. Undefined: nothing is wrong that says why there is nothing. */
export function unreadOf(looked: number, skipped: readonly Skipped[], home: string): Unread | undefined {
  if (looked > 0) return undefined;
  const reason = skipped.find((one) => Object.hasOwn(ERROR_CODES, one.reason))?.reason as ErrorCode | undefined;
  const trouble = reason === undefined ? homeTrouble(home) : undefined;
  if (reason === undefined && trouble === undefined) return undefined;
  return {
    exit: ERROR_CODES[reason ?? 'store_read_only'].exit,
    lines: [
      ...(trouble === undefined ? [] : [trouble]),
      'Nothing could be read, so nothing was searched: look with backstory doctor, or give another --home DIR.',
    ],
  };
}
