// What each setting is and where that comes from, for whoever asks why (SUR-22, COM-41). Shows no secret.
import { BackstoryError, nearest } from '../model/errors.ts';
import { type ConfigLayers, readConfig, settingAt, valuesByLayer } from './read.ts';
import { SETTINGS } from './settings.ts';

/** One setting as it counts here. */
export interface SettingOrigin {
  /** Its path, as docs/configuration.md lists it. */
  readonly setting: string;
  /** As JSON can hold it: a function or a reader is named, a pattern is its text, of a secret only what may be shown. */
  readonly value: unknown;
  readonly from: 'flag' | 'environment' | 'option' | 'file' | 'default';
  /** The flag or the variable. */
  readonly by?: string;
  /** In place of a default's value, which is then null: what it depends on, in words. */
  readonly depends?: string;
}

/** Every setting, in the order of the table. Throws `config_invalid`, as opening with these layers would. */
export function settingOrigins(
  layers: ConfigLayers,
  known: { readonly sources?: readonly string[] } = {},
): readonly SettingOrigin[] {
  const resolved = readConfig(layers, known);
  const given = new Map<string, Pick<SettingOrigin, 'from'> & { readonly value: unknown }>();
  for (const { from, values } of valuesByLayer(layers, known)) {
    for (const [path, value] of values) given.set(path, { from, value });
  }
  const paths = [...SETTINGS.map(({ path }) => path), ...given.keys()].filter(
    (path, at, all) => all.indexOf(path) === at,
  );
  return paths.map((path) => {
    const setting = settingAt(path)!;
    const own = given.get(path);
    // As it counts: absolute where it was relative, and of a default that is a sentence what came of it here.
    const counts = valueAt(resolved, path);
    const depends = counts === undefined && own === undefined && setting.depends ? String(setting.default) : undefined;
    const value = counts ?? (counts === null || depends !== undefined ? null : own ? own.value : setting.default);
    const shown = setting.shown && value !== undefined ? setting.shown(value as never) : value;
    const by = own?.from === 'flag' ? `--${setting.flag}` : own?.from === 'environment' ? setting.env : undefined;
    return {
      setting: path,
      value: plain(shown),
      from: own?.from ?? 'default',
      ...(by === undefined ? {} : { by }),
      ...(depends === undefined ? {} : { depends }),
    };
  });
}

/** The setting of this path and those below it. Throws `invalid_argument`, naming the nearest. */
export function settingsBelow(origins: readonly SettingOrigin[], path: string): readonly SettingOrigin[] {
  const below = origins.filter(({ setting }) => setting === path || setting.startsWith(`${path}.`));
  if (below.length > 0) return below;
  const names = origins.flatMap(({ setting }) => [setting, setting.slice(0, setting.lastIndexOf('.'))]);
  const near = nearest(path, names);
  throw new BackstoryError(
    'invalid_argument',
    `There is no setting ${JSON.stringify(path.slice(0, 80))}.`,
    near === undefined ? 'backstory config --all lists them.' : `Did you mean ${near}?`,
    { details: { parameter: 'setting' } },
  );
}

function valueAt(resolved: object, path: string): unknown {
  let value: unknown = resolved;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

// JSON leaves functions out and makes {} of patterns.
function plain(value: unknown): unknown {
  const told = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'function') return '[function]';
    return part instanceof RegExp ? String(part) : part;
  });
  return told === undefined ? null : JSON.parse(told);
}
