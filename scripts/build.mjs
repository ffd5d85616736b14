// Builds dist/: types and modules by the compiler, then the command line as a bundle. Run by `npm install` in a checkout
// (prepare) and by CI. The library stays as it is compiled.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCli } from './bundle-cli.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
// Made aside and then moved: whoever runs dist/ meanwhile has a whole one, and a failed build leaves the last.
const made = join(root, 'node_modules', '.cache', `backstory-dist-${process.pid}`);
mkdirSync(dirname(made), { recursive: true });
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
try {
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', made], {
    stdio: 'inherit',
    cwd: root,
  });
  // Nobody imports the modules of the command line: only the bundle ships.
  rmSync(join(made, 'cli'), { recursive: true, force: true });
  await bundleCli(join(made, 'cli'));
  rmSync(dist, { recursive: true, force: true });
  renameSync(made, dist);
} finally {
  rmSync(made, { recursive: true, force: true });
}
