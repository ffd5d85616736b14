// Bundles the command line into a folder: 60 small modules loaded one by one cost 30 ms per start. Used by the build and by tests.
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export async function bundleCli(outdir) {
  await build({
    entryPoints: [join(root, 'src', 'cli', 'main.ts')],
    outdir,
    bundle: true,
    // One chunk per lazily imported command; what they share is loaded once.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // npm packages stay outside: better-sqlite3 is native, cli-progress is loaded only when a bar is shown.
    packages: 'external',
    logLevel: 'warning',
  });
  chmodSync(join(outdir, 'main.js'), 0o755);
}
