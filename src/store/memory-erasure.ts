// What an erasure asks of an agent's memory, beside what every read may (EPI-132 … EPI-136).
import type { Awaitable } from './contract.ts';

export interface ErasureReading {
  /** Numbers of the records that name one of these under `derivedFrom`. */
  derivedFrom(numbers: readonly number[]): Awaitable<readonly number[]>;
  /** How much these records are. Each has one entry in the index. */
  sizesOf(numbers: readonly number[]): Awaitable<{
    readonly records: number;
    readonly candidates: number;
    readonly bytes: number;
  }>;
  /** What is left of these numbers: rows of any table, and entries of the index (EPI-134). */
  leftOf(numbers: readonly number[]): Awaitable<{ readonly rows: number; readonly index: number }>;
  /** Those of these texts, cut between words, that a record or a parked run holds (EPI-133). */
  heldFragments(fragments: readonly string[]): Awaitable<readonly string[]>;
}
