// The adapters of examples/tools as their users run them: processes of their own, on the home of a host that appends.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled, removeBundles, start } from '../steps/run-process.ts';
import { makeWorld, removeWorlds, type World } from '../steps/world.ts';

const KEY = 'agent:desk:main';
const SAID = 'The rollback plan is to ship the old tag again.';
const examples = join(process.cwd(), 'examples', 'tools');

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { sessions } = world.backstory;
  await sessions.append({ key: KEY, message: { role: 'user', content: 'What do we do when it breaks?' } });
  await sessions.append({ key: KEY, message: { role: 'assistant', content: SAID } });
});
afterAll(async () => {
  removeBundles();
  await removeWorlds();
});

const run = (script: string, args: readonly string[]): Promise<string[]> =>
  start(script, args, { BACKSTORY_HOME: world.home, HOME: world.user }).lines;

test.each(['ai-sdk', 'langgraph'])('SUR-11: tools of one caller in %s find and reopen what was said', async (name) => {
  const script = bundled(join(examples, `${name}.mjs`));
  expect(await run(script, ['rollback plan'])).toEqual([`${KEY}: ${SAID}`]);
  expect(await run(script, ['zebra'])).toEqual(['I find nothing about that.']);
});

test('SUR-11: a host with an MCP client finds and reopens what was said', async () => {
  const cache = join(process.cwd(), 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'backstory-examples-'));
  try {
    const { bundleCli } = (await import(join(process.cwd(), 'scripts', 'bundle-cli.mjs'))) as {
      bundleCli: (folder: string) => Promise<void>;
    };
    await bundleCli(folder);
    const server = [process.execPath, join(folder, 'main.js'), 'mcp', '--agent', 'desk'];
    const script = join(examples, 'mcp-client.mjs');
    expect(await run(script, ['rollback plan', ...server])).toEqual([`${KEY}: ${SAID}`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
