// Regular expressions through the whole search (TXT-40): what is found, what narrows it, and how an answer goes on when
// the time is up.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/model/clock.ts';
import { type Desk, makeDesk, type Said, START } from './search-steps.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.close());

const ids = async (query: string, params: object = {}): Promise<string[]> =>
  (await desk.search(query, { regex: true, ...params })).hits.map((hit) => hit.messageId);

describe('TXT-40: what an expression finds', () => {
  test.each<[string, Readonly<Record<string, string>>, string, readonly string[]]>([
    ['parts of words', { a: 'a timeout happened', b: 'nothing' }, 'imeou', ['a']],
    ['whole words by the index', { a: 'panic: index out of range', b: 'panics' }, '^panic: .*out of', ['a']],
    ['without case', { a: 'TimeOut', b: 'x' }, 'timeout', ['a']],
    ['classes and repetition', { a: 'error 401 here', b: 'error 40 here' }, 'error [0-9]{3} ', ['a']],
    ['any of several', { a: 'foo bar now', b: 'baz qux now', c: 'foo qux now' }, '(foo bar|baz qux) now', ['b', 'a']],
    ['a border of a word', { a: 'the key', b: 'keys', c: 'monkey' }, '\\bkey\\b', ['a']],
    ['a marker', { a: 'api_key=[hidden:private-key]', b: 'x' }, '\\bprivate-k', ['a']],
    ['ends of a line', { a: 'one\ntwo three\nfour', b: 'one two three four' }, '^two three$', ['a']],
    ['own ends', { a: 'one\ntwo', b: 'x two' }, '\\Atwo\\z', ['a']],
    ['no match over lines', { a: 'one\ntwo', b: 'one two' }, 'one\\stwo', ['b']],
    ['ideographs', { a: '明天部署数据库', b: '明天' }, '部署.据', ['a']],
    ['accents as they are', { a: 'café', b: 'cafe' }, 'cafe\\b', ['b']],
    ['quoted text', { a: 'a.b*c(d', b: 'aab' }, '\\Qa.b*c(\\E', ['a']],
    ['a long s', { a: 'Waſſer', b: 'x' }, 'wasser', ['a']],
    ['Unicode classes', { a: 'Ж1', b: 'x1' }, '^\\p{Cyrillic}\\d$', ['a']],
  ])('%s', async (_what, texts, query, found) => {
    for (const [id, text] of Object.entries(texts)) await desk.say('one', { id, text });
    expect(await ids(query)).toEqual(found);
  });

  test('case matters with ignoreCase: false', async () => {
    await desk.say('one', { id: 'a', text: 'Timeout' }, { id: 'b', text: 'timeout' });
    expect(await ids('Timeout', { ignoreCase: false })).toEqual(['a']);
    expect(await ids('\\bTimeout\\b', { ignoreCase: false })).toEqual(['a']);
  });

  test('a hit has an excerpt with the ranges of its matches', async () => {
    await desk.say('one', `${'filler '.repeat(200)}error 401 and then error 502 ${'filler '.repeat(200)}`);
    const [hit] = (await desk.search('error \\d+', { regex: true })).hits;
    expect(hit!.ranges.map(([start, end]) => hit!.excerpt.slice(start, end))).toEqual(['error 401', 'error 502']);
    expect(hit!.excerpt.length).toBeLessThanOrEqual(300);
  });

  test('it runs over the masked and sanitized text', async () => {
    await desk.close();
    desk = await makeDesk({
      masker: { fingerprint: 'test', mask: (text) => text.replaceAll('hunter2', '[hidden:password]') },
    });
    await desk.say('one', 'password hunter2 and \x1b[31mred\x1b[0m alert');
    expect(await ids('hunter2')).toEqual([]);
    expect(await ids('red alert')).toHaveLength(1);
  });

  test('newer texts come first, in every session no more than asked for', async () => {
    await desk.say('one', 'abc 1', 'abc 2', 'abc 3');
    await desk.say('two', { text: 'abc 4', at: START });
    expect(await desk.found('abc \\d', { regex: true })).toEqual(['abc 3', 'abc 2', 'abc 1', 'abc 4']);
    expect(await desk.found('abc \\d', { regex: true, sort: 'oldest' })).toEqual(['abc 4', 'abc 1', 'abc 2', 'abc 3']);
    expect(await desk.found('abc \\d', { regex: true, perSession: 1 })).toEqual(['abc 3', 'abc 4']);
    expect(await desk.found('abc \\d', { regex: true, session: 'agent:a:two' })).toEqual(['abc 4']);
  });

  test('filters and long texts: a text of several documents is one hit', async () => {
    const long = `begin ${'word '.repeat(30_000)} 4711 end`;
    await desk.say('one', { id: 'long', text: long, role: 'assistant' }, { id: 'short', text: 'begin 4711 end' });
    expect(await ids('47\\d1', { roles: ['assistant'] })).toEqual(['long']);
    expect(await ids(' word word ')).toEqual(['long']);
    expect(await ids('begin .* end$')).toEqual(['short', 'long']);
  });
});

