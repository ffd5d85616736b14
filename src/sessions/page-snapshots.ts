// One snapshot of each of several stores, all held while an answer is made from them together (SES-75, SES-86).
import { BackstoryError, type ErrorCode, isBackstoryError } from '../model/errors.ts';
import type { AgentStore, Awaitable } from '../store/contract.ts';
import type { Reading } from '../store/reading.ts';
import { sessionNotFound } from './page-context.ts';

export interface Failed {
  readonly agentId: string;
  /** An error code. */
  readonly reason: string;
}

export interface Snapshot {
  readonly store: AgentStore;
  readonly reading: Reading;
  /** Of the extra index of a store: the snapshot of the store itself (SES-45). */
  readonly extraOf?: Snapshot;
}

export class Snapshots {
  /** Those that opened and have not failed since, in the order of the stores. */
  readonly open: Snapshot[] = [];
  readonly failed: Failed[] = [];

  /** Asks every store. One that fails is left out from then on and named; the rest answers (SES-75). */
  async ask<T>(question: (snapshot: Snapshot) => Promise<T> | T): Promise<Map<Snapshot, T>> {
    const answers = new Map<Snapshot, T>();
    for (const snapshot of [...this.open]) {
      try {
        answers.set(snapshot, await question(snapshot));
      } catch (error) {
        this.leaveOut(snapshot, error);
      }
    }
    return answers;
  }

  leaveOut(snapshot: Snapshot, error: unknown): void {
    this.failed.push({ agentId: snapshot.store.agentId, reason: reasonOf(error) });
    const index = this.open.indexOf(snapshot);
    if (index >= 0) this.open.splice(index, 1);
  }
}

/** Reads one of several stores. One that fails is named in `failed`, and the rest answers (SES-75). */
export async function readOne<T>(
  store: AgentStore,
  failed: Failed[],
  work: (reading: Reading) => Awaitable<T>,
): Promise<T | undefined> {
  try {
    return await store.read(work);
  } catch (error) {
    failed.push({ agentId: store.agentId, reason: reasonOf(error) });
    return undefined;
  }
}

/** Of a session that was not found: a store that failed may hold it. */
export function notFoundAmong(name: string, [first]: readonly Failed[]): BackstoryError {
  if (first === undefined) return sessionNotFound(name);
  return new BackstoryError(
    first.reason as ErrorCode,
    `The store of agent ${JSON.stringify(first.agentId)} cannot be read, and no other has this session.`,
    'Try again, or look at it with doctor.',
    { details: { agentId: first.agentId } },
  );
}

/** Runs `work` while a snapshot of each store is held. Stores that cannot be read are in `failed`. */
export async function inSnapshots<T>(
  stores: readonly AgentStore[],
  work: (snapshots: Snapshots) => Promise<T>,
): Promise<T> {
  const snapshots = new Snapshots();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ends: Promise<unknown>[] = [];
  try {
    for (const store of stores) {
      const opened = await new Promise<Snapshot | { error: unknown }>((resolve) => {
        const end = store.read(async (reading) => {
          resolve({ store, reading });
          await released;
        });
        ends.push(end.catch((error: unknown) => resolve({ error })));
      });
      if ('error' in opened) snapshots.failed.push({ agentId: store.agentId, reason: reasonOf(opened.error) });
      else snapshots.open.push(opened);
    }
    return await work(snapshots);
  } finally {
    release();
    await Promise.all(ends);
  }
}

// A fault of ours is no fault of a store: it is thrown on.
const OF_THE_STORE = ['store_busy', 'store_full', 'store_read_only', 'store_damaged', 'store_newer'];

function reasonOf(error: unknown): string {
  if (isBackstoryError(error)) {
    if (OF_THE_STORE.includes(error.code)) return error.code;
    throw error;
  }
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && code.startsWith('SQLITE_')) {
    return /^SQLITE_(BUSY|LOCKED)/.test(code) ? 'store_busy' : 'store_damaged';
  }
  throw error;
}
