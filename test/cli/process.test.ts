// The binary as a process of its own: streams, pipes, exit codes and what it loads.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Below node_modules, so that the packages the bundle leaves outside are found, and git sees nothing of it.
let folder: string;
let main: string;
beforeAll(async () => {
  mkdirSync(join(process.cwd(), 'node_modules', '.cache'), { recursive: true });
  folder = mkdtempSync(join(process.cwd(), 'node_modules', '.cache', 'backstory-cli-'));
  const { bundleCli } = (await import(join(process.cwd(), 'scripts', 'bundle-cli.mjs'))) as {
    bundleCli: (folder: string) => Promise<void>;
  };
  await bundleCli(folder);
  main = join(folder, 'main.js');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function backstory(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env.PATH, HOME: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...argv], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

describe('the binary', () => {
  it('SUR-21: a closed pipe ends quietly with 0', async () => {
    const child = spawn(process.execPath, [main, 'help', '--man'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, err]).toEqual([0, '']);
  });

  it('SUR-20: begins with a shebang, and says which release it is of', async () => {
    expect(readFileSync(main, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(execFileSync(main, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  });

  it('SUR-21: wrong usage ends with 2', async () => {
    const { code, out, err } = await backstory('serch');
    expect([code, out, err.split('\n').length]).toEqual([2, '', 3]);
  });

  it('starts without zod, commander, database and bar: none of them is asked for before it is needed', () => {
    const text = readFileSync(main, 'utf8');
    const imported = [...text.matchAll(/^(?:import|export) .*?from ["']([^"']+)["']/gm)].map((match) => match[1]!);
    expect(imported.filter((name) => !/^(node:)?[a-z_/]+$/.test(name))).toEqual([]);
    for (const name of ['zod', 'commander']) expect(text).not.toContain(`"${name}"`);
  });
});
