// Commands that were queued while a reply ran: written without an id, and often once more as a user record (SRC-101).
import { hash } from 'node:crypto';

// A user record this many records later at most is the same command.
const WINDOW = 20;

/** Those that a user record may still repeat: entry id, digest of the text, records left. */
export class Queued {
  #waiting: [id: string, text: string, left: number][];

  constructor(saved: unknown) {
    this.#waiting = Array.isArray(saved) ? (saved as [string, string, number][]) : [];
  }

  add(id: string, text: string): void {
    this.#waiting.push([id, digest(text), WINDOW]);
  }

  /** The id of the queued command that this typed text repeats: it is to be taken back. */
  repeatedBy(text: string): string | undefined {
    if (this.#waiting.length === 0) return undefined;
    const wanted = digest(text);
    const index = this.#waiting.findIndex(([, queued]) => queued === wanted);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]?.[0];
  }

  /** One more record went by. */
  step(): void {
    if (this.#waiting.length === 0) return;
    this.#waiting = this.#waiting
      .map(([id, text, left]): [string, string, number] => [id, text, left - 1])
      .filter(([, , left]) => left >= 0);
  }

  save(): unknown {
    return this.#waiting;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64').slice(0, 16);
}
