// The rows of the text case file that texts, a query and what it finds decide, for each surface that runs them.

/** Case, texts by name, query, names of the texts found (exactly, not relaxed). */
export type Row = readonly [
  id: string,
  texts: Readonly<Record<string, string>>,
  query: string,
  found: readonly string[],
];

const one = (id: string, text: string, queries: readonly string[]): Row[] =>
  queries.map((query) => [id, { it: text, other: 'nothing of the kind' }, query, ['it']]);
const none = (id: string, text: string, queries: readonly string[]): Row[] =>
  queries.map((query) => [id, { it: text }, query, []]);

const LONG_WORD = 'a'.repeat(91_548);
export const ROWS: readonly Row[] = [
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
