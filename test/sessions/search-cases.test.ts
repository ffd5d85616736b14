// The rows of the text case file that need a store, through the whole search (cases/text.md).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Desk, makeDesk } from './search-steps.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.close());

/** Case, texts by name, query, names of the texts found (exactly, not relaxed). */
type Row = readonly [id: string, texts: Readonly<Record<string, string>>, query: string, found: readonly string[]];

const one = (id: string, text: string, queries: readonly string[]): Row[] =>
  queries.map((query) => [id, { it: text, other: 'nothing of the kind' }, query, ['it']]);
const none = (id: string, text: string, queries: readonly string[]): Row[] =>
  queries.map((query) => [id, { it: text }, query, []]);

const LONG_WORD = 'a'.repeat(91_548);
const ROWS: readonly Row[] = [
  ...one('T-1', 'café', ['cafe', 'CAFE', 'cafe\u0301']),
  ...one('T-2', 'cafe', ['café']),
  ...one('T-3', 'Ελλάδα', ['ελλαδα']),
  ...one('T-4', 'чёрный', ['черный']),
  ...one('T-5', 'Straße', ['strasse', 'STRASSE']),
  ...one('T-6', 'İstanbul x', ['istanbul']),
  ...one('T-7', 'phở bò', ['pho bo']),
  ...one('T-8', 'soft\u00adhyphen', ['softhyphen']),
  ...one('T-8', 'zero\u200bwidth', ['zerowidth']),
  ...one('T-9', "don't", ['dont', 'don’t', "don't"]),
  ...one('T-10', 'getUserById failed', ['user by id', 'getUserById', 'getuserbyid']),
  ['T-11', { A: 'RESTAURANT_SIGNALS', B: 'restaurant signals' }, 'RESTAURANT_SIGNALS', ['A']],
  ...none('T-12', 'HTTPS handshake failed for Connection #42', ['HTTPSConnection']),
  ...one('T-13', 'JSONDataReader HTTPServer2', ['data reader', 'server 2']),
  ['T-14', { A: 'C++ code', B: 'C code' }, 'C++', ['A']],
  ...one('T-15', '明天下午三点开项目评审会议讨论排期', ['会议', '会', '排期', '期']),
  ...one('T-16', '使用OpenClaw部署数据库', ['OpenClaw', '部署', '使用OpenClaw']),
  ...none('T-17', '试验证明', ['验明']),
  ...one('T-18', '데이터베이스를 만든다', ['데이터베이스', '데이터']),
  ...one('T-19', 'ภาษาไทย', ['ภาษา', 'ไทย']),
  ...one('T-20', '東京タワー', ['東京', 'タワー']),
  ...none('T-20', 'が', ['か']),
  ...one('T-21', `${LONG_WORD} needle`, ['needle', 'aaa*', LONG_WORD.slice(0, 4_000)]).slice(0, 2),
  ...one('T-22', 'id 550e8400-e29b-41d4-a716-446655440000', [
    '550e8400-e29b-41d4-a716-446655440000',
    '550e8400',
    '550e84*',
  ]),
  ...one('T-23', 'commit 3f1a9c27e4b8d6015a2f3c4d5e6f7a8b9c0d1e2f', ['3f1a9c2']),
  ...one('T-24', 'api_key=[hidden:credential]', ['hidden:credential']),
  ...none('T-24', 'api_key=[hidden:credential]', ['hidden']),
  ...one('T-25', '\x1b[31mred\x1b[0m alert', ['red alert', '"red alert"']),
  ...one('T-26', '\x1b]52;c;aGk=\x07title\u202e', ['title']),
  ...one('T-27', 'ＡＰＩ ﬁle ٤٢', ['api file 42']),
  ...one('T-40', 'hello brave world', ['hello - world', '— hello', 'hello 🚀']),
  ...none('T-41', 'hello brave world', ['"world hello"', '"hello world"']),
  ...one('T-42', 'hello brave world', ['"brave world"']),
  ...one('T-43', 'hello brave world', ['hell*']),
  ...one('T-44', 'hello brave world', ['hello OR zzz', 'zzz OR hello']),
  ...none('T-45', 'hello brave world', ['hello -brave']),
  ...one('T-46', 'error-401 status:500', ['error-401', 'status:500', '"error-401']),
  ...one('T-47', 'on 2026-03-31', ['2026-03-31']),
  ...one('T-48', 'see src/a.ts, ask @x', ['src/a.ts', '@x']),
  ...one('T-49', '{"compat": true} [unclosed (x', ['{"compat', '[unclosed', '(x']),
  ...one('T-50', 'a b', ['a\u0000b']),
  ...one('T-53', 'NOT a NEAR(b)', ['NOT', 'NEAR(b)']),
  ...one('T-54', 'rm --force', ['rm --force']),
  ...one('T-60', "x '); DROP TABLE", ["'); DROP"]),
];

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
