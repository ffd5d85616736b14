// What was found on this machine, for people (SRC-51, SRC-54).
import type { SourceReport, SourcesReport } from '../../api/face.ts';
import type { Look } from './hits.ts';
import { oneLine } from './text.ts';
import { bytesOf, count, counted, timeWithAge } from './time.ts';

const STATES: Readonly<Record<SourceReport['state'], string>> = {
  ok: 'read',
  off: 'switched off',
  root_not_found: 'not there',
  root_unreadable: 'cannot be read',
  present_but_unread: 'there, but nothing could be read',
  no_reader: 'there, but no reader for it yet',
};

export function renderSources(report: SourcesReport, look: Look): string {
  if (report.sources.length === 0) return 'No agent was found on this machine.\n';
  return report.sources.map((source) => renderSource(source, look)).join('\n');
}

function renderSource(source: SourceReport, look: Look): string {
  const { paint } = look;
  const state = source.state === 'ok' ? paint.good(STATES.ok) : paint.bad(STATES[source.state]);
  const lines = [
    `${paint.bold(source.title)}  ${oneLine(source.root)}  ${state}${source.how === undefined ? '' : paint.dim(`  (${source.how})`)}`,
  ];
  // That nothing is there is said already.
  if (source.detail !== undefined && source.state !== 'root_not_found') lines.push(`    ${oneLine(source.detail)}`);
  const files = Object.entries(source.files).map(([outcome, number]) => `${outcome} ${count(number)}`);
  if (files.length > 0) {
    lines.push(`    files: ${files.join(', ')}; ${counted(source.sessions, 'session')}, ${bytesOf(source.bytes)}`);
  }
  const counts = Object.entries(source.counts).map(([what, number]) => `${oneLine(what, 60)} ${count(number)}`);
  if (counts.length > 0) lines.push(`    noticed: ${counts.slice(0, 12).join(', ')}`);
  if (source.lastSync !== undefined) lines.push(`    last read: ${timeWithAge(source.lastSync, look.zone, look.now)}`);
  if (source.keepsDays !== undefined) {
    const soon = source.goSoon ? `; ${counted(source.goSoon, 'session')} within 7 days` : '';
    lines.push(
      `    it deletes its own files after ${counted(source.keepsDays, 'day')}${soon}. What was read stays here.`,
    );
  }
  return `${lines.join('\n')}\n`;
}
