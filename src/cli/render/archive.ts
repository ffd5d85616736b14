// What an export wrote and an import took over, for people.
import type { ExportResult, ImportArchiveResult } from '../../api/face.ts';
import { oneLine } from './text.ts';
import { bytesOf, counted } from './time.ts';

export function renderExport({ agent, raw, counts, bytes, out }: ExportResult): string {
  const what = `${counted(counts.sessions, 'session')} and ${counted(counts.records, 'record')} of ${agent}`;
  const how = raw ? 'as they were stored' : 'masked';
  return `${oneLine(`${what}, ${how}: ${bytesOf(bytes)}${out === undefined ? '' : ` in ${out}`}.`)}\n`;
}

export function renderImport({ agent, sessions, entries, records }: ImportArchiveResult): string {
  const lines = [
    `${counted(sessions.imported, 'session')} with ${entries} entries and ${counted(records.imported, 'record')} taken over for ${agent}.`,
  ];
  if (sessions.kept > 0) lines.push(`${counted(sessions.kept, 'session')} stood here already and stay as they are.`);
  if (sessions.erased > 0) lines.push(`${counted(sessions.erased, 'session')} were deleted here and stay away.`);
  if (sessions.taken > 0) lines.push(`${counted(sessions.taken, 'session')} have a session id that is another's here.`);
  if (records.kept > 0) lines.push(`${counted(records.kept, 'record')} stood here already, or were erased here.`);
  return `${lines.map((line) => oneLine(line)).join('\n')}\n`;
}
