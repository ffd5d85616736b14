// A server of tests does not outlive them, also where they were killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startServer } from '../../scripts/postgres-server.mjs';

test('a server whose starter was killed is stopped, and its folder removed, by the next one', async () => {
  const script = `import { startServer } from ${JSON.stringify(join(process.cwd(), 'scripts', 'postgres-server.mjs'))};
    const { connection } = await startServer();
    console.log(connection().connectionString);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const left = new pg.Client(line.toString('utf8').trim());
  left.on('error', () => undefined);
  await left.connect();
  const folder = readdirSync(tmpdir()).find((name) => name.startsWith(`backstory-postgres-${child.pid}-`))!;
  const ended = new Promise((resolve) => left.once('end', resolve));
  child.kill('SIGKILL');
  await once(child, 'close');
  const next = await startServer();
  try {
    await ended;
    expect(existsSync(join(tmpdir(), folder))).toBe(false);
  } finally {
    await next.stop();
  }
});
