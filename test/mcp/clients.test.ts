// Clients that are not ours, as their users set them up: by the snippets of docs/mcp.md as they stand there, and with
// validators of their own (SUR-32).
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { closeSites, makeSite, type Site } from '../http/steps.ts';
import { removeWorlds } from '../steps/world.ts';

const TOOLS = ['sessions_search', 'sessions_history', 'sessions_list', 'sessions_describe', 'search'];

let bundle: string;
/** A folder in which `npx backstory` is this project, as in a clone or where it was installed. */
let project: string;
beforeAll(async () => {
  mkdirSync(join(process.cwd(), 'node_modules', '.cache'), { recursive: true });
  bundle = mkdtempSync(join(process.cwd(), 'node_modules', '.cache', 'backstory-clients-'));
  const { bundleCli } = (await import(join(process.cwd(), 'scripts', 'bundle-cli.mjs'))) as {
    bundleCli: (folder: string) => Promise<void>;
  };
  await bundleCli(bundle);
  project = mkdtempSync(join(tmpdir(), 'backstory-project-'));
  writeFileSync(join(project, 'package.json'), '{"name":"shop","private":true}');
  const bin = join(project, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'backstory'), `#!/bin/sh\nexec "${process.execPath}" "${join(bundle, 'main.js')}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => {
  rmSync(bundle, { recursive: true, force: true });
  rmSync(project, { recursive: true, force: true });
});
afterEach(async () => {
  await closeSites();
  await removeWorlds();
});

const environment = (site: Site): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: site.world.user,
  BACKSTORY_HOME: site.world.home,
  // Nothing is fetched: what npx does not find here, it must not find.
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  npm_config_cache: join(project, '.npm'),
});

async function connected(site: Site, command: string, args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' });
  const env = environment(site);
  await client.connect(new StdioClientTransport({ command, args: [...args], cwd: project, env }));
  return client;
}

test('SUR-32: answers are of the schemas of their tools also to clients that read them by draft 7, as the inspector does', async () => {
  const site = await makeSite();
  const client = await connected(site, process.execPath, [join(bundle, 'main.js'), 'mcp', '--agent', 'desk']);
  try {
    const { tools } = await client.listTools();
    const inputs: Readonly<Record<string, Record<string, unknown>>> = {
      sessions_search: { query: 'orchard' },
      sessions_history: { session: 'agent:claude-code:s-1', includeTools: true },
      sessions_list: {},
      sessions_describe: { session: 'agent:claude-code:s-1' },
      search: { query: 'orchard' },
    };
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(inputs));
    for (const { name, inputSchema, outputSchema } of tools) {
      const { structuredContent } = await client.callTool({ name, arguments: inputs[name]! });
      const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });
      for (const [schema, value] of [
        [inputSchema, inputs[name]],
        [outputSchema!, structuredContent],
      ] as const) {
        expect([name, ajv.validate(schema as object, value), ajv.errorsText()]).toEqual([name, true, 'No errors']);
      }
    }
  } finally {
    await client.close();
  }
});

/** Name, command and arguments of the server that each snippet of docs/mcp.md sets up. */
function snippets(): Readonly<Record<string, readonly [name: string, command: string, args: readonly string[]]>> {
  const text = readFileSync(join('docs', 'mcp.md'), 'utf8');
  const after = (client: string, language: string): string => {
    const at = text.indexOf(`\n${client}`);
    expect(at, client).toBeGreaterThan(0);
    return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text.slice(at))![1]!;
  };
  const [, claudeName, claudeCommand, claudeRest] = /^claude mcp add (\S+) -- (\S+) (.*)\n$/.exec(
    after('Claude Code', 'sh'),
  )!;
  const toml = after('Codex CLI', 'toml');
  const [, codexName, codexCommand, codexArgs] = /^\[mcp_servers\.(\S+)\]\ncommand = (".*")\nargs = (\[.*\])\n$/.exec(
    toml,
  )!;
  const { mcpServers } = JSON.parse(after('Cursor', 'json')) as {
    mcpServers: Record<string, { command: string; args: string[] }>;
  };
  const [[cursorName, cursor]] = Object.entries(mcpServers) as [[string, { command: string; args: string[] }]];
  return {
    'Claude Code': [claudeName!, claudeCommand!, claudeRest!.split(' ')],
    'Codex CLI': [codexName!, JSON.parse(codexCommand!) as string, JSON.parse(codexArgs!) as string[]],
    Cursor: [cursorName, cursor.command, cursor.args],
  };
}

test.each(['Claude Code', 'Codex CLI', 'Cursor'])(
  'SUR-32: the snippet of docs/mcp.md for %s starts a server that lists its tools and finds',
  async (whose) => {
    const site = await makeSite();
    const [name, command, args] = snippets()[whose]!;
    expect(name).toBe('backstory');
    const client = await connected(site, command, args);
    try {
      expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(TOOLS);
      const found = await client.callTool({ name: 'sessions_search', arguments: { query: 'orchard' } });
      expect(JSON.stringify(found.structuredContent)).toContain('agent:claude-code:s-1');
    } finally {
      await client.close();
    }
  },
  60_000,
);
