// A server on a real port over a world of transcripts, and requests to it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackstoryOptions } from '../../src/engine/engine.ts';
import { type Served, type ServeOptions, serveHttp } from '../../src/http/serve.ts';
import { mcpOverHttp } from '../../src/mcp/http.ts';
import { systemClock } from '../../src/model/clock.ts';
import { claude, codex, makeWorld, type World } from '../steps/world.ts';

export interface Site {
  readonly world: World;
  readonly served: Served;
  readonly faults: unknown[];
  /** As the operator unless `headers` say otherwise. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  json(path: string, init?: RequestInit): Promise<{ status: number; body: Record<string, unknown> }>;
}

/** Tokens of callers: built from parts, as nothing that looks real stands in a file. */
export const DESK: string = ['desk', 'token', 'of', 'tests'].join('-');
export const BOUND: string = ['bound', 'token', 'of', 'tests'].join('-');

const sites: Served[] = [];

export async function makeSite(
  given: Partial<ServeOptions> | ((world: World) => Partial<ServeOptions>) = {},
  more: { readonly world?: BackstoryOptions; readonly tokens?: readonly object[] } = {},
): Promise<Site> {
  const world = await makeWorld(more.world);
  world.write(claude.path('s-1'), [
    claude.user('u-1', 'the orchard blooms'),
    claude.assistant('a-1', 'so it does, every spring', 'u-1'),
  ]);
  world.write(codex.path('0199-aa'), [codex.meta('0199-aa'), codex.item('user', 'the harbour freezes')]);
  await world.sync();
  const options = typeof given === 'function' ? given(world) : given;
  const tokenFile = join(world.folder, 'tokens.json');
  mkdirSync(world.folder, { recursive: true });
  const tokens = [
    { token: DESK, agentId: 'desk' },
    { token: BOUND, agentId: 'desk', person: 'nobody-here' },
    ...(more.tokens ?? []),
  ];
  writeFileSync(tokenFile, JSON.stringify({ tokens }));
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const mcp = mcpOverHttp({ version: '0', maxBytes: 100_000, onFault });
  const served = await serveHttp({
    backstory: world.backstory,
    clock: systemClock,
    version: '0',
    port: 0,
    host: '127.0.0.1',
    tokenFile,
    mcp: mcp.answer,
    onFault,
    ...options,
  });
  sites.push(served);
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(served.url + path, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Bearer ${served.token}`, ...init.headers },
    });
  return {
    world,
    served,
    faults,
    ask,
    async json(path, init) {
      const response = await ask(path, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}

export async function closeSites(): Promise<void> {
  for (const served of sites.splice(0)) await served.close(0);
}

export const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});

export const as = (token: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});
