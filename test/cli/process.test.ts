// The binary as a process of its own: streams, pipes, exit codes and what it loads.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

  it.skipIf(!existsSync('/dev/full'))('SUR-21: a full disk behind standard output ends with 5, and says so', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [main, 'help'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect(status).toBe(5);
    expect(stderr).toMatch(/^backstory: standard output cannot be written \(ENOSPC\)\.\n/);
  });

  it('SUR-70: doctor names a home that no folder can be', () => {
    const env = { PATH: process.env.PATH, HOME: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'doctor', '--home', join(main, 'x')], {
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(5);
    expect(stderr).not.toContain('internal error');
    expect(stdout).toContain('cannot be a home (ENOTDIR)');
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

  it('starts without zod, database and bar: none of them is asked for before it is needed', () => {
    const hook = join(folder, 'loaded.cjs');
    const print = 'process.stderr.write(JSON.stringify(Object.keys(require.cache)))';
    writeFileSync(hook, `process.on('exit', () => { ${print}; });`);
    const { stderr } = spawnSync(process.execPath, ['--require', hook, main, 'help'], { encoding: 'utf8' });
    const loaded = (JSON.parse(stderr) as string[]).filter((path) => path !== hook && path !== main);
    expect(loaded).toEqual([]);
  });

  it('keeps its compiled code beside it, makes it anew when it is damaged, and does without where it cannot', async () => {
    const caches = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.cache'));
    for (const name of caches()) rmSync(join(folder, name));
    expect((await backstory('--version')).code).toBe(0);
    expect(caches()).toHaveLength(1);
    const cache = join(folder, caches()[0]!);
    const size = statSync(cache).size;
    writeFileSync(cache, 'damaged');
    expect((await backstory('--version')).code).toBe(0);
    expect(statSync(cache).size).toBeGreaterThan(size / 2);
    // A folder where the cache should be stands for a place that cannot be written, also for root.
    rmSync(cache);
    mkdirSync(join(cache, 'taken'), { recursive: true });
    const { code, err } = await backstory('--version');
    expect([code, err]).toEqual([0, '']);
    rmSync(cache, { recursive: true });
  });

  it('COM-41: loads a configuration that is code, also a TypeScript one, and warns of nothing', async () => {
    for (const name of ['own.mjs', 'own.ts']) {
      const config = join(folder, name);
      writeFileSync(config, 'export default { busyTimeoutMs: -1 };');
      const { code, err } = await backstory('stats', '--config', config);
      expect([code, err.split('\n')[0]]).toEqual([2, expect.stringContaining('busyTimeoutMs')]);
    }
  });
});
