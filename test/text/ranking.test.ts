import { describe, expect, test } from 'vitest';
import {
  compareScores,
  idfOf,
  matchText,
  parseQuery,
  type Statistics,
  sanitize,
  scoreOf,
} from '../../src/text/index.ts';

const statistics = (typed: string, averageLength = 40): Statistics => ({
  total: 100,
  averageLength,
  documentFrequency: parseQuery(typed).clauses.map(() => 3),
});

function score(typed: string, text: string, of: Statistics = statistics(typed)): number {
  const query = parseQuery(typed);
  return scoreOf(query, matchText(query, sanitize(text)), text.length, of);
}

describe('ranking', () => {
  test('TXT-43: the formula, by hand', () => {
    const of: Statistics = { total: 10, averageLength: 20, documentFrequency: [1, 4] };
    const idf = [Math.log(1 + 9.5 / 1.5), Math.log(1 + 6.5 / 4.5)] as const;
    const text = 'alpha beta beta';
    const saturated = (f: number) => f / (f + 1.2 * (0.25 + (0.75 * text.length) / 20));
    const base = (idf[0] * saturated(1) + idf[1] * saturated(2)) / (idf[0] + idf[1]);
    expect(idfOf(10, 1)).toBeCloseTo(idf[0], 12);
    expect(score('alpha beta', text, of)).toBeCloseTo(base + 0.5 + 0.1 * 2 + 0.2, 12);
  });

  test('TXT-44: of several words those in the smaller window come first, five of them at most count', () => {
    const of = (text: string): number => score('one two three', text);
    expect(of('three x two x one x x')).toBeGreaterThan(of('three x x x two x one'));
    const many = 'a b c d e f g h';
    expect(score(many, 'h g f e d c b a')).toBeLessThan(score('a b c d e', 'a b c d e') + 0.1);
  });

  test('TXT-43: what is missing lowers the score by its weight', () => {
    const of: Statistics = { total: 10, averageLength: 20, documentFrequency: [1, 4] };
    expect(score('alpha beta', 'alpha', of)).toBeGreaterThan(score('alpha beta', 'beta', of));
  });

  test('T-74 TXT-43: a word counts more than a part, and a part only where the word itself is none', () => {
    expect(score('user', 'the user went')).toBeGreaterThan(score('user', 'the getUser x'));
    const { occurrences } = matchText(parseQuery('get*'), 'getUserById');
    expect(occurrences[0]).toMatchObject({ main: 1, parts: 0 });
    expect(matchText(parseQuery('user'), 'getUserById userUser').occurrences[0]).toMatchObject({ main: 0, parts: 3 });
  });

  test('T-72 TXT-44: close together before far apart', () => {
    const far = `world ${'filler '.repeat(50)}brave`;
    expect(score('brave world', 'brave new world')).toBeGreaterThan(score('brave world', far));
    expect(score('brave world', 'brave world')).toBeGreaterThan(score('brave world', 'world brave'));
  });

  test('TXT-44: words of a script without spaces stand side by side as others do', () => {
    expect(score('会议 部署', '会议部署')).toBeCloseTo(score('会议 部署', '会议 部署'), 1);
    expect(score('会议 部署', '会议部署')).toBeGreaterThan(score('会议 部署', '会议讨论部署'));
    expect(score('会议 部署', '会议讨论部署')).toBeGreaterThan(score('会议 部署', '会议讨论排期部署'));
  });

  test('T-73 TXT-45: as typed before folded, in both directions', () => {
    expect(score('café', 'café x')).toBeGreaterThan(score('café', 'cafe x'));
    expect(score('cafe', 'cafe x')).toBeGreaterThan(score('cafe', 'café x'));
    expect(score('error-401', 'an error-401 x')).toBeGreaterThan(score('error-401', 'an error 401 x'));
    expect(score('User', 'user x')).toBe(score('user', 'user x'));
  });

  test('T-77 TXT-43: a Chinese and an English match in texts of like length score alike', () => {
    const chinese = score('部署', `我们昨天${'讨论了项目评审会议的排期和问题'.repeat(3)}然后部署数据库`);
    const english = score('deploy', `yesterday we discussed the review of the project and then deploy it`);
    expect(Math.abs(chinese - english) / english).toBeLessThan(0.2);
  });

  test('TXT-46: scores compare at 6 decimals, descending', () => {
    expect(compareScores(0.5, 0.500_000_1)).toBe(0);
    expect(compareScores(0.5, 0.600_001)).toBeGreaterThan(0);
    expect([0.1, 0.3, 0.2].sort(compareScores)).toEqual([0.3, 0.2, 0.1]);
  });

  test('TXT-47: the same sum each time, to the last bit', () => {
    const typed = 'one two three four five six seven';
    const text = `${typed} and one more`;
    expect(score(typed, text)).toBe(score(typed, text));
  });

  test('TXT-41: a frequency counted over a total that is smaller still gives a weight', () => {
    expect(idfOf(0, 5)).toBeGreaterThan(0);
  });
});
