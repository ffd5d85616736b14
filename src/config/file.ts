// Where the config file is, and reading it when it is JSON (COM-41). The library never calls this: it reads no file by itself.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { BackstoryError } from '../model/errors.ts';

export interface ConfigFile {
  readonly path: string;
  /** How it was found: named by --config, by BACKSTORY_CONFIG, beside the nearest package.json, or in the home. */
  readonly how: 'flag' | 'environment' | 'folder' | 'home';
  /** Loading it runs it. */
  readonly code: boolean;
}

const NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `backstory.config.${extension}`);

/**
 * The config file that counts: --config, else BACKSTORY_CONFIG, else `backstory.config.*` beside the nearest
 * package.json at or above the working folder, else in the home (COM-41).
 *
 * A file that is code and lies beside that package.json is passed over unless `code` is `'run'`, which only `memory …`
 * and `config …` say: an ordinary command in a strange checkout must run nothing of it. Ordinary commands load JSON
 * only (`loadJsonConfig`). Throws `config_invalid` for a file that is named and is not there.
 */
export function findConfigFile(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  options: { readonly flag?: string; readonly code?: 'run' } = {},
): ConfigFile | undefined {
  if (options.flag !== undefined) return named(resolve(cwd, options.flag), 'flag', '--config');
  // An empty variable is not set.
  if (env.BACKSTORY_CONFIG) {
    return named(resolve(cwd, env.BACKSTORY_CONFIG), 'environment', 'BACKSTORY_CONFIG');
  }
  const project = nearestPackage(cwd);
  const beside = project === undefined ? undefined : fileIn(project, 'folder', options.code === 'run');
  return beside ?? fileIn(home, 'home', true);
}

/** The object a JSON config file holds. Throws `config_invalid`, naming the file; never shows its text. */
export function loadJsonConfig(path: string): object {
  let text = '';
  let value: unknown;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? `is not valid JSON${placeOf(cause, text)}` : 'cannot be read';
    throw new BackstoryError(
      'config_invalid',
      `The config file ${path} ${reason}.`,
      'Correct the file, or name another one with --config.',
      { details: { path }, cause },
    );
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  throw new BackstoryError(
    'config_invalid',
    `The config file ${path} holds no object.`,
    'It must be { "setting": value }.',
    {
      details: { path },
    },
  );
}

// The engine names a place for most of what is wrong; its own words quote the text, and are not shown.
function placeOf({ message }: SyntaxError, text: string): string {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `, at line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

function named(path: string, how: ConfigFile['how'], by: string): ConfigFile {
  if (existsSync(path)) return { path, how, code: extname(path) !== '.json' };
  throw new BackstoryError(
    'config_invalid',
    `${by} names ${path}, which does not exist.`,
    `Correct ${by}, or leave it out to use the file beside package.json or in the home.`,
    { details: { path } },
  );
}

function nearestPackage(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function fileIn(folder: string, how: ConfigFile['how'], withCode: boolean): ConfigFile | undefined {
  for (const name of NAMES) {
    const path = join(folder, name);
    const code = extname(path) !== '.json';
    if ((withCode || !code) && existsSync(path)) return { path, how, code };
  }
  return undefined;
}
