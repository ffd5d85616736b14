// Bundles the command line into one file. Loaded one by one, its modules cost a start 30 ms, in chunks still 10; what a
// command does not need stays unevaluated in the bundle. Used by the build and by tests.
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export async function bundleCli(outdir) {
  const file = join(outdir, 'main.js');
  await build({
    entryPoints: [join(root, 'src', 'cli', 'main.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Half the size is compiled in half the time; names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [outside],
    logLevel: 'warning',
  });
  chmodSync(file, 0o755);
}

// These packages stay outside: better-sqlite3 is native (and 15 ms), cli-progress is 20 ms and seldom wanted. An import
// of them would be moved to the top of the file and run at every start; asked for by require, they load when they are used.
const outside = {
  name: 'outside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(better-sqlite3|cli-progress)$/ }, ({ path }) => ({ path, namespace: 'outside' }));
    onLoad({ filter: /.*/, namespace: 'outside' }, ({ path }) => ({
      contents: `import { createRequire } from 'node:module';
export default createRequire(import.meta.url)(${JSON.stringify(path)});`,
      resolveDir: root,
    }));
  },
};
