// The time of each record, also where its own is missing or absurd (SRC-28).
import type { EntrySink, SourceEntry } from './contract.ts';
import { instantOf } from './times.ts';

type Untimed = Omit<SourceEntry, 'at' | 'atGuessed'>;

/** Gives entries their time: their own, else that of the record before, else of the next that has one, else `fallback`. */
export class Timeline {
  #last: number | undefined;
  readonly #now: number;
  readonly #fallback: number;
  readonly #out: EntrySink;
  #waiting: Untimed[] = [];

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
    if (at !== undefined) this.#out.entry({ ...entry, at });
    else if (this.#last !== undefined) this.#out.entry({ ...entry, at: this.#last, atGuessed: true });
    else this.#waiting.push(entry);
  }

  /** The file ends: what still waits for a time gets the fallback. */
  end(): void {
    for (const entry of this.#waiting) this.#out.entry({ ...entry, at: this.#fallback, atGuessed: true });
    this.#waiting = [];
  }

  save(): number | undefined {
    return this.#last;
  }
}
