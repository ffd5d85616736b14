// What a folder given with --root is: of the format that was named, else of every format whose layout it has, else a
// user's home with the folders of agents in it.
import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BackstoryError } from '../model/errors.ts';
import type { HostEnv, Source } from '../sources/contract.ts';
import { builtInSources, sourceNamed } from '../sources/index.ts';
import { folderOf } from './input.ts';
import type { Io } from './io.ts';

export interface GivenRoot {
  readonly source: string;
  readonly path: string;
}

/** Throws `root_not_found`, `root_unreadable`, `source_unknown`; `invalid_argument` when nothing in it is known. */
export async function rootsOf(io: Io, typed: string, source: string | undefined): Promise<GivenRoot[]> {
  const path = await existing(resolve(io.cwd, folderOf(io, typed)), typed);
  const sources = source === undefined ? builtInSources : [sourceNamed(source)];
  const host: HostEnv = { env: {}, home: path, platform: io.platform };
  const roots: GivenRoot[] = [];
  for (const one of sources) if (await hasFiles(one, host, path)) roots.push({ source: one.name, path });
  if (roots.length > 0) return roots;
  for (const one of sources) {
    for (const found of await one.discover(host, [])) {
      if (!('instance' in found)) continue;
      const { files } = await one.plan(found.instance);
      if (files.length > 0) roots.push({ source: one.name, path: found.instance.root });
    }
  }
  if (roots.length > 0) return roots;
  throw new BackstoryError(
    'invalid_argument',
    `No transcript of ${source ?? 'any known agent'} was found in ${path}.`,
    `Give the folder that the agent itself uses, or a home folder with it, and --source: ${builtInSources.map(({ name }) => name).join(', ')}.`,
    { details: { root: path } },
  );
}

// By its layout: folders are listed and no file is opened.
async function hasFiles(source: Source, host: HostEnv, path: string): Promise<boolean> {
  // A home without any agent's folder, so that only the given root can be found.
  const nowhere = { ...host, home: join(path, '.backstory-no-home') };
  for (const found of await source.discover(nowhere, [{ path }])) {
    if (!('instance' in found) || found.instance.how !== 'given') continue;
    const { files } = await source.plan(found.instance);
    if (files.length > 0) return true;
  }
  return false;
}

async function existing(path: string, typed: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return await realpath(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new BackstoryError(
        'root_unreadable',
        `The folder ${typed} cannot be read (${code}).`,
        'Check its permissions.',
      );
    }
  }
  throw new BackstoryError('root_not_found', `There is no folder ${typed}.`, 'Check the path given with --root.');
}
