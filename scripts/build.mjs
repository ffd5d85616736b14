// Builds dist/: types and modules by the compiler, then the command line as a bundle. Run by `npm install` in a checkout
// (prepare) and by CI. The command line is bundled because loading 60 small modules one by one costs it 30 ms per start;
// the library stays as it is compiled.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);
rmSync(dist, { recursive: true, force: true });
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit', cwd: root });

// Nobody imports the modules of the command line: only the bundle ships.
rmSync(join(dist, 'cli'), { recursive: true, force: true });
await build({
  entryPoints: [join(root, 'src', 'cli', 'main.ts')],
  outdir: join(dist, 'cli'),
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
chmodSync(join(dist, 'cli', 'main.js'), 0o755);
