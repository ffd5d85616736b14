// backstory serve: the HTTP server until a signal ends it; a second one forces (SUR-40, SUR-42).
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integerOf } from '../../api/parameters.ts';
import { BackstoryError } from '../../model/errors.ts';
import { answer, EXIT, hint } from '../answer.ts';
import type { Run } from '../command.ts';
import type { Parsed } from '../parse.ts';
import { version } from '../version.ts';
import { withEngine } from '../with-engine.ts';

const PORT = 4519;

export const run: Run = (io, parsed) =>
  withEngine(
    io,
    parsed,
    async ({ backstory, home }) => {
      const [{ serveHttp }, { mcpOverHttp }] = await Promise.all([
        import('../../http/serve.ts'),
        import('../../mcp/http.ts'),
      ]);
      const onFault = (error: unknown): void =>
        io.err(`backstory: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}\n`);
      const mcp = mcpOverHttp({ version: version(), maxBytes: 1_048_576, onFault });
      const tokenFile = parsed.value('token-file');
      const served = await serveHttp({
        backstory,
        clock: io.clock,
        version: version(),
        port: portOf(parsed),
        host: parsed.value('host') ?? '127.0.0.1',
        allowHosts: parsed.values('allow-host'),
        noAuth: parsed.has('no-auth'),
        ...(tokenFile === undefined ? {} : { tokenFile }),
        mcp: mcp.answer,
        onFault,
      });
      const kept = join(home, 'serve.json');
      try {
        if (served.token !== undefined) keep(home, kept, { url: served.url, token: served.token, pid: process.pid });
        const link = served.link();
        answer(io, parsed, { url: served.url, link }, () => `Backstory serves ${served.url}\nOpen ${link}\n`);
        if (parsed.has('no-auth')) {
          hint(io, ['Authentication is off: every program of this machine may read and change everything here.']);
        }
        if (parsed.has('open')) openInBrowser(io.platform, link);
        await stopped();
      } finally {
        forget(kept);
        await mcp.close();
        await served.close();
      }
      return EXIT.done;
    },
    'by_setting',
  );

function portOf(parsed: Parsed): number {
  const typed = parsed.value('port');
  const port = typed === undefined ? PORT : integerOf(typed);
  if (port !== undefined && port >= 0 && port <= 65_535) return port;
  throw new BackstoryError(
    'invalid_argument',
    `--port is ${JSON.stringify(typed!.slice(0, 80))}, and must be an integer from 0 to 65535.`,
    'Give 0 for any free port.',
  );
}

function keep(home: string, path: string, value: object): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new BackstoryError(
      'store_read_only',
      `${path} cannot be written (${(cause as NodeJS.ErrnoException).code}), and programs find their token there.`,
      'Check the folder and its mode, or give another --home DIR.',
      { details: { path }, cause },
    );
  }
}

/** Only what this process wrote: the file of a server that began later is that server's. */
function forget(path: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(path, 'utf8')) as { readonly pid?: unknown };
    if (pid === process.pid) rmSync(path, { force: true });
  } catch {
    // It is not there, or nobody's that can be told.
  }
}

// The first signal ends it in order, the second at once.
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(EXIT.internal));
        resolve();
      });
    }
  });
}

function openInBrowser(platform: NodeJS.Platform, link: string): void {
  const [command, ...args] =
    platform === 'darwin' ? ['open'] : platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(command!, [...args, link], { stdio: 'ignore', detached: true });
  // No browser: the link was printed.
  child.on('error', () => undefined);
  child.unref();
}
