// backstory mask: what would be hidden, and by which rule (MASK-53).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { keptIo } from '../cli/fake-io.ts';
import { fill } from './notation.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'backstory-mask-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function mask(input: string, ...flags: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = keptIo({ userHome: home, cwd: home, input: async () => input });
  const code = await run(['mask', '--home', home, ...flags], io);
  return { code, ...io.kept };
}

const secret = fill('ghp_{R36}');

describe('backstory mask', () => {
  test('MASK-53: prints the text as it would be shown, and nothing else', async () => {
    expect(await mask(`x ${secret}, next\n`)).toEqual({ code: 0, out: 'x [hidden:credential], next\n', err: '' });
  });

  test('MASK-53: --explain names line and rule of each marker on standard error, never the value', async () => {
    const { out, err } = await mask(`first\nx ${secret}\nDB_PASSWORD=hunter2\n`, '--explain');
    expect(out).toBe('first\nx [hidden:credential]\nDB_PASSWORD=[hidden:credential]\n');
    expect(err).toContain('line 2: [hidden:credential] by token-shape ghp_\n');
    expect(err).toContain('line 3: [hidden:credential] by assignment\n');
    expect(err).not.toContain(secret.slice(4, 12));
    expect(err).not.toContain('hunter2');
    expect((await mask('plain', '--explain')).err).toBe('Nothing would be hidden.\n');
  });

  test('MASK-53: --run-folder hides paths outside of it', async () => {
    const { out } = await mask('/data/runs/r1/a.log and /home/bob/x', '--run-folder', '/data/runs/r1');
    expect(out).toBe('<run>/a.log and [hidden:path]');
  });

  test('MASK-53, MASK-51: the masking block of the configuration counts', async () => {
    const masking = {
      rules: [{ name: 'acme', pattern: '/ACME-[0-9]{6}/' }],
      allow: ['/^demo-/'],
      cards: true,
      paths: true,
    };
    writeFileSync(join(home, 'backstory.config.json'), JSON.stringify({ masking }));
    const { out } = await mask(`ACME-123456 token=demo-123456 ${'4111 1111'} 1111 1111 /home/bob/x`);
    expect(out).toBe('[hidden:acme] token=demo-123456 [hidden:card] [hidden:path]');
    const json = JSON.parse((await mask('ACME-123456', '--json')).out) as unknown;
    expect(json).toEqual({
      text: '[hidden:acme]',
      hidden: [{ line: 1, marker: '[hidden:acme]', rule: 'acme' }],
      counts: { acme: 1 },
    });
  });

  test('MASK-52: an unsafe rule of the configuration stops the start', async () => {
    const masking = { rules: [{ name: 'acme', pattern: '/(a+)+$/' }] };
    writeFileSync(join(home, 'backstory.config.json'), JSON.stringify({ masking }));
    const { code, err } = await mask('a');
    expect(code).toBe(2);
    expect(err).toContain('acme');
    expect(err).toContain('(a+)+');
    rmSync(join(home, 'backstory.config.json'));
  });
});
