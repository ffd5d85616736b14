// R-49 … R-58: what a masker hides is neither returned nor searched, however it arrived, nor is it in the index.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';
import { Reading } from '../../src/runs/reading.ts';
import { h, R, texts, World } from './world.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const CURRENT = R(3, 'conv-1');
const LOG = 'episode-3/Alice.history';
const BEGIN = `-----BEGIN PRIVATE ${'KEY'}-----`;
const END = `-----END PRIVATE ${'KEY'}-----`;
const BODY = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  'MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3S',
];
const TOKEN = `ghp_${'A1b2C3d4E5f6G7h8I9'}${'j0K1l2M3n4O5p6Q7r8'}`;

const masked = () => ({ masker: Masker.hidingOutside(world.folder), index: 'home' as const });

/** Every 8 units of a value, in everything that may be read of the answers and in every byte of the home. */
function expectNothingOf(values: readonly string[], ...answers: readonly unknown[]): void {
  const bytes: string[] = answers.map((answer) => JSON.stringify(answer) ?? '');
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else bytes.push(readFileSync(path).toString('latin1').toLowerCase());
    }
  };
  walk(world.home);
  for (const value of values) {
    for (let at = 0; at + 8 <= value.length; at++) {
      const part = value.slice(at, at + 8);
      for (const text of bytes)
        if (text.includes(part) || text.includes(part.toLowerCase())) throw new Error(`found ${part}`);
    }
  }
}

