// Evidence from run files for people (RUN-75), and what was not searched, with what to do (RUN-76).
import type { Evidence, RunCoverage, RunReason } from '../../model/retrieval.ts';
import type { Look } from './hits.ts';
import { harmless, oneLine } from './text.ts';

/** One block per item; absent fields are left out. */
export function renderEvidence(evidence: readonly Evidence[], { paint }: Pick<Look, 'paint'>): string {
  return evidence
    .map((item) => {
      const { file, line, episode, conversation, time, level, copies, text } = item;
      const facts = [
        paint.title(`${oneLine(file)}:${line}`),
        ...(episode === undefined ? [] : [`episode ${episode}`]),
        ...(conversation === undefined ? [] : [oneLine(conversation)]),
        ...(time === undefined ? [] : [time.replace('T', ' ')]),
        ...(level === undefined ? [] : [level]),
        ...(copies < 2 ? [] : [`(+${copies - 1} ${copies === 2 ? 'copy' : 'copies'})`]),
      ];
      return `${facts.join('  ')}\n  ${harmless(text).replaceAll('\n', '\n  ')}\n`;
    })
    .join('\n');
}

const REASONS: Readonly<Record<RunReason, string>> = {
  no_run_folder: 'there is no such run folder: check the path',
  needs_episode_and_conversation: 'record files were not searched: give --episode and --conversation',
  needs_episode: 'nothing was searched in scope episode: give --episode',
  index_busy: 'another process is writing the index: search again for what was written last',
};

/** One line per reason. */
export function coverageLines({ reasons, skipped, skippedTotal }: RunCoverage): string[] {
  const lines = [...reasons.map((reason) => REASONS[reason]), ...skipped.map(skippedLine)];
  const more = skippedTotal - skipped.length;
  return more > 0 ? [...lines, `and ${more} more files were left out: see --json`] : lines;
}

const SKIPPED: Readonly<Record<string, string>> = {
  binary: 'is binary',
  utf16: 'is UTF-16: write it as UTF-8',
  not_regular: 'is no regular file',
  outside_root: 'leads outside the run folder: put the file itself there',
  unreadable: 'could not be read: check its owner and mode',
  unstable: 'changed while it was read: search again',
  no_conversation_field: 'has records of this episode without a conversation field: write the field',
  too_long_to_mask: 'has a record over 4 MiB that could not be masked',
};

function skippedLine({ what, reason }: { readonly what: string; readonly reason: string }): string {
  return `${oneLine(what)} ${SKIPPED[reason] ?? reason}`;
}
