// The example as its users run it: two processes on one home, the second remembers what the first did (SUR-11).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openBackstory } from '../../../src/engine/engine.ts';
import { bundled, removeBundles, start } from '../../steps/run-process.ts';

const home = mkdtempSync(join(tmpdir(), 'backstory-example-'));
afterAll(() => {
  removeBundles();
  rmSync(home, { recursive: true, force: true });
});

test('EPI-10, EPI-40, SUR-11: an agent on the AI SDK records its runs, remembers an event and recalls it in its next process', async () => {
  const script = bundled(join(process.cwd(), 'examples', 'episodes', 'support-agent.mjs'));
  const run = (question: string): Promise<string[]> => start(script, [question], { BACKSTORY_HOME: home }).lines;
  expect(await run('Please refund ticket T-1.')).toEqual(['I refunded T-1 just now and made a note of it.']);
  const [said] = await run('Was ticket T-1 refunded?');
  expect(said).toMatch(/^Yes, I remember: 1\. .+ (event|run ok) \| .*refunded/);

  const backstory = await openBackstory({
    home,
    memory: { workspace: 'support-desk', scope: ['workspace', 'route', 'tenant'] },
  });
  const context = await backstory.episodes.context({ route: '/support', scope: { tenant: 'acme' } });
  const { records } = await context.recall();
  expect(records.map(({ source, data }) => [source.type, data.toolsUsed ?? data.event]).reverse()).toEqual([
    ['run', ['recall', 'remember']],
    ['tool', 'refunded'],
    ['run', ['recall']],
  ]);
  await backstory.close();
});
