// From layers to one configuration: every value checked, a flag before the environment, that before the file (COM-41).
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { invalid, plainObject, unknownKey } from './checks.ts';
import type { ResolvedConfig } from './config.ts';
import { maskingOf } from './masking.ts';
import { memoryFrom } from './memory.ts';
import { postgresForAll } from './postgres.ts';
import { SETTINGS, type Setting } from './settings.ts';

export interface ConfigLayers {
  /** What a host passes to the library. Given, it is the library that opens: `syncOnSearch` is then false by default. */
  readonly options?: object;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the config file exports. */
  readonly file?: object;
  /** By the flag's name in camel case; only settings that have a flag. */
  readonly flags?: object;
  /** The user's home folder, for `~`; the machine's without one. */
  readonly home?: string;
}

/**
 * The configuration with all defaults. A flag wins over an option of the host, that over an environment variable, that
 * over the file. Every value of every layer is checked, also where another layer wins. `sources`: names of known
 * formats; without them any name is taken. Throws `config_invalid` (COM-42).
 */
export function readConfig(layers: ConfigLayers, known: { readonly sources?: readonly string[] } = {}): ResolvedConfig {
  const values = new Map<string, unknown>();
  for (const { values: layer } of valuesByLayer(layers, known)) {
    for (const [path, value] of layer) values.set(path, value);
  }
  // Null is a value: no bound.
  const of = <T>(path: string, fallback?: T): T =>
    (values.has(path) ? values.get(path) : (fallback ?? defaultOf(path))) as T;
  return {
    home: absoluteHome(of('home'), layers.home ?? homedir()),
    timeZone: of('timeZone'),
    busyTimeoutMs: of('busyTimeoutMs'),
    visibility: visibilityOf(values),
    masking: maskingOf(values),
    memory: memoryFrom(of, (path) => values.has(path)),
    sessions: {
      maskAtRest: of('sessions.maskAtRest'),
      index: { extra: of('sessions.index.extra') },
      reconcileOnOpen: of('sessions.reconcileOnOpen'),
    },
    runs: { folders: of('runs.folders') },
    sources: {
      roots: of('sources.roots'),
      exclude: of('sources.exclude'),
      projectAliases: of('sources.projectAliases'),
      toolInputChars: of('sources.toolInputChars'),
      parse: of('sources.parse'),
      syncOnSearch: of('sources.syncOnSearch', layers.options === undefined),
      onHostDelete: of('sources.onHostDelete'),
      formats: formatsOf(values),
      readers: of('sources.readers'),
    },
  };
}

/** What each layer sets, from the weakest to the strongest: a later one replaces. Throws as `readConfig` does. */
export function valuesByLayer(
  layers: ConfigLayers,
  known: { readonly sources?: readonly string[] } = {},
): readonly { readonly from: 'file' | 'environment' | 'option' | 'flag'; readonly values: Map<string, unknown> }[] {
  return [
    { from: 'file', values: fromObject(layers.file, known.sources) },
    { from: 'environment', values: fromEnvironment(layers.env ?? {}) },
    { from: 'option', values: fromObject(layers.options, known.sources) },
    { from: 'flag', values: fromFlags(layers.flags) },
  ];
}

/** The setting that stands at a path; `sources.formats.codex.enabled` is `sources.formats.<source>.enabled`. */
export function settingAt(path: string): Setting | undefined {
  const generic = path.replace(/^(sources\.formats\.)[^.]+(\.[^.]+)$/, '$1<source>$2');
  return SETTINGS.find((setting) => setting.path === generic);
}

function defaultOf(path: string): unknown {
  return settingAt(path)?.default;
}

function fromObject(layer: object | undefined, sources: readonly string[] | undefined): Map<string, unknown> {
  const values = new Map<string, unknown>();
  if (layer !== undefined) walk(plainObject(layer, 'the configuration', 'an object'), '', values, sources);
  return values;
}

