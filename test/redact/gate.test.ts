// Each rule is found through its own hints, so that a gate cannot drift from its rule (MASK-62); and the order of passes.
import { describe, expect, test } from 'vitest';
import { explainMask } from '../../src/redact/explain.ts';
import { Masker } from '../../src/redact/masker.ts';
import { PASSES } from '../../src/redact/passes.ts';
import { type Node, parsePattern, type Units } from '../../src/redact/pattern-parse.ts';
import { SHAPES, type Shape } from '../../src/redact/shape-table.ts';
import { fill } from './notation.ts';

const masker = Masker.credentials();

/** A text that a pattern matches: letters and digits of the notation in turn, choices by `pick`. */
function sampleOf(node: Node, pick: (count: number) => number, place = { at: 0 }): string {
  switch (node.kind) {
    case 'units':
      return unitOf(node.units, pick, place);
    case 'sequence':
      return node.items.map((item) => sampleOf(item, pick, place)).join('');
    case 'choice':
      return sampleOf(node.items[pick(node.items.length)]!, pick, place);
    case 'repeat': {
      const count = node.min === 0 ? pick(2) * Math.min(4, node.max) : node.min;
      return Array.from({ length: count }, () => sampleOf(node.body, pick, place)).join('');
    }
    default:
      return '';
  }
}

function unitOf({ ascii }: Units, pick: (count: number) => number, place: { at: number }): string {
  const members: string[] = [];
  for (let code = 33; code < 127; code++)
    if ((ascii[code >> 5]! & (1 << (code & 31))) !== 0) members.push(String.fromCharCode(code));
  if (members.length === 0) return ' ';
  // Of few, as in `gh[pousr]_`, any; of an alphabet, what mixes letters and digits.
  if (members.length <= 10) return members[pick(members.length)]!;
  place.at++;
  const wanted = 'q7Kx9Zt3'[place.at % 8]!;
  return (
    [wanted, wanted.toUpperCase(), wanted.toLowerCase(), 'a', 'A', '7'].find((unit) => members.includes(unit)) ??
    members[0]!
  );
}

function sampleWith(shape: Shape, hint: string): string | undefined {
  const tree = parsePattern(shape.pattern.source, shape.pattern.flags.replace('i', ''));
  let seed = 1;
  const pick = (count: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (seed >> 8) % count;
  };
  for (let attempt = 0; attempt < 4_000; attempt++) {
    const sample = sampleOf(tree, pick, { at: attempt });
    const fits = `\n${sample}`.toLowerCase().includes(hint.toLowerCase()) && (shape.check?.(sample) ?? true);
    if (fits) return sample;
  }
  return undefined;
}

describe('each token shape through the gate', () => {
  const rows = SHAPES.flatMap((shape) => [shape.hint].flat().map((hint) => [hint, shape] as const));
  // Hints of a border before the token or of ten digits each: one of their kind stands for all.
  const apart = rows.filter(([hint], index) => !/^[\W\d]/.test(hint) || index % 10 === 0);

  test.each(apart)('MASK-62, MASK-26: %j', (hint, shape) => {
    const border = /^[^A-Za-z0-9]s\.$/.test(hint) ? hint[0]! : ' ';
    const sample = sampleWith(shape, border === ' ' ? hint : 's.');
    expect(sample, String(shape.pattern)).toBeDefined();
    const before = shape.context ? 'octopus key = "' : `x${border}`;
    const { text, hidden } = explainMask(masker, `${before}${sample} y`);
    expect(hidden.length, sample).toBeGreaterThan(0);
    expect(text).not.toContain(sample);
    expect(text).toContain('[hidden:credential]');
  });
});

describe('each other pass through the gate', () => {
  const R40 = fill('{R40}');
  const rows: readonly (readonly [rule: string, text: string])[] = [
    ['key-block', fill('{D}BEGIN PRIVATE KEY{D}\n{B3}\n{D}END PRIVATE KEY{D}')],
    ['key-block', fill('Private-Lines: 3\n{B3}\n')],
    ['kubernetes-secret', 'kind: Secret\ndata:\n  x: YWRtaW46cGFzc3dvcmQ='],
    ['url-password', 'a://user:pw@h'],
    ['url-password', 'a%3A%2F%2Fuser%3Apw%40h'],
    ['header', `X-Api-Key: ${R40}`],
    ['header', `Cookie: session=${R40}`],
    ['authorization-scheme', `then Bearer ${R40}`],
    ['user-option', 'curl -u bob:hunter2pw https://x'],
    ['mysql-option', 'mysql -phunter2pw -u x'],
    ['url-parameter', 'x?assertion=aAbBcCdDeF'],
    ['assignment', 'DB_PASSWORD=hunter2'],
    ['assignment', 'пароль: hunter2secretvalue123'],
    ['bundler', 'BUNDLE_GEMS__EXAMPLE__COM: user:hunter2pw'],
  ];

  test.each(rows)('MASK-62: %s: %s', (rule, text) => {
    const { text: masked, hidden } = explainMask(masker, text);
    expect(hidden.map((one) => one.rule)).toContain(rule);
    expect(masked).toContain('[hidden:');
  });

  test('MASK-62: no pass is without a row', () => {
    expect(
      PASSES.map(({ rule }) => rule).filter((rule) => rule !== 'token-shape' && !rows.some(([one]) => one === rule)),
    ).toEqual([]);
  });
});

