import { afterEach, describe, expect, test } from 'vitest';
import { claude, claw, codex, type Line, linesOf, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const KEY = 'agent:claude-code:s-1';

describe('sources cases: what text is (SRC-20 … SRC-28, SRC-101 … SRC-107)', () => {
  test('SO-40 SRC-103: the arguments of a slash command are the prompt, the rest is injected', async () => {
    const text = '<command-name>/review</command-name><command-args>the parser</command-args>';
    const world = await one(claude.user('u-1', text));
    expect(await world.keys('parser')).toEqual([KEY]);
    expect(await world.keys('review', { exact: true })).toEqual([]);
  });

  test('SO-41 SRC-25: a tag beside typed text is taken off; the title is the typed text', async () => {
    const world = await one(claude.user('u-1', '<ide_opened_file>a walrus</ide_opened_file>\nrename f'));
    const [hit] = await world.search('rename');
    expect(hit).toMatchObject({ excerpt: 'rename f', title: 'rename f' });
    expect(await world.keys('walrus')).toEqual([]);
  });

  test('SO-42 SRC-25: a tag that a person quotes stays', async () => {
    const world = await one(claude.user('u-1', 'what does <system-reminder> mean?'));
    expect((await world.search('what does mean'))[0]?.excerpt).toBe('what does <system-reminder> mean?');
  });

  test('SO-43 SRC-101: a compaction’s summary is not found, what was before still is', async () => {
    const world = await one(
      claude.user('u-1', 'before walrus'),
      claude.user('u-2', 'summary zebra', 'u-1', { isCompactSummary: true }),
    );
    expect(await world.keys('zebra')).toEqual([]);
    expect(await world.keys('walrus')).toEqual([KEY]);
  });

  test('SO-44 SRC-24: a reply that grows over three records is one message, after each sync the text so far', async () => {
    const texts = ['I', 'I will', 'I will read'];
    const lines = texts.map((text, n) =>
      claude.assistant(`a-${n}`, text, n === 0 ? 'u-1' : `a-${n - 1}`, {
        message: { id: 'msg_1', role: 'assistant', content: [{ type: 'text', text }] },
      }),
    );
    const world = await one(claude.user('u-1', 'go'));
    for (const [n, line] of lines.entries()) {
      world.append(claude.path('s-1'), `${linesOf([line])}\n`);
      await world.sync();
      expect(await world.texts(KEY)).toEqual(['go', texts[n]]);
    }
    const whole = await one(claude.user('u-1', 'go'), ...lines);
    const entries = await whole.history(KEY);
    expect(entries.map((entry) => entry.messageId)).toEqual(['u-1', 'a-0']);
    expect(await world.history(KEY)).toEqual(entries);
  });

  test('SO-45 SRC-101: a queued command and the user record that repeats it are one prompt', async () => {
    const queued = {
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: 'also check', commandMode: 'prompt' },
      sessionId: 's-1',
    };
    const lines = [
      claude.user('u-1', 'start'),
      queued,
      claude.assistant('a-1', 'one', 'u-1'),
      claude.assistant('a-2', 'two', 'a-1'),
      claude.user('u-2', 'also check', 'a-2'),
    ];
    const world = await one(...lines);
    expect((await world.search('also check')).map((hit) => hit.messageId)).toEqual(['u-2']);
    const grown = await oneByOne(lines);
    expect((await grown.search('also check')).map((hit) => hit.messageId)).toEqual(['u-2']);
    const alone = await one(claude.user('u-1', 'start'), queued);
    expect(await alone.keys('also check')).toEqual([KEY]);
  });

  test('SO-46 SO-47 SRC-21: a tool result is not searched, is shown in history, and says so when its file is gone', async () => {
    const world = await one(
      claude.user('u-1', 'run zebra'),
      claude.user('u-2', [{ type: 'tool_result', tool_use_id: 't1', content: 'quokka output' }], 'u-1'),
    );
    expect(await world.keys('quokka')).toEqual([]);
    await expect(world.search('quokka', { include: ['tools'] })).rejects.toMatchObject({ code: 'invalid_argument' });
    const shown = async () => (await world.history(KEY, { includeTools: true })).at(-1)?.blocks[0];
    expect(await shown()).toMatchObject({ type: 'tool_result', text: 'quokka output' });
    const { rmSync } = await import('node:fs');
    rmSync(`${world.user}/${claude.path('s-1')}`);
    expect(await world.keys('zebra')).toEqual([KEY]);
    expect(await shown()).toMatchObject({ cut: { reason: 'source_gone' } });
  });

  test('SO-48 SRC-20: a key in a prompt appended to a known file is masked in excerpt and index', async () => {
    const secret = `sk-${'ant'}-api03-${'Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(3)}`;
    const world = await one(claude.user('u-1', 'first'));
    world.append(
      claude.path('s-1'),
      `${linesOf([claude.assistant('a-1', `the walrus key is ${secret} ok`, 'u-1')])}\n`,
    );
    await world.sync();
    const [hit] = await world.search('walrus');
    expect(hit?.excerpt).toBe('the walrus key is [hidden:credential] ok');
    expect(hit?.redacted).toBe(true);
    expect(await world.keys(secret, { exact: true })).toEqual([]);
    expect(await world.keys(secret.slice(0, 24), { exact: true })).toEqual([]);
  });

  test('SO-51 SRC-28: order is that of the file; a missing time is the one before it, guessed', async () => {
    const at = (time: string | undefined) => ({ timestamp: time });
    const world = await one(
      claude.user('u-1', 'one', null, at('2026-09-01T10:00:00.000Z')),
      claude.user('u-2', 'two', null, at('2026-09-01T09:58:00.000Z')),
      claude.user('u-3', 'three', null, at(undefined)),
    );
    const entries = await world.history(KEY);
    expect(entries.map((entry) => [entry.messageId, entry.timestamp, entry.atGuessed ?? false])).toEqual([
      ['u-1', '2026-09-01T10:00:00.000Z', false],
      ['u-2', '2026-09-01T09:58:00.000Z', false],
      ['u-3', '2026-09-01T09:58:00.000Z', true],
    ]);
  });
});

