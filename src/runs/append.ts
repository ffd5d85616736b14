// Appending whole records to files, one write each (RUN-10). It knows no format; failures are counted, never thrown.
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunFilesLogger, RunFilesWarning } from './warnings.ts';

/** What a host is told of a file that could not be written; `file` is the path below the run folder. */
export type AppendWarning = RunFilesWarning & { readonly code: 'write_failed'; readonly file: string };

export interface AppendReports {
  readonly onWarning?: (warning: AppendWarning) => void;
  readonly logger?: RunFilesLogger;
}

// O_RDWR: the last byte is looked at. O_NONBLOCK: a FIFO of that name must not hold the host.
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
const LINE_FEED = 0x0a;

export class RecordFiles {
  readonly #folder: string;
  readonly #below: string;
  readonly #reports: AppendReports;
  readonly #reported = new Set<string>();
  failures = 0;

  /** `below`: folder below the run folder, `''` for none. */
  constructor(runFolder: string, below: string, reports: AppendReports) {
    this.#folder = join(runFolder, below);
    this.#below = below;
    this.#reports = reports;
  }

  /** The file is opened for each record, a third of its cost of 70 µs: a rotated or removed one is never written to behind its name. */
  append(name: string, record: string): void {
    // One NUL in the first 8 KiB would make the whole file binary, and all its records unfound (RUN-46). Further on it is
    // shown as a space; so it is written as one.
    const text = record.includes('\0') ? record.replaceAll('\0', ' ') : record;
    try {
      this.#write(join(this.#folder, name), text);
    } catch (error) {
      this.failed(name, codeOf(error));
    }
  }

  failed(name: string, why: string): void {
    this.failures++;
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    const file = this.#below === '' ? name : `${this.#below}/${name}`;
    const message = `A record was not written to ${file} (${why}). Check that the run folder can be written and has room; further failures of this file are only counted.`;
    quietly(() => this.#reports.onWarning?.({ code: 'write_failed', file, message }));
    const { logger } = this.#reports;
    quietly(() =>
      logger === undefined
        ? process.stderr.write(`backstory: ${message}\n`)
        : logger.warn(message, { code: 'write_failed', file }),
    );
  }

  #write(path: string, text: string): void {
    const handle = this.#open(path);
    try {
      const { size } = checkedFile(handle);
      const bytes = Buffer.from(endsInsideLine(handle, size) ? `\n${text}` : text);
      if (writeSync(handle, bytes) !== bytes.length) throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
    } finally {
      closeSync(handle);
    }
  }

  #open(path: string): number {
    try {
      return openSync(path, FLAGS, 0o600);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      makeFolder(this.#folder);
      return openSync(path, FLAGS, 0o600);
    }
  }
}

// Not `recursive: true`: Node 20 never returns from it where a parent exists and ENOENT is said all the same, as in /proc.
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    makeLast(path);
  }
}

function makeLast(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function checkedFile(handle: number): { readonly size: number } {
  const stat = fstatSync(handle);
  if (!stat.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'not a regular file' });
  return stat;
}

// A crash or a full disk left half a line: a header after it would not stand at a line's start, and the record would join
// the one before it, perhaps another conversation's. A file that is being written ends inside a line as well, and grows
// page by page: it is torn only when it stays so for a while.
function endsInsideLine(handle: number, size: number): boolean {
  const last = Buffer.alloc(1);
  let seen = size;
  for (let looks = 0; looks < LOOKS; looks++) {
    if (seen === 0) return false;
    readSync(handle, last, 0, 1, seen - 1);
    if (last[0] === LINE_FEED) return false;
    Atomics.wait(NEVER, 0, 0, WAIT_MS);
    const now = fstatSync(handle).size;
    // It grew: whoever writes is not done, and is looked at from the start.
    if (now !== seen) looks = -1;
    seen = now;
  }
  return true;
}

const LOOKS = 5;
const WAIT_MS = 2;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown error';
}

function quietly(report: () => unknown): void {
  try {
    report();
  } catch {
    // Who is told of a failure must not fail the run.
  }
}
