// Bundles the command line into one file and puts its launcher beside it. Loaded one by one, its modules cost a start
// 30 ms, in chunks still 10; what a command does not need stays unevaluated. Used by the build and by tests.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export async function bundleCli(outdir) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src', 'cli', 'main.ts')],
    bundle: true,
    write: false,
    // A script, since only of one can the compiled code be kept on every Node.js (launch.cjs).
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // Half the size is compiled in half the time; names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    define: { 'import.meta.url': '__url' },
    banner: { js: "var __url=require('node:url').pathToFileURL(__filename).href;" },
    plugins: [outside],
    logLevel: 'warning',
  });
  const [{ contents, text }] = outputFiles;
  const name = `backstory-${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.cjs`;
  const main = join(outdir, 'main.js');
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, name), text);
  writeFileSync(main, readFileSync(join(root, 'scripts', 'launch.cjs'), 'utf8').replace('BUNDLE', name));
  // The package is of modules; this folder is of scripts.
  writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  chmodSync(main, 0o755);
}

// Packages stay outside: better-sqlite3 is native (and 15 ms), the others are large and seldom wanted, and one that is
// optional must be found missing. Asked for by require, they load when they are used.
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packages = Object.keys({ ...dependencies, ...peerDependencies });
const outside = {
  name: 'outside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/, namespace: 'outside' }, ({ path }) => ({ path, external: true }));
    const filter = new RegExp(`^(${packages.join('|')})(/.*)?$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'outside' }));
    onLoad({ filter: /.*/, namespace: 'outside' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      loader: 'js',
      resolveDir: root,
    }));
    // What launch.cjs gives the bundle as its module.
    onLoad({ filter: /src.config.import-module\.ts$/ }, () => ({
      contents: 'export const importModule = module.load;',
    }));
  },
};
