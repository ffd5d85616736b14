// Files that are read while the ones before them are written: what another thread must offer a sync for it. Knows no thread.
import type { ReadOutcome } from '../sources/contract.ts';
import type { Op } from './batch.ts';
import type { Task } from './sync-plan.ts';

/** What a reading gives at each of its safe points (FILE-20). */
export type ApplyBatch = (ops: Op[], counts: ReadonlyMap<string, number>, state: Uint8Array) => Promise<void>;

/** The thread ended in the middle of a file: what was applied of it is met again by who reads it anew (SRC-44). */
export class AheadLost extends Error {}

/** Reads a sync's files from their start, one after another, ahead of whoever asks for them in the same order. */
export interface ReadAhead {
  /**
   * As the source's own `read` of a file without a state: hands over its batches in order. Undefined for a file that it
   * does not read. A rejection of `apply` ends the reading; `AheadLost` when the thread did.
   */
  read(task: Task, apply: ApplyBatch, onBytes: (bytes: number) => void): Promise<ReadOutcome> | undefined;
  /** This one is not asked for: somebody else was faster. */
  drop(task: Task): void;
  /** No file is read any more when it resolves. */
  close(): Promise<void>;
}

/** A thread costs some 40 ms to start and each batch a copy: less than this is read here. */
const LEAST_BYTES = 16 * 1_048_576;

/** Those that may be read ahead: plain files of one session that nobody has read from yet; none where they are small. */
export function tasksAhead(tasks: readonly Task[]): readonly Task[] {
  const fresh = tasks.filter(({ known, file }) => {
    return known === undefined && file.layout === 'jsonl' && file.remainder === undefined;
  });
  const bytes = fresh.reduce((sum, { file }) => sum + Number(file.stat.size), 0);
  return bytes < LEAST_BYTES ? [] : fresh;
}
