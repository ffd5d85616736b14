import { describe, expect, test } from 'vitest';
import { excerptOf, matchText, parseQuery, relax, sanitize } from '../../src/text/index.ts';

// The rows of the text cases that one text and one query decide; those that need a store are in test/sessions/.
const FOUND: readonly (readonly [id: string, text: string, queries: readonly string[]])[] = [
  ['T-1', 'café', ['cafe', 'CAFE', 'cafe\u0301']],
  ['T-2', 'cafe', ['café']],
  ['T-3', 'Ελλάδα', ['ελλαδα']],
  ['T-4', 'чёрный', ['черный']],
  ['T-5', 'Straße', ['strasse', 'STRASSE']],
  ['T-6', 'İstanbul x', ['istanbul']],
  ['T-7', 'phở bò', ['pho bo']],
  ['T-8', 'soft\u00adhyphen', ['softhyphen']],
  ['T-8', 'zero\u200bwidth', ['zerowidth']],
  ['T-9', "don't", ['dont', 'don’t', "don't"]],
  ['T-10', 'getUserById failed', ['user by id', 'getUserById', 'getuserbyid']],
  ['T-11', 'RESTAURANT_SIGNALS', ['RESTAURANT_SIGNALS', 'restaurant', 'signals']],
  ['T-13', 'JSONDataReader HTTPServer2', ['data reader', 'server 2', '"data reader"']],
  ['T-14', 'C++ code', ['C++', 'c', 'C++ code']],
  ['T-15', '明天下午三点开项目评审会议讨论排期', ['会议', '会', '排期', '期']],
  ['T-16', '使用OpenClaw部署数据库', ['OpenClaw', '部署', '使用OpenClaw']],
  ['T-18', '데이터베이스를 만든다', ['데이터베이스', '데이터']],
  ['T-19', 'ภาษาไทย', ['ภาษา', 'ไทย']],
  ['T-20', '東京タワー', ['東京', 'タワー', 'ﾀﾜｰ']],
  ['T-21', `${'a'.repeat(91_548)} needle`, ['needle', 'aaa*', `${'a'.repeat(64)}*`]],
  ['T-22', 'id 550e8400-e29b-41d4-a716-446655440000', ['550e8400-e29b-41d4-a716-446655440000', '550e8400', '550e84*']],
  ['T-23', 'commit 3f1a9c27e4b8d6015a2f3c4d5e6f7a8b9c0d1e2f', ['3f1a9c2']],
  ['T-24', 'api_key=[hidden:credential]', ['hidden:credential', '[hidden:credential]']],
  ['T-25', '\x1b[31mred\x1b[0m alert', ['red alert', '"red alert"']],
  ['T-27', 'ＡＰＩ ﬁle ٤٢', ['api file 42']],
  ['T-40', 'hello brave world', ['hello - world', '— hello', 'hello 🚀']],
  ['T-42', 'hello brave world', ['"brave world"', '“brave world”', '«brave world»']],
  ['T-43', 'hello brave world', ['hell*']],
  ['T-44', 'hello brave world', ['hello OR zzz', 'zzz OR hello', 'brave zzz OR hello']],
  ['T-46', 'error-401 status:500', ['error-401', 'status:500', '"error-401']],
  ['T-47', 'on 2026-03-31', ['2026-03-31']],
  ['T-48', 'see src/a.ts, ask @x', ['src/a.ts', '@x', 'src/a*']],
  ['T-49', '{"compat": true} [unclosed (x', ['{"compat', '[unclosed', '(x']],
  ['T-50', 'a b', ['a\u0000b']],
  ['T-53', 'NOT a NEAR(b) or a^2', ['NOT', 'NEAR(b)', 'OR', 'a^2']],
  ['T-54', 'rm --force', ['rm --force']],
  ['T-60', "x '); DROP TABLE", ["'); DROP"]],
  ['T-96', `alpha ${'filler '.repeat(28_000)}omega`, ['alpha omega']],
  ['T-98', `${'the '.repeat(300)}the end`, ['"the end"']],
];

