// Units that arrive in parts: every way of cutting gives the text that masking the whole gives (MASK-9a, MASK-24, MASK-25).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';
import { fill } from './notation.ts';

const maskers: readonly (readonly [string, Masker])[] = [
  ['credentials', Masker.credentials()],
  ['hidingOutside', Masker.hidingOutside('/home/ann/runs/r1')],
  [
    'everything',
    Masker.compose(
      Masker.values(['known value one', 'line one\nline two of it']),
      Masker.credentials({ cards: true, iban: true, emails: true, phones: true, entropy: true }),
      Masker.rules([{ name: 'acme', pattern: /ACME-\d{6}/ }]),
      Masker.paths(),
    ),
  ],
];

/** Hands over the parts as a caller must: what was held comes before the next part. */
function maskInParts(masker: Masker, parts: readonly string[]): string {
  let shown = '';
  let state = '';
  let held = '';
  parts.forEach((part, index) => {
    const given = held + part;
    const masked = masker.maskPart!(given, state, index === parts.length - 1);
    expect(masked.held).toBeLessThanOrEqual(65_536);
    expect(masked.state).toMatch(/^[ -~]{0,256}$/);
    held = masked.held === 0 ? '' : given.slice(-masked.held);
    state = masked.state;
    shown += masked.text;
  });
  expect(held).toBe('');
  return shown;
}

function cutEvery(text: string, step: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += step) parts.push(text.slice(at, at + step));
  return parts.length === 0 ? [''] : parts;
}

const BLOCK = fill('{D}BEGIN RSA PRIVATE KEY{D}\n{B3}\n{D}END RSA PRIVATE KEY{D}');
const LINES: readonly string[] = [
  ...['', 'a plain line of a log, without anything', 'x ghp_{R36}, next', 'DB_PASSWORD="correct horse battery"'],
  ...['postgres://u:p4ssw0rd@h/db', 'curl \\', '  -u bob:hunter2pw https://x', 'at f (/home/a/x.ts:12:3)', '{R64}'],
  ...['{D}BEGIN PRIVATE KEY{D}', '{D}END PRIVATE KEY{D}', '{D}BEGIN CERTIFICATE{D}', '{D}END CERTIFICATE{D}'],
  ...['Private-Lines: 3', 'Private-MAC: {X40}', 'name: API_TOKEN', 'value: abc123def456', '---', 'kind: Secret'],
  ...['data:', '  x: YWRtaW46cGFzc3dvcmQ=', 'kind: ConfigMap', 'known value one', 'line one', 'line two of it'],
  ...[
    'ACME-123456',
    'AKIA{K4}\x1b{K12}',
    '> {R64}',
    '  2\t{R64}',
    'stringData: # x',
    '  block: |',
    '    hunter2hunter2',
  ],
  ...['"kind": "Secret", "data": {', '  "p": "YWRtaW46cGFzc3dvcmQ="', '}', '{', 'x'.repeat(3_000)],
].map(fill);
const line = fc.constantFrom(...LINES);
const END_LINE = fill('{D}END PRIVATE KEY{D}');
const MOST_OPEN = 32;

describe.each(maskers)('%s', (name, masker) => {
  test('MASK-24: key blocks cut at every unit, and at 1, 2, 7 and 4 096 unit steps (M-109)', () => {
    for (const text of [BLOCK, `a\n${BLOCK}\nb`, `${fill('{B3}')}\n${BLOCK.slice(BLOCK.lastIndexOf('\n') + 1)}`]) {
      const whole = masker.mask(text);
      for (let at = 0; at <= text.length; at++) {
        expect(maskInParts(masker, [text.slice(0, at), text.slice(at)])).toBe(whole);
      }
      for (const step of [1, 2, 7, 4_096]) expect(maskInParts(masker, cutEvery(text, step))).toBe(whole);
    }
  });

  test('MASK-24: texts of lines, of any length, in parts of any size', () => {
    // A text of nothing but END lines has no place to end a section: the one that is cut is shown, and holds no key. Where two
    // rules of a composition hide the same place, a section's end may decide whose marker stands there.
    const shownOf = (masked: string): string => {
      const ended = masked.replaceAll(END_LINE, '[hidden:private-key]');
      return name === 'everything' ? ended.replace(/\[hidden:[\w-]+\](?:\s*\[hidden:[\w-]+\])*/g, '[hidden]') : ended;
    };
    // Repeated to lengths at which sections end in every part of what the rules read together.
    const texts = fc
      .tuple(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 180_000 }),
        fc.array(line, { maxLength: 6 }),
      )
      .map(([lines, length, last]) => {
        const piece = `${lines.join('\n')}\n`;
        return piece.repeat(Math.ceil((length + 1) / piece.length)) + last.join('\n');
      });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1_000, max: 90_000 }), (text, step) => {
        // A state holds so many open objects (docs/masking.md): what thousands that never end hold is no Secret of anybody's.
        fc.pre(text.split('{').length - text.split('}').length <= MOST_OPEN);
        expect(shownOf(maskInParts(masker, cutEvery(text, step)))).toBe(shownOf(masker.mask(text)));
      }),
      { numRuns: 12 },
    );
  });

  test('MASK-24: a key of many lines over any number of sections, with END and without', () => {
    const body = `${fill('{R64}')}\n`.repeat(4_000);
    for (const end of ['', fill('{D}END PRIVATE KEY{D}\nafter it\n'), fill('{D}BEGIN CERTIFICATE{D}\nMII\n')]) {
      const text = `before\n${fill('{D}BEGIN PRIVATE KEY{D}')}\n${body}${end}`;
      expect(maskInParts(masker, cutEvery(text, 10_000))).toBe(masker.mask(text));
      expect(masker.mask(text)).not.toContain(body.slice(0, 12));
    }
  });
});

