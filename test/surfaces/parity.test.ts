// For every operation: library = command line = MCP = HTTP, on success and on an error (SUR-1, SUR-4).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import type { Backstory, MemoryContext } from '../../src/api/face.ts';
import { execute, type Operation } from '../../src/api/operation.ts';
import { OPERATIONS, operationNamed } from '../../src/api/operations.ts';
import { RESULTS } from '../../src/api/results.ts';
import { boundTools } from '../../src/api/tools.ts';
import { run as runCli } from '../../src/cli/run.ts';
import { createApp } from '../../src/http/app.ts';
import { allowedHosts } from '../../src/http/guards.ts';
import { mcpServer } from '../../src/mcp/server.ts';
import { systemClock } from '../../src/model/clock.ts';
import { isBackstoryError } from '../../src/model/errors.ts';
import { keptIo } from '../cli/fake-io.ts';
import { claude, makeWorld, removeWorlds, type World } from '../steps/world.ts';
import { CASES, type Case, ROUTE, WORKSPACE } from './parity-cases.ts';

afterEach(removeWorlds);

interface Prepared {
  readonly world: World;
  readonly memory: MemoryContext;
  /** Ids that cases speak of by name. */
  readonly ids: Readonly<Record<string, string>>;
}

// The same for every surface: what one changes, another does not see.
async function prepared(): Promise<Prepared> {
  const world = await makeWorld({
    memory: { workspace: WORKSPACE, writes: 'candidate' },
    runs: { folders: [] },
    sources: { syncOnSearch: false },
  });
  world.write(claude.path('s-1'), [
    claude.user('u-1', 'the orchard blooms'),
    claude.assistant('a-1', 'so does the harbour', 'u-1'),
  ]);
  await world.sync();
  const { sessions, episodes } = world.backstory;
  for (const id of ['m-1', 'm-2', 'm-3']) {
    await sessions.append({ key: 'agent:desk:main', message: { id, role: 'user', content: `note ${id}` } });
  }
  const memory = await episodes.context({ route: ROUTE });
  const kept = await memory.remember({ data: { event: 'the orchard was planted' } });
  const folder = join(world.folder, 'run-1');
  mkdirSync(folder);
  writeFileSync(join(folder, 'Alice.notes.md'), 'the orchard has notes\n');
  const archive = join(world.folder, 'desk.jsonl');
  await world.backstory.export(operator(), { agent: 'desk', out: archive });
  return { world, memory, ids: { record: kept.id!, folder, archive, out: join(world.folder, 'out.jsonl') } };
}

// What is asked of a memory context; an operator that is bound to one has of all other memory nothing (COM-50).
const OF_CONTEXT: readonly string[] = ['recall', 'remember', 'memory_timeline', 'search'];

const filled = <T>(value: T, { ids, world }: Prepared): T =>
  JSON.parse(
    JSON.stringify(value).replace(/\$(\w+)/g, (_, name: string) =>
      name === 'folder' ? ids.folder! : name === 'user' ? world.user : ids[name]!,
    ),
  ) as T;

// What differs from home to home and from moment to moment, and nothing else.
function plain(value: unknown, { world }: Prepared): unknown {
  const text = JSON.stringify(value)
    .replaceAll(world.folder, '/WORLD')
    .replace(/"(\w*[aA]t|timestamp|now|since|until|nearest|lastSync|firstAt)":"\d{4}-[^"]+"/g, '"$1":"TIME"')
    .replace(/"durationMs":\d+/g, '"durationMs":0')
    .replace(/"bytes":\d+/g, '"bytes":0')
    .replace(/[0-9a-f]{64}/g, 'SHA')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\b(ep|mem|rec)_[A-Za-z0-9]+/g, 'ID');
  return JSON.parse(text) as unknown;
}

type Ended = { readonly result: unknown } | { readonly error: unknown };

async function inLibrary(at: Prepared, operation: Operation, one: Case): Promise<Ended> {
  try {
    const options = {
      ...(OF_CONTEXT.includes(operation.name) ? { memory: at.memory } : {}),
      anyRunFolder: true,
    } as const;
    return { result: await execute(operation, at.world.backstory, operator(), filled(one.input, at), options) };
  } catch (error) {
    if (!isBackstoryError(error)) throw error;
    return { error: error.toJSON() };
  }
}

