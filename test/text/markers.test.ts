import { describe, expect, test } from 'vitest';
import { matchText, parseQuery, relax } from '../../src/text/index.ts';

const MASKED = 'the api_key=[hidden:credential] was rotated';

const finds = (typed: string, text = MASKED): boolean => matchText(parseQuery(typed), text).complete;

describe('mask markers', () => {
  test('T-24 TXT-12: a loosened word finds no marker that begins with it', () => {
    for (const typed of ['hidden', 'rotated hidden', 'hid']) {
      const loosened = relax(parseQuery(typed), 'prefix');
      expect(loosened, typed).toBeDefined();
      expect(matchText(loosened!, MASKED).complete, typed).toBe(false);
    }
    expect(matchText(relax(parseQuery('rota'), 'prefix')!, MASKED).complete).toBe(true);
  });

  test('TXT-12: a typed prefix finds no marker, unless it goes past the colon', () => {
    expect(finds('hidden*')).toBe(false);
    expect(finds('hid*')).toBe(false);
    expect(finds('hidden*', 'a hiddenness')).toBe(true);
    expect(finds('hidden:cred*')).toBe(true);
    expect(finds('hidden:credential')).toBe(true);
  });

  test('TXT-12: an excluded prefix leaves texts with a marker in', () => {
    expect(finds('rotated -hidden*')).toBe(true);
    expect(finds('rotated -hidden*', `${MASKED} in hiddenness`)).toBe(false);
  });
});
