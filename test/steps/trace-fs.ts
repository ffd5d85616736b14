// Which paths the code under test hands to the file system: the functions of node:fs, wrapped for a while.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const NAMES = [
  ...['openSync', 'readFileSync', 'readdirSync', 'opendirSync', 'statSync', 'lstatSync', 'realpathSync', 'existsSync'],
  ...[
    'accessSync',
    'copyFileSync',
    'open',
    'readFile',
    'stat',
    'lstat',
    'readdir',
    'realpath',
    'writeFileSync',
    'mkdirSync',
  ],
] as const;

export interface Call {
  readonly name: string;
  readonly path: string;
}

/** Runs `work` and gives every call with a path. */
export async function tracedFs(work: () => Promise<unknown>): Promise<Call[]> {
  const calls: Call[] = [];
  const target = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = NAMES.map((name) => [name, target[name]!] as const);
  for (const [name, original] of originals) {
    const wrapped = (...args: unknown[]): unknown => {
      calls.push({ name, path: String(args[0]) });
      return original.apply(fs, args);
    };
    target[name] = Object.assign(wrapped, original);
  }
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const [name, original] of originals) target[name] = original;
    syncBuiltinESMExports();
  }
  return calls;
}
