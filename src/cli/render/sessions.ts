// Rows of sessions for people (SES-130, SES-131).
import type { DescribeResult } from '../../api/face.ts';
import type { SessionRow } from '../../model/session.ts';
import type { Look } from './hits.ts';
import { oneLine } from './text.ts';
import { counted, timeWithAge } from './time.ts';

export function renderSessions(rows: readonly SessionRow[], look: Look): string {
  const { paint } = look;
  return rows
    .map((row, index) => {
      const facts = [
        paint.title(oneLine(row.agentId, 64)),
        ...(row.origin?.project === undefined ? [] : [oneLine(row.origin.project, 60)]),
        timeWithAge(row.lastAt, look.zone, look.now),
        counted(row.messages, 'message'),
        ...(row.kind === 'imported' ? [] : [row.kind]),
        ...(row.archived ? ['archived'] : []),
      ];
      const title = row.title === undefined ? '' : `    ${oneLine(row.title, look.columns - 4)}\n`;
      return `${paint.bold(String(index + 1).padStart(3))} ${facts.join('  ')}\n${title}    ${paint.dim(oneLine(row.sessionKey))}\n`;
    })
    .join('\n');
}

export function renderSession(row: DescribeResult, look: Look): string {
  const { paint } = look;
  const { origin } = row;
  const time = (instant: string): string => timeWithAge(instant, look.zone, look.now);
  const facts: [string, string | undefined][] = [
    ['title', row.title],
    ['agent', row.agentId],
    ['kind', row.kind],
    ['project', origin?.project ?? (origin?.slug === undefined ? undefined : `${origin.slug} (folder name)`)],
    ['source', origin?.source],
    ['branch', origin?.gitBranch],
    ['model', origin?.model],
    ['file', origin?.file],
    ['created', time(row.createdAt)],
    ['last active', time(row.lastAt)],
    ['messages', String(row.messages)],
    ['archived', row.archived ? 'yes' : undefined],
    ['started by', row.spawnedBy],
    ['reports to', row.parent],
    ['owned by', row.owner],
    ...row.windows.map((window): [string, string] => [
      'window',
      `${window.sessionId}  ${window.reason}  ${time(window.from)} to ${time(window.to)}  ${counted(window.entries, 'entry')}`,
    ]),
    ['resume', row.resume],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`  ${paint.dim(name.padEnd(12))}${oneLine(value)}`],
  );
  return `${paint.bold(oneLine(row.sessionKey))}\n${lines.join('\n')}\n`;
}
