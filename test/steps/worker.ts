// The entry of a worker thread, made of the sources as the build makes it: no thread runs TypeScript on every Node.js.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface BuiltWorker {
  /** Below the project, so that the bundle finds sql/ and its packages. */
  readonly folder: string;
  readonly file: string;
  remove(): void;
}

export async function builtWorker(name: string): Promise<BuiltWorker> {
  const folder = join(process.cwd(), 'node_modules', '.cache', `${name}-${process.pid}`);
  const file = join(folder, `${name}.mjs`);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, `../../src/engine/${name}.ts`)],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
