// Settings for people: each with its value and what sets it, one line each (SUR-22).
import type { ConfigAnswer } from '../commands/config.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './text.ts';

const HOW = {
  flag: 'named by --config',
  environment: 'named by BACKSTORY_CONFIG',
  folder: 'beside package.json',
  home: 'in the home',
} as const;

export function renderConfig({ file, settings, defaults }: ConfigAnswer, paint: Paint): string {
  const lines: string[] = [];
  if (file !== null) {
    lines.push(`${paint.bold('config file')}  ${oneLine(file.path)}  ${paint.dim(`(${HOW[file.how]})`)}`);
    if (file.onlyFor) lines.push(paint.dim('It is code of this folder: only memory commands and this one run it.'));
    lines.push('');
  }
  const rows = settings.map(({ setting, value, from, by, depends }) => [
    setting,
    depends === undefined ? oneLine(typeof value === 'string' ? value : JSON.stringify(value), 200) : `(${depends})`,
    by ?? (from === 'default' ? from : `the ${from}`),
  ]);
  const width = (column: number): number => Math.min(48, Math.max(...rows.map((row) => row[column]!.length)));
  for (const [name, value, by] of rows) {
    lines.push(`${paint.bold(name!.padEnd(width(0)))}  ${value!.padEnd(width(1))}  ${paint.dim(by!)}`);
  }
  if (defaults > 0) lines.push(paint.dim(`${defaults} settings have their default: backstory config --all`));
  return `${lines.join('\n')}\n`;
}