/** Down to the settings; a key on the way that leads to none is an error, wherever it stands. */
function walk(
  object: Record<string, unknown>,
  path: string,
  values: Map<string, unknown>,
  sources: readonly string[] | undefined,
): void {
  for (const [key, value] of Object.entries(object)) {
    // A key that is set to undefined is left out: hosts build options that way.
    if (value === undefined) continue;
    const full = path === '' ? key : `${path}.${key}`;
    const setting = settingAt(full);
    if (setting) {
      const read = setting.check.read(value, full);
      if (full === 'sources.roots' && sources) checkSources(read as readonly { readonly source: string }[], sources);
      values.set(full, read);
      continue;
    }
    if (full === 'postgres') throw postgresForAll();
    const keys = keysBelow(path);
    const open = keys.includes('<source>') && key !== '' && !key.includes('.') && (sources?.includes(key) ?? true);
    if (!open && (!keys.includes(key) || key === '<source>')) {
      throw unknownKey(path, key, keys.includes('<source>') ? (sources ?? []) : keys);
    }
    walk(plainObject(value, full, 'an object'), full, values, sources);
  }
}

function checkSources(roots: readonly { readonly source: string }[], sources: readonly string[]): void {
  roots.forEach(({ source }, index) => {
    if (!sources.includes(source)) {
      throw invalid(`sources.roots[${index}].source`, source, `a known format: ${sources.join(', ')}`);
    }
  });
}

/** The keys that may stand at a path, in the order of the table. */
function keysBelow(path: string): string[] {
  const generic = path.replace(/^(sources\.formats)\.[^.]+$/, '$1.<source>');
  const prefix = generic === '' ? '' : `${generic}.`;
  const keys = SETTINGS.filter((setting) => setting.path.startsWith(prefix)).map(
    (setting) => setting.path.slice(prefix.length).split('.')[0]!,
  );
  return [...new Set(keys)];
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const setting of SETTINGS) {
    const value = setting.env === undefined ? undefined : env[setting.env];
    // An empty variable is not set, as with other tools (COM-41).
    if (value !== undefined && value !== '')
      values.set(setting.path, setting.check.read(value, `${setting.path} (${setting.env})`));
  }
  return values;
}

function fromFlags(flags: object | undefined): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const withFlag = SETTINGS.filter((setting) => setting.flag !== undefined);
  for (const [name, value] of Object.entries(flags ?? {})) {
    if (value === undefined) continue;
    const setting = withFlag.find((each) => camelCase(each.flag!) === name);
    if (!setting)
      throw unknownKey(
        '',
        name,
        withFlag.map((each) => camelCase(each.flag!)),
      );
    values.set(setting.path, setting.check.read(value, `${setting.path} (--${setting.flag})`));
  }
  return values;
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function absoluteHome(home: string, user: string): string {
  if (home === '~') return user;
  return /^~[/\\]/.test(home) ? join(user, home.slice(2)) : resolve(home);
}

/** Only what was given: an absent field has its default there, where it also counts whether it was given (VIS-60). */
function visibilityOf(values: ReadonlyMap<string, unknown>): ResolvedConfig['visibility'] {
  const given: Record<string, unknown> = {};
  for (const [path, value] of values) {
    const [block, name, below] = path.split('.');
    if (block !== 'visibility' || name === undefined) continue;
    given[name] = below === undefined ? value : { ...(given[name] as object | undefined), [below]: value };
  }
  return given;
}

function formatsOf(values: ReadonlyMap<string, unknown>): ResolvedConfig['sources']['formats'] {
  const formats: Record<string, { enabled: boolean; roots: readonly string[] }> = {};
  for (const [path, value] of values) {
    const match = /^sources\.formats\.([^.]+)\.(enabled|roots)$/.exec(path);
    if (!match) continue;
    const format = Object.hasOwn(formats, match[1]!) ? formats[match[1]!]! : { enabled: true, roots: [] };
    // Defined, not assigned: a format may be called __proto__.
    Object.defineProperty(formats, match[1]!, {
      value: { ...format, [match[2]!]: value },
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return formats;
}
