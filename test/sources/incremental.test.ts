import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { builtInSources } from '../../src/sources/index.ts';
import { claude, claw, codex, linesOf } from '../steps/world.ts';
import { zstdOf } from './compress.ts';
import { ModelSink, readInto, removeRoots, rootWith } from './model-sink.ts';

afterEach(removeRoots);

const DATA = process.env.BACKSTORY_TEST_DATA ?? join(process.cwd(), '..', 'shared', 'data');
const FOLDERS = [
  ['claude-code', 'claude', 'projects/-p/s-1.jsonl'],
  ['codex', 'codex', 'sessions/rollout-2026-09-01T08-00-00-c-1.jsonl'],
  ['openclaw', 'openclaw', 'sessions/s-9.jsonl'],
] as const;
const PATHS = { 'claude-code': FOLDERS[0][2], codex: FOLDERS[1][2], openclaw: FOLDERS[2][2] };
const hasData = existsSync(join(DATA, 'claude'));
if (!hasData) console.warn(`SRC-49, SRC-63 at the sink: skipped, there is no ${DATA} (set BACKSTORY_TEST_DATA)`);

const reply = (uuid: string, block: object, parent: string): object =>
  claude.assistant(uuid, [block], parent, { message: { id: 'm1', role: 'assistant', content: [block] } });

// Every rule that looks back at earlier records, and last lines that are complete, torn and glued.
const HISTORIES = {
  'claude-code': [
    claude.user('u-1', '<ide_opened_file>a.ts</ide_opened_file> first'),
    reply('a-1', { type: 'thinking', thinking: 'hm' }, 'u-1'),
    reply('a-2', { type: 'text', text: 'I' }, 'a-1'),
    reply('a-3', { type: 'text', text: 'I will' }, 'a-2'),
    reply('a-4', { type: 'text', text: 'I will' }, 'a-3'),
    reply('a-5', { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }, 'a-4'),
    { type: 'attachment', attachment: { type: 'queued_command', prompt: 'also 😀', commandMode: 'prompt' } },
    claude.user('u-2', [{ type: 'tool_result', tool_use_id: 't', content: 'é' }], 'a-5'),
    '{"type":"user","mess',
    claude.user('u-3', 'also 😀', 'u-2'),
    `${linesOf([claude.user('u-4', 'one', 'u-3')])}${linesOf([{ type: 'summary', summary: 'Title' }])}`,
    {
      parentUuid: null,
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'b-1',
      timestamp: '2026-09-01T09:30:00.000Z',
    },
    claude.user('u-5', 'summary', 'b-1', { isCompactSummary: true }),
    { type: 'novel', uuid: 'x-1' },
  ],
  codex: [
    codex.meta('c-1'),
    codex.turn('t-1'),
    codex.event('user_message', 'ask'),
    codex.item('user', 'ask'),
    codex.item('assistant', 'yes'),
    codex.event('agent_message', 'yes'),
    codex.event('agent_message', 'only heard'),
    codex.turn('t-2'),
    codex.item('user', 'ask'),
    codex.item('assistant', 'yes'),
    'nonsense',
    codex.rolledBack(1),
    { timestamp: '2026-09-01T09:00:00.000Z', type: 'compacted', payload: { message: 'so far' } },
  ],
  openclaw: [
    claw.session('s-9'),
    claw.message('e1', null, 'user', 'one'),
    claw.message('e2', 'e1', 'assistant', 'two'),
    { type: 'compaction', id: 'k1', parentId: 'e2', timestamp: '2026-09-01T09:00:00.000Z', summary: 'so far' },
    { type: 'reset', id: 'r1', parentId: 'k1', timestamp: '2026-09-02T08:00:00.000Z', firstKeptEntryId: 'e2' },
    { type: 'leaf', id: 'l1', parentId: 'r1', targetId: 'e2' },
    { type: 'message', id: 'e3', message: 'odd' },
    claw.message('e4', 'e2', 'user', '[cron:x] daily'),
  ],
} as const;

async function fresh(source: string, bytes: Uint8Array, parse: 'fast' | 'full' = 'fast'): Promise<ModelSink> {
  const path = PATHS[source as keyof typeof PATHS];
  const sink = new ModelSink();
  await readInto(sink, source, rootWith({ [path]: bytes }), path, { parse });
  return sink;
}

async function grown(source: string, bytes: Buffer, cuts: readonly number[]): Promise<ModelSink> {
  const path = PATHS[source as keyof typeof PATHS];
  const root = rootWith({ [path]: '' });
  const sink = new ModelSink();
  let done = 0;
  for (const cut of [...[...cuts].sort((a, b) => a - b), bytes.length]) {
    appendFileSync(join(root, path), bytes.subarray(done, cut));
    done = Math.max(done, cut);
    await readInto(sink, source, root, path);
  }
  return sink;
}

