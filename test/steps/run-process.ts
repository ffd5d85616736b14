// Runs a script of this project as a process of its own: bundled below the project, so that packages and sql/ are found.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

const built = join(process.cwd(), 'node_modules', '.cache', `backstory-episodes-${process.pid}`);

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when so many lines were printed. */
  printed(count: number): Promise<void>;
  /** All lines, once it ended. */
  readonly lines: Promise<string[]>;
}

export function bundled(script: string): string {
  mkdirSync(built, { recursive: true });
  const outfile = join(built, basename(script));
  buildSync({
    entryPoints: [script],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    alias: { backstory: join(process.cwd(), 'src', 'index.ts') },
    packages: 'external',
    outfile,
  });
  return outfile;
}

export function removeBundles(): void {
  rmSync(built, { recursive: true, force: true });
}

export function start(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env } });
  let out = '';
  let err = '';
  const waiting: { count: number; tell: () => void }[] = [];
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString('utf8');
    const count = out.split('\n').length - 1;
    for (const each of waiting) if (count >= each.count) each.tell();
  });
  child.stderr.on('data', (data: Buffer) => {
    err += data.toString('utf8');
  });
  const lines = new Promise<string[]>((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(out.split('\n').filter((line) => line !== ''));
      else reject(new Error(`exit ${code}: ${err}`));
    });
  });
  return {
    child,
    lines,
    printed: (count) =>
      new Promise((resolve, reject) => {
        waiting.push({ count, tell: resolve });
        lines.then(() => resolve(), reject);
      }),
  };
}
