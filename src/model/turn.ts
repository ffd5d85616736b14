// Gives the event loop its turn: system calls and SQLite's are synchronous here, so someone must (FILE-24).
import type { Clock } from './clock.ts';

// Under the 25 ms of FILE-24 by more than the slowest single step, reading and hashing a block.
const TURN_MS = 15;

export interface Turn {
  /** This work has held the loop for long. */
  isDue(): boolean;
  /** Lets everything run that waits. */
  give(): Promise<void>;
}

/** Of one piece of work, from now on. `turnMs`: how long it may hold the loop. */
export function makeTurn(clock: Clock, turnMs: number = TURN_MS): Turn {
  let last = clock.elapsed();
  return {
    isDue: () => clock.elapsed() - last >= turnMs,
    give: async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      last = clock.elapsed();
    },
  };
}
