// The readers there are, and what a third party needs to add one (SRC-6).
import { BackstoryError, nearest } from '../model/errors.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import type { Source } from './contract.ts';
import { openclaw } from './openclaw.ts';

export { type CheckOptions, checkSource } from './check-source.ts';
export type {
  EntryKind,
  EntrySink,
  ForeignDatabase,
  Found,
  HostEnv,
  Instance,
  Marker,
  Plan,
  PlannedFile,
  ReadOptions,
  ReadOutcome,
  Reopened,
  SessionFacts,
  SessionRef,
  Source,
  SourceEntry,
} from './contract.ts';
export { foundUnread } from './not-read.ts';
export { linkedRoots } from './roots.ts';

/** One per format, in the order of reports. */
export const builtInSources: readonly Source[] = [claudeCode, codex, openclaw];

/** The reader of this name. Throws `source_unknown`, naming the nearest. */
export function sourceNamed(name: string, sources: readonly Source[] = builtInSources): Source {
  const found = sources.find((source) => source.name === name);
  if (found) return found;
  const names = sources.map((source) => source.name);
  const near = nearest(name, names);
  throw new BackstoryError(
    'source_unknown',
    `There is no source ${JSON.stringify(name.slice(0, 80))}.`,
    `${near === undefined ? '' : `Did you mean ${near}? `}Sources are ${names.join(', ')}.`,
  );
}
