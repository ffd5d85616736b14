// The Model Context Protocol with the SDK's own client, over both transports (SUR-30 … SUR-32).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { ErrorJson } from '../../src/model/errors.ts';
import { as, BOUND, closeSites, DESK, makeSite, type Site } from '../http/steps.ts';
import { removeWorlds } from '../steps/world.ts';

let bundle: string;
beforeAll(async () => {
  mkdirSync(join(process.cwd(), 'node_modules', '.cache'), { recursive: true });
  bundle = mkdtempSync(join(process.cwd(), 'node_modules', '.cache', 'backstory-mcp-'));
  const { bundleCli } = (await import(join(process.cwd(), 'scripts', 'bundle-cli.mjs'))) as {
    bundleCli: (folder: string) => Promise<void>;
  };
  await bundleCli(bundle);
});
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await closeSites();
  await removeWorlds();
});

async function connected(transport: object): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  clients.push(client);
  return client;
}

const overHttp = (site: Site, token = site.served.token!): Promise<Client> =>
  connected(new StreamableHTTPClientTransport(new URL(`${site.served.url}/mcp`), { requestInit: as(token) }));

const overStdio = (site: Site, ...flags: string[]): Promise<Client> =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(bundle, 'main.js'), 'mcp', ...flags],
      env: { BACKSTORY_HOME: site.world.home, HOME: site.world.user },
    }),
  );

const TOOLS = ['sessions_search', 'sessions_history', 'sessions_list'];

describe.each([
  ['stdio', (site: Site) => overStdio(site, '--agent', 'desk')],
  ['HTTP', (site: Site) => overHttp(site, DESK)],
] as const)('SUR-32 over %s', (_, connect) => {
  test('tools are listed with complete schemas, and marked as reading only', async () => {
    const site = await makeSite();
    const { tools } = await (await connect(site)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(TOOLS));
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema?.type).toBe('object');
      expect(JSON.stringify([tool.inputSchema, tool.outputSchema])).not.toContain('$ref');
      expect(tool.annotations?.destructiveHint ?? false).toBe(false);
      expect(tool.description).toMatch(/\w/);
    }
    expect(tools.find(({ name }) => name === 'sessions_search')?.annotations?.readOnlyHint).toBe(true);
    expect(tools.map(({ name }) => name).filter((name) => /delete|erase|append|sync|forget/.test(name))).toEqual([]);
  });

  test('a search and the history around its hit answer as the library does, as text and as structure', async () => {
    const site = await makeSite();
    const client = await connect(site);
    const found = await client.callTool({ name: 'sessions_search', arguments: { query: 'orchard' } });
    const library = await site.world.backstory.sessions.search({ agentId: 'desk' }, { query: 'orchard' });
    const hits = (found.structuredContent as unknown as typeof library).hits;
    expect(hits).toEqual(JSON.parse(JSON.stringify(library.hits)));
    expect(JSON.parse((found.content as { text: string }[])[0]!.text)).toEqual(found.structuredContent);
    const [hit] = hits;
    const page = await client.callTool({
      name: 'sessions_history',
      arguments: { session: hit!.sessionKey, sessionId: hit!.sessionId, messageId: hit!.messageId, limit: 5 },
    });
    expect(page.isError).toBeFalsy();
    expect(JSON.stringify(page.structuredContent)).toContain('every spring');
    const list = await client.callTool({ name: 'sessions_list', arguments: { limit: '1' } });
    expect((list.structuredContent as { sessions: unknown[] }).sessions).toHaveLength(1);
  });

  test('SUR-4, COM-20: an error has its code, the value, what to do and the details, as on every surface', async () => {
    const site = await makeSite();
    const client = await connect(site);
    const wrong: [string, Record<string, unknown>, string, RegExp][] = [
      ['sessions_search', { query: 'x', limt: 3 }, 'invalid_argument', /limit/],
      ['sessions_search', { query: '""' }, 'query_empty', /./],
      ['sessions_history', { session: 'agent:codex:none' }, 'session_not_found', /./],
      ['sessions_search', { query: 'x', limit: 500 }, 'invalid_argument', /1 to 25/],
      ['sessions_delete', { session: 'agent:codex:0199-aa' }, 'invalid_argument', /^There is no tool/],
    ];
    const details: unknown[] = [];
    for (const [name, input, code, expected] of wrong) {
      const answer = await client.callTool({ name, arguments: input });
      expect([name, answer.isError]).toEqual([name, true]);
      const { error } = JSON.parse((answer.content as { text: string }[])[0]!.text) as { error: ErrorJson };
      expect([error.code, error.message]).toEqual([code, expect.stringMatching(expected)]);
      expect(error.hint).toMatch(/\w/);
      details.push(error.details);
    }
    expect(details[0]).toEqual({ parameter: 'limt', nearest: 'limit' });
    expect(details[3]).toEqual({ parameter: 'limit', allowed: 'an integer from 1 to 25' });
  });

  test('COM-2: what it sends stays under 32 KiB, history under 80', async () => {
    const site = await makeSite();
    const long = 'orchard lorem ipsum dolor sit amet '.repeat(1_500);
    const messages = Array.from({ length: 40 }, () => ({ role: 'user' as const, content: long }));
    await site.world.backstory.sessions.appendMany({ key: 'agent:desk:main', messages });
    const client = await connect(site);
    const found = await client.callTool({ name: 'sessions_search', arguments: { query: 'orchard', limit: 25 } });
    const page = await client.callTool({
      name: 'sessions_history',
      arguments: { session: 'agent:desk:main', limit: 200 },
    });
    for (const [answer, bound] of [
      [found, 32_768],
      [page, 81_920],
    ] as const) {
      expect(answer.isError).toBeFalsy();
      for (const part of [(answer.content as { text: string }[])[0]!.text, JSON.stringify(answer.structuredContent)]) {
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(bound);
      }
    }
  });
});

