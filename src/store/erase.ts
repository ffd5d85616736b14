// What a store does to erase: sessions, single messages, abandoned entries, and the bytes that are left of them
// (SES-170 … SES-176). Decides nothing about who may.
import type { Scope } from '../access/scope.ts';
import type { Awaitable } from './contract.ts';
import type { IndexText } from './writing.ts';

/** What went, or would go. */
export interface Erased {
  readonly entries: number;
  readonly indexRows: number;
  /** Of texts and blocks, in UTF-8. */
  readonly bytes: number;
}

/** One step, and what was found of it when it was looked for again in the same transaction (SES-173). */
export interface EraseStep extends Erased {
  readonly done: boolean;
  readonly rowsLeft: number;
  readonly indexLeft: number;
}

export interface EraseTarget {
  readonly no: number;
  readonly key: string;
  readonly messages: number;
  readonly people?: readonly string[];
}

/** Sessions to choose among those in scope; absent fields do not narrow. */
export interface EraseFilter {
  readonly key?: string;
  readonly person?: string;
  /** Last activity before it, ms. */
  readonly before?: number;
  readonly spawnedBy?: string;
  /** Only sessions that have entries off the active branch. */
  readonly abandoned?: true;
}

export interface EraseWriting {
  /**
   * Takes a session out of every answer: its key is free, the ids of its windows are gone until then, and an imported
   * transcript is not read again (SES-170, SES-174). Does nothing when the number is another session's by now.
   */
  beginDelete(session: number, key: string, goneUntil: number): Awaitable<void>;
  /** Sessions that `beginDelete` took out and that still have rows. */
  deleting(): Awaitable<readonly number[]>;
  /** Removes rows of such a session, oldest first; `done`: nothing of it is left. Copies elsewhere go on (SRC-15). */
  deleteRows(session: number, maxEntries: number, prepare: (text: string) => IndexText): Awaitable<EraseStep>;
  /** Leaves an `erased` entry without text or author in its place (SES-171). */
  eraseEntry(entry: number, prepare: (text: string) => IndexText): Awaitable<EraseStep>;
  /** Removes entries of a session that are off its active branch. */
  deleteAbandoned(session: number, maxEntries: number, prepare: (text: string) => IndexText): Awaitable<EraseStep>;
  /** One step of merging the whole index, after which no deleted token is left; false: there is no further one. */
  mergeIndex(begin: boolean): Awaitable<boolean>;
  /** Gives freed pages back to the file system; false: there are none. */
  giveBack(pages: number): Awaitable<boolean>;
  /** Whether an imported session was deleted, and is not to be read again (SES-174). */
  isDeletedKey(key: string): Awaitable<boolean>;
  forgetDeletedKey(key: string): Awaitable<void>;
  /** Removes what is kept of ids whose time is over. */
  forgetGone(now: number): Awaitable<void>;
}

export interface EraseReading {
  eraseTargets(scope: Scope, filter: EraseFilter): Awaitable<readonly EraseTarget[]>;
  /** What deleting these sessions takes, or only what is off their branch. */
  countToErase(sessions: readonly number[], abandoned: boolean): Awaitable<Erased>;
  countEntries(entries: readonly number[]): Awaitable<Erased>;
  /** Entries whose author has this id. */
  authored(session: number, person: string): Awaitable<readonly number[]>;
  /** Parts of the texts, to look for in the files afterwards: 24 bytes or more each. */
  fragments(
    of: { readonly sessions: readonly number[]; readonly abandoned: boolean } | { readonly entries: readonly number[] },
    max: number,
  ): Awaitable<readonly string[]>;
  /** Whether something that was kept holds the text. */
  isHeld(text: string): Awaitable<boolean>;
}
