// Linear time: every pattern of redact/ by the check that hosts' rules pass, and inputs made to be slow (MASK-60, MASK-61).
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';
import { PASSES } from '../../src/redact/passes.ts';
import { unsafePart } from '../../src/redact/pattern-check.ts';
import { SHAPES } from '../../src/redact/shape-table.ts';
import { fill } from './notation.ts';

const FOLDER = 'src/redact';

/** Regular expressions of a source: literals behind what no division can stand behind. */
function patternsOf(source: string): RegExp[] {
  const code = source.replace(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '');
  const literal =
    /(?:[=(,:!?&|{[]|=>|return|^)\s*\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\\/[\n*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\\/[\n])*)\/([a-z]{0,6})/gm;
  return [...code.matchAll(literal)].map(([, body, flags]) => new RegExp(body!, flags));
}

describe('the patterns of redact/', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));

  test('MASK-60: there are patterns to look at', () => {
    const all = files.flatMap((name) => patternsOf(readFileSync(`${FOLDER}/${name}`, 'utf8')));
    expect(all.length).toBeGreaterThan(200);
    expect(patternsOf('const A = /(a+)+$/;').map((pattern) => unsafePart(pattern)?.part)).toEqual(['(a+)+']);
  });

  // They run at places that hints found, or on slices of bounded length: so starts are not theirs to look for.
  test.each(files)('MASK-60: no pattern of %s can take more than linear time from where it starts', (name) => {
    for (const pattern of patternsOf(readFileSync(`${FOLDER}/${name}`, 'utf8'))) {
      const unsafe = unsafePart(pattern, { starts: false });
      // What matches the empty text is harmless where nothing is looked for repeatedly.
      if (unsafe?.why !== 'it matches the empty text') expect(unsafe, String(pattern)).toBeUndefined();
    }
  });
});

const SIZE = 262_144;
const filled = (piece: string): string => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);

/** Times are measured by bench/masking.mjs; here a cost that is not linear would run into the limit of a test. */
describe('inputs that are made to be slow', () => {
  const masker = Masker.hidingOutside('/home/ann/runs/r1');

  test.each([
    'A',
    'a_',
    'sk-a',
    ' ',
    'token:',
    'a://b:',
    'eyJ',
    '/',
    '\\',
    '../',
    '~/',
    'C:\\',
    '%2F',
    '/a b',
    '"/a',
    '[hidden:path]/',
  ])('M-120 (MASK-61): 262 144 × %j', (piece) => {
    expect(masker.mask(filled(piece)).length).toBeGreaterThan(0);
  });

  test('M-121 (MASK-61): quotes that open again and again', () => {
    expect(masker.mask(`password="${'a"'.repeat(130_000)}`)).toMatch(/^password="/);
  });

  test('M-111 (MASK-60): 16 000 beginnings of a block', () => {
    const masked = masker.mask(fill('{D}BEGIN PRIVATE KEY{D}\nMII\n').repeat(16_000));
    expect(masked).toBe(`[hidden:private-key]${'\n'.repeat(32_000)}`);
  });

  test('M-112 (MASK-60): 4 000 body lines without BEGIN and END', () => {
    const text = `${fill('{R64}')}\n`.repeat(4_000);
    expect(masker.mask(text)).toBe(text);
  });

  // Each rule: its own prefix repeated, its value's class, its separators, spaces, and a value without an end.
  test.each(PASSES.map(({ rule, hints }) => [rule, hints] as const))('MASK-61: %s', (_rule, hints) => {
    for (const hint of [hints[0]!, hints.at(-1)!]) {
      for (const piece of [hint, `${hint}=`, `${hint}: "`, `${hint} `]) masker.mask(filled(piece));
      masker.mask(hint + filled('a1B'));
      masker.mask(`${hint}="${filled('a1 ')}`);
    }
  });

  test('MASK-61: token shapes, each with its value without an end', () => {
    for (const { hint } of SHAPES) {
      const first = [hint].flat()[0]!;
      masker.mask(first + filled('a1B-'));
    }
  });
});
