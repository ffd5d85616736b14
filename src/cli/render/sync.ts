// The report of a sync for people: nothing when there was nothing to do (SRC-81).
import type { SyncReport } from '../../api/face.ts';
import type { Look } from './hits.ts';
import { oneLine } from './text.ts';
import { bytesOf, count, counted } from './time.ts';

const SHOWN = 10;

export function renderSync(report: SyncReport, look: Look): string {
  const { files, entries } = report;
  const nothing = files.imported === 0 && entries.added + entries.changed + entries.erased === 0;
  const unwritten = report.roots.filter(({ state }) => state === 'store_failed');
  if (nothing && files.failedTotal + unwritten.length === 0 && files.found > 0) return '';
  if (nothing && files.found === 0 && unwritten.length === 0)
    return `No transcript was found. See backstory sources${look.again}.\n`;
  const lines = [
    `${counted(files.found, 'file')}: ${count(files.imported)} read, ${count(files.unchanged)} unchanged, ` +
      `${count(files.skippedTotal)} skipped, ${count(files.failedTotal)} failed`,
    `${counted(entries.added, 'entry')} added, ${count(entries.changed)} changed, ${count(entries.erased)} erased; ` +
      `${bytesOf(report.bytes)} in ${(report.durationMs / 1000).toFixed(1)} s`,
    ...reasonsOf(report),
  ];
  for (const { root, detail = '' } of unwritten)
    lines.push(look.paint.bad(`failed  ${oneLine(root)}  ${oneLine(detail)}`));
  for (const { what, reason } of files.failed.slice(0, SHOWN))
    lines.push(look.paint.bad(`failed  ${oneLine(what)}  ${reason}`));
  if (files.failedTotal > SHOWN)
    lines.push(`… and ${count(files.failedTotal - SHOWN)} more failed; --json lists them.`);
  return `${lines.join('\n')}\n`;
}

function reasonsOf(report: SyncReport): string[] {
  const byReason = new Map<string, number>();
  for (const { reason } of report.files.skipped) {
    const word = reason.replace(/ \(.*$/, '');
    byReason.set(word, (byReason.get(word) ?? 0) + 1);
  }
  if (byReason.size === 0) return [];
  return [`skipped: ${[...byReason].map(([reason, number]) => `${reason} ${count(number)}`).join(', ')}`];
}
