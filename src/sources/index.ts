// The readers there are, and what a third party needs to add one (SRC-6).
import { oneNamed } from '../model/named.ts';
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
  return oneNamed('source', sources, name, 'source_unknown');
}
