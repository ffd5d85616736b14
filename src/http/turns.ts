// Whose turn it is: first come, first served, few at once. Reading is work of this one thread; fifty at once would only
// take it from each other, let the last comers finish first and keep the loop from its sockets for a second (SUR-40).

/** How many read at once: more than one, for a search may wait for a file that another process writes. */
const AT_ONCE = 4;

export class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Runs `work` when it is its turn. Throws what `work` throws. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      // The loop is asked for what came in before the next one begins.
      setImmediate(() => this.#pass());
    }
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
