// An error → the text of its stack and its causes' stacks (RUN-7). Total: whatever was thrown, whatever its getters do.
import { inspect } from 'node:util';

/** `''` for no error. Each cause once, each after `Caused by: `. */
export function stackOf(error: unknown): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  for (let at = error; at !== undefined && at !== null && !seen.has(at); at = propertyOf(at, 'cause')) {
    seen.add(at);
    parts.push(`${parts.length === 0 ? '' : 'Caused by: '}${ownText(at)}`);
  }
  return parts.join('\n');
}

function ownText(error: unknown): string {
  if (typeof error === 'string') return error;
  const stack = propertyOf(error, 'stack');
  if (typeof stack === 'string' && stack !== '') return stack;
  const message = propertyOf(error, 'message');
  if (typeof message === 'string') {
    const name = propertyOf(error, 'name');
    return typeof name === 'string' && name !== '' ? `${name}: ${message}` : message;
  }
  try {
    return inspect(error, { depth: 2 });
  } catch {
    return 'an error that cannot be shown';
  }
}

function propertyOf(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
