// Reads files before a search (SRC-40), or for `backstory sync`, with progress. Finds out what a folder given with --root is.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SyncParams, SyncReport } from '../api/face.ts';
import { execute } from '../api/operation.ts';
import { sync } from '../api/operations.ts';
import { isBackstoryError } from '../model/errors.ts';
import type { Io } from './io.ts';
import type { Parsed } from './parse.ts';
import { withProgress } from './progress.ts';
import type { Opened } from './with-engine.ts';

/** How long a search waits for files to be read (SES-70), in milliseconds. */
const SEARCH_WAIT_MS = 2_000;

/** The same for the very first one in a home: what was just installed shall find something. */
const FIRST_WAIT_MS = 20_000;

/** On a pipe the search itself syncs; on a terminal, and for a folder that was named, the command does, with a bar. */
export function searchSyncs(io: Io, parsed: Parsed): 'by_setting' | 'by_caller' {
  return mayRead(parsed) && !io.errIsTerminal && !parsed.has('root') ? 'by_setting' : 'by_caller';
}

/** Within `waitMs`; a folder that was named is read to its end. Gives the number of files that are left. */
export async function syncFirst(io: Io, parsed: Parsed, opened: Opened): Promise<number> {
  const wanted = parsed.has('root') || opened.syncsOnSearch;
  if (!wanted || !mayRead(parsed) || searchSyncs(io, parsed) === 'by_setting') return 0;
  const wait = parsed.value('wait-ms');
  const budget = parsed.has('root') && wait === undefined ? {} : { budgetMs: wait ?? waitMsFor(opened.home) };
  return (await syncNow(io, parsed, opened, budget)).left;
}

export function waitMsFor(home: string): number {
  return existsSync(join(home, 'agents')) ? SEARCH_WAIT_MS : FIRST_WAIT_MS;
}

/** Runs `work`; where it names a session that is not known, reads what changed and runs it once more. */
export async function orAfterSync<T>(parsed: Parsed, opened: Opened, io: Io, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isBackstoryError(error) || error.code !== 'session_not_found') throw error;
    await syncQuietly(parsed, opened, io);
    return work();
  }
}

/** For commands that do not search: what changed is read as well, so that a list is never behind. */
export async function syncQuietly(parsed: Parsed, opened: Opened, io: Io): Promise<void> {
  if (!opened.syncsOnSearch || parsed.has('cursor')) return;
  await syncNow(io, parsed, opened, { budgetMs: SEARCH_WAIT_MS });
}

// A later page must stand on what its first page saw (SES-80).
function mayRead(parsed: Parsed): boolean {
  return !parsed.has('no-sync') && !parsed.has('cursor');
}

/** Input beyond the roots of --root. */
export async function syncNow(
  io: Io,
  parsed: Parsed,
  opened: Opened,
  input: Readonly<Record<string, unknown>>,
): Promise<SyncReport> {
  const roots = await givenRoots(io, parsed);
  const whole = { ...input, ...(roots.length > 0 ? { roots, onlyGivenRoots: true } : {}) };
  return withProgress(io, (onProgress) => execute(sync, opened.backstory, opened.caller, whole, { onProgress }));
}

async function givenRoots(io: Io, parsed: Parsed): Promise<NonNullable<SyncParams['roots']>> {
  const paths = parsed.values('root');
  if (paths.length === 0) return [];
  const { rootsOf } = await import('./roots.ts');
  return (await Promise.all(paths.map((path) => rootsOf(io, path, parsed.value('source'))))).flat();
}
