// What is said when there is no history at all: what was looked for, where, and what to do (SUR-24).
import { execute } from '../api/operation.ts';
import { sourcesList, stats } from '../api/operations.ts';
import { builtInSources } from '../sources/index.ts';
import { oneLine } from './render/text.ts';
import type { Opened } from './with-engine.ts';

/** Undefined when there is some history. */
export async function firstRunLines({ backstory, caller, look }: Opened): Promise<string[] | undefined> {
  const counts = await execute(stats, backstory, caller);
  if (counts.total.sessions > 0) return undefined;
  const { sources } = await execute(sourcesList, backstory, caller);
  const lines = ['There is no history here yet. Looked for:'];
  for (const { title, root, state } of sources) lines.push(row(title, `${oneLine(root)}  ${SAID[state] ?? state}`));
  for (const { name, title } of builtInSources) {
    if (!sources.some(({ source }) => source === name)) lines.push(row(title, 'no folder of it'));
  }
  return [
    ...lines,
    '',
    `History in another folder:  backstory search WORDS --root DIR${look.again}`,
    'Try it without any:         backstory demo',
  ];
}

function row(title: string, what: string): string {
  return `  ${title.padEnd(14)} ${what}`;
}

const SAID: Readonly<Record<string, string>> = {
  ok: 'nothing in it',
  off: 'switched off',
  root_not_found: 'not there',
  root_unreadable: 'cannot be read',
  present_but_unread: 'there, but nothing could be read',
  no_reader: 'there, but no reader for it yet',
};
