// The last list that was shown, kept in the home as keys without text, so that `backstory open 3` works (SUR-22).
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackstoryError } from '../model/errors.ts';

/** What reopens one row of a list: a hit has all three, a session only its key. */
export interface ListedItem {
  readonly sessionKey: string;
  readonly sessionId?: string;
  readonly messageId?: string;
  /** Set when the message can only be shown with tools or reasoning (SES-72). */
  readonly role?: string;
  /** Where the excerpt stands in the message: a long one is opened there. */
  readonly excerptFrom?: number;
}

const FILE = 'last-list.json';

/** Keeping it is a convenience: a home that cannot be written never fails a search. Of an empty list the last stays. */
export function keepList(home: string, items: readonly ListedItem[]): void {
  if (items.length === 0) return;
  const path = join(home, FILE);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    // Written beside and moved: two searches at once leave one whole list.
    const beside = `${path}.${process.pid}`;
    writeFileSync(beside, `${JSON.stringify({ version: 1, items: items.map(keysOf) })}\n`, { mode: 0o600 });
    renameSync(beside, path);
  } catch {
    // Then `open 3` says that there is no list.
  }
}

// Rows come with their text: only what reopens them is kept.
function keysOf({ sessionKey, sessionId, messageId, role, excerptFrom }: ListedItem): ListedItem {
  return {
    sessionKey,
    ...(excerptFrom === undefined ? {} : { excerptFrom }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(role === undefined ? {} : { role }),
  };
}

/** The row a number names, or the session key as it was typed. Throws `invalid_argument` for a number without a row. */
export function listedItem(home: string, typed: string): ListedItem {
  if (!/^\d{1,6}$/.test(typed)) return { sessionKey: typed };
  const items = readList(home);
  const number = Number(typed);
  const item = items[number - 1];
  if (item) return item;
  const message =
    items.length === 0 ? 'There is no list of results in this home.' : `The last list has no number ${typed}.`;
  const hint =
    items.length === 0
      ? 'Search first: backstory search WORDS. Or give a session key.'
      : `Its numbers are 1 to ${items.length}. Or give a session key.`;
  throw new BackstoryError('invalid_argument', message, hint, { details: { value: typed, count: items.length } });
}

function readList(home: string): readonly ListedItem[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(home, FILE), 'utf8'));
    if (typeof kept !== 'object' || kept === null || !('items' in kept) || !Array.isArray(kept.items)) return [];
    return kept.items.filter(
      (item: unknown): item is ListedItem =>
        typeof item === 'object' && item !== null && 'sessionKey' in item && typeof item.sessionKey === 'string',
    );
  } catch {
    return [];
  }
}
