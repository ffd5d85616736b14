import { renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claude, codex, linesOf, makeWorld, removeWorlds } from '../steps/world.ts';

afterEach(removeWorlds);

const KEY = 'agent:claude-code:s-1';

describe('sources cases: lines and files (SRC-40 … SRC-56)', () => {
  test('SO-01 SRC-40: a torn last line is neither read nor counted until the rest comes', async () => {
    const world = await makeWorld();
    const line = linesOf([claude.user('u-1', 'torn zebra')]);
    world.write(claude.path('s-1'), [line.slice(0, 14)], { end: '' });
    const first = await world.sync();
    expect(first.entries).toEqual({ added: 0, changed: 0, erased: 0 });
    expect(await counts(world)).toEqual({});
    world.append(claude.path('s-1'), `${line.slice(14)}\n`);
    const second = await world.sync();
    expect(second.entries.added).toBe(1);
    expect(await world.texts(KEY)).toEqual(['torn zebra']);
  });

  test('SO-02 SRC-40: a complete last line without a newline is read at once, and later not twice', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [claude.user('u-1', 'first zebra')], { end: '' });
    await world.sync();
    expect(await world.texts(KEY)).toEqual(['first zebra']);
    world.append(claude.path('s-1'), `\n${linesOf([claude.assistant('a-1', 'second zebra', 'u-1')])}\n`);
    const second = await world.sync();
    expect(second.entries).toEqual({ added: 1, changed: 0, erased: 0 });
    expect(await world.texts(KEY)).toEqual(['first zebra', 'second zebra']);
  });

  test('SO-03 SRC-55: two objects on one line are both read, counted glued', async () => {
    const world = await makeWorld();
    const glued = linesOf([claude.user('u-1', 'glued zebra')]) + linesOf([{ type: 'summary', summary: 'The title' }]);
    world.write(claude.path('s-1'), [glued]);
    await world.sync();
    const [hit] = await world.search('zebra');
    expect(hit?.title).toBe('The title');
    expect(await counts(world)).toMatchObject({ glued: 1 });
  });

  test('SO-04 SRC-55: of a torn object and a complete one the complete one is read, counted torn', async () => {
    const world = await makeWorld();
    const torn = `{"type":"user","mess${linesOf([claude.user('u-2', 'whole zebra')])}`;
    world.write(claude.path('s-1'), [torn]);
    await world.sync();
    expect(await world.texts(KEY)).toEqual(['whole zebra']);
    expect(await counts(world)).toMatchObject({ torn: 1 });
  });

  test('SO-05 SRC-55: a bad line counts the same at first and later', async () => {
    const good = [1, 2, 4, 5].map((n) => claude.user(`u-${n}`, `line ${n}`));
    const bad = '{"type":"user",,}';
    const whole = await makeWorld();
    whole.write(claude.path('s-1'), [good[0]!, good[1]!, bad, good[2]!, good[3]!]);
    await whole.sync();
    const grown = await makeWorld();
    grown.write(claude.path('s-1'), [good[0]!, good[1]!]);
    await grown.sync();
    grown.append(claude.path('s-1'), `${linesOf([bad, good[2]!, good[3]!])}\n`);
    await grown.sync();
    expect(await counts(grown)).toEqual(await counts(whole));
    expect(await counts(whole)).toMatchObject({ malformed: 1 });
    expect(await grown.texts(KEY)).toEqual(await whole.texts(KEY));
  });

  test('SO-06 SRC-55: a byte order mark at the start is dropped', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [`\uFEFF${linesOf([claude.user('u-1', 'marked zebra')])}`]);
    await world.sync();
    expect(await world.texts(KEY)).toEqual(['marked zebra']);
  });

  test('SO-07 SRC-56: text behind an image of 70 MB on one line is found', async () => {
    const world = await makeWorld();
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(70_000_000) } },
      { type: 'text', text: 'needle behind the image' },
    ];
    world.write(claude.path('s-1'), [claude.user('u-1', content), claude.assistant('a-1', 'after zebra', 'u-1')]);
    await world.sync();
    expect(await world.keys('needle')).toEqual([KEY]);
    expect(await world.keys('zebra')).toEqual([KEY]);
  });

  test('SO-08 SRC-55: 100 000 nested brackets are malformed; the next line is read', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), ['['.repeat(100_000), claude.user('u-1', 'next zebra')]);
    await world.sync();
    expect(await counts(world)).toMatchObject({ malformed: 1 });
    expect(await world.texts(KEY)).toEqual(['next zebra']);
  });

  test('SO-09 SRC-55: a message that is a string and a content that is a number cost only themselves', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [
      { ...claude.user('u-1', ''), message: 'just a string' },
      claude.user('u-2', 42),
      claude.user('u-3', 'neighbour zebra'),
    ]);
    await world.sync();
    expect(await counts(world)).toMatchObject({ odd_shape: 2 });
    expect(await world.keys('zebra')).toEqual([KEY]);
  });

  test('SO-10 SRC-5: a pretty-printed Gemini document in a Claude folder is not_this_format, never malformed lines', async () => {
    const world = await makeWorld();
    const document = {
      sessionId: 'g-1',
      projectHash: '9f',
      startTime: '2026-09-01T08:00:00.000Z',
      messages: [{ id: 'm1', type: 'user', content: 'zebra' }],
    };
    world.write(claude.path('full'), [JSON.stringify(document, null, 2)]);
    const report = await world.sync();
    expect(report.files.skipped.map((one) => one.reason)).toEqual([
      expect.stringMatching(/^not_this_format.*gemini-cli/),
    ]);
    expect(await counts(world)).toEqual({});
  });

  test('SO-11 SRC-45: a file that shrinks and grows differently keeps ids, adds the new, keeps what is gone', async () => {
    const world = await makeWorld();
    const common = [claude.user('u-1', 'common walrus'), claude.assistant('a-1', 'common answer', 'u-1')];
    world.write(claude.path('s-1'), [...common, claude.assistant('a-2', 'vanishing zebra', 'a-1')]);
    await world.sync();
    const before = await world.search('walrus');
    world.write(claude.path('s-1'), common);
    await world.sync();
    world.write(claude.path('s-1'), [...common, claude.assistant('a-3', 'replacing quokka', 'a-1')]);
    await world.sync();
    expect((await world.search('walrus'))[0]?.messageId).toBe(before[0]?.messageId);
    expect(await world.keys('quokka')).toEqual([KEY]);
    expect(await world.keys('zebra')).toEqual([KEY]);
  });

  test('SO-12 SRC-45: a word edited in place, size and mtime kept, is noticed', async () => {
    const world = await makeWorld();
    const path = world.write(claude.path('s-1'), [claude.user('u-1', 'the old zebra')]);
    await world.sync();
    await world.sync();
    const { atime, mtime } = statSync(path);
    writeFileSync(path, `${linesOf([claude.user('u-1', 'the new quokk')])}\n`);
    utimesSync(path, atime, mtime);
    await world.sync();
    expect(await world.keys('quokk')).toEqual([KEY]);
    expect(await world.keys('zebra', { exact: true })).toEqual([]);
  });

  test('SO-13: a renamed file is read again; no entry comes or goes, pointers name the new path', async () => {
    const world = await makeWorld();
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'walrus output' };
    const from = world.write('.claude/projects/-a/s-1.jsonl', [
      claude.user('u-1', 'rename zebra'),
      claude.user('u-2', [result], 'u-1'),
    ]);
    await world.sync();
    const before = await world.search('zebra');
    world.write('.claude/projects/-b/keep.jsonl', [claude.user('k-1', 'other', null, { sessionId: 'keep' })]);
    renameSync(from, join(world.user, '.claude/projects/-b/s-1.jsonl'));
    const report = await world.sync();
    expect(report.entries.added).toBe(1);
    expect((await world.search('zebra')).map((hit) => hit.messageId)).toEqual(before.map((hit) => hit.messageId));
    const entries = await world.history(KEY, { includeTools: true });
    expect(entries.at(-1)?.blocks[0]).toMatchObject({ type: 'tool_result', text: 'walrus output' });
  });

  test('SO-15 SES-22: a lone surrogate becomes U+FFFD and its neighbours are found', async () => {
    const world = await makeWorld();
    world.write(claude.path('s-1'), [linesOf([claude.user('u-1', 'zebra X walrus')]).replace(' X ', ' \\ud83d ')]);
    await world.sync();
    expect((await world.search('zebra walrus'))[0]?.excerpt).toBe('zebra \ufffd walrus');
  });

  test('SO-28 SRC-13: synced whole and line by line gives equal ids, also without native ids', async () => {
    const lines = [
      codex.meta('c-1'),
      codex.item('user', 'same'),
      codex.item('assistant', 'yes'),
      codex.item('user', 'same'),
    ];
    const whole = await makeWorld();
    whole.write(codex.path('c-1'), lines);
    await whole.sync();
    const grown = await makeWorld();
    for (const [index, line] of lines.entries()) {
      if (index === 0) grown.write(codex.path('c-1'), [line]);
      else grown.append(codex.path('c-1'), `${linesOf([line])}\n`);
      await grown.sync();
    }
    const ids = async (world: typeof whole): Promise<string[]> =>
      (await world.history('agent:codex:c-1')).map((entry) => entry.messageId);
    expect(await ids(grown)).toEqual(await ids(whole));
    expect(new Set(await ids(whole)).size).toBe(3);
  });
});

async function counts(world: Awaited<ReturnType<typeof makeWorld>>): Promise<Readonly<Record<string, number>>> {
  const { sources } = await world.backstory.sources.list();
  return sources.find((one) => one.source === 'claude-code')?.counts ?? {};
}
