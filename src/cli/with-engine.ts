// From global flags, environment and config file to an open engine: the only place of cli/ that opens one.
import { operator } from '../access/caller.ts';
import type { Backstory, Caller } from '../api/face.ts';
import {
  type BackstoryConfig,
  type ConfigFile,
  type ConfigLayers,
  findConfigFile,
  loadJsonConfig,
  loadModule,
  readConfig,
} from '../config/index.ts';
import { BackstoryError, isBackstoryError } from '../model/errors.ts';
import type { Io } from './io.ts';
import type { Parsed } from './parse.ts';
import type { Look } from './render/hits.ts';
import { shellWord } from './render/page.ts';
import { paintFor } from './render/paint.ts';

export interface Opened {
  readonly backstory: Backstory;
  readonly caller: Caller;
  readonly home: string;
  readonly look: Look;
  /** The setting `sources.syncOnSearch`. */
  readonly syncsOnSearch: boolean;
}

/** Opens the engine, runs `work`, closes it. The command line is an operator (COM-50). */
export async function withEngine<T>(
  io: Io,
  parsed: Parsed,
  work: (opened: Opened) => Promise<T>,
  // `by_caller`: the command syncs by itself, so that it can show how far it is, or not at all.
  sync: 'by_setting' | 'by_caller' = 'by_caller',
): Promise<T> {
  const file = await configFile(io, parsed);
  const config = resolved(io, parsed, file);
  const zoneIsSet = parsed.has('time-zone') || io.env.BACKSTORY_TIME_ZONE || (file as { timeZone?: string })?.timeZone;
  const look: Look = {
    paint: paintFor(io),
    // Times are read in the setting's zone, never in the machine's (COM-10); shown times name their zone, so that the
    // machine's does no harm there.
    zone: zoneIsSet ? config.timeZone : (at) => io.machineOffset(at),
    now: io.clock.now(),
    columns: io.columns,
    again: ['home', 'config', 'time-zone'].map((name) => repeated(parsed, name)).join(''),
  };
  const { timeZone, ...settings } = config;
  const { openBackstory } = await import('../engine/engine.ts');
  const backstory = await openBackstory({
    ...settings,
    // Only where it was set: checking a zone loads the data of Intl, 20 ms of a start.
    ...(zoneIsSet ? { timeZone } : {}),
    sources: { ...config.sources, syncOnSearch: sync === 'by_setting' && config.sources.syncOnSearch },
    clock: io.clock,
    host: { env: io.env, home: io.userHome, platform: io.platform },
    // As written in the file: read once more, with its functions.
    memory: (file as BackstoryConfig | undefined)?.memory ?? {},
    project: io.cwd,
    logger: { warn: (message) => io.err(`${message}\n`) },
  });
  try {
    return await work({
      backstory,
      caller: operator(),
      home: config.home,
      look,
      syncsOnSearch: config.sources.syncOnSearch,
    });
  } finally {
    await backstory.close();
  }
}

/** The configuration without an engine, for commands that store and read nothing. */
export async function configOf(io: Io, parsed: Parsed): Promise<ReturnType<typeof readConfig>> {
  return resolved(io, parsed, await configFile(io, parsed));
}

function resolved(io: Io, parsed: Parsed, file: object | undefined): ReturnType<typeof readConfig> {
  return readConfig(layersOf(io, parsed, file));
}

/** What of a command's world sets something: its flags, its environment, and what its config file holds. */
export function layersOf(io: Io, parsed: Parsed, file: object | undefined): ConfigLayers {
  return {
    env: io.env,
    ...(file === undefined ? {} : { file }),
    flags: { home: parsed.value('home'), timeZone: parsed.value('time-zone') },
    home: io.userHome,
  };
}

async function configFile(io: Io, parsed: Parsed): Promise<object | undefined> {
  // Memory is part of the project in the working folder: its config file is meant, also where it is code (COM-41).
  const found = configFileOf(io, parsed, parsed.command.name.startsWith('memory ') ? { code: 'run' } : {});
  return found && loadConfigFile(found);
}

/** The config file that counts here (COM-41). */
export function configFileOf(io: Io, parsed: Parsed, options: { readonly code?: 'run' }): ConfigFile | undefined {
  const flag = parsed.value('config');
  const { home } = readConfig({ env: io.env, flags: { home: parsed.value('home') }, home: io.userHome });
  return findConfigFile(io.cwd, io.env, home, { ...options, ...(flag === undefined ? {} : { flag }) });
}

/** What a config file holds, checked. Throws `config_invalid`, naming the file. */
export async function loadConfigFile({ path, code }: ConfigFile): Promise<object> {
  const file = await (code ? loadCode(path) : loadJsonConfig(path));
  try {
    readConfig({ file });
  } catch (error) {
    if (!isBackstoryError(error)) throw error;
    const { message, hint, details } = error;
    throw new BackstoryError(error.code, `${message} It stands in ${path}.`, hint, {
      details: { ...details, file: path },
      cause: error,
    });
  }
  return file;
}

// Only a file that was named, or lies in the home, gets here; one of the working folder for `memory …` and `config` alone
// (COM-41).
async function loadCode(path: string): Promise<object> {
  let loaded: unknown;
  try {
    loaded = await loadModule(path);
  } catch (cause) {
    throw new BackstoryError(
      'config_invalid',
      `The config file ${path} failed to load: ${String(cause).split('\n', 1)[0]!.slice(0, 200)}`,
      'Run it by itself to see why: node FILE.',
      { details: { path }, cause },
    );
  }
  if (typeof loaded === 'object' && loaded !== null) return loaded;
  throw new BackstoryError(
    'config_invalid',
    `The config file ${path} has no default export that is an object.`,
    'Write: export default { … }',
    { details: { path } },
  );
}

function repeated(parsed: Parsed, name: string): string {
  const value = parsed.value(name);
  return value === undefined ? '' : ` --${name} ${shellWord(value)}`;
}
