// Where the entries of worker threads lie: beside this module, or beside the folder of the bundle that it is in.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Undefined where the sources themselves run: no thread runs TypeScript on every supported Node.js. */
export function workerFile(name: string): string | undefined {
  const folder = dirname(fileURLToPath(import.meta.url));
  const places = [`${name}.js`, join('..', 'engine', `${name}.js`)];
  return places.map((place) => join(folder, place)).find((path) => existsSync(path));
}
