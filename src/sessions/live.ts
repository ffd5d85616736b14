// One session while a file is read into it: what is known of its entries, where the file stands in it, what changed.
import type { EntryRow, SessionChange, SessionRecord, Writing } from '../store/writing.ts';

export type Known = { readonly entry: EntryRow } | { readonly ancestor: number | null };

// Ids of a session that began in this reading are kept, so that the store need not be asked; bounded for huge files.
const MAX_KNOWN = 50_000;

/** Times of a session without an entry: any entry's are within them. */
export const UNTIMED: { readonly createdAt: number; readonly lastAt: number } = {
  createdAt: Number.MAX_SAFE_INTEGER,
  lastAt: 0,
};

export class Live {
  record: SessionRecord;
  /** Complete for a session that began in this reading, else only the batch's ids, asked from the store. */
  known: Map<string, Known>;
  complete: boolean;
  /** The last entry in the order of the file. */
  last: number | undefined;
  /** Where the branch in force ends (SRC-31, `strict`). */
  leaf: number | undefined;
  latestReset: number | undefined;
  /** The branch must be computed anew before the transaction ends. */
  moved = false;
  /** Entries whose index rows must be brought up to date. */
  readonly touched: Set<number> = new Set();
  /** Ids met since the file was begun anew (SRC-45). */
  seen: Set<string> | undefined;
  change: { -readonly [Name in keyof SessionChange]: SessionChange[Name] } = {};

  constructor(record: SessionRecord, fresh: boolean, latestReset: number | undefined) {
    this.record = record;
    this.complete = fresh;
    this.known = new Map();
    this.last = record.leaf;
    this.leaf = record.leaf;
    this.latestReset = latestReset;
  }

  /** All its ids are known here: the store need not be asked for those of a batch. */
  get knowsAll(): boolean {
    return this.complete && this.known.size <= MAX_KNOWN;
  }

  /** Asks the store for the ids a batch will need, unless all of them are known here. */
  async prefetch(writing: Writing, ids: Iterable<string>): Promise<void> {
    if (this.knowsAll) return;
    this.complete = false;
    this.known = new Map(await writing.resolve(this.record.no, [...ids]));
  }

  addMessages(count: number): void {
    this.change.messagesAdded = (this.change.messagesAdded ?? 0) + count;
  }

  /** Widens the session's times to hold `at`. */
  sawTime(at: number): void {
    if (at > (this.change.lastAt ?? this.record.lastAt)) this.change.lastAt = at;
    if (at < (this.change.createdAt ?? this.record.createdAt)) this.change.createdAt = at;
  }

  /** An entry of this time is gone again: the session's times are those of what is left, as a fresh reading has them (SRC-49). */
  async lostTime(writing: Writing, at: number): Promise<void> {
    const { createdAt, lastAt } = { ...this.record, ...this.change };
    if (at > createdAt && at < lastAt) return;
    const times = (await writing.entriesFrom(this.record.no, 0)).map((row) => row.at);
    if (times.length === 0) {
      // What comes next gives both.
      this.record = { ...this.record, ...UNTIMED };
      const { createdAt: _, lastAt: __, ...rest } = this.change;
      this.change = rest;
      return;
    }
    this.change.createdAt = times.reduce((least, one) => Math.min(least, one));
    this.change.lastAt = times.reduce((most, one) => Math.max(most, one));
  }

  /** Writes what changed of the session's row. */
  async flush(writing: Writing): Promise<void> {
    if (this.last !== undefined && this.last !== this.record.leaf) this.change.leaf = this.leaf ?? this.last;
    if (Object.keys(this.change).length === 0) return;
    await writing.updateSession(this.record.no, this.change);
    const { messagesAdded: _, archivedAt: _archived, hostGone: _gone, ...kept } = this.change;
    this.record = { ...this.record, ...kept };
    this.change = {};
  }
}

/** The stored entry an id stands for, or hangs under. */
export function entryOf(known: Known | undefined): number | undefined {
  if (!known) return undefined;
  return 'entry' in known ? known.entry.id : (known.ancestor ?? undefined);
}
