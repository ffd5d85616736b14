// Gives the event loop its turn: system calls are synchronous here, so someone must (FILE-24).
import type { Clock } from '../model/clock.ts';

// Under the 25 ms of FILE-24 by more than the slowest single step, reading and hashing a block.
const TURN_MS = 15;

export interface Turn {
  isDue(): boolean;
  give(): Promise<void>;
}

export function makeTurn(clock: Clock): Turn {
  let last = clock.elapsed();
  return {
    isDue: () => clock.elapsed() - last >= TURN_MS,
    give: async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      last = clock.elapsed();
    },
  };
}
