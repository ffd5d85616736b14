// The rows of the text case file that need a store, through the whole search (cases/text.md).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROWS } from '../steps/text-cases.ts';
import { type Desk, makeDesk } from './search-steps.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.close());

describe('text cases, exact (cases/text.md)', () => {
  test.each(ROWS.map((row) => [row[0], row[2].slice(0, 60), row] as const))('%s: %s', async (_id, _query, row) => {
    const [, texts, query, found] = row;
    for (const [id, text] of Object.entries(texts)) await desk.say('one', { id, text });
    const { hits, coverage } = await desk.search(query, { exact: true });
    expect(hits.map((hit) => hit.messageId)).toEqual(found);
    expect(coverage.query?.relaxed).toBe(false);
    expect(coverage.complete).toBe(true);
  });
});

describe('text cases: what an answer says besides', () => {
  test('T-5 T-6 TXT-9: ranges refer to the sanitized text', async () => {
    await desk.say('one', 'Straße', 'İstanbul x');
    expect((await desk.search('strasse')).hits[0]?.ranges).toEqual([[0, 6]]);
    expect((await desk.search('istanbul')).hits[0]?.ranges).toEqual([[0, 8]]);
  });

  test('T-25 T-26 TXT-3: excerpts hold no control sequence', async () => {
    await desk.say('one', '\x1b[31mred\x1b[0m alert', '\x1b]52;c;aGk=\x07title\u202e');
    expect(await desk.found('"red alert"')).toEqual(['red alert']);
    expect(await desk.found('title')).toEqual(['title']);
  });

  test('T-12 TXT-39: HTTPSConnection does not find the two words, even relaxed to stage 2', async () => {
    await desk.say('one', 'HTTPS handshake failed for Connection #42');
    expect(await desk.found('HTTPSConnection')).toEqual([]);
  });

  test.each(['hello - world', '— hello', 'hello 🚀'])('T-40 TXT-33: what is no word is named: %s', async (query) => {
    await desk.say('one', 'hello brave world');
    const { coverage } = await desk.search(query);
    expect(coverage.query?.dropped).toEqual([query.replace(/hello|world/g, '').trim()]);
  });

  test('T-41 TXT-39: a phrase in the wrong order is found only as its words, and said so', async () => {
    await desk.say('one', 'hello brave world');
    const { hits, coverage } = await desk.search('"world hello"');
    expect(hits).toHaveLength(1);
    expect(coverage.query).toMatchObject({ relaxed: true, stage: 'words' });
    expect(coverage.warnings).toHaveLength(1);
  });

  test('T-45 TXT-39: no relaxation brings back what is excluded', async () => {
    await desk.say('one', 'hello brave world');
    expect(await desk.found('hello -brave')).toEqual([]);
    expect(await desk.found('hello missing -brave')).toEqual([]);
  });

  test.each(['???', '🚀', '-', '"', '-foo', '%', '_', '\\', '*'])(
    'T-51 T-60 TXT-34: %s is query_empty',
    async (query) => {
      await desk.say('one', 'any');
      await expect(desk.search(query)).rejects.toMatchObject({ code: 'query_empty' });
    },
  );

  test('T-52 TXT-35: 4 096 units are accepted; 4 097 are too long, naming both', async () => {
    await desk.say('one', 'any');
    expect((await desk.search('a'.repeat(4_096))).hits).toEqual([]);
    await expect(desk.search('a'.repeat(4_097))).rejects.toMatchObject({
      code: 'query_too_long',
      message: expect.stringMatching(/4097.*4096/),
    });
  });

  test.each(['OR', 'a^2'])('T-53 TXT-31: %s is a literal word and no error', async (query) => {
    await desk.say('one', 'NOT a NEAR(b)');
    await expect(desk.search(query)).resolves.toBeDefined();
  });

  test('T-55 TXT-39: a question finds what holds enough of its words, and lists what is missing', async () => {
    await desk.say('one', 'deployment rollback done', 'something else entirely');
    const { hits, coverage } = await desk.search('what did we decide about deployment rollback');
    expect(hits.map((hit) => hit.messageId)).toEqual(['m1']);
    expect(coverage.query).toMatchObject({ relaxed: true, stage: 'some' });
    expect(hits[0]?.missing).toEqual(['what', 'did', 'we', 'decide', 'about']);
  });

  test('T-56 T-57 TXT-39: an exact hit is never mixed with relaxed ones; nothing is nothing', async () => {
    await desk.say('one', { id: 'A', text: 'deployment rollback' }, { id: 'B', text: 'rollback' });
    const { hits, coverage } = await desk.search('deployment rollback');
    expect(hits.map((hit) => hit.messageId)).toEqual(['A']);
    expect(coverage.query?.relaxed).toBe(false);
    const nothing = await desk.search('zzz qqq xxx');
    expect(nothing.hits).toEqual([]);
    expect(nothing.coverage.query?.relaxed).toBe(false);
  });
});