describe('masking', () => {
  test('R-49, RUN-48: a key block over five continuing lines is hidden in every piece, no part of it searchable', async () => {
    world.write(LOG, h('conv-1', ['the key', BEGIN, ...BODY, END, 'after'].join('\n  ')));
    const retriever = world.retriever(masked());
    const { evidence } = await retriever.retrieve(`key after ${BODY.join(' ')}`, CURRENT);
    expect(evidence.map(({ text }) => text).sort()).toEqual(['after', 'the key']);
    expect((await retriever.retrieve(BODY[1]!, CURRENT)).evidence).toEqual([]);
    expect((await retriever.retrieve('hidden:private-key', CURRENT)).evidence).toHaveLength(1);
    expectNothingOf(BODY, evidence, world.warnings);
  });

  test('R-50, RUN-50, RUN-55: the same, its last lines appended after a search', async () => {
    const lines = ['the key', BEGIN, ...BODY, END, 'after'];
    world.write(LOG, h('conv-1', lines.slice(0, 3).join('\n  ')));
    const retriever = world.retriever(masked());
    for (const line of [...lines.slice(3), 'end']) {
      const { evidence } = await retriever.retrieve(`key after ${BODY.join(' ')}`, CURRENT);
      expectNothingOf(BODY, evidence, world.warnings);
      world.append(LOG, `  ${line}\n`);
    }
    expect(texts(await retriever.retrieve('after', CURRENT))).toEqual(['after']);
  });

  test('R-51, RUN-50: the same across the first MiB of the file', async () => {
    const filler = h('conv-1', `filler ${'x'.repeat(900)}`);
    const before = filler.repeat(Math.floor(1_048_576 / filler.length));
    world.write(
      LOG,
      before + h('conv-1', ['key', 'y'.repeat(1_048_576 - before.length - 90), BEGIN, ...BODY, END].join('\n  ')),
    );
    const { evidence } = await world.retriever(masked()).retrieve(`key ${BODY.join(' ')}`, CURRENT);
    expect(evidence.some(({ text }) => text === 'key')).toBe(true);
    expectNothingOf(BODY, evidence);
  });

  test('R-52, RUN-51: a key block in a note across the border of a part of 64 KiB', async () => {
    for (let shift = 0; shift < 120; shift += 17) {
      const filler = `${'word '.repeat(12)}\n`;
      const before = filler.repeat(Math.floor((65_536 - 150) / filler.length));
      const pad = `${'z'.repeat(65_536 - 150 - before.length + shift)}\n`;
      world.write('Alice.md', `${before}${pad}${[BEGIN, ...BODY, END, 'after the key', ''].join('\n')}`);
      const { evidence } = await world.retriever(masked()).retrieve(`after ${BODY.join(' ')}`, R());
      expect(evidence.map(({ text }) => text)).toEqual(['after the key']);
      expect(evidence[0]!.line).toBe(before.split('\n').length + 1 + BODY.length + 2);
      expectNothingOf(BODY, evidence);
    }
  });

  test('R-53, RUN-52: half a token at the end of an unfinished line is neither indexed nor returned', async () => {
    for (const file of [LOG, 'Alice.md']) {
      world.frozen = Date.now();
      world.write(
        file,
        file === LOG ? h('conv-1', `token ${TOKEN.slice(0, 22)}`).trimEnd() : `token ${TOKEN.slice(0, 22)}`,
      );
      const retriever = world.retriever(masked());
      const first = await retriever.retrieve(`token ${TOKEN.slice(0, 22)}`, CURRENT);
      expect(texts(first).map((text) => text.trim())).toEqual(['token']);
      expectNothingOf([TOKEN], first);
      world.append(file, `${TOKEN.slice(22)}\n`);
      const second = await retriever.retrieve('token', CURRENT);
      expect(texts(second)).toEqual(['token [hidden:credential]']);
      expectNothingOf([TOKEN], second);
      await retriever.deleteIndex();
      world.write(file, '');
    }
  });

  test('RUN-52: in other files the withheld end appears once nobody wrote for 2 s; without a masker at once', async () => {
    world.frozen = Date.now();
    world.write('Alice.md', 'first\nlast words unfinished');
    const retriever = world.retriever(masked());
    expect(texts(await retriever.retrieve('unfinished words', R()))).toEqual(['last words ']);
    world.ahead = 3_000;
    expect(texts(await retriever.retrieve('unfinished words', R()))).toEqual(['last words unfinished']);
    expect(texts(await world.retriever().retrieve('unfinished', R()))).toEqual(['last words unfinished']);
  });

  test('R-54, RUN-53: a masker that fails on one record loses that one only', async () => {
    world.write(
      LOG,
      h('conv-1', 'word one') + h('conv-1', 'word bad') + h('conv-1', 'word none') + h('conv-1', 'word two'),
    );
    const masker: Masker = {
      fingerprint: 'failing',
      mask: (text) => {
        if (text.includes('bad')) throw new Error(text);
        return text.includes('none') ? (undefined as never) : text;
      },
    };
    const { evidence } = await world.retriever({ masker }).retrieve('word', CURRENT);
    expect(evidence.map(({ text }) => text).sort()).toEqual(['word one', 'word two']);
    expect(world.codes()).toEqual(['masker_failed']);
    expect(world.warnings[0]!.message).not.toContain('word');
  });

  test('R-55: a secret in an appended line is masked as at the first read', async () => {
    world.write(LOG, h('conv-1', 'word'));
    const retriever = world.retriever(masked());
    await retriever.retrieve('word', CURRENT);
    world.append(LOG, h('conv-1', `word ${TOKEN}`));
    const answer = await retriever.retrieve(`word ${TOKEN}`, CURRENT);
    expect(texts(answer).sort()).toEqual(['word', 'word [hidden:credential]']);
    expectNothingOf([TOKEN], answer);
  });

  test('R-56, RUN-49, RUN-69: a secret in a file name, in a conversation id, in what an interpreter returns', async () => {
    world.write(`episode-3/Alice.${TOKEN}.history`, h(TOKEN, 'word one') + h('conv-1', 'word two'));
    world.write(`episode-3/Alice.${TOKEN}.log`, 'a\0b');
    const interpreter = {
      version: '1',
      read: (_f: string, _l: number, { text }: { text: string }) => Reading.note(`${text} ${TOKEN}`),
    };
    const retriever = world.retriever({ ...masked(), interpreter });
    const answer = await retriever.retrieve('word', R(3, TOKEN));
    expect(answer.evidence).toMatchObject([
      { text: 'word one [hidden:credential]', conversation: '[hidden:credential]' },
    ]);
    expect(answer.evidence[0]!.file).toContain('[hidden:credential]');
    expect(world.codes()).toEqual(['binary']);
    expectNothingOf([TOKEN], answer, world.warnings);
    expect(texts(await retriever.retrieve('word', CURRENT))).toEqual(['word two [hidden:credential]']);
  });

  test('R-57, RUN-29: nothing of an index made without a masker is used with one, wherever it lies', async () => {
    world.write('Alice.md', `word ${TOKEN}\n`);
    for (const index of ['home', { file: join(world.home, 'runs', 'own.sqlite') }] as const) {
      const plain = world.retriever({ index });
      expect(texts(await plain.retrieve('word', R()))).toEqual([`word ${TOKEN}`]);
      await plain.close();
      const retriever = world.retriever({ ...masked(), index });
      expect(texts(await retriever.retrieve('word', R()))).toEqual(['word [hidden:credential]']);
      expect((await retriever.retrieve(TOKEN, R())).evidence).toEqual([]);
    }
  });

  test('R-58, R-69: a key split by an escape sequence is hidden; coloured lines are found and shown plain', async () => {
    const key = `AKIA${'IOSFODNN7EXAMPLQ'}`;
    world.write(
      LOG,
      h('conv-1', `key ${key.slice(0, 8)}\x1b[0m${key.slice(8)}`) +
        h('conv-1', '\x1b[31mred\x1b[0m \x1b[1mwords\x1b[0m'),
    );
    const retriever = world.retriever(masked());
    const answer = await retriever.retrieve(`key ${key}`, CURRENT);
    expect(texts(answer)).toEqual(['key [hidden:credential]']);
    expectNothingOf([key], answer);
    expect(texts(await retriever.retrieve('"red words"', CURRENT))).toEqual(['red words']);
  });

  test('RUN-51: without maskPart a record over 4 MiB is left out and said; with it, or without a masker, it is found', async () => {
    world.write(LOG, h('conv-1', 'word small') + h('conv-1', `word ${'long text '.repeat(30)}final`));
    const limits = { wholeChars: 200 };
    const whole: Masker = { fingerprint: 'whole', mask: (text) => text };
    const { evidence, coverage } = await world.retriever({ masker: whole }, { limits }).retrieve('word final', CURRENT);
    expect(evidence.map(({ text }) => text)).toEqual(['word small']);
    expect(coverage.skipped).toEqual([{ what: LOG, reason: 'too_long_to_mask' }]);
    expect(world.codes()).toEqual(['too_long_to_mask']);
    for (const masker of [Masker.off, Masker.credentials()]) {
      expect((await world.retriever({ masker }, { limits }).retrieve('final', CURRENT)).evidence).toHaveLength(1);
    }
  });

  test('RUN-51: an interpreter sees the beginning of a long record, and its answer gives the kind of all of it', async () => {
    world.write(LOG, h('conv-1', `word ${'long text '.repeat(30)}final`));
    const seen: unknown[] = [];
    const interpreter = {
      version: '1',
      read: (_f: string, _l: number, record: { text: string; partial?: true }) => {
        seen.push(record.partial);
        return Reading.said('ignored');
      },
    };
    const { evidence } = await world
      .retriever({ interpreter }, { limits: { wholeChars: 200 } })
      .retrieve('final', CURRENT);
    expect(evidence).toMatchObject([{ kind: 'said' }]);
    expect(evidence[0]!.text).toContain('final');
    expect(seen).toEqual([true]);
    const leavingOut = { version: '2', read: () => Reading.leftOut };
    const left = world.retriever({ interpreter: leavingOut }, { limits: { wholeChars: 200 } });
    expect((await left.retrieve('final word', CURRENT)).evidence).toEqual([]);
  });

  test('RUN-51: other files over 4 MiB are masked in sections where a masker knows no parts, and that is said', async () => {
    world.write('Alice.md', Array.from({ length: 40 }, (_, n) => `line ${n} word gamma\n`).join(''));
    const masker: Masker = { fingerprint: 'gamma', mask: (text) => text.replaceAll('gamma', '[hidden:value]') };
    const retriever = world.retriever({ masker }, { limits: { wholeChars: 200 } });
    const { evidence } = await retriever.retrieve('word', R(undefined, undefined, { topK: 100 }));
    expect(evidence.map(({ text, line }) => `${line}: ${text}`).sort()).toEqual(
      Array.from({ length: 40 }, (_, n) => `${n + 1}: line ${n} word [hidden:value]`).sort(),
    );
    expect(world.codes()).toEqual(['masked_in_parts']);
    world.append('Alice.md', 'line 40 word gamma\n');
    expect((await retriever.retrieve('40', R())).evidence).toMatchObject([{ line: 41 }]);
  });

  test('RUN-54: when the number of lines changes, every piece carries the number of the first', async () => {
    world.write(LOG, h('conv-1', 'word one\n  word two\n  word three'));
    const interpreter = {
      version: '1',
      read: (_f: string, _l: number, { text }: { text: string }) => Reading.note(text.replace('one', 'one\nmore')),
    };
    const { evidence } = await world.retriever({ interpreter }).retrieve('word', CURRENT);
    expect(evidence.map(({ line }) => line)).toEqual([1, 1, 1]);
  });

  test('RUN-55: a value in any two appends with a search between leaves no trace in answers or index', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(TOKEN.length), fc.constantFrom(LOG, 'Alice.md'), async (at, file) => {
        world.frozen = Date.now();
        const whole = file === LOG ? h('conv-1', `the token ${TOKEN} word`) : `the token ${TOKEN} word\n`;
        const cut = whole.indexOf(TOKEN) + at;
        world.write(file, whole.slice(0, cut));
        const retriever = world.retriever(masked());
        const first = await retriever.retrieve(`token ${TOKEN.slice(0, at)}`, CURRENT);
        world.append(file, whole.slice(cut));
        const second = await retriever.retrieve(`word ${TOKEN}`, CURRENT);
        expect(texts(second)).toEqual(['the token [hidden:credential] word']);
        expectNothingOf([TOKEN], first, second);
        await retriever.deleteIndex();
        world.write(file, '');
      }),
      { numRuns: 12 },
    );
  });
});
