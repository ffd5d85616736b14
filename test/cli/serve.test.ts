// backstory serve as a command: what it keeps in the home, and that it ends (SUR-40, SUR-42).
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { type KeptIo, keptIo } from './fake-io.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backstory-serve-'));
});
// A process that serves ends afterwards; this one goes on, and a second signal would force it.
afterEach(() => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function started(io: KeptIo): Promise<void> {
  while (!io.kept.out.endsWith('\n')) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('backstory serve', () => {
  it('SUR-40, SUR-42: keeps the token for its owner alone while it runs, and ends at a signal', async () => {
    const home = join(folder, 'one');
    const io = keptIo({ cwd: folder, userHome: folder });
    const ended = run(['serve', '--port', '0', '--home', home, '--json'], io);
    await started(io);
    const { url } = JSON.parse(io.kept.out) as { url: string };
    const path = join(home, 'serve.json');
    const kept = JSON.parse(readFileSync(path, 'utf8')) as { url: string; token: string };
    expect([kept.url, statSync(path).mode & 0o777]).toEqual([url, 0o600]);
    const headers = { authorization: `Bearer ${kept.token}` };
    expect((await fetch(`${url}/api/v1/sessions_list`, { headers })).status).toBe(200);
    process.emit('SIGTERM');
    expect([await ended, existsSync(path)]).toEqual([0, false]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('SUR-40: leaves the file of another server alone when it ends', async () => {
    const home = join(folder, 'two');
    const io = keptIo({ cwd: folder, userHome: folder });
    const ended = run(['serve', '--port', '0', '--home', home], io);
    await started(io);
    writeFileSync(join(home, 'serve.json'), '{"pid":1}');
    process.emit('SIGTERM');
    expect(await ended).toBe(0);
    expect(readFileSync(join(home, 'serve.json'), 'utf8')).toBe('{"pid":1}');
  });

  it('SUR-21: where the token cannot be kept it says so and ends, and does not go on serving', async () => {
    writeFileSync(join(folder, 'file'), '');
    const io = keptIo({ cwd: folder, userHome: folder });
    expect(await run(['serve', '--port', '0', '--home', join(folder, 'file', 'home')], io)).toBe(5);
    expect(io.kept.err).toContain('serve.json cannot be written (ENOTDIR)');
  });
});
