// Products whose history is known but not read yet: only the presence of their folder is looked at (sources.md, end).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostEnv } from './contract.ts';

/** A folder by its first step: below home, the data folder or the settings folder, or one that a variable names. */
type Place = readonly [from: 'home' | 'data' | 'settings' | `$${string}`, path: string];

// Of several places of a product the first that is there is named.
const PRODUCTS: readonly (readonly [source: string, title: string, ...places: readonly Place[]])[] = [
  ['gemini-cli', 'Gemini CLI', ['$GEMINI_CLI_HOME', '.gemini/tmp'], ['home', '.gemini/tmp']],
  ['qwen-code', 'Qwen Code', ['home', '.qwen/projects']],
  ['opencode', 'opencode', ['$OPENCODE_DB', ''], ['data', 'opencode']],
  [
    'pi',
    'Pi',
    ['$PI_CODING_AGENT_SESSION_DIR', ''],
    ['$PI_CODING_AGENT_DIR', 'sessions'],
    ['home', '.pi/agent/sessions'],
  ],
  ['omp', 'oh-my-pi', ['home', '.omp/agent/sessions']],
  ['copilot-cli', 'Copilot CLI', ['home', '.copilot/session-state'], ['home', '.copilot/history-session-state']],
  ['cursor', 'Cursor', ['home', '.cursor/projects'], ['settings', 'Cursor/User/globalStorage']],
  ['cline', 'Cline', ['home', '.cline/data'], ['settings', 'Code/User/globalStorage/saoudrizwan.claude-dev']],
  ['roo', 'Roo Code', ['settings', 'Code/User/globalStorage/rooveterinaryinc.roo-cline']],
  ['aider', 'Aider', ['home', '.aider.chat.history.md']],
  ['goose', 'Goose', ['$GOOSE_PATH_ROOT', 'data'], ['data', 'goose/sessions']],
  ['hermes', 'Hermes Agent', ['$HERMES_HOME', ''], ['home', '.hermes']],
  ['amp', 'Amp', ['data', 'amp/threads']],
  ['zed', 'Zed', ['data', 'zed/threads']],
  ['grok', 'Grok Build', ['home', '.grok/sessions']],
  ['kimi', 'Kimi', ['home', '.kimi/sessions']],
  ['antigravity', 'Antigravity', ['home', '.gemini/antigravity']],
  ['droid', 'Droid', ['home', '.factory/sessions']],
  ['crush', 'Crush', ['data', 'crush']],
  ['vibe', 'Vibe', ['home', '.vibe/logs']],
  ['openhands', 'OpenHands', ['home', '.openhands/sessions']],
  ['kiro', 'Kiro', ['home', '.kiro/sessions'], ['settings', 'Kiro/User/globalStorage']],
  ['continue', 'Continue', ['home', '.continue/sessions']],
  ['vscode-copilot', 'VS Code Copilot Chat', ['settings', 'Code/User/globalStorage/github.copilot-chat']],
];

/** One line per product that is there, so that a user knows (SRC-4). */
export function foundUnread(
  host: HostEnv,
): { readonly source: string; readonly title: string; readonly root: string }[] {
  return PRODUCTS.flatMap(([source, title, ...places]) => {
    const root = places.map((place) => placeOf(host, place)).find((path) => path !== undefined && existsSync(path));
    return root === undefined ? [] : [{ source, title, root }];
  });
}

function placeOf(host: HostEnv, [from, path]: Place): string | undefined {
  const steps = path.split('/').filter((step) => step !== '');
  if (from === 'home') return join(host.home, ...steps);
  if (from === 'data') return join(host.env.XDG_DATA_HOME?.trim() || join(host.home, '.local/share'), ...steps);
  if (from === 'settings') return join(settingsOf(host), ...steps);
  const named = host.env[from.slice(1)]?.trim();
  return named ? join(named, ...steps) : undefined;
}

// Where editors keep what is a user's own.
function settingsOf({ env, home, platform }: HostEnv): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support');
  if (platform === 'win32') return env.APPDATA?.trim() || join(home, 'AppData/Roaming');
  return env.XDG_CONFIG_HOME?.trim() || join(home, '.config');
}
