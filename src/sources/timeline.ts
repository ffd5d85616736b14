// The time of each record, also where its own is missing or absurd (SRC-28).
import type { EntrySink, SourceEntry } from './contract.ts';
import { instantOf } from './times.ts';

/** An entry without its time, which is written into it: a copy of each would cost as much as the rest of its making. */
export type Untimed = { -readonly [Name in keyof Omit<SourceEntry, 'at'>]: SourceEntry[Name] } & { at?: number };

// A file without any time gives its entries the fallback from here on: they are not all held.
const MAX_WAITING = 1_000;

/** Gives entries their time: their own, else that of the record before, else of the next that has one, else `fallback`. */
export class Timeline {
  #last: number | undefined;
  readonly #now: number;
  readonly #fallback: number;
  readonly #out: EntrySink;
  #waiting: Untimed[] = [];
  #guessed = 0;

  constructor(out: EntrySink, now: number, fallback: number, saved: unknown) {
    this.#out = out;
    this.#now = now;
    this.#fallback = fallback;
    this.#last = typeof saved === 'number' ? saved : undefined;
  }

  /** Takes the time of a record; undefined where it has none that can be. */
  see(value: unknown): number | undefined {
    const at = instantOf(value, this.#now);
    if (at === undefined) return undefined;
    this.#last = at;
    for (const entry of this.#waiting) this.#out.entry({ ...entry, at, atGuessed: true });
    this.#waiting = [];
    return at;
  }

  /** The latest time seen, for markers. */
  get last(): number {
    return this.#last ?? this.#fallback;
  }

  give(entry: Untimed, at: number | undefined): void {
    const time = at ?? this.#last;
    if (time !== undefined) {
      entry.at = time;
      if (at === undefined) entry.atGuessed = true;
      this.#out.entry(entry as SourceEntry);
    } else if (this.#waiting.push(entry) >= MAX_WAITING) {
      this.guess();
      this.#last = this.#fallback;
      this.#waiting = [];
    }
  }

  /** What waits for a time gets the fallback for now. True: something does, and may yet get another. */
  guess(): boolean {
    for (const entry of this.#waiting.slice(this.#guessed)) {
      this.#out.entry({ ...entry, at: this.#fallback, atGuessed: true });
    }
    this.#guessed = this.#waiting.length;
    return this.#waiting.length > 0;
  }

  save(): number | undefined {
    return this.#last;
  }
}