describe('SUR-31: the caller is fixed where the server starts', () => {
  test('by flags', async () => {
    const site = await makeSite();
    const bound = await overStdio(site, '--agent', 'desk', '--person', 'nobody-here');
    const found = await bound.callTool({ name: 'sessions_search', arguments: { query: 'orchard' } });
    expect((found.structuredContent as { hits: unknown[] }).hits).toEqual([]);
    const told = await bound.callTool({ name: 'sessions_search', arguments: { query: 'orchard', person: 'other' } });
    expect(told.isError).toBe(true);
  });

  test('by the token, over HTTP; without one there is no protocol at all', async () => {
    const site = await makeSite();
    const found = await (await overHttp(site, BOUND)).callTool({
      name: 'sessions_search',
      arguments: { query: 'orchard' },
    });
    expect((found.structuredContent as { hits: unknown[] }).hits).toEqual([]);
    await expect(overHttp(site, 'no-such-token-at-all')).rejects.toThrow();
  });

  test('nothing but protocol is written, and the process ends when its input does', async () => {
    const { spawn } = await import('node:child_process');
    const site = await makeSite();
    const child = spawn(process.execPath, [join(bundle, 'main.js'), 'mcp'], {
      env: { BACKSTORY_HOME: site.world.home, HOME: site.world.user, PATH: process.env.PATH },
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\nnot a message\n`);
    await expect.poll(() => out, { timeout: 20_000 }).toContain('"id":1');
    child.stdin.end();
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  }, 40_000);
});

test('SUR-31: over stdio a line that is no message is answered, the next one is served, and nothing is said beside', async () => {
  const site = await makeSite();
  const child = spawn(process.execPath, [join(bundle, 'main.js'), 'mcp'], {
    env: { BACKSTORY_HOME: site.world.home, HOME: site.world.user },
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString('utf8');
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await answers.next()).value);
  child.stdin.write('{broken\n');
  expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } });
  child.stdin.write('{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n');
  expect(await next()).toMatchObject({ id: null, error: { code: -32_600 } });
  child.stdin.write('{"jsonrpc":"2.0","id":"p","method":"ping"}\n');
  expect(await next()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  expect([code, said, (await answers.next()).done]).toEqual([0, '', true]);
});

describe('SUR-31: memory and run are fixed where the server starts', () => {
  test('EPI-190 RUN-77: by flags: recall, remember and runs_search are there, and take neither scope nor folder', async () => {
    const site = await makeSite();
    const folder = join(site.world.folder, 'run-1');
    mkdirSync(folder);
    writeFileSync(join(folder, 'Alice.notes.md'), 'the orchard notes\n');
    const flags = [
      '--agent',
      'desk',
      '--workspace',
      'shop',
      '--route',
      '/support',
      '--run',
      folder,
      '--run-agent',
      'Alice',
    ];
    const client = await overStdio(site, ...flags);
    const { tools } = await client.listTools();
    const named = new Map(tools.map((tool) => [tool.name, tool]));
    expect([...named.keys()]).toEqual(expect.arrayContaining(['recall', 'runs_search']));
    expect(Object.keys(named.get('runs_search')!.inputSchema.properties!)).toEqual(['query', 'topK']);
    expect(JSON.stringify(named.get('recall')!.inputSchema)).not.toMatch(/namespace|tenant|workspace/);
    const found = await client.callTool({ name: 'runs_search', arguments: { query: 'orchard' } });
    expect((found.structuredContent as { evidence: { text: string }[] }).evidence[0]?.text).toContain('orchard notes');
    const elsewhere = await client.callTool({ name: 'runs_search', arguments: { query: 'orchard', folder: '/' } });
    expect(elsewhere.isError).toBe(true);
    const recalled = await client.callTool({ name: 'recall', arguments: { query: 'orchard' } });
    expect((recalled.content as { text: string }[])[0]?.text).toMatch(/\w/);
    expect(recalled.structuredContent).toMatchObject({ status: expect.any(String) });
  });

  test('SUR-40: by the token, over HTTP; without one there is no memory', async () => {
    const token = ['memory', 'token', 'of', 'tests'].join('-');
    const site = await makeSite();
    const path = join(site.world.folder, 'memory-tokens.json');
    const memory = { route: '/support', workspace: 'shop' };
    writeFileSync(path, JSON.stringify({ tokens: [{ token, agentId: 'desk', memory }] }));
    const other = await makeSite({ backstory: site.world.backstory, tokenFile: path });
    const names = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names(await overHttp(other, token))).toContain('recall');
    expect(await names(await overHttp(other))).not.toContain('recall');
    const answer = await other.json('/api/v1/recall?query=orchard', as(token));
    expect([answer.status, answer.body.status]).toEqual([200, 'empty']);
    expect((await other.json('/api/v1/recall?query=orchard')).status).toBe(403);
  });
});

test('SUR-11: tools for hosts are the same, without a protocol', async () => {
  const { toolsOf } = await import('../../src/api/tools.ts');
  const site = await makeSite();
  const { backstory } = site.world;
  const [search, history] = toolsOf(backstory, { agentId: 'desk' }, ['sessions_search', 'sessions_history']);
  const found = (await search!.execute({ query: 'orchard' })) as { hits: { sessionKey: string }[] };
  expect(found.hits[0]?.sessionKey).toBe('agent:claude-code:s-1');
  expect(history!.inputSchema).toMatchObject({ type: 'object', required: ['session'], additionalProperties: false });
  expect(() => toolsOf(backstory, operator(), ['sessions_serch'])).toThrow(/sessions_search/);
});
