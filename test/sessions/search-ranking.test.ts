// Rank, bounds and long texts of the text case file, through the whole search (cases/text.md, text.md §6, §7).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Desk, makeDesk, START } from './search-steps.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.close());

const times = (count: number, text: string): string[] => new Array<string>(count).fill(text);
const ids = async (query: string): Promise<string[]> => (await desk.search(query)).hits.map((hit) => hit.messageId);

describe('text cases: ranking', () => {
  test('T-70 TXT-42 S-65: one old text with the rare word wins over any number of newer ones', async () => {
    await desk.say('one', { id: 'old', text: 'deploy zanzibar' }, ...times(2_100, 'deploy'));
    const { hits, coverage } = await desk.search('deploy zanzibar');
    expect(hits.map((hit) => hit.messageId)).toEqual(['old']);
    expect(coverage.ranked).toEqual({ considered: 1, complete: true });
  });

  test('S-66 TXT-41: a bound that was reached is said, and so many were looked at', async () => {
    await desk.say('one', ...times(2_100, 'deploy'));
    const { coverage } = await desk.search('deploy');
    expect(coverage.ranked).toEqual({ considered: 2_000, complete: false });
    expect(coverage.complete).toBe(true);
  });

  test('T-72 TXT-44: words side by side come before words far apart', async () => {
    const far = `world ${'and more words '.repeat(16)}brave`;
    await desk.say('one', { id: 'near', text: 'brave new world' }, { id: 'far', text: far });
    expect(await ids('brave world')).toEqual(['near', 'far']);
  });

  test('T-73 TXT-45: the spelling as typed comes first, though it is older', async () => {
    await desk.say('one', { id: 'typed', text: 'café' }, { id: 'plain', text: 'cafe' });
    expect(await ids('café')).toEqual(['typed', 'plain']);
  });

  test('T-74 TXT-43: a word comes before a part of an identifier', async () => {
    await desk.say('one', { id: 'A', text: 'user here' }, { id: 'B', text: 'getUser x' });
    expect(await ids('user')).toEqual(['A', 'B']);
  });

  test('T-75 SES-76: of equal texts the newer comes first, then the smaller key', async () => {
    await desk.say('b', { text: 'same words', at: START });
    await desk.say('a', { text: 'same words', at: START });
    await desk.say('c', { text: 'same words', at: START + 1 });
    const order = (await desk.search('same words')).hits.map((hit) => hit.sessionKey);
    expect(order).toEqual(['agent:a:c', 'agent:a:a', 'agent:a:b']);
  });

  test('T-77 TXT-43: Chinese and English texts of like length score within a fifth', async () => {
    await desk.say('one', 'the deploy went out at ten', '今天上午十点钟我们完成了整个系统的部署工作了呀吧');
    const [english] = (await desk.search('deploy')).hits;
    const [chinese] = (await desk.search('部署')).hits;
    expect(Math.abs(english!.score - chinese!.score) / english!.score).toBeLessThan(0.2);
  });
});

describe('text cases: long texts', () => {
  test('T-90 TXT-51: a word repeated 120 000 times gives one hit with at most 32 ranges', async () => {
    await desk.say('one', 'rollback '.repeat(120_000));
    const { hits } = await desk.search('rollback');
    expect(hits).toHaveLength(1);
    expect(hits[0]!.ranges.length).toBeLessThanOrEqual(32);
    expect(hits[0]!.excerpt.length).toBeLessThanOrEqual(300);
  });

  test('T-96 TXT-22: words at both ends of a long text are one hit', async () => {
    await desk.say('one', `alpha ${'filler '.repeat(28_000)}omega`, 'alpha alone', 'omega alone');
    const { hits, coverage } = await desk.search('alpha omega', { exact: true });
    expect(hits.map((hit) => hit.messageId)).toEqual(['m1']);
    expect(coverage.ranked.considered).toBe(1);
  });

  test('T-97 TXT-22: a phrase is not found across a long text', async () => {
    await desk.say('one', `alpha ${'filler '.repeat(28_000)}omega`);
    expect((await desk.search('"alpha omega"', { exact: true })).hits).toEqual([]);
  });

  test('TXT-22: an exclusion is judged on the whole of a long text', async () => {
    await desk.say('one', `alpha ${'filler '.repeat(28_000)}omega`, 'alpha here');
    const { hits } = await desk.search('alpha -omega', { exact: true });
    expect(hits.map((hit) => hit.messageId)).toEqual(['m2']);
  });

  test('TXT-22: long texts are found among more texts than a search looks at', async () => {
    const long = `alpha ${'filler '.repeat(28_000)}omega`;
    await desk.say('one', { id: 'old', text: long }, ...times(2_050, 'alpha omega'), { id: 'new', text: long });
    const { hits, coverage } = await desk.search('alpha omega', { limit: 500, sort: 'newest' });
    expect(hits[0]?.messageId).toBe('new');
    expect(coverage.ranked.complete).toBe(false);
  });

  test('T-98 TXT-21: a phrase after 300 of its first words', async () => {
    await desk.say('one', `${'the '.repeat(300)}the end`);
    expect((await desk.search('"the end"', { exact: true })).hits).toHaveLength(1);
  });

  test('T-99 TXT-21: a phrase after 20 000 different words', async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `word${index}x`).join(' ');
    await desk.say('one', `${words} last phrase here`);
    expect((await desk.search('"last phrase here"', { exact: true })).hits).toHaveLength(1);
  });

  test('T-100 TXT-52: the excerpt shows two words together, not one of them alone', async () => {
    const gap = 'filler '.repeat(1_500);
    await desk.say('one', `alpha ${gap} omega ${gap} then alpha with omega ${gap}`);
    const [hit] = (await desk.search('alpha omega')).hits;
    expect(hit!.excerpt).toContain('alpha with omega');
  });

  test('S-20 SES-44: the last word of a long message is found', async () => {
    await desk.say('one', `${'cat '.repeat(500_000)}okapi`);
    const [hit] = (await desk.search('okapi')).hits;
    expect(hit?.messageId).toBe('m1');
    expect(hit!.excerpt.length).toBeLessThanOrEqual(300);
  });
});
