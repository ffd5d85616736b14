import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { parsed, readRecords } from '../../src/sources/bad-lines.ts';
import { EntryIds } from '../../src/sources/digest.ts';
import { badSequences, lineText } from '../../src/sources/line-text.ts';
import { claude, claw, codex, linesOf } from '../steps/world.ts';
import { ModelSink, readInto, removeRoots, rootWith } from './model-sink.ts';

afterEach(removeRoots);

const known = (record: Record<string, unknown>): boolean => record.type === 'user';
const A = '{"type":"user","n":1}';
const B = '{"type":"user","n":2}';
const PATH = 'projects/-p/s-1.jsonl';

describe('bad lines (SRC-55)', () => {
  test.each([
    ['one object', A, [1], undefined],
    ['SO-03: two objects', A + B, [1, 2], 'glued'],
    ['three objects, with spaces', `${A} ${B}\t${A} `, [1, 2, 1], 'glued'],
    ['braces and brackets in strings', `{"type":"user","n":1,"t":"}{"}${B}`, [1, 2], 'glued'],
    ['SO-04: a torn object and a complete one', `{"type":"user","mess${B}`, [2], 'torn'],
    ['a complete object and a torn one', `${A}{"type":"us`, [1], 'torn'],
    ['a complete object and something else', `${A}xyz`, [1], 'torn'],
    ['a complete one, a torn one, a complete one', `${A}{"type":"us${B}`, [1, 2], 'torn'],
    ['a torn object that holds a complete one of no known type', '{"a":[{"b":1}', [], 'malformed'],
    ['no JSON', 'nonsense', [], 'malformed'],
    ['JSON but no object', '[1,2]', [], 'malformed'],
    ['JSON but no object', '"text"', [], 'malformed'],
    ['SO-08: 100 000 nested brackets', '['.repeat(100_000), [], 'malformed'],
    ['nested 513 deep', `{"a":${'['.repeat(512)}${']'.repeat(512)}}`, [], 'malformed'],
  ] as const)('SRC-55: %s', (_, line, numbers, problem) => {
    const read = readRecords(line, known);
    expect(read.records.map((record) => record.n)).toEqual(numbers);
    expect(read.problem).toBe(problem);
  });

  test('SRC-55: nested 512 deep is read', () => {
    expect(parsed(`{"a":${'['.repeat(511)}${']'.repeat(511)}}`)).toBeDefined();
  });

  test('SRC-49 SRC-55: what a line gave while it grew it also gives whole', () => {
    const part = fc.constantFrom(A, B, '{"type":"us', 'x', '}', '{', ' ', '"', '{"type":"user","t":"}{\\""}');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const line = parts.join('');
        const whole = readRecords(line, known).records;
        for (let end = 1; end < line.length; end++) {
          const early = parsed(line.slice(0, end));
          if (early) expect(whole[0]).toEqual(early);
        }
      }),
    );
  });

  test('SRC-55: each bad sequence counts once; a U+FFFD that was written as such does not', () => {
    const bytes = Buffer.from([0x61, 0xff, 0xef, 0xbf, 0xbd, 0xe2, 0x82, 0x62, 0xc3]);
    const text = lineText(bytes);
    expect(text).toBe('a\ufffd\ufffd\ufffdb\ufffd');
    expect(badSequences(bytes, text)).toBe(3);
    expect(badSequences(Buffer.from('\ufffd'), '\ufffd')).toBe(0);
  });

  test('SO-05 SRC-55: a bad line has the same number and reason at first and later', async () => {
    const good = [1, 2, 3, 4].map((n) => linesOf([claude.user(`u-${n}`, `line ${n}`)]));
    const lines = [good[0], good[1], '{"type":"user",,}', good[2], good[3]];
    const whole = new ModelSink();
    await readInto(whole, 'claude-code', rootWith({ [PATH]: `${lines.join('\n')}\n` }), PATH);
    expect(whole.lines).toEqual([['malformed', 3]]);
    for (const cut of [1, 2, 3, 4]) {
      const grown = new ModelSink();
      const root = rootWith({ [PATH]: lines.slice(0, cut).join('\n') });
      await readInto(grown, 'claude-code', root, PATH);
      grow(root, `\n${lines.slice(cut).join('\n')}\n`);
      await readInto(grown, 'claude-code', root, PATH);
      expect(grown.told, `cut after ${cut}`).toEqual(whole.told);
      expect(grown.lines).toEqual(whole.lines);
    }
  });
});

