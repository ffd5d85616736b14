// Builds dist/: types and modules by the compiler, then the command line as a bundle. Run by `npm install` in a checkout
// (prepare) and by CI. The library stays as it is compiled.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCli } from './bundle-cli.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);
rmSync(dist, { recursive: true, force: true });
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit', cwd: root });

// Nobody imports the modules of the command line: only the bundle ships.
rmSync(join(dist, 'cli'), { recursive: true, force: true });
await bundleCli(join(dist, 'cli'));