describe('Kubernetes secrets longer than a section (MASK-24, MASK-38)', () => {
  const masker = Masker.credentials();
  const entries = (of: (index: number) => string): string =>
    Array.from({ length: 9_000 }, (_, index) => of(index)).join('\n');
  const value = 'YWRtaW46cGFzc3dvcmQ=';
  test.each([
    [
      'YAML',
      `kind: Secret\ndata:\n${entries((index) => `  x${index}: ${value}`)}\n---\nkind: Pod\ndata:\n  x: plain-text-value`,
    ],
    ['a block scalar', `kind: Secret\nstringData:\n  big: |\n${entries(() => '    hunter2hunter2')}\nother: plain`],
    [
      'JSON',
      `{\n"kind": "Secret",\n"data": {\n${entries((index) => `"x${index}": "${value}",`)}\n"z": "${value}"\n}\n}\n`,
    ],
    [
      'a list with kind behind data',
      `{"items": [\n${entries(() => `{\n"data": {\n"x": "${value}"\n},\n"kind": "Secret"\n},`)}\n{}]}\n`,
    ],
    ['objects that never end', entries(() => `"kind": "Secret", "data": {\n"p": "${value}"`)],
    [
      'data that is a secret itself',
      `{"kind": "Secret", "data": {"kind": "Secret", "data": {\n${entries((index) => `"x${index}": "plain",`)}\n},\n"p": "${value}"}}`,
    ],
  ])('%s', (_name, text) => {
    const masked = maskInParts(masker, cutEvery(text, 20_000));
    expect(masked).not.toContain(value);
    expect(masked).not.toContain('hunter2');
    expect(masked).toBe(masker.mask(text));
  });
});

describe('bounds', () => {
  const masker = Masker.credentials();

  test('MASK-25: body lines whose END may come are held, and their END hides them', () => {
    const text = `${'a line of prose\n'.repeat(5_000)}${`${fill('{R64}')}\n`.repeat(600)}`;
    const end = fill('{D}END PRIVATE KEY{D}\n');
    expect(maskInParts(masker, cutEvery(text + end, 3_000))).toBe(masker.mask(text + end));
    expect(masker.mask(text + end)).not.toContain(fill('{R64}').slice(0, 12));
    expect(maskInParts(masker, cutEvery(text, 3_000))).toBe(text);
  });

  test('MASK-25: one line without an end is masked all the same, and no token of it is shown', () => {
    const token = fill('ghp_{R36}');
    const text = `${'word and '.repeat(12_000)}${token} ${'more and '.repeat(12_000)}`;
    expect(maskInParts(masker, cutEvery(text, 5_000))).toBe(masker.mask(text));
  });

  test('MASK-25: a surrogate pair is never parted, whatever the line holds', () => {
    const text = '😀'.repeat(60_000);
    expect(maskInParts(masker, cutEvery(text, 4_097))).toBe(text);
  });
});

describe('one dense line without line feeds', () => {
  const all: readonly (readonly [string, Masker])[] = [...maskers, ['paths', Masker.paths()]];
  const bodies = Array.from({ length: 900 }, (_, index) => fill('{R40}').slice(3) + String(index).padStart(3, '0'));
  const tokens = bodies.map((body) => `sk-${'ant-api03'}-${body}`);
  test.each([
    ['JSON', (token: string, index: number) => `{"id":${index},"token":"${token}","name":"x"},`],
    ['prose', (token: string, index: number) => ` value ${index} is ${token} and then some`],
    ['addresses', (token: string, index: number) => `https://h.example.com/a/b?x=1&token=${token}&z=${index},`],
    ['CSV', (token: string, index: number) => `${index},"${token}",/home/user/x/${index},;`],
    ['paths', (token: string, index: number) => `"/home/user${index}/My Docs/${token}/file.txt", `],
    [
      'keys in one line',
      (token: string) => fill(`{"k":"{D}BEGIN PRIVATE KEY{D}\\n{B1}\\n${token}\\n{D}END PRIVATE KEY{D}\\n"},`),
    ],
  ])('MASK-24, MASK-25, RUN-55: of %s, every section ends beside what is hidden, never in it', (_, make) => {
    const text = tokens.concat(tokens, tokens).map(make).join('');
    expect(text.length).toBeGreaterThan(150_000);
    for (const [name, masker] of all) expect(maskInParts(masker, cutEvery(text, 60_000)), name).toBe(masker.mask(text));
  });
});
