// What a refresh passed over, said: in coverage each time, in a warning once (RUN-44 – RUN-47, RUN-68). Changes no index.
import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { PassedOver, ReadOutcome } from '../files/index.ts';
import type { Skipped } from '../model/coverage.ts';
import type { Masker } from '../redact/masker.ts';
import { FILE_FLAG, type KnownFile } from '../store/run-index.ts';
import { isRecordName } from './file-rules.ts';
import { shownAs } from './prepare.ts';
import type { Warnings } from './warnings.ts';

/** `detail`: the code of the system's error (COM-32). */
export interface LeftOut extends Skipped {
  readonly detail?: string;
}

/** A file of the agent that was looked at and not read. */
export function notRead(
  path: string,
  shown: string,
  { reason, detail }: ReadOutcome,
  warnings: Warnings,
  skipped: LeftOut[],
): void {
  skipped.push(entry(shown, reason ?? 'unreadable', detail));
  if (reason === 'unreadable') warnings.give('unreadable', shown, detail);
  else if (reason === 'utf16' || reason === 'unstable' || reason === 'outside_root') warnings.give(reason, shown);
  else if (reason === 'binary' && isRecordName(path)) warnings.give('binary', shown);
}

/** What the walk did not enter or yield. Answers the folders that could not be read, as they are shown. */
export function passedOver(
  passed: readonly PassedOver[],
  { root, masker, warnings }: { readonly root: string; readonly masker: Masker; readonly warnings: Warnings },
  skipped: LeftOut[],
): string[] {
  const unread: string[] = [];
  for (const { path, reason, detail } of passed) {
    const shown = shownAs(masker, path);
    if (reason === 'not_regular') skipped.push({ what: shown, reason });
    if (reason === 'unreadable') {
      unread.push(shown);
      skipped.push(entry(shown, reason, detail));
      warnings.give('unreadable', shown, detail);
    }
    // One that leads to a file inside is no loss: that file is read under its own path.
    if (reason === 'symlink' && leadsOutside(root, path)) {
      skipped.push({ what: shown, reason: 'outside_root' });
      warnings.give('outside_root', shown);
    }
  }
  return unread;
}

const FLAG_CODES = [
  'unreadable_header',
  'unindented_trace',
  'interpreter_failed',
  'masker_failed',
  'too_long_to_mask',
  'masked_in_parts',
] as const;

/** What holds as long as the rows of a file do. Answers whether there are record files. */
export function flagged(files: Iterable<KnownFile>, warnings: Warnings, skipped: LeftOut[]): boolean {
  let recordFiles = false;
  for (const { shown, flags, isRecord } of files) {
    recordFiles ||= isRecord;
    if ((flags & ~FILE_FLAG.withheld) === 0) continue;
    for (const code of FLAG_CODES) if (flags & FILE_FLAG[code]) warnings.give(code, shown);
    if (flags & FILE_FLAG.too_long_to_mask) skipped.push({ what: shown, reason: 'too_long_to_mask' });
  }
  return recordFiles;
}

/** In one order, whatever was looked at first. */
export function sorted(skipped: readonly LeftOut[]): LeftOut[] {
  return [...skipped].sort((a, b) => compare(a.what, b.what) || compare(a.reason, b.reason));
}

function leadsOutside(root: string, path: string): boolean {
  try {
    const real = realpathSync.native(join(root, path));
    return real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    return true;
  }
}

function entry(what: string, reason: string, detail: string | undefined): LeftOut {
  return { what, reason, ...(detail === undefined ? {} : { detail }) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
