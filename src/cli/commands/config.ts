// backstory config: what is set here, and by what (SUR-22, COM-41). Of the command line alone: it tells how this very
// command was started, which no other surface can answer.
import { type ConfigFile, SETTINGS, type SettingOrigin, settingOrigins, settingsBelow } from '../../config/index.ts';
import { nearest } from '../../model/errors.ts';
import { builtInSources } from '../../sources/index.ts';
import { answer, EXIT, hint } from '../answer.ts';
import type { Run } from '../command.ts';
import { renderConfig } from '../render/config.ts';
import { paintFor } from '../render/paint.ts';
import { configFileOf, layersOf, loadConfigFile } from '../with-engine.ts';

const VARIABLES = [...SETTINGS.flatMap(({ env }) => env ?? []), 'BACKSTORY_CONFIG', 'BACKSTORY_DEBUG'];

export interface ConfigAnswer {
  /** `onlyFor`: it is code of the working folder, which no other command runs. */
  readonly file: (Pick<ConfigFile, 'path' | 'how'> & { readonly onlyFor?: 'memory' }) | null;
  readonly settings: readonly SettingOrigin[];
  /** How many more have their default. */
  readonly defaults: number;
}

export const run: Run = async (io, parsed) => {
  const found = configFileOf(io, parsed, { code: 'run' });
  const file = found && (await loadConfigFile(found));
  const readers = (file as { sources?: { readers?: unknown } } | undefined)?.sources?.readers;
  const names = [...builtInSources, ...(Array.isArray(readers) ? readers : [])].map(({ name }) => String(name));
  const origins = settingOrigins(layersOf(io, parsed, file), { sources: names });
  const [path] = parsed.operands;
  const shown =
    path !== undefined
      ? settingsBelow(origins, path)
      : origins.filter(({ from }) => from !== 'default' || parsed.has('all'));
  const result: ConfigAnswer = {
    file: found === undefined ? null : { path: found.path, how: found.how, ...onlyForMemory(found) },
    settings: shown,
    defaults: path === undefined ? origins.length - shown.length : 0,
  };
  answer(io, parsed, result, () => renderConfig(result, paintFor(io)));
  hint(io, unknownVariables(io.env));
  return EXIT.done;
};

function onlyForMemory({ how, code }: ConfigFile): { readonly onlyFor?: 'memory' } {
  return how === 'folder' && code ? { onlyFor: 'memory' } : {};
}

// A variable misspelt sets nothing, and nobody is told elsewhere.
function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const names = Object.keys(env).filter((name) => /^BACKSTORY_/.test(name) && !VARIABLES.includes(name));
  return names.map((name) => {
    const near = nearest(name, VARIABLES);
    return `backstory: ${name} is no variable of ours${near === undefined ? '' : `: did you mean ${near}?`}`;
  });
}
