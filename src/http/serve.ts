// The HTTP server as a process has it: an address, a token for the operator, a link for a browser, and an end (SUR-40, SUR-42).
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { BackstoryError } from '../model/errors.ts';
import { type AppOptions, createApp } from './app.ts';
import { allowedHosts, isLoopback } from './guards.ts';
import { Principals, readTokenFile } from './principals.ts';

export interface ServeOptions extends Omit<AppOptions, 'principals' | 'hosts' | 'stopping'> {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  readonly tokenFile?: string;
  readonly allowHosts?: readonly string[];
  /** On loopback only. */
  readonly noAuth?: boolean;
}

export interface Served {
  /** Without a path: `http://127.0.0.1:4519`. */
  readonly url: string;
  /** The operator's bearer token; undefined when authentication is off. */
  readonly token: string | undefined;
  /** An address that logs a browser in, once and within five minutes. */
  link(): string;
  /** Takes no more, ends live views, lets what else runs end for `graceMs`, then cuts it off. */
  close(graceMs?: number): Promise<void>;
}

const GRACE_MS = 10_000;
const IDLE_MS = 20;
/** Between two requests of one connection. */
const KEEP_ALIVE_MS = 65_000;
/** Until the headers of a request are there: nobody holds a connection by sending them slowly. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;

/** Listens. Throws `config_invalid` for a bad token file, an address that cannot be had, or no authentication beyond loopback. */
export async function serveHttp(options: ServeOptions): Promise<Served> {
  const { host, port, tokenFile, allowHosts, noAuth = false, ...rest } = options;
  if (noAuth && !isLoopback(host)) {
    throw new BackstoryError(
      'config_invalid',
      `Without authentication only this machine may reach the server, and ${host} is reached by others.`,
      'Leave --no-auth out, or leave --host out.',
    );
  }
  const entries = tokenFile === undefined ? [] : readTokenFile(tokenFile);
  const principals = noAuth ? undefined : new Principals(options.clock, entries);
  const stopping = new AbortController();
  const app = createApp({ ...rest, principals, hosts: allowedHosts(host, allowHosts), stopping: stopping.signal });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  await listening(server, port, host);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const url = `http://${shownHost(host)}:${bound}`;
  return {
    url,
    token: principals?.operatorToken,
    link: () => (principals ? `${url}/auth?code=${principals.newCode()}` : `${url}/`),
    close(graceMs = GRACE_MS) {
      stopping.abort();
      return closed(server, graceMs);
    },
  };
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function listening(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      reject(
        new BackstoryError(
          'config_invalid',
          `The server cannot listen on ${host}:${port}: ${taken ? 'something else does' : (cause.code ?? 'unknown')}.`,
          taken ? 'Give another --port, or 0 for any free one.' : 'Check --host and --port.',
          { cause },
        ),
      );
    });
    server.listen(port, host, resolve);
  });
}

async function closed(server: Server, graceMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A connection whose request just ended is kept for the next one, which will not be taken.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await ended;
  clearInterval(idle);
  clearTimeout(cut);
}