describe('incremental reading at the sink (SRC-49)', () => {
  test.each(FOLDERS)('SRC-49 SRC-13 SRC-24 SRC-101 SRC-121: %s, cut anywhere, equals one reading', async (source) => {
    const bytes = Buffer.from(`${linesOf(HISTORIES[source])}\n`);
    const whole = await fresh(source, bytes);
    // Each end of a line, with and without its line feed, and a byte into the next one.
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a).flatMap((at) => [at, at + 1, at + 2]);
    expect(
      (
        await grown(
          source,
          bytes,
          ends.filter((end) => end < bytes.length),
        )
      ).told,
    ).toEqual(whole.told);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        expect((await grown(source, bytes, cuts)).told).toEqual(whole.told);
        removeRoots();
      }),
      { numRuns: 60 },
    );
  });

  test.each(FOLDERS)('SRC-63: %s, fast and slow path give the same', async (source) => {
    const bytes = Buffer.from(linesOf(HISTORIES[source]));
    expect((await fresh(source, bytes, 'fast')).told).toEqual((await fresh(source, bytes, 'full')).told);
  });

  test.skipIf(!hasData).each(FOLDERS)(
    'SO-106 SRC-49 SRC-63: the real files of %s: fast, full and in parts',
    async (source, folder) => {
      const names = readdirSync(join(DATA, folder), { recursive: true, encoding: 'utf8' }).filter(
        (name) => /\.jsonl(\.deleted|$)/.test(name) && statSync(join(DATA, folder, name)).isFile(),
      );
      expect(names.length).toBeGreaterThan(3);
      for (const [n, name] of names.entries()) {
        const bytes = readFileSync(join(DATA, folder, name));
        const fast = await fresh(source, bytes);
        expect((await fresh(source, bytes, 'full')).told, name).toEqual(fast.told);
        // Cuts that are the same at each run, spread over the file.
        const cuts = [3, 5, 7]
          .map((step) => Math.floor((bytes.length * ((n * step) % 11)) / 11))
          .filter((cut) => cut > 0);
        expect((await grown(source, bytes, cuts)).told, name).toEqual(fast.told);
        removeRoots();
      }
    },
    30_000,
  );
});

describe('lines too long to hold (SRC-56)', () => {
  test('SRC-56 SRC-49: a line of 18 MB, read while it grows, gives its text once it ends, and none before', async () => {
    const data = 'A'.repeat(18_000_000);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const line = linesOf([claude.user('u-1', [image, { type: 'text', text: 'needle behind' }])]);
    const bytes = Buffer.from(
      `${linesOf([claude.user('u-0', 'before')])}\n${line}\n${linesOf([claude.user('u-2', 'after')])}\n`,
    );
    const whole = await fresh('claude-code', bytes);
    expect(whole.texts()).toEqual(['before', 'needle behind', 'after']);
    expect(JSON.stringify(whole.told).length).toBeLessThan(10_000);
    const cuts = [9_000_000, 17_500_000, bytes.length - 400];
    expect((await grown('claude-code', bytes, cuts)).told).toEqual(whole.told);
    const torn = await fresh('claude-code', bytes.subarray(0, 18_000_100));
    expect(torn.texts()).toEqual(['before']);
    expect(torn.counts).toEqual({});
  });
});

describe('compressed and rewritten files', () => {
  const path = 'sessions/rollout-2026-09-01T08-00-00-c-1.jsonl';
  const output = {
    timestamp: '2026-09-01T08:00:09.000Z',
    type: 'response_item',
    payload: { type: 'function_call_output', call_id: 'c1', output: 'walrus output' },
  };
  const lines = [codex.meta('c-1'), codex.turn('t-1'), codex.item('user', 'ask'), output];
  const text = Buffer.from(`${linesOf(lines)}\n`);
  const codexSource = builtInSources.find(({ name }) => name === 'codex')!;

  test('SRC-120: a compressed session gives what the plain one gives, and is not read twice', async () => {
    const root = rootWith({ [path]: text, [`archived_sessions/${path.slice(9)}.zst`]: zstdOf(text) });
    const plain = new ModelSink();
    const packed = new ModelSink();
    await readInto(plain, 'codex', root, path);
    const archived = `archived_sessions/${path.slice(9)}.zst`;
    expect(await readInto(packed, 'codex', root, archived)).toBe('read');
    expect(packed.told).toEqual(plain.told);
    expect(await readInto(packed, 'codex', root, archived)).toBe('same');
  });

  test('SRC-120 SRC-5: a broken compressed file, and one of something else, are told', async () => {
    const zst = `${path}.zst`;
    expect(await readInto(new ModelSink(), 'codex', rootWith({ [zst]: zstdOf(text).subarray(0, 200) }), zst)).toMatch(
      /^not_this_format/,
    );
    expect(await readInto(new ModelSink(), 'codex', rootWith({ [zst]: 'plain' }), zst)).toMatch(/^not_this_format/);
    const other = zstdOf(Buffer.from('{"a":1}\n'));
    expect(await readInto(new ModelSink(), 'codex', rootWith({ [zst]: other }), zst)).toBe('unknown_layout');
  });

  test('SRC-21 SRC-22: a pointer is reopened where it was, in a compressed file, and where its line went', async () => {
    const zst = `${path}.zst`;
    const root = rootWith({ [path]: text, [zst]: zstdOf(text) });
    const sink = new ModelSink();
    await readInto(sink, 'codex', root, path);
    const { pointer } = sink.entries().find(({ kind }) => kind === 'tool-result')!;
    const reopen = (name: string, roots = [root]): Promise<unknown> =>
      codexSource.reopen(join(root, name), pointer, roots, () => {
        throw new Error('no database here');
      });
    expect(await reopen(path)).toEqual({ value: 'walrus output' });
    expect(await reopen(zst)).toEqual({ value: 'walrus output' });
    expect(await reopen(path, ['/elsewhere'])).toEqual({ reason: 'source_outside' });
    writeFileSync(join(root, path), `${linesOf([codex.meta('c-1'), { type: 'new', payload: {} }, output])}\r\n`);
    expect(await reopen(path)).toEqual({ value: 'walrus output' });
    writeFileSync(join(root, path), linesOf([codex.meta('c-1'), output]));
    expect(await reopen(path)).toEqual({ value: 'walrus output' });
    writeFileSync(join(root, path), linesOf([codex.meta('c-1')]));
    expect(await reopen(path)).toEqual({ reason: 'source_changed' });
    expect(await reopen('gone.jsonl')).toEqual({ reason: 'source_gone' });
  });
});
