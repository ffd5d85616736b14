// The rows of cases/masking.md for Masker.hidingOutside('/home/ann/runs/r1') with the home /home/ann: local paths.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';
import { fill, fillMarkers } from './notation.ts';

const KEEP = Symbol('keep');
type Row = readonly [id: string, input: string, outcome: string | typeof KEEP, why: string];

const PATHS: readonly Row[] = [
  ['M-200', '/home/ann/runs/r1/a.log', '<run>/a.log', 'MASK-40'],
  ['M-201', 'C:\\Users\\John Smith\\Documents\\c.json', '[p]', 'MASK-43'],
  ['M-202', 'https://example.com/home/docs/page', KEEP, 'MASK-46'],
  [
    'M-203',
    'Failed to read C:\\Users\\me\\Documents\\my society\\p\\C.PcbLib: permission denied',
    'Failed to read [p]: permission denied',
    'MASK-43',
  ],
  ['M-204', 'file:///Users/alice/x.js:12:3', '[p]:12:3', 'MASK-43'],
  ['M-205', 'file:///C:/Users/alice/x', '[p]', 'MASK-42'],
  ['M-206', '\\\\wsl$\\Ubuntu\\home\\a', '[p]', 'MASK-42'],
  ['M-206', '\\\\?\\C:\\Users\\a', '[p]', 'MASK-42'],
  ['M-206', '/cygdrive/c/Users/a', '[p]', 'MASK-41'],
  ['M-207', '/home/ann2/p', '[p]', 'MASK-41: no 2 left'],
  ['M-208', 'a/b and /', KEEP, 'MASK-41: the root is never one'],
  ['M-210', '/home/ann/runs/r1/../../../bob/x', '[p]', 'MASK-45'],
  ['M-211', '%2Fhome%2Falice%2Fx', '[p]', 'MASK-41'],
  ['M-212', 'at f (/home/a/x.ts:12:3)', 'at f ([p]:12:3)', 'MASK-43'],
  ['M-213', '{"p":"C:\\\\Users\\\\Alice\\\\x"}', '{"p":"[p]"}', 'MASK-41'],
  [
    'M-214',
    'and/or 1/2 10/21/2026 </div> s/a/b/g // note application/json n/a /^a\\/b$/ src/x.ts ./x',
    KEEP,
    'MASK-44',
  ],
  ['M-215', 'GET /users/me/x', KEEP, 'MASK-44'],
  ['M-215', '/api/v1', KEEP, 'MASK-44'],
  ['M-216', 'C: drive', KEEP, 'MASK-42'],
  ['M-216', 'note: C:', KEEP, 'MASK-42'],
  ['M-216', 'x://host', KEEP, 'MASK-42'],
  ['M-217', '/Users/a/Library/Application Support/x', '[p]', 'MASK-43'],
  ['M-218', 'C:\\models\\token={R20}\\x', '[p]', 'MASK-19: nothing of the token'],
  ['M-219', 'postgres://u:pw12345@h//var/lib/x', 'postgres://u:[c]@h//var/lib/x', 'MASK-46'],
  ['M-220', 'left out: /home/bob/x.log (too long)', 'left out: [p] (too long)', 'MASK-15: the warning holds no bob'],
];

/** Beyond the page: the same kinds in other spellings. */
const MORE: readonly Row[] = [
  ['MASK-40', '/home/ann/runs/r1', '<run>', 'the run folder itself'],
  ['MASK-40', 'cat /home/ann/runs/r1/, done', 'cat <run>/, done', 'a trailing separator'],
  ['MASK-40', 'cd ../.. && cat ../x/y', 'cd [p] && cat [p]', 'a relative path that climbs out'],
  ['MASK-40', 'a/../b and a/b/../c', KEEP, 'a relative path that stays inside'],
  ['MASK-41', '-I/home/ann/inc and x=/home/ann/y', '-I[p] and x=[p]', 'a root needs no border'],
  ['MASK-41', '/home/ann/runs/r10/a', '[p]', 'a segment border'],
  ['MASK-41', 'C:/Users/a/x, /c/Users/a/x, /mnt/c/Users/a', '[p], [p], [p]', 'twins of a drive'],
  ['MASK-41', '/private/tmp/x /System/Volumes/Data/home/z', '[p] [p]', 'twins of macOS'],
  ['MASK-41', '"\\/home\\/ann\\/x"', '"[p]"', 'JSON-escaped'],
  ['MASK-42', '~/x ~bob/y $HOME/z %USERPROFILE%\\w', '[p] [p] [p] [p]', 'home folders'],
  ['MASK-42', '~/runs/r1/a', '<run>/a', 'the home is known'],
  ['MASK-42', 'HEAD~/x is no path', KEEP, 'after a word'],
  ['MASK-42', '{"m":"\\\\\\\\nas\\\\share\\\\x"}', '{"m":"[p]"}', 'a share in JSON'],
  ['MASK-43', '"/home/bob/My File.txt" is', '"[p]" is', 'the matching quote'],
  ['MASK-43', '/home/a/x.ts(12,3): error', '[p](12,3): error', 'a position'],
  ['MASK-43', 'see /home/a/x.', 'see [p].', 'the stop of a sentence'],
  ['MASK-43', 'cp /home/a/x /home/b/y', 'cp [p] [p]', 'two paths'],
  ['MASK-43', 'PATH=/usr/bin:/home/bob/bin:/opt/x', 'PATH=[p]:[p]:[p]', 'a list'],
  ['MASK-43', '{"o":"/home/bob/x\\n/home/bob/y\\nok"}', '{"o":"[p]\\n[p]\\nok"}', 'lines in a string'],
  ['MASK-45', '/home/ann/runs//r1/./a/../b', '<run>/b', 'dots and doubled separators'],
  ['MASK-45', '<run>/../../home/a/x', '[p]', 'outside behind its own marker'],
  ['MASK-46', 'https://h/x?next=/home/ann/runs', KEEP, 'URLs stay'],
  ['MASK-46', 'sqlite:///home/bob/x.db', 'sqlite://[p]', 'a URL without a host is a local path'],
];

let home: string | undefined;
let masker: Masker;
beforeAll(() => {
  home = process.env.HOME;
  process.env.HOME = '/home/ann';
  masker = Masker.hidingOutside('/home/ann/runs/r1');
});
afterAll(() => {
  process.env.HOME = home;
});

describe.each([
  ['the page', PATHS],
  ['more', MORE],
])('paths: %s', (_name, rows) => {
  test.each(rows)('%s %j: %#', (id, input, outcome, why) => {
    const text = fill(input);
    const expected = outcome === KEEP ? text : fillMarkers(outcome as string);
    const once = masker.mask(text);
    expect(once, `${id}: ${why}`).toBe(expected);
    expect(masker.mask(once), 'MASK-5').toBe(once);
    for (let at = 0; at <= text.length; at++) {
      const first = masker.maskPart!(text.slice(0, at), '', false);
      const second = masker.maskPart!(text.slice(at - first.held), first.state, true);
      expect(first.text + second.text, 'MASK-9a').toBe(once);
    }
  });
});

test('M-209 (MASK-41): the twin of a run folder below /var', () => {
  expect(Masker.hidingOutside('/var/run1').mask('/private/var/run1/x')).toBe('<run>/x');
});
