// Counts and sizes for people: every number of the result, by its name (SUR-71).
import type { StatsAnswer } from '../../api/stats.ts';
import type { Look } from './hits.ts';
import { oneLine } from './text.ts';
import { bytesOf, count, timeWithAge } from './time.ts';

export function renderStats(result: StatsAnswer, look: Look): string {
  const lines: string[] = [];
  const walk = (value: unknown, name: string, depth: number): void => {
    const indent = '  '.repeat(depth);
    const shown = oneLine(name, 64);
    if (typeof value === 'number') {
      const amount = /bytes$/i.test(name) ? bytesOf(value) : count(value);
      lines.push(`${indent}${look.paint.dim(shown.padEnd(Math.max(1, 24 - indent.length)))} ${amount}`);
    } else if (typeof value === 'string' || typeof value === 'boolean') {
      const told = isTime(value) ? timeWithAge(value, look.zone, look.now) : oneLine(String(value));
      lines.push(`${indent}${look.paint.dim(shown.padEnd(Math.max(1, 24 - indent.length)))} ${told}`);
    } else if (Array.isArray(value)) {
      for (const one of value) walk(one, nameOf(one) ?? shown, depth);
    } else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
      lines.push(`${indent}${look.paint.bold(shown)}`);
      for (const [key, one] of Object.entries(value)) if (one !== name) walk(one, wordsOf(key), depth + 1);
    }
  };
  for (const [key, value] of Object.entries(result)) walk(value, wordsOf(key), 0);
  return lines.length === 0 ? 'Nothing yet.\n' : `${lines.join('\n')}\n`;
}

// `parkedRuns` is `parked runs`; a namespace or an id has a name of its own and does not come here.
function wordsOf(key: string): string {
  return /^[a-z]+[a-zA-Z]*$/.test(key) ? key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : key;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const named = value as { readonly agentId?: unknown; readonly agent?: unknown; readonly namespace?: unknown };
  const name = named.agentId ?? named.agent ?? named.namespace;
  return typeof name === 'string' ? name : undefined;
}
