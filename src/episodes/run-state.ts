// One run while it runs: its start, its tools as they are called, and how long it ran and waited. Does no I/O, knows no
// store; what it holds can be written down and gone on with in another process (EPI-40).
import type { Clock } from '../model/clock.ts';
import { RECORD_BOUNDS } from '../model/episode.ts';

/** Given values, checked: what was no good is absent and counted by the caller. */
export interface RunFacts {
  /** Of the record it will become. */
  readonly id: string;
  /** Redacted and cut. */
  readonly input: string;
  /** For the content: redacted, one line, cut. */
  readonly summary: string;
  /** Wall time of the first start, ms. */
  readonly startedAt: number;
  readonly runId?: string;
  readonly threadId?: string;
  readonly attempt?: number;
  readonly parentRunId?: string;
}

/** What a parked run is kept as. */
export interface SavedRun extends RunFacts {
  readonly tools: readonly (readonly [name: string, calls: number])[];
  readonly failed: readonly string[];
  readonly live: boolean;
  readonly ranMs: number;
  readonly parkedMs: number;
  readonly parkedAt: number;
  readonly everParked: boolean;
}

export class RunState {
  readonly facts: RunFacts;
  readonly #clock: Clock;
  /** Calls that were not denied, in order of the first. */
  readonly #tools: Map<string, number>;
  readonly #failed: Set<string>;
  #live: boolean;
  #ranMs: number;
  #parkedMs: number;
  #everParked: boolean;
  /** Monotonic: since when it runs, or waits in this process. */
  #since: number;
  #parked: { readonly at: number; readonly elapsed?: number } | undefined;

  constructor(facts: RunFacts, clock: Clock, saved?: SavedRun) {
    this.facts = facts;
    this.#clock = clock;
    this.#tools = new Map(saved?.tools);
    this.#failed = new Set(saved?.failed);
    this.#live = saved?.live ?? false;
    this.#ranMs = saved?.ranMs ?? 0;
    this.#parkedMs = saved?.parkedMs ?? 0;
    this.#everParked = saved !== undefined;
    this.#since = clock.elapsed();
    this.#parked = saved && { at: saved.parkedAt };
  }

  get everParked(): boolean {
    return this.#everParked;
  }

  get isParked(): boolean {
    return this.#parked !== undefined;
  }

  /** Some call was reported while it ran: then a final state is not read (EPI-35). */
  get isLive(): boolean {
    return this.#live;
  }

  called(name: string): void {
    this.#live = true;
    this.#tools.set(name, (this.#tools.get(name) ?? 0) + 1);
  }

  denied(name: string): void {
    const calls = this.#tools.get(name) ?? 0;
    if (calls <= 1) this.#tools.delete(name);
    else this.#tools.set(name, calls - 1);
  }

  failed(name: string): void {
    this.#failed.add(name);
  }

  /** From a final state, where nothing was reported live. */
  used(names: readonly string[]): void {
    for (const name of names) this.#tools.set(name, 1);
  }

  park(): void {
    if (this.#parked) return;
    const elapsed = this.#clock.elapsed();
    this.#ranMs += elapsed - this.#since;
    this.#parked = { at: this.#clock.now(), elapsed };
    this.#everParked = true;
  }

  resume(): void {
    if (!this.#parked) return;
    const { at, elapsed } = this.#parked;
    // Within one process by the monotonic clock; across processes there is only the wall's.
    const waited = elapsed === undefined ? this.#clock.now() - at : this.#clock.elapsed() - elapsed;
    this.#parkedMs += Math.max(0, waited);
    this.#parked = undefined;
    this.#since = this.#clock.elapsed();
  }

  /** For a parked run only. */
  saved(): SavedRun {
    return {
      ...this.facts,
      tools: [...this.#tools],
      failed: [...this.#failed],
      live: this.#live,
      ranMs: Math.round(this.#ranMs),
      parkedMs: Math.round(this.#parkedMs),
      parkedAt: this.#parked?.at ?? this.#clock.now(),
      everParked: true,
    };
  }

  /** As of now; the run must not be parked. */
  measures(): {
    readonly durationMs: number;
    readonly parkedMs?: number;
    readonly tools: readonly string[];
    readonly toolsOmitted: number;
    readonly failed: readonly string[];
  } {
    const names = [...this.#tools.keys()];
    return {
      durationMs: Math.max(0, Math.round(this.#ranMs + this.#clock.elapsed() - this.#since)),
      ...(this.#everParked ? { parkedMs: Math.round(this.#parkedMs) } : {}),
      tools: names.slice(0, RECORD_BOUNDS.tools),
      toolsOmitted: Math.max(0, names.length - RECORD_BOUNDS.tools),
      failed: [...this.#failed].filter((name) => this.#tools.has(name)).slice(0, RECORD_BOUNDS.tools),
    };
  }
}
