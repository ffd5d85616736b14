// Products whose history is known but not read yet: only the presence of their folder is looked at (sources.md, end).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostEnv } from './contract.ts';

const FOLDERS: readonly (readonly [source: string, title: string, path: string])[] = [
  ['gemini-cli', 'Gemini CLI', '.gemini/tmp'],
  ['qwen-code', 'Qwen Code', '.qwen/projects'],
  ['opencode', 'opencode', '.local/share/opencode'],
  ['pi', 'Pi', '.pi/agent/sessions'],
  ['copilot-cli', 'Copilot CLI', '.copilot/session-state'],
  ['cursor', 'Cursor', '.cursor/projects'],
  ['goose', 'Goose', '.local/share/goose/sessions'],
  ['hermes', 'Hermes Agent', '.hermes'],
  ['amp', 'Amp', '.local/share/amp/threads'],
  ['zed', 'Zed', '.local/share/zed/threads'],
  ['grok', 'Grok Build', '.grok/sessions'],
  ['kimi', 'Kimi', '.kimi/sessions'],
  ['droid', 'Droid', '.factory/sessions'],
  ['crush', 'Crush', '.local/share/crush'],
  ['vibe', 'Vibe', '.vibe/logs'],
  ['openhands', 'OpenHands', '.openhands/sessions'],
  ['kiro', 'Kiro', '.kiro/sessions'],
  ['continue', 'Continue', '.continue/sessions'],
];

/** One line per product that is there, so that a user knows (SRC-4). */
export function foundUnread(
  host: HostEnv,
): { readonly source: string; readonly title: string; readonly root: string }[] {
  return FOLDERS.map(([source, title, path]) => ({ source, title, root: join(host.home, ...path.split('/')) })).filter(
    ({ root }) => existsSync(root),
  );
}
