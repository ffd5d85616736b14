import { describe, expect, test } from 'vitest';
import { documentsOf, excerptOf, matchText, parseQuery, piecesOf, sanitize, tokenize } from '../../src/text/index.ts';

const marked = (text: string, typed: string, options = {}) => {
  const excerpt = excerptOf(text, parseQuery(typed), options);
  return excerpt.ranges.map(([start, end]) => excerpt.text.slice(start, end));
};

describe('excerpts', () => {
  test('T-90 TXT-51: one word 120 000 times: a window and at most 32 ranges', () => {
    const excerpt = excerptOf('rollback '.repeat(120_000), parseQuery('rollback'));
    expect(excerpt.ranges.length).toBeGreaterThan(20);
    expect(excerpt.ranges.length).toBeLessThanOrEqual(32);
    expect(excerptOf('a '.repeat(500), parseQuery('a'), { maxChars: 2_000, maxRanges: 5 }).ranges).toHaveLength(5);
  });

  test('T-100 TXT-52: two words far apart, then together: together, however often one stood alone before', () => {
    const text = `${'alpha '.repeat(400)}${'x '.repeat(5_000)}omega ${'x '.repeat(5_000)}alpha omega`;
    expect(excerptOf(text, parseQuery('alpha omega')).text.endsWith('alpha omega')).toBe(true);
  });

  test('TXT-52 TXT-78: what is asked for again is one word: it neither counts nor is looked for twice', () => {
    const text = `${'x '.repeat(300)}alpha getAlpha ${'x '.repeat(300)}omega alpha`;
    const once = excerptOf(text, parseQuery('alpha omega'));
    expect(excerptOf(text, parseQuery('alpha alpha ALPHA OR alpha omega'))).toEqual(once);
    const [found] = matchText(parseQuery('alpha'), text).occurrences;
    expect(found).toMatchObject({ main: 2, parts: 1 });
    for (const one of matchText(parseQuery('alpha OR Alpha alpha'), text).occurrences) {
      expect(one).toMatchObject({ main: found?.main, parts: found?.parts });
    }
  });

  test('TXT-52: the heaviest words win, then the smaller spread, then the earlier', () => {
    const text = `common other ${'x '.repeat(300)}rare ${'x '.repeat(300)}common other`;
    expect(marked(text, 'rare common other', { weights: [10, 1, 1], maxChars: 60 })).toEqual(['rare']);
    expect(excerptOf(text, parseQuery('common other'), { maxChars: 60 }).from).toBe(0);
  });

  test('TXT-52: a border moves to white space near it, and an ellipsis marks each cut inside the bound', () => {
    const { text, cutStart, cutEnd } = excerptOf(
      `${'word '.repeat(100)}needle ${'word '.repeat(100)}`,
      parseQuery('needle'),
      {
        maxChars: 60,
      },
    );
    expect(text).toMatch(/^…(word )+needle( word)+…$/);
    expect(text.length).toBeLessThanOrEqual(60);
    expect([cutStart, cutEnd]).toEqual([true, true]);
  });

  test.each([39, 2_001, 40.5, Number.NaN])('COM-2: maxChars %s is invalid_argument', (maxChars) => {
    expect(() => excerptOf('a', parseQuery('a'), { maxChars })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });

  test('TXT-53: a single ideograph marks itself, a phrase its whole range, touching ranges are one', () => {
    expect(marked('明天会议讨论', '会')).toEqual(['会']);
    expect(marked('明天会议讨论', '会议')).toEqual(['会议']);
    expect(marked('see src/a.ts now', 'src/a.ts')).toEqual(['src/a.ts']);
    expect(marked('会议部署', '会议 部署')).toEqual(['会议部署']);
    expect(marked('getUserById', 'user')).toEqual(['getUserById']);
  });

  test('T-91 TXT-54: a cut splits no pair, sequence, flag or marker', () => {
    for (let maxChars = 41; maxChars <= 60; maxChars++) {
      for (const filler of ['😀', '👩\u200d👩\u200d👧', '🇩🇪', 'e\u0301\u0302', 'ที่']) {
        const { text } = excerptOf(`${filler.repeat(400)}needle`, parseQuery('needle'), { maxChars });
        expect(text.isWellFormed()).toBe(true);
        const shown = text.replace('needle', '').replaceAll('…', '');
        expect(shown).toBe(filler.repeat(shown.length / filler.length));
      }
      const hidden = excerptOf(`${'[hidden:credential]'.repeat(40)} needle`, parseQuery('needle'), { maxChars }).text;
      expect(hidden.replaceAll('[hidden:credential]', '').replace(/[… ]|needle/g, '')).toBe('');
    }
  });

  test('TXT-55: white space runs, line feeds included, become one space; ranges follow', () => {
    expect(excerptOf('  a\n\n\tneedle \n b', parseQuery('needle'))).toMatchObject({
      text: 'a needle b',
      ranges: [[2, 8]],
    });
  });

  test('TXT-51 TXT-56: from the first match on, also where it lies beyond the first 1 000 000 units; none is the beginning', () => {
    const text = `${'filler '.repeat(200_000)}needle in the hay`;
    expect(marked(text, 'needle')).toEqual(['needle']);
    const none = excerptOf(text, parseQuery('absent'));
    expect(none).toMatchObject({ ranges: [], from: 0, cutStart: false, cutEnd: true });
  });

  test('TXT-50: made from the whole text, so what a marker hides is not shown', () => {
    expect(excerptOf(sanitize('token=[hidden:credential] x'), parseQuery('token')).text).toBe(
      'token=[hidden:credential] x',
    );
  });
});

describe('pieces and documents', () => {
  test('T-92 TXT-60: a surrogate pair at the bound goes to the next piece', () => {
    expect(piecesOf(`${'x'.repeat(1_999)}😀`).map(({ text }) => text.length)).toEqual([1_999, 2]);
    expect(piecesOf('')).toEqual([]);
  });

  test('T-95 TXT-54 RUN-57: no marker and no emoji sequence is cut; a cut lies after white space near the bound', () => {
    const marker = piecesOf(`${'x'.repeat(1_990)}[hidden:credential]${'y'.repeat(50)}`);
    expect(marker[1]?.text.startsWith('[hidden:credential]')).toBe(true);
    expect(piecesOf(`${'x'.repeat(1_997)}👩\u200d👩\u200d👧`)[1]?.text).toBe('👩\u200d👩\u200d👧');
    expect(piecesOf(`${'x'.repeat(1_900)} ${'y'.repeat(500)}`)[0]?.text).toHaveLength(1_901);
    expect(piecesOf(`${'x'.repeat(1_700)} ${'y'.repeat(500)}`)[0]?.text).toHaveLength(2_000);
  });

  test('T-93 T-94 TXT-61: tokens are those of the whole line, so a word or phrase across a cut is found where it begins', () => {
    const line = `${'x'.repeat(1_997)}-needle two words`;
    const { main, starts } = tokenize(line);
    expect(starts[main.indexOf('needle')]).toBe(1_998);
    expect(matchText(parseQuery('"needle two words"'), line).complete).toBe(true);
  });

  test('TXT-22: without white space a document ends beside punctuation, not within a word', () => {
    const text = '"key":"someWord",'.repeat(8_000);
    const whole = new Set(tokenize(text).main);
    for (const document of documentsOf(text)) {
      expect(document.text.length).toBeLessThanOrEqual(65_536);
      for (const token of tokenize(document.text).main) expect(whole).toContain(token);
    }
  });

  test('T-99 TXT-21: a phrase after 20 000 different words is found in the text', () => {
    const text = `${Array.from({ length: 20_000 }, (_, n) => `w${n}`).join(' ')} last phrase here`;
    expect(matchText(parseQuery('"last phrase here"'), text).complete).toBe(true);
  });
});