describe('a last line without its line feed (SRC-40)', () => {
  test('SRC-40 SRC-49: a torn line that holds a complete record of the format is not read as that record', async () => {
    const inner = claude.user('n-1', 'inner decoy');
    const line = JSON.stringify({
      type: 'progress',
      uuid: 'p-1',
      sessionId: 's-1',
      timestamp: '2026-09-01T08:00:00.000Z',
      data: { type: 'agent_progress', agentId: 'ab', message: inner },
    });
    const cut =
      line.indexOf('inner decoy') + JSON.stringify(inner).slice(JSON.stringify(inner).indexOf('inner')).length;
    const first = linesOf([claude.user('u-1', 'first')]);
    const root = rootWith({ [PATH]: `${first}\n${line.slice(0, cut)}` });
    const sink = new ModelSink();
    await readInto(sink, 'claude-code', root, PATH);
    expect(sink.texts()).toEqual(['first']);
    grow(root, `${line.slice(cut)}\n`);
    await readInto(sink, 'claude-code', root, PATH);
    expect(sink.entries('s-1').map((entry) => entry.text)).toEqual(['first']);
    expect(sink.entries('s-1/ab').map((entry) => entry.text)).toEqual(['inner decoy']);
  });

  test('SRC-40 SRC-55: what it counts is counted once, and its marks stand once', async () => {
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'b-1',
      parentUuid: null,
      timestamp: '2026-09-01T09:00:00.000Z',
    };
    const lines = [claude.user('u-1', 'before'), claude.user('u-2', 42), { type: 'novel' }, boundary].map((one) =>
      linesOf([one]),
    );
    const fresh = new ModelSink();
    await readInto(fresh, 'claude-code', rootWith({ [PATH]: `${lines.join('\n')}\n` }), PATH);
    expect(fresh.counts).toEqual({ odd_shape: 1, 'type:novel': 1 });
    const root = rootWith({ [PATH]: '' });
    const grown = new ModelSink();
    for (const [index, line] of lines.entries()) {
      grow(root, index === 0 ? line : `\n${line}`);
      await readInto(grown, 'claude-code', root, PATH);
      grow(root, index % 2 === 0 ? '' : ' ');
      await readInto(grown, 'claude-code', root, PATH);
    }
    grow(root, '\n');
    await readInto(grown, 'claude-code', root, PATH);
    expect(grown.told).toEqual(fresh.told);
  });

  test('SRC-28 SRC-49: entries before the first time get the next one, or the file’s until it comes', async () => {
    const timeless = { ...claude.user('u-1', 'early'), timestamp: undefined };
    const root = rootWith({ [PATH]: `${JSON.stringify(timeless)}\n` });
    const sink = new ModelSink();
    await readInto(sink, 'claude-code', root, PATH);
    expect(sink.entries()).toMatchObject([{ text: 'early', atGuessed: true }]);
    grow(root, `${linesOf([claude.assistant('a-1', 'late', 'u-1')])}\n`);
    await readInto(sink, 'claude-code', root, PATH);
    const at = Date.parse('2026-09-01T08:00:03.000Z');
    expect(sink.entries()).toMatchObject([
      { text: 'early', at, atGuessed: true },
      { text: 'late', at },
    ]);
  });

  test('SRC-5: a file of another format is told so also when its first line came in parts', async () => {
    const line = linesOf([codex.meta('c-1')]);
    const root = rootWith({ [PATH]: line.slice(0, 40) });
    const sink = new ModelSink();
    await readInto(sink, 'claude-code', root, PATH);
    grow(root, `${line.slice(40)}\n`);
    expect(await readInto(sink, 'claude-code', root, PATH)).toBe('not_this_format (codex)');
    expect(sink.counts).toEqual({});
  });
});

