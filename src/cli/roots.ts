// What a folder given with --root is: a user's home with the folders of agents in it, or a folder of one format, told by
// its layout and by what its files begin with.
import { open, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { BackstoryError } from '../model/errors.ts';
import type { HostEnv, Source } from '../sources/contract.ts';
import { builtInSources, sourceNamed } from '../sources/index.ts';
import { formatOf } from '../sources/sniff.ts';
import { folderOf } from './input.ts';
import type { Io } from './io.ts';

export interface GivenRoot {
  readonly source: string;
  readonly path: string;
}

const SAMPLED_FILES = 8;
const SAMPLED_BYTES = 65_536;

/** Throws `root_not_found`, `root_unreadable`, `source_unknown`; `invalid_argument` when nothing in it is known. */
export async function rootsOf(io: Io, typed: string, source: string | undefined): Promise<GivenRoot[]> {
  const path = await existing(resolve(io.cwd, folderOf(io, typed)), typed);
  const sources = source === undefined ? builtInSources : [sourceNamed(source)];
  const host: HostEnv = { env: {}, home: path, platform: io.platform };
  const roots: GivenRoot[] = [];
  for (const one of sources) {
    for (const folder of await foldersIn(one, host, path)) roots.push({ source: one.name, path: folder });
  }
  if (roots.length > 0) return roots;
  // A format that was named is taken at its word: its reader says what is in the folder.
  if (source !== undefined) return [{ source, path }];
  for (const one of sources) if (await hasFiles(one, host, path)) roots.push({ source: one.name, path });
  if (roots.length > 0) return roots;
  throw new BackstoryError(
    'invalid_argument',
    `No transcript of any known agent was found in ${path}.`,
    `Give the folder that the agent itself uses, or a home folder with it, and --source: ${builtInSources.map(({ name }) => name).join(', ')}.`,
    { details: { root: path } },
  );
}

// Of a user's home: the outermost folder on the way to an instance that can be given as a root by itself.
async function foldersIn(source: Source, host: HostEnv, home: string): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  for (const found of await source.discover(host, [])) {
    if (!('instance' in found)) continue;
    const names = relative(home, found.instance.root).split(sep);
    for (let depth = 1; depth <= names.length; depth++) {
      const folder = join(home, ...names.slice(0, depth));
      if (!(await hasFiles(source, host, folder))) continue;
      folders.add(folder);
      break;
    }
  }
  return folders;
}

// By its layout, and by the first records of some files: many formats are lines of JSON.
async function hasFiles(source: Source, host: HostEnv, path: string): Promise<boolean> {
  // A home without any agent's folder, so that only the given root can be found.
  const nowhere = { ...host, home: join(path, '.backstory-no-home') };
  for (const found of await source.discover(nowhere, [{ path }])) {
    if (!('instance' in found) || found.instance.how !== 'given') continue;
    const { files } = await source.plan(found.instance);
    if (files.length === 0) continue;
    const formats = (
      await Promise.all(files.slice(0, SAMPLED_FILES).map(({ absolute }) => formatOfFile(absolute)))
    ).flat();
    // Nothing that tells its format, such as a database: then the reader says what it is.
    if (formats.length === 0 || formats.includes(source.name)) return true;
  }
  return false;
}

async function formatOfFile(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SAMPLED_BYTES), 0, SAMPLED_BYTES, 0);
    for (const line of buffer.toString('utf8', 0, bytesRead).split('\n')) {
      const format = formatOfLine(line);
      if (format !== undefined) return [format];
    }
    return [];
  } finally {
    await file.close();
  }
}

function formatOfLine(line: string): string | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? formatOf(record as Record<string, unknown>) : undefined;
  } catch {
    // The last line of a sample is cut.
    return undefined;
  }
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
