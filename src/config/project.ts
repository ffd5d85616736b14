// The project around a folder: its root, its name, and code of its own that is loaded by name (EPI-10, EPI-13).
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importModule } from './import-module.ts';

/** The folder of the nearest package.json at or above `folder`; `folder` itself where there is none. */
export function projectRoot(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (dirname(at) === at) return resolve(folder);
  }
}

/** The name in its package.json, else the folder's name, else `app` (EPI-13). */
export function projectName(folder: string): string {
  const root = projectRoot(folder);
  try {
    const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name?: unknown };
    if (typeof name === 'string' && name.trim() !== '') return name;
  } catch {
    // No package.json, or none that can be read: the folder has a name too.
  }
  return basename(root) || 'app';
}

/** What a module exports by default. TypeScript is loaded by jiti, since Node 20 cannot. Runs the file. */
export async function loadModule(path: string): Promise<unknown> {
  if (extname(path) === '.ts' || extname(path) === '.mts') {
    const { createJiti } = await import('jiti');
    // Packages load as they are: transforming zod took six seconds.
    const options = { moduleCache: false, fsCache: false, nativeModules: ['zod', 'backstory'] };
    return createJiti(import.meta.url, options).import(path, { default: true });
  }
  const module = (await importModule(pathToFileURL(path).href)) as { readonly default?: unknown };
  return module.default;
}
