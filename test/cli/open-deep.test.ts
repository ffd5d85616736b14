// A hit deep in a long message is opened where its words stand; hostile values reach no terminal as they are.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { claude, linesOf } from '../steps/world.ts';
import { keptIo } from './fake-io.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backstory-deep-'));
  const long = `${'lorem ipsum '.repeat(1_000)} the decision was ketchup ${'dolor sit '.repeat(500)}`;
  const path = join(folder, claude.path('s-1'));
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `${linesOf([claude.user('u-1', 'short mayonnaise'), claude.assistant('a-1', long, 'u-1')])}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function backstory(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = keptIo({ cwd: folder, env: { BACKSTORY_HOME: join(folder, 'kept') }, userHome: folder });
  const code = await run(argv, io);
  return { code, ...io.kept };
}

test('SUR-22: open shows a long message where the words of the hit stand', async () => {
  expect((await backstory('search', 'ketchup')).code).toBe(0);
  const { out } = await backstory('open', '1');
  expect(out).toContain('where the words were found, from character');
  expect(out).toContain('the decision was ketchup');
});

test('SUR-22: a search that found nothing leaves the list that was shown last', async () => {
  await backstory('search', 'mayonnaise');
  expect((await backstory('search', 'nowhere')).code).toBe(1);
  const { out, code } = await backstory('open', '1');
  expect([code, out.includes('short mayonnaise')]).toEqual([0, true]);
  expect(out).not.toContain('where the words were found');
});

test('SUR-23: an error names a hostile value without its control sequences', async () => {
  const { code, err } = await backstory('search', 'x', '--root', `${folder}/\u001b[31mred\u0007`);
  expect(code).toBe(2);
  expect(err).toContain('red');
  expect(err).not.toMatch(/[\u001b\u0007]/);
});
