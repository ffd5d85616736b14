// What maskers leave in the files, and what a rule that fails leaves in answers: nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

const word = ['quok', 'kasecret'].join('');

test('MASK-17 M-127: after stricter rules the old index is gone from the file’s bytes too', async () => {
  const world = await makeWorld({ sessions: { maskAtRest: true } });
  await world.backstory.sessions.append({
    key: 'agent:desk:main',
    message: { role: 'user', content: `the ${word} blooms` },
  });
  for (let n = 0; n < 50; n++) {
    await world.backstory.sessions.append({ key: 'agent:desk:main', message: { role: 'user', content: `note ${n}` } });
  }
  await world.backstory.close();
  const engine = await world.reopen({
    masking: { rules: [{ name: 'quokka', pattern: new RegExp(word) }] },
    sessions: { maskAtRest: true },
  } as never);
  await engine.sources.sync();
  await engine.sessions.append({ key: 'agent:desk:main', message: { role: 'user', content: 'one more' } });
  expect((await engine.sessions.search(operator(), { query: word })).hits).toEqual([]);
  await engine.close();
  const folder = join(world.home, 'agents');
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name)).toString('latin1');
    // FTS5 keeps tokens by their beginnings: any longer piece of it would be one too many.
    if (name.startsWith('desk')) expect([name, bytes.includes(`${word.slice(0, 10)} `)]).toEqual([name, false]);
  }
});

test('MASK-3: a rule that fails leaves the text out, says so, and fails nothing', async () => {
  const warned: string[] = [];
  const keep = (): boolean => {
    throw new Error('no');
  };
  const world = await makeWorld({
    masking: { rules: [{ name: 'odd', pattern: /zebra/, keep }] },
    logger: { warn: (message: string) => warned.push(message) },
    sources: { syncOnSearch: true },
  } as never);
  world.write(claude.path('s-1'), [
    claude.user('u-1', 'the zebra runs'),
    claude.assistant('a-1', 'the orchard blooms', 'u-1'),
  ]);
  const report = await world.sync();
  expect(report.files.failedTotal).toBe(0);
  const found = await world.backstory.sessions.search(operator(), { query: 'runs OR blooms' });
  expect(found.hits.map(({ messageId }) => messageId)).toEqual(['a-1']);
  expect(found.coverage.warnings.join()).toContain('masker_failed');
  expect(JSON.stringify(await world.history('agent:claude-code:s-1'))).not.toContain('zebra');
  expect(warned).toHaveLength(1);
});
