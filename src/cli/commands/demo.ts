// backstory demo: a small history to try things on, in a throwaway folder (SUR-24). Nothing of the user's is read.
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BackstoryError } from '../../model/errors.ts';
import { EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { writeDemo } from '../demo/write-demo.ts';
import { shellWord } from '../render/page.ts';

/** What to try: kept beside the demo so that tests run them. */
export function demoCommands(folder: string): readonly { readonly title: string; readonly command: string }[] {
  const home = `--home ${shellWord(join(folder, '.backstory'))}`;
  const root = `--root ${shellWord(folder)}`;
  return [
    { title: 'Where was it that checkout was slow?', command: `backstory search checkout slow ${home} ${root}` },
    { title: 'Reopen the first hit where it happened', command: `backstory open 1 --include-tools ${home}` },
    {
      title: 'Not the draft; any accent; the last ten days',
      command: `backstory search 'cafe OR rollback' -draft --since -10d ${home} ${root}`,
    },
    { title: 'What did all of them do, newest first?', command: `backstory sessions --limit 5 ${home}` },
    { title: 'How to go on with the newest one', command: `backstory resume 1 ${home}` },
  ];
}

export const run: Run = async (io, parsed) => {
  const folder = await folderFor(io.cwd, parsed.value('into'));
  const written = await writeDemo(folder, io.clock.now());
  const commands = demoCommands(folder);
  if (parsed.has('json')) {
    io.out(`${JSON.stringify({ folder, ...written, commands }, null, io.outIsTerminal ? 2 : undefined)}\n`);
    return EXIT.done;
  }
  const lines = [`A made-up history of ${written.sessions} sessions of three agents is in ${folder}. Try:`, ''];
  for (const { title, command } of commands) lines.push(`# ${title}`, command, '');
  lines.push(`Throw it away with: rm -r ${shellWord(folder)}`);
  io.out(`${lines.join('\n')}\n`);
  return EXIT.done;
};

async function folderFor(cwd: string, given: string | undefined): Promise<string> {
  if (given === undefined) return mkdtemp(join(tmpdir(), 'backstory-demo-'));
  const folder = resolve(cwd, given);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length === 0) return folder;
  throw new BackstoryError(
    'invalid_argument',
    `The folder ${folder} is not empty.`,
    'Give --into a new or an empty folder, or leave it out.',
  );
}