describe('sources cases: branches (SRC-30 … SRC-34, SRC-107)', () => {
  const rewound = [
    claude.user('u-0', 'root question'),
    claude.assistant('a-0', 'root answer', 'u-0'),
    claude.user('p-1', 'first walrus', 'a-0', { timestamp: '2026-09-01T08:01:00.000Z' }),
    claude.assistant('r-1', 'reply walrus', 'p-1'),
    claude.user('p-2', 'second zebra', 'a-0', { timestamp: '2026-09-01T08:02:00.000Z' }),
    claude.assistant('r-2', 'reply zebra', 'p-2'),
  ];

  test('SO-60 SRC-107: parallel tool calls split the graph, and every text is active', async () => {
    const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
    const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: 'x' }];
    const group = { message: { id: 'msg_1', role: 'assistant', content: [{ type: 'text', text: 'calling walrus' }] } };
    const world = await one(
      claude.user('u-1', 'ask walrus'),
      claude.assistant('a-1', '', 'u-1', group),
      claude.assistant('a-2', [use('t1')], 'a-1'),
      claude.assistant('a-3', [use('t2')], 'a-2'),
      claude.user('u-2', result('t1'), 'a-2'),
      claude.user('u-3', result('t2'), 'a-3'),
      claude.assistant('a-4', 'final walrus', 'u-3'),
    );
    expect((await world.search('walrus')).map((hit) => hit.messageId).sort()).toEqual(['a-1', 'a-4', 'u-1']);
  });

  test('SO-61 SRC-107: of two prompts under one answer the later wins', async () => {
    const world = await one(...rewound);
    expect((await world.search('zebra')).map((hit) => hit.messageId).sort()).toEqual(['p-2', 'r-2']);
    expect(await world.keys('walrus')).toEqual([]);
    expect(await world.texts(KEY)).toEqual(['root question', 'root answer', 'second zebra', 'reply zebra']);
  });

  test('SO-62 SRC-49: synced after each line the outcome is the same, and the first reply was found before', async () => {
    const world = await makeWorld();
    const found: boolean[] = [];
    for (const [n, line] of rewound.entries()) {
      if (n === 0) world.write(claude.path('s-1'), [line]);
      else world.append(claude.path('s-1'), `${linesOf([line])}\n`);
      await world.sync();
      found.push((await world.keys('walrus')).length > 0);
    }
    expect(found).toEqual([false, false, true, true, false, false]);
    const whole = await one(...rewound);
    expect(await world.history(KEY)).toEqual(await whole.history(KEY));
    expect(await world.search('zebra')).toEqual(await whole.search('zebra'));
  });

  test('SO-63 SRC-101: text on both sides of a compaction boundary is found, before it shadowed', async () => {
    const world = await one(
      claude.user('u-1', 'before walrus'),
      {
        parentUuid: null,
        logicalParentUuid: 'u-1',
        sessionId: 's-1',
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b-1',
        timestamp: '2026-09-01T09:00:00.000Z',
      },
      claude.user('u-2', 'after walrus', 'b-1', { timestamp: '2026-09-01T09:00:01.000Z' }),
    );
    expect(await world.keys('walrus')).toEqual([KEY, KEY]);
    const messages = (await world.history(KEY)).filter((entry) => entry.type === 'message');
    expect(messages.map((entry) => entry.shadowed ?? false)).toEqual([true, false]);
  });

  test('SO-64 SRC-31: in a strict tree only the ancestors of the last entry are active', async () => {
    const lines = [
      claw.session('s-9'),
      claw.message('e1', null, 'user', 'one zebra'),
      claw.message('e2', 'e1', 'assistant', 'two walrus'),
      claw.message('e3', 'e2', 'user', 'three walrus'),
      claw.message('e4', 'e1', 'assistant', 'four zebra'),
    ];
    for (const world of [await written(claw.path('s-9'), lines), await oneByOne(lines, claw.path('s-9'))]) {
      expect((await world.search('zebra')).map((hit) => hit.messageId).sort()).toEqual(['e1', 'e4']);
      expect(await world.keys('walrus')).toEqual([]);
    }
  });

  test('SO-65 SRC-141: an unknown parent is replaced by the leaf', async () => {
    const world = await written(claw.path('s-9'), [
      claw.session('s-9'),
      claw.message('e1', null, 'user', 'one zebra'),
      claw.message('e2', 'nowhere', 'assistant', 'two zebra'),
    ]);
    expect((await world.search('zebra')).map((hit) => hit.messageId).sort()).toEqual(['e1', 'e2']);
  });

  test('SRC-141: a reset keeps its tail in the current view, and nothing moves the leaf above it', async () => {
    const lines = [
      claw.session('s-9'),
      claw.message('e1', null, 'user', 'early zebra'),
      claw.message('e2', 'e1', 'user', 'kept zebra'),
      {
        type: 'reset',
        id: 'e3',
        parentId: 'e2',
        timestamp: '2026-09-02T08:00:00.000Z',
        reason: 'daily',
        firstKeptEntryId: 'e2',
      },
      claw.message('e4', 'e1', 'user', 'later zebra'),
    ];
    const world = await written(claw.path('s-9'), lines);
    const hits = await world.search('zebra');
    expect(new Map(hits.map((hit) => [hit.messageId, hit.inCurrentView]))).toEqual(
      new Map([
        ['e1', false],
        ['e2', true],
        ['e4', true],
      ]),
    );
    const entries = await world.history('agent:openclaw-main:s-9');
    expect(entries.map((entry) => entry.messageId)).toEqual(['e2', 'e3', 'e4']);
  });

  test('SO-66 SRC-123: turns rolled back are not found, what was before is', async () => {
    const lines = [
      codex.meta('c-1'),
      codex.item('user', 'first zebra'),
      codex.item('assistant', 'first answer zebra'),
      codex.item('user', 'second walrus'),
      codex.item('assistant', 'second answer walrus'),
      codex.rolledBack(1),
      codex.item('user', 'third zebra'),
    ];
    for (const world of [await written(codex.path('c-1'), lines), await oneByOne(lines, codex.path('c-1'), '')]) {
      expect(await world.search('walrus')).toEqual([]);
      expect(await world.search('zebra')).toHaveLength(3);
    }
  });
});

async function one(...lines: Line[]): Promise<World> {
  return written(claude.path('s-1'), lines);
}

async function written(path: string, lines: readonly Line[]): Promise<World> {
  const world = await makeWorld();
  world.write(path, lines);
  await world.sync();
  return world;
}

// `end` empty: each line is read as the unfinished last one first, and again when its newline came.
async function oneByOne(lines: readonly Line[], path: string = claude.path('s-1'), end = '\n'): Promise<World> {
  const world = await makeWorld();
  for (const [n, line] of lines.entries()) {
    if (n === 0) world.write(path, [line], { end });
    else world.append(path, `${end === '' ? '\n' : ''}${linesOf([line])}${end}`);
    await world.sync();
  }
  return world;
}