async function onCommandLine(at: Prepared, _: Operation, one: Case): Promise<Ended> {
  const { world } = at;
  await world.backstory.close();
  const config = join(world.folder, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({ memory: { workspace: WORKSPACE, writes: 'candidate' }, sources: { syncOnSearch: false } }),
  );
  const io = keptIo({
    cwd: world.folder,
    env: { BACKSTORY_HOME: world.home, BACKSTORY_CONFIG: config },
    userHome: world.user,
    clock: systemClock,
    ...(one.stdin === undefined ? {} : { input: async () => one.stdin! }),
  });
  const code = await runCli([...filled(one.argv!, at), '--json'], io);
  if (io.kept.out !== '') return { result: JSON.parse(io.kept.out) };
  expect(code).toBeGreaterThan(0);
  return JSON.parse(io.kept.err) as Ended;
}

async function overHttp(at: Prepared, operation: Operation, one: Case): Promise<Ended> {
  const { backstory } = at.world;
  // As an operator whose token has this memory, where one is asked for: bound to it, it would have no other.
  const memory: Backstory = { ...backstory, episodes: { ...backstory.episodes, context: async () => at.memory } };
  const bound = OF_CONTEXT.includes(operation.name) ? { memory: {} } : {};
  const principal = { name: 'operator', caller: operator(), ...bound };
  const principals = { of: () => principal } as never;
  const hosts = allowedHosts('127.0.0.1');
  const app = createApp({ backstory: memory, clock: systemClock, version: '0', principals, hosts });
  const answer = await app.fetch(
    new Request(`http://127.0.0.1/api/v1/${operation.name}`, {
      method: 'POST',
      headers: { host: '127.0.0.1', 'content-type': 'application/json' },
      body: JSON.stringify(filled(one.input, at)),
    }),
  );
  const body = (await answer.json()) as { error?: unknown };
  return answer.status === 200 ? { result: body } : { error: body.error };
}

async function overMcp(at: Prepared, operation: Operation, one: Case): Promise<Ended> {
  const tools = boundTools(at.world.backstory, operator(), {});
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = mcpServer(tools, { version: '0' });
  const client = new Client({ name: 'test', version: '0' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  try {
    const answer = await client.callTool({
      name: operation.name,
      arguments: filled(one.input, at) as Record<string, unknown>,
    });
    if (!answer.isError) return { result: answer.structuredContent };
    return JSON.parse((answer.content as { text: string }[])[0]!.text) as Ended;
  } finally {
    await client.close();
  }
}

// Searching and reading a session over HTTP is what it is on the local store (SES-110).
describe.each(OPERATIONS.map(({ name }) => [name] as const))('SUR-1 SUR-4 SES-110: %s', (name) => {
  const operation = operationNamed(name);
  const cases = CASES[name] ?? [];

  test('has a case that succeeds and one that fails', () => {
    expect(cases.filter(({ fails }) => !fails).length).toBeGreaterThan(0);
    expect(cases.filter(({ fails }) => fails).length).toBeGreaterThan(0);
  });

  test.each(cases.map((one) => [one.fails ? `fails with ${one.fails}` : 'succeeds', one] as const))(
    '%s alike on every surface',
    async (_, one) => {
      const first = await prepared();
      const library = await inLibrary(first, operation, one);
      if (one.fails) expect('error' in library && (library.error as { code: string }).code).toBe(one.fails);
      else RESULTS[name]!.parse(JSON.parse(JSON.stringify((library as { result: unknown }).result)));
      const expected = plain(library, first);

      if (one.argv !== undefined) {
        const at = await prepared();
        expect(plain(await onCommandLine(at, operation, one), at), 'command line').toEqual(expected);
      }
      if (!one.libraryOnly) {
        const at = await prepared();
        expect(plain(await overHttp(at, operation, one), at), 'HTTP').toEqual(expected);
      }
      if (boundTools(first.world.backstory, operator(), {}).some((tool) => tool.name === name)) {
        const at = await prepared();
        expect(plain(await overMcp(at, operation, one), at), 'MCP').toEqual(expected);
      }
    },
  );
});
