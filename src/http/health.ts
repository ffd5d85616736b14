// Whether a search works, by doing one (SUR-40). Says nothing of what there is.
import type { Backstory } from '../api/face.ts';
import type { Clock } from '../model/clock.ts';

// Anybody may ask, however often: what was found out is good for so long, so that no flood costs more than one search.
const GOOD_FOR_MS = 1_000;

export class Health {
  readonly #backstory: Backstory;
  readonly #clock: Clock;
  #asked: { readonly at: number; readonly healthy: Promise<boolean> } | undefined;

  constructor(backstory: Backstory, clock: Clock) {
    this.#backstory = backstory;
    this.#clock = clock;
  }

  isHealthy(): Promise<boolean> {
    const now = this.#clock.elapsed();
    if (this.#asked === undefined || now - this.#asked.at >= GOOD_FOR_MS) {
      this.#asked = { at: now, healthy: searches(this.#backstory) };
    }
    return this.#asked.healthy;
  }
}

async function searches(backstory: Backstory): Promise<boolean> {
  try {
    await backstory.sessions.search({ operator: true }, { query: 'health', limit: 1, waitMs: 0 });
    return true;
  } catch {
    return false;
  }
}