const NOT_FOUND: readonly (readonly [id: string, text: string, queries: readonly string[]])[] = [
  ['T-11', 'restaurant signals', ['RESTAURANT_SIGNALS']],
  ['T-12', 'HTTPS handshake failed for Connection #42', ['HTTPSConnection']],
  ['T-14', 'C code', ['C++']],
  ['T-17', '试验证明', ['验明']],
  ['T-20', 'が', ['か']],
  ['T-24', 'api_key=[hidden:credential]', ['hidden', 'credential']],
  ['T-41', 'hello brave world', ['"world hello"', '"hello world"']],
  ['T-45', 'hello brave world', ['hello -brave', 'hello -"brave world"']],
  ['T-97', `alpha ${'filler '.repeat(28_000)}omega`, ['"alpha omega"']],
];

describe('text cases', () => {
  test.each(FOUND.flatMap(([id, text, queries]) => queries.map((query) => ({ id, text, query }))))(
    '$id: $query is found',
    ({ text, query }) => {
      expect(matchText(parseQuery(query), sanitize(text)).complete).toBe(true);
    },
  );

  test.each(NOT_FOUND.flatMap(([id, text, queries]) => queries.map((query) => ({ id, text, query }))))(
    '$id: $query is not found, not even as its words',
    ({ id, text, query }) => {
      const parsed = parseQuery(query);
      expect(matchText(parsed, sanitize(text)).complete).toBe(false);
      const words = relax(parsed, 'words');
      if (words && id !== 'T-41' && id !== 'T-97') expect(matchText(words, sanitize(text)).complete).toBe(false);
    },
  );

  test.each([
    ['T-5 TXT-9', 'Straße', 'strasse', [[0, 6]]],
    ['T-6 TXT-9', 'İstanbul x', 'istanbul', [[0, 8]]],
    ['TXT-53', 'one two three', 'two', [[4, 7]]],
    [
      'TXT-53',
      'one two three',
      'two three',
      [
        [4, 7],
        [8, 13],
      ],
    ],
  ])('%s: the range of %s for %s', (_id, text, query, ranges) => {
    expect(excerptOf(text, parseQuery(query)).ranges).toEqual(ranges);
  });

  test.each(['???', '🚀', '-', '"', '-foo', '%', '_', '\\', '*'])('T-51 T-60 TXT-34: %s is query_empty', (query) => {
    expect(() => parseQuery(query)).toThrow(expect.objectContaining({ code: 'query_empty' }));
  });

  test('T-52 TXT-35: 4 096 units are accepted, 4 097 are query_too_long naming both numbers, not the text', () => {
    expect(parseQuery('a'.repeat(4_096)).clauses).toHaveLength(1);
    expect(() => parseQuery('secret'.padEnd(4_097, 'a'))).toThrow(
      expect.objectContaining({ code: 'query_too_long', message: expect.stringMatching(/^(?!.*secret).*4097.*4096/s) }),
    );
  });

  test('T-40 TXT-33: what yields no token is dropped and named', () => {
    expect(parseQuery('hello - world').dropped).toEqual(['-']);
    expect(parseQuery('— hello').dropped).toEqual(['—']);
    expect(parseQuery('hello 🚀').dropped).toEqual(['🚀']);
  });

  test('T-58 TXT-30: in mode any each word is a term, and operators are text', () => {
    const query = parseQuery('so, what did we decide about -deployment OR rollback?', { mode: 'any' });
    const words = query.clauses.map((clause) => clause.anyOf[0]?.tokens[0]?.text);
    expect(words).toEqual(['so', 'what', 'did', 'we', 'decide', 'about', 'deployment', 'or', 'rollback']);
    expect(query.excluded).toEqual([]);
    expect(matchText(query, 'deployment rollback done').found.filter(Boolean)).toHaveLength(2);
  });

  test('T-26 TXT-3: an OSC sequence and a direction control leave the title', () => {
    expect(sanitize('\x1b]52;c;aGk=\x07title\u202e')).toBe('title');
  });
});