describe('ids of records without one (SRC-13)', () => {
  test('SRC-13 SO-28: equal texts get different ids, the same ones at each reading, in one go or in parts', () => {
    const texts = fc.array(fc.constantFrom('yes', 'no', 'go on'), { maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.nat(30), (all, cut) => {
        const whole = new EntryIds();
        const ids = all.map((text) => whole.next('prompt', text));
        expect(new Set(ids).size).toBe(ids.length);
        const first = new EntryIds();
        const before = all.slice(0, cut).map((text) => first.next('prompt', text));
        const second = new EntryIds(JSON.parse(JSON.stringify(first.save())));
        expect([...before, ...all.slice(cut).map((text) => second.next('prompt', text))]).toEqual(ids);
      }),
    );
    expect(new EntryIds().next('prompt', 'x')).not.toBe(new EntryIds().next('answer', 'x'));
  });

  test('SRC-43: of 20 000 texts, each twice, no id comes twice, and the state stays small', () => {
    let ids = new EntryIds();
    const seen = new Set<string>();
    for (let n = 0; n < 40_000; n++) {
      seen.add(ids.next('answer', `text ${n % 20_000}`));
      if (n % 5_000 === 0) {
        const state = JSON.stringify(ids.save());
        expect(state.length).toBeLessThan(16_384);
        ids = new EntryIds(JSON.parse(state));
      }
    }
    expect(seen.size).toBe(40_000);
  });

  test('SRC-43: a Codex session of 10 000 items is read, and goes on', async () => {
    const path = 'sessions/rollout-2026-09-01T08-00-00-c-1.jsonl';
    const items = Array.from({ length: 10_000 }, (_, n) => codex.item('assistant', `answer ${n}`));
    const root = rootWith({ [path]: `${linesOf([codex.meta('c-1'), codex.turn('t-1'), ...items])}\n` });
    const sink = new ModelSink();
    expect(await readInto(sink, 'codex', root, path)).toBe('read');
    grow(root, `${linesOf([codex.item('assistant', 'one more')])}\n`, path);
    expect(await readInto(sink, 'codex', root, path)).toBe('read');
    expect(sink.restarts).toBe(1);
    expect(sink.texts('answer').at(-1)).toBe('one more');
    expect(sink.entries()).toHaveLength(10_001);
  });
});

describe('what OpenClaw puts before a person’s words (SRC-146)', () => {
  test('SRC-146 SRC-25: the sender’s block and the time stamp are injected, the words are the prompt, the sender is the author', async () => {
    const block = 'Conversation info (untrusted metadata):\n```json\n{"sender_id":"42","sender":"Ada"}\n```\n\n';
    const path = 'sessions/s-9.jsonl';
    const lines = [
      claw.session('s-9'),
      claw.message('e1', null, 'user', `${block}[Mon 2026-09-01 10:00 GMT+2] book the dentist`),
      claw.message('e2', 'e1', 'user', 'what is (untrusted metadata)?'),
      claw.message('e3', 'e2', 'user', `${block}[cron:1 daily] look at the mail`),
    ];
    const sink = new ModelSink();
    await readInto(sink, 'openclaw', rootWith({ [path]: `${linesOf(lines)}\n` }), path);
    expect(sink.texts('prompt')).toEqual(['book the dentist', 'what is (untrusted metadata)?']);
    expect(sink.entries().map(({ id, kind }) => [id, kind])).toEqual([
      ['e1', 'prompt'],
      ['e1~injected', 'injected'],
      ['e2', 'prompt'],
      ['e3', 'injected'],
    ]);
    expect(sink.told).toMatchObject({
      sessions: [{ facts: { author: { id: '42', name: 'Ada' }, automation: true, cwd: ['/srv/claw/workspace'] } }],
    });
  });
});

function grow(root: string, text: string, path: string = PATH): void {
  appendFileSync(join(root, path), text);
}

describe('SRC-55: a line of open brackets', () => {
  test('is malformed whatever its length, and parsed by nothing', () => {
    const line = `{"a":${'['.repeat(2_000_000)}`;
    expect(readRecords(line, () => true)).toEqual({ records: [], problem: 'malformed' });
    const closed = `{"a":${'['.repeat(300_000)}${']'.repeat(300_000)}}`;
    expect(readRecords(closed, () => true)).toEqual({ records: [], problem: 'malformed' });
  });

  test('brackets inside strings are no depth', () => {
    const text = `${'[{'.repeat(200_000)}\\"`;
    const { records, problem } = readRecords(`{"text":${JSON.stringify(text)}}`, () => true);
    expect([records[0]?.text, problem]).toEqual([text, undefined]);
  });
});
