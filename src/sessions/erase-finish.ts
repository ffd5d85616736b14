// What follows an erasure: the index merged, pages given back, the log emptied, in steps that nobody waits for (SES-172).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../model/clock.ts';
import type { AgentStore } from '../store/contract.ts';

/** A step aims at 15 ms, and leaves as much to other processes, whose busy handlers sleep between their tries. */
export const PACE: { readonly stepMs: number; readonly restMs: number } = { stepMs: 15, restMs: 15 };

const FIRST_ROWS = 128;
const MOST_ROWS = 2_000;
const PAGES = 128;
const TRUNCATIONS = 8;

/** False: a reader or another process holds the log; the next write, or the next open, goes on. */
export async function finishErasing(store: AgentStore, clock: Clock, stopped: () => boolean): Promise<boolean> {
  for (let begin = true, more = true; more; begin = false) {
    if (stopped()) return false;
    more = await rested(clock, () => store.write((writing) => writing.mergeIndex(begin)));
  }
  for (let more = true; more; ) {
    if (stopped()) return false;
    more = await rested(clock, () => store.write((writing) => writing.giveBack(PAGES)));
  }
  for (let tries = 0; tries < TRUNCATIONS && !stopped(); tries++) {
    if (await store.truncate()) {
      await store.write((writing) => writing.setMeta('erasing', ''));
      // Its own page in the log holds no text; but a log with nothing in it is easier to trust.
      await store.truncate();
      return true;
    }
    await sleep(10 * (tries + 1));
  }
  return false;
}

/** Runs steps whose size follows from how long the last one took. */
export function pace(clock: Clock): <T>(step: (rows: number) => Promise<T>) => Promise<T> {
  let rows = FIRST_ROWS;
  return async (step) => {
    const from = clock.elapsed();
    const result = await step(rows);
    const took = clock.elapsed() - from;
    if (took > PACE.stepMs) rows = Math.max(16, Math.floor(rows / 2));
    else if (took < PACE.stepMs / 2) rows = Math.min(MOST_ROWS, rows * 2);
    return result;
  };
}

async function rested<T>(clock: Clock, step: () => Promise<T>): Promise<T> {
  const from = clock.elapsed();
  const result = await step();
  const took = clock.elapsed() - from;
  if (took > 2) await sleep(Math.min(PACE.restMs, took));
  return result;
}
