// What cursors are signed with, where a home holds no good key and cannot keep one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Backstory, openBackstory } from '../../src/index.ts';

let home: string;
const engines: Backstory[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'backstory-key-'));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(home, { recursive: true, force: true });
});

async function open() {
  const engine = await openBackstory({ home, memory: { workspace: 'w', scope: ['workspace'], writes: 'auto' } });
  engines.push(engine);
  return engine.episodes.context({ agent: 'main' });
}

async function pages(): Promise<string[]> {
  const memory = await open();
  for (const event of ['first', 'second']) await memory.remember({ data: { event } });
  const page = await memory.recall({ limit: 1 });
  const { cursor } = page.coverage;
  const next = await (await open()).recall({ limit: 1, cursor: cursor! }).catch(({ code }) => code);
  const same = await memory.recall({ limit: 1, cursor: cursor! });
  return [page, same, next].map((each) => (typeof each === 'string' ? each : String(each.records[0]!.data.event)));
}

test('EPI-70: a key that was cut off is made anew, not signed with; another process reads the same one', async () => {
  const path = join(home, 'cursor.key');
  writeFileSync(path, '');
  expect(await pages()).toEqual(['second', 'first', 'first']);
  expect(readFileSync(path)).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('EPI-70, COM-21: where no key can be kept, a cursor is good in its process, and no recall fails for it', async () => {
  mkdirSync(join(home, 'cursor.key'));
  expect(await pages()).toEqual(['second', 'first', 'cursor_invalid']);
});