describe('the order of passes', () => {
  test('MASK-19: known values, key blocks, documents, credentials, rules of a host, paths', () => {
    const all = Masker.compose(
      Masker.values(['known value']),
      Masker.credentials(),
      Masker.rules([{ name: 'late', pattern: /\[hidden:credential\] late|known value/ }]),
      Masker.paths(),
    );
    // What is known is named as such, though it stands in a block, and a path that holds a token is hidden whole.
    expect(all.mask('password="known value"')).toBe('password="[hidden:value]"');
    expect(all.mask(fill('/home/bob/ghp_{R36}/x'))).toBe('[hidden:path]');
    expect(all.mask(fill('{D}BEGIN PRIVATE KEY{D}\npassword="hunter22"\n{D}END PRIVATE KEY{D}'))).toBe(
      '[hidden:private-key]\n\n',
    );
  });

  test('MASK-11: nothing of a value is left, neither ends nor length nor a hash', () => {
    const short = masker.mask('DB_PASSWORD=hunter2');
    expect(masker.mask(fill('DB_PASSWORD=hunter3{R64}'))).toBe(short);
    expect(short).toBe('DB_PASSWORD=[hidden:credential]');
  });

  test('MASK-2: run files are masked when a host opts in; sessions have credentials at least', async () => {
    const { maskerFor } = await import('../../src/redact/settings.ts');
    expect(maskerFor({}).fingerprint).toBe(Masker.credentials().fingerprint);
    expect(maskerFor({ paths: true }).mask(fill('ghp_{R36} /home/bob/x'))).toBe('[hidden:credential] [hidden:path]');
    expect(Masker.off.mask(fill('ghp_{R36}'))).toBe(fill('ghp_{R36}'));
  });

  test('MASK-4: roots are read at construction, and nothing of the machine is asked when masking', () => {
    const home = process.env.HOME;
    process.env.HOME = '/u/ann';
    const paths = Masker.paths({ inside: '/u/ann/run' });
    process.env.HOME = '/u/bob';
    try {
      expect(paths.mask('/u/ann/x /u/bob ~/run/z')).toBe('[hidden:path] /u/bob <run>/z');
    } finally {
      process.env.HOME = home;
    }
  });

  test('MASK-1: hidingOutside hides credentials and paths, and PathRedactor paths alone', async () => {
    const { PathRedactor } = await import('../../src/redact/masker.ts');
    const text = fill('ghp_{R36} /home/bob/x /data/run/y');
    expect(Masker.hidingOutside('/data/run').mask(text)).toBe('[hidden:credential] [hidden:path] <run>/y');
    expect(PathRedactor({ inside: '/data/run' }).mask(text)).toBe(fill('ghp_{R36} [hidden:path] <run>/y'));
    expect(() => Masker.hidingOutside(' ')).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(() => Masker.paths({ platform: 'mac' as 'posix' })).toThrow(/posix, win32, both/);
  });

  test('MASK-40: options of the path masker', () => {
    expect(Masker.paths({ allow: ['/usr/lib'] }).mask('/usr/lib/x /usr/share/y')).toBe('/usr/lib/x [hidden:path]');
    expect(Masker.paths({ keepBaseName: true }).mask('/home/bob/file.txt:3')).toBe('[hidden:path]/file.txt:3');
    expect(Masker.paths({ roots: ['/u/x'] }).mask('/u/x/y /u/z')).toBe('[hidden:path] /u/z');
    expect(Masker.paths({ platform: 'posix' }).mask('C:\\Users\\a /home/b')).toBe('C:\\Users\\a [hidden:path]');
    expect(Masker.paths({ platform: 'win32' }).mask('C:\\Users\\a /etc/b')).toBe('[hidden:path] /etc/b');
  });
});