describe('TXT-40: errors', () => {
  test.each([
    ['[unclosed', 0, 'missing closing ]'],
    ['ab(c', 2, 'missing closing )'],
    ['a**', 1, 'nested repetition'],
    ['a)b', 1, 'unexpected )'],
    ['x\\', 1, 'backslash'],
  ])('T-62: %s is regex_invalid, naming position %i and cause', async (query, position, cause) => {
    await expect(desk.search(query, { regex: true })).rejects.toMatchObject({
      code: 'regex_invalid',
      message: expect.stringMatching(new RegExp(`position ${position}: .*${cause.replace(/[)\]]/g, '\\$&')}`)),
      details: { position },
    });
  });

  test.each([
    ['(?=x)', 'look-ahead'],
    ['a(?!x)', 'negative look-ahead'],
    ['(?<=a)b', 'look-behind'],
    ['(a)\\1', 'back reference'],
    ['(?>a)', 'atomic group'],
    ['a++', 'possessive'],
  ])('T-62: %s is regex_unsupported, naming the construct', async (query, construct) => {
    await expect(desk.search(query, { regex: true })).rejects.toMatchObject({
      code: 'regex_unsupported',
      message: expect.stringContaining(construct),
    });
  });

  test('an empty expression and one that is too long', async () => {
    await expect(desk.search('', { regex: true })).rejects.toMatchObject({ code: 'query_empty' });
    await expect(desk.search('a'.repeat(4_097), { regex: true })).rejects.toMatchObject({ code: 'query_too_long' });
  });

  test('what looks like a construct in a class or behind a backslash is none', async () => {
    await desk.say('one', { id: 'a', text: 'x(?=y' });
    expect(await ids('[(?=]{3}')).toEqual(['a']);
    expect(await ids('\\(\\?=y')).toEqual(['a']);
  });

  test('COM-20: an error does not hold the expression', async () => {
    await expect(desk.search('topsecret[', { regex: true })).rejects.toMatchObject({
      message: expect.not.stringContaining('topsecret'),
    });
  });
});

describe('TXT-40: bounded time', () => {
  test('T-61: (a+)+$ on 100 000 letters and a b is no hit, and no stack or time is used up', async () => {
    await desk.say('one', `${'a'.repeat(100_000)}b`, 'other');
    const { hits, coverage } = await desk.search('(a+)+$', { regex: true });
    expect(hits).toEqual([]);
    expect(coverage.complete).toBe(true);
  });

  const many = (count: number): Said[] =>
    Array.from({ length: count }, (_, n) => ({ id: `m${n}`, text: n % 100 === 7 ? `xx${n}yy` : `text ${n}` }));
  // Each look at the clock takes a while.
  const ticking = (ms: number): Clock => {
    let now = 0;
    return { now: () => START + 86_400_000, elapsed: () => (now += ms) };
  };

  test.each(['newest', 'oldest', 'relevance'] as const)(
    'when the time is up, coverage says so and the cursor goes on until all was looked at once: %s',
    async (sort) => {
      await desk.close();
      desk = await makeDesk({ clock: ticking(10) });
      await desk.say('one', ...many(1_500));
      await desk.say('agent:b:two', ...many(700));
      const found: string[] = [];
      const covered: boolean[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 60; pages++) {
        const params = { regex: true, sort, budgetMs: 45, limit: 2, ...(cursor === undefined ? {} : { cursor }) };
        const { hits, coverage } = await desk.search('x\\d+yy', params);
        found.push(...hits.map((hit) => `${hit.agentId} ${hit.messageId}`));
        covered.push(coverage.complete);
        if (!coverage.complete) {
          expect(coverage.skipped[0]).toMatchObject({ reason: 'time_budget' });
          expect(coverage.warnings.join(' ')).toContain('Go on with the cursor');
        }
        cursor = coverage.cursor;
        if (cursor === undefined) break;
      }
      expect(covered[0]).toBe(false);
      expect(covered.at(-1)).toBe(true);
      expect(found.toSorted()).toEqual(
        ['a', 'b']
          .flatMap((agent) =>
            many(agent === 'a' ? 1_500 : 700).flatMap(({ id, text }) =>
              text!.includes('yy') ? [`${agent} ${id}`] : [],
            ),
          )
          .toSorted(),
      );
    },
  );

  test('messages written after the first page are not in later ones', async () => {
    await desk.say('one', ...many(300));
    const first = await desk.search('x\\d+yy', { regex: true, limit: 1 });
    await desk.say('one', { text: 'xx1yy' });
    const next = await desk
      .search('x\\d+yy', { regex: true, limit: 5, cursor: first.coverage.cursor! })
      .catch((e) => e);
    expect(next).toMatchObject({ code: 'cursor_invalid' });
    const same = await desk.search('x\\d+yy', { regex: true, limit: 1, cursor: first.coverage.cursor! });
    expect(same.hits.map((hit) => hit.messageId)).toEqual(['m107']);
  });

  test('a word that the expression needs is looked up by the index: other texts are not looked at', async () => {
    await desk.say('one', ...many(300), { id: 'it', text: 'the zanzibar of 1999' });
    const { hits, coverage } = await desk.search('zanzibar of \\d+', { regex: true });
    expect([hits.length, coverage.ranked.considered]).toEqual([1, 301]);
    const narrowed = await desk.search('the zanzibar of \\d+', { regex: true });
    expect([narrowed.hits.length, narrowed.coverage.ranked.considered]).toEqual([1, 1]);
  });

  test('explain says how it was read', async () => {
    await desk.say('one', 'the zanzibar of 1999');
    const { explain } = await desk.search('the zanzibar of', { regex: true, explain: true });
    expect(explain?.query).toContain('zanzibar');
  });
});
