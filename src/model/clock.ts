// Time and identity come in as parameters of openBackstory(): this is their shape and the one place that asks the system.
import { randomUUID } from 'node:crypto';

/** Wall time and a monotonic reading, both in milliseconds. Everything that needs time takes one. */
export interface Clock {
  /** Milliseconds since 1970, an integer (COM-3). */
  now(): number;
  /** Milliseconds of a clock that never runs backwards, with fractions. For durations and budgets only. */
  elapsed(): number;
}

/** Makes a new id, unique for ever. */
export type NewId = () => string;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};

export const systemNewId: NewId = () => randomUUID();
