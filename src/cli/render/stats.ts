// Counts and sizes for people: every number of the result, by its name (SUR-71).
import type { StatsAnswer } from '../../api/stats.ts';
import type { Look } from './hits.ts';
import { oneLine } from './text.ts';
import { bytesOf, count } from './time.ts';

export function renderStats(result: StatsAnswer, look: Look): string {
  const lines: string[] = [];
  const walk = (value: unknown, name: string, depth: number): void => {
    const indent = '  '.repeat(depth);
    const shown = oneLine(name, 64);
    if (typeof value === 'number') {
      const amount = /bytes$/i.test(name) ? bytesOf(value) : count(value);
      lines.push(`${indent}${look.paint.dim(shown.padEnd(Math.max(1, 24 - indent.length)))} ${amount}`);
    } else if (typeof value === 'string' || typeof value === 'boolean') {
      lines.push(`${indent}${look.paint.dim(shown.padEnd(Math.max(1, 24 - indent.length)))} ${oneLine(String(value))}`);
    } else if (Array.isArray(value)) {
      for (const one of value) walk(one, nameOf(one) ?? shown, depth);
    } else if (typeof value === 'object' && value !== null) {
      lines.push(`${indent}${look.paint.bold(shown)}`);
      for (const [key, one] of Object.entries(value)) if (one !== name) walk(one, key, depth + 1);
    }
  };
  for (const [key, value] of Object.entries(result)) walk(value, key, 0);
  return lines.length === 0 ? 'Nothing yet.\n' : `${lines.join('\n')}\n`;
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const named = value as { readonly agentId?: unknown; readonly agent?: unknown; readonly namespace?: unknown };
  const name = named.agentId ?? named.agent ?? named.namespace;
  return typeof name === 'string' ? name : undefined;
}
