// Mode `any` over a store (TXT-30, TXT-35, TXT-42 step 3): the rows of the text case file that recall decides.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Memory, makeMemory } from '../episodes/recall/memory-steps.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await makeMemory();
});
afterEach(() => memory.close());

const say = async (...texts: readonly string[]): Promise<void> => {
  for (const [index, text] of texts.entries()) await memory.event(text, { at: memory.now - index * 1_000 });
};

describe('text cases: mode any at a store', () => {
  test('T-58 TXT-30: words of a sentence find what holds some of them; - and OR are text', async () => {
    await say('deployment rollback done', 'nothing of the kind');
    const query = 'so, what did we decide about -deployment OR rollback?';
    expect(await memory.contents({ query })).toEqual(['deployment rollback done']);
    expect(await memory.contents({ query: '-deployment' })).toEqual(['deployment rollback done']);
    expect(await memory.contents({ query: 'nothing OR' })).toEqual(['nothing of the kind']);
  });

  test('T-59 TXT-35: of as many words as a recall takes the 64 rarest that occur at all count', async () => {
    await say('w700 and w17', 'w5', ...Array.from({ length: 40 }, (_, index) => `common${index % 2} text ${index}`));
    const words = Array.from({ length: 800 }, (_, index) => `w${index}`);
    const { records } = await memory.recall({ query: words.join(' ') });
    expect(records.map(({ content }) => content)).toEqual(['w700 and w17', 'w5']);
  });

  test('T-71 TXT-42: the oldest text with the rare word comes first or second, whatever else is newer', async () => {
    await memory.runs([
      ['the zanzibar', { at: memory.now - 3_600_000 }],
      ...Array.from({ length: 2_100 }, (_, index) => ['the log', { at: memory.now - index }] as const),
    ]);
    const contents = await memory.contents({ query: 'the zanzibar log' });
    expect(contents.slice(0, 2).join()).toContain('zanzibar');
  });

  test('T-71a TXT-42: two common words that no text holds together both lead to some', async () => {
    await memory.runs(
      Array.from({ length: 4_000 }, (_, index) => [index % 2 === 0 ? 'deploy it' : 'timeout of it', {}] as const),
    );
    const contents = await memory.contents({ query: 'deploy timeout', limit: 100 });
    expect(contents.some((text) => text.includes('deploy'))).toBe(true);
    expect(contents.some((text) => text.includes('timeout'))).toBe(true);
  });
});
