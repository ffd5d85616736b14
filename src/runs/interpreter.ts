// What a host's records mean: the interface a host implements, and the one place that calls it (RUN-22 – RUN-25).
import { types } from 'node:util';
import { isReading, Reading } from './reading.ts';
import type { RunRecord } from './record.ts';

export interface RecordInterpreter {
  /** Change it when readings change: it is part of the index's identity (RUN-29). */
  readonly version?: string;
  /** `file`: path below the run folder with `/`. `line`: 1-based number of the record's first line (RUN-23). */
  read(file: string, line: number, record: RunRecord): Reading;
}

/**
 * The reading of a record; without an interpreter a note of its text. `undefined`: the interpreter threw, or returned a
 * promise or anything else that is no `Reading`; the caller leaves the record out and warns `interpreter_failed` (RUN-24).
 */
export function readingOf(
  interpreter: RecordInterpreter | undefined,
  file: string,
  line: number,
  record: RunRecord,
): Reading | undefined {
  if (interpreter === undefined) return Reading.note(record.text);
  try {
    const answer: unknown = interpreter.read(file, line, record);
    if (isReading(answer)) return answer;
    // A rejected promise that nobody awaits would end the host's process.
    if (types.isPromise(answer)) answer.catch(() => undefined);
    return undefined;
  } catch {
    return undefined;
  }
}
