// What is said when there is no history at all: what was looked for, where, and what to do (SUR-24).
import { execute } from '../api/operation.ts';
import { sourcesList, stats } from '../api/operations.ts';
import { oneLine } from './render/text.ts';
import type { Opened } from './with-engine.ts';

/** Undefined when there is some history. */
export async function firstRunLines({ backstory, caller, look }: Opened): Promise<string[] | undefined> {
  const counts = await execute(stats, backstory, caller);
  if (counts.total.sessions > 0) return undefined;
  const { sources } = await execute(sourcesList, backstory, caller);
  const lines = ['There is no history here yet. Looked for:'];
  for (const source of sources) {
    lines.push(`  ${source.title.padEnd(14)} ${oneLine(source.root)}  ${SAID[source.state] ?? source.state}`);
  }
  if (sources.length === 0) lines.push('  (no format is enabled)');
  return [
    ...lines,
    '',
    `History in another folder:  backstory search WORDS --root DIR${look.again}`,
    'Try it without any:         backstory demo',
  ];
}

const SAID: Readonly<Record<string, string>> = {
  ok: 'nothing in it',
  off: 'switched off',
  root_not_found: 'not there',
  root_unreadable: 'cannot be read',
  present_but_unread: 'there, but nothing could be read',
  no_reader: 'there, but no reader for it yet',
};
