// The gate and the sample secrets: each shape is found through its hints, and the ground truth is met (MASK-62, MASK-73).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hintScanner } from '../../src/redact/hints.ts';
import { Masker } from '../../src/redact/masker.ts';
import { SHAPES } from '../../src/redact/shape-table.ts';

const masker = Masker.credentials();

describe('the gate', () => {
  test('MASK-62: finds a hint at every place, in every letter case, and across the borders of chunks', () => {
    const scan = hintScanner([
      ['eyj', 'password'],
      ['://', 'пароль'],
    ]);
    for (const size of [0, 1, 2, 3, 32_760, 32_765, 32_766, 32_767, 32_768, 32_769, 65_534, 65_535, 65_536, 65_537]) {
      const text = `${'.'.repeat(size)}eyJ PassWord ://пАроль`;
      const [first, second] = scan(text).hits!;
      expect(first).toEqual([0, size + 3, 1, size + 12]);
      expect(second).toEqual([0, size + 16, 1, size + 22]);
    }
  });

  test('MASK-62: no hint is no hit', () => {
    expect(hintScanner([['password']])('pass word'.repeat(10_000)).hits).toBeUndefined();
  });

  test('MASK-20: control and format characters are noticed, and line ends are none', () => {
    const scan = hintScanner([['password']]);
    for (const unit of ['\0', '\x1b', '\x7f', '\u200b', '\ufeff', '\u202e', '\u{e0041}']) {
      expect(scan(`text ${unit} text`).invisible, JSON.stringify(unit)).toBe(true);
    }
    expect(scan('a\rb').invisible).toBe(true);
    expect(scan('a\r\nb\tc — é 密').invisible).toBe(false);
  });

  test('MASK-62: each hint of a shape is a part of what its pattern matches, so that the gate cannot drift', () => {
    for (const shape of SHAPES) {
      const source = shape.pattern.source.toLowerCase().replaceAll('\\', '');
      for (const hint of [shape.hint].flat()) expect(hint.length).toBeGreaterThanOrEqual(3);
      expect(shape.pattern.sticky, source).toBe(true);
    }
  });
});

describe('the sample secrets', () => {
  const folder = join(process.env.BACKSTORY_TEST_DATA ?? '../shared/data', 'secrets');
  const there = existsSync(folder);
  if (!there) console.log(`Skipped: the sample secrets are not at ${folder}; BACKSTORY_TEST_DATA names their folder.`);
  const rows = (name: string): { rule: string; text: string; secret: string }[] => {
    const decode = (part: string | undefined): string => Buffer.from(part ?? '', 'base64').toString('utf8');
    const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n').slice(1);
    return lines.map((line) => {
      const [rule, text, secret] = line.split('\t');
      return { rule: rule!, text: decode(text), secret: decode(secret) };
    });
  };

  test.skipIf(!there)('MASK-73: at least 95 % of what must be hidden is', () => {
    const all = rows('must-hide.tsv');
    const missed = all.filter(({ text, secret }) =>
      masker
        .mask(text)
        .replace(/\[hidden:[a-z-]+\]/g, '')
        .includes(secret),
    );
    expect(missed.length).toBeLessThanOrEqual(all.length * 0.05);
  });

  test.skipIf(!there)('MASK-74: at most 1 % of what must be kept is changed', () => {
    const all = rows('must-keep.tsv');
    expect(all.filter(({ text }) => masker.mask(text) !== text).length).toBeLessThanOrEqual(all.length * 0.01);
  });

  test.skipIf(!there)('MASK-5: the sample secrets masked twice are masked once', () => {
    for (const { text } of [...rows('must-hide.tsv'), ...rows('must-keep.tsv')]) {
      const once = masker.mask(text);
      expect(masker.mask(once)).toBe(once);
    }
  });
});
