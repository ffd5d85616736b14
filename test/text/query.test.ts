import { describe, expect, test } from 'vitest';
import { matchText, parseQuery, relax, sanitize } from '../../src/text/index.ts';

function finds(typed: string, text: string): boolean {
  return matchText(parseQuery(typed), sanitize(text)).complete;
}

/** Clauses as text: alternatives by `|`, tokens by a space, prefixes with `*`, exclusions with `-`. */
function read(typed: string, mode: 'all' | 'any' = 'all'): string[] {
  const query = parseQuery(typed, { mode });
  const term = ({ tokens }: { tokens: readonly { text: string; prefix: boolean }[] }) =>
    tokens.map(({ text, prefix }) => `${text}${prefix ? '*' : ''}`).join(' ');
  return [
    ...query.clauses.map(({ anyOf }) => anyOf.map(term).join(' | ')),
    ...query.excluded.map((excluded) => `-${term(excluded)}`),
  ];
}

describe('reading a query', () => {
  test.each([
    ['error 401', ['error', '401']],
    ['"rollback plan"', ['rollback plan']],
    ['“a b” „c d“ «e f» 「g h」', ['a b', 'c d', 'e f', 'g h']],
    ['src/a.ts a@b.c', ['src a ts', 'a b c']],
    ['depl* src/comp* d* 会*', ['depl*', 'src comp*', 'd', '会*']],
    ['x -draft -"first draft"', ['x', '-draft', '-first draft']],
    ['x -"open', ['x', '-open']],
    ['--force a-b', ['force', 'a b']],
    ['x a OR b', ['x', 'a | b']],
    ['a OR b OR c', ['a | b | c']],
    ['OR', ['or']],
    ['OR a', ['or', 'a']],
    ['a OR', ['a', 'or']],
    ['a or b', ['a', 'or', 'b']],
    ['a AND b', ['a', 'b']],
    ['AND a', ['and', 'a']],
    ['🚀 OR a', ['a']],
    ['a OR 🚀', ['a']],
    ['a OR 🚀 OR b', ['a | b']],
    ['x 🚀 OR a', ['x', 'a']],
    ['a -b OR c', ['a', 'or', 'c', '-b']],
    ['a OR -b', ['a', 'or', '-b']],
    ['NOT a NEAR(b) ^c +d {e ~f \\g', ['not', 'a', 'near b', 'c', 'd', 'e', 'f', 'g']],
  ])('TXT-31: %s', (typed, clauses) => {
    expect(read(typed)).toEqual(clauses);
  });

  test.each([
    ['证', ['证*']],
    ['认证系统', ['认证 证系 系统']],
    ['使用OpenClaw', ['使用 用 openclaw']],
    ['会x', ['会 x']],
    ['3f1a9c2 deadbee 1234567 3f1a9c', ['3f1a9c2*', 'deadbee', '1234567', '3f1a9c']],
    [
      'hidden:credential [hidden:credential] "key hidden:credential"',
      ['hidden:credential', 'hidden:credential', 'key hidden:credential'],
    ],
    ['getUserById', ['getuserbyid']],
  ])('TXT-14 TXT-37 TXT-12 TXT-11: %s', (typed, clauses) => {
    expect(read(typed)).toEqual(clauses);
  });

  test('TXT-30: in mode any each pair of a sentence without spaces is a term of its own, phrases stay whole', () => {
    expect(read('开会讨论 "first draft" -x OR x', 'any')).toEqual(['开会', '会讨', '讨论', 'first draft', 'x', 'or']);
  });

  test.each(['{"compat', '[unclosed', 'a"b', 'foo:bar', '(x', '%x', '*x', '\\x', 'a\0b'])(
    'TXT-32: %j is no error',
    (typed) => {
      expect(read(typed).length).toBeGreaterThan(0);
    },
  );

  test('TXT-34: only exclusions is query_empty; the error names what was dropped', () => {
    expect(() => parseQuery('-foo')).toThrow(expect.objectContaining({ code: 'query_empty' }));
    expect(() => parseQuery('— 🚀')).toThrow(
      expect.objectContaining({
        details: { dropped: ['—', '🚀'] },
        hint: expect.stringContaining('letters or digits'),
      }),
    );
  });

  test('TXT-35: 128 terms are read, 129 are query_too_long; mode any has no such bound', () => {
    expect(parseQuery('a '.repeat(128)).clauses).toHaveLength(128);
    expect(() => parseQuery('a '.repeat(129))).toThrow(expect.objectContaining({ code: 'query_too_long' }));
    expect(
      parseQuery(Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(' '), { mode: 'any' }).clauses,
    ).toHaveLength(10_000);
  });

  test('TXT-36: a filter typed into the query is words', () => {
    expect(read('role:user')).toEqual(['role user']);
  });

  test('TXT-38: explain says how each term was read, and what was dropped', () => {
    const lines = parseQuery('deploy* a OR b -draft 🚀').explain();
    for (const part of ['deploy…', 'the word a or the word b', 'must not hold the word draft', '🚀']) {
      expect(lines).toContain(part);
    }
  });
});

describe('T-12 TXT-11: asymmetry', () => {
  test('an identifier is looked for whole, at every stage of relaxation', () => {
    const text = 'HTTPS handshake failed for Connection #42';
    const query = parseQuery('HTTPSConnection');
    for (const stage of ['prefix', 'words'] as const) {
      const loosened = relax(query, stage);
      expect(loosened ? matchText(loosened, text).complete : false).toBe(false);
    }
    expect(finds('connection', 'HTTPSConnection')).toBe(true);
  });
});

describe('relaxation', () => {
  const stages = (typed: string) =>
    (['prefix', 'words', 'some'] as const).map((stage) => relax(parseQuery(typed), stage)?.clauses.length);

  test('TXT-39: each stage changes what it says, or is undefined', () => {
    expect(stages('deployment')).toEqual([1, undefined, undefined]);
    expect(stages('ab')).toEqual([undefined, undefined, undefined]);
    expect(stages('"rollback plan" x')).toEqual([undefined, 3, 3]);
    expect(stages('src/a.ts')).toEqual([undefined, 3, 3]);
    expect(relax(parseQuery('a b', { mode: 'any' }), 'prefix')).toBeUndefined();
  });

  test('TXT-39: exclusions and OR stay; the stage is named', () => {
    const loosened = relax(parseQuery('a-b x OR y -draft'), 'words');
    expect(loosened?.clauses.map(({ anyOf }) => anyOf.length)).toEqual([1, 1, 2]);
    expect(loosened?.excluded).toHaveLength(1);
    expect(loosened?.stage).toBe('words');
    const text = 'hello brave world';
    for (const stage of ['prefix', 'words', 'some'] as const) {
      const query = relax(parseQuery('hello zzz -brave'), stage);
      if (query) expect(matchText(query, text).excluded).toBe(true);
    }
  });

  test('TXT-39: a word that a literal repeats is one word', () => {
    expect(relax(parseQuery('a-a-b-a'), 'words')?.clauses).toHaveLength(2);
  });
});
