import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { claude, claw, codex, linesOf, makeWorld, removeWorlds, type World } from '../steps/world.ts';

afterEach(removeWorlds);

const DATA = process.env.BACKSTORY_TEST_DATA ?? join(process.cwd(), '..', 'shared', 'data');
const hasData = existsSync(join(DATA, 'claude'));
if (!hasData) console.warn(`SRC-63, SRC-49 on real files: skipped, there is no ${DATA} (set BACKSTORY_TEST_DATA)`);

/** Everything a reader can tell of a root: sessions, entries with blocks, counts. */
async function everything(world: World): Promise<unknown> {
  const { sessions } = await world.backstory.sessions.list(operator(), { limit: 200 });
  const told: Record<string, unknown> = {};
  for (const row of sessions) {
    const { origin, ...rest } = row;
    told[row.sessionKey] = {
      ...rest,
      origin: { ...origin, root: undefined },
      entries: await world.history(row.sessionKey, { limit: 1_000, includeTools: true, includeReasoning: true }),
    };
  }
  const { sources } = await world.backstory.sources.list();
  const counts = Object.fromEntries(sources.map((source) => [source.source, source.counts]));
  return { told, counts };
}

const ESCAPED = (text: string): string =>
  [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

// Records of every kind, written in ways the product never does: other key orders, spaces, escapes, look-alikes.
const record = fc.oneof(
  fc
    .tuple(fc.constantFrom('user', 'assistant'), fc.string({ unit: 'grapheme', maxLength: 30 }))
    .map(([type, text]) =>
      type === 'user' ? claude.user('ID', `said ${text}`, 'PARENT') : claude.assistant('ID', `said ${text}`, 'PARENT'),
    ),
  fc.string({ unit: 'grapheme', maxLength: 60 }).map((output) =>
    claude.user('ID', [{ tool_use_id: 'toolu_1', type: 'tool_result', content: output, is_error: false }], 'PARENT', {
      toolUseResult: { stdout: output, nested: [{ type: 'user', message: { role: 'user', content: 'decoy' } }] },
    }),
  ),
  fc.constant(claude.assistant('ID', [{ type: 'thinking', thinking: '', signature: 'x' }], 'PARENT')),
  fc.constant(
    claude.assistant('ID', [{ type: 'thinking', thinking: 'deep "quoted" \\ thought', signature: 'x' }], 'PARENT'),
  ),
  fc.constant(
    claude.assistant('ID', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls "a\\b"' } }], 'PARENT'),
  ),
  fc.constant({
    type: 'progress',
    parentUuid: 'PARENT',
    sessionId: 's-1',
    data: { type: 'bash_progress', output: '"type":"user"' },
    uuid: 'ID',
    timestamp: '2026-09-01T08:00:05.500Z',
  }),
  fc.constant({
    type: 'file-history-snapshot',
    messageId: 'ID',
    snapshot: { type: 'user', message: {} },
    isSnapshotUpdate: false,
  }),
  fc.constant({
    type: 'user',
    uuid: 'ID',
    parentUuid: 'PARENT',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: null }] },
  }),
  fc.constant({ type: 'novel', uuid: 'ID', parentUuid: 'PARENT', n: [1, -2.5e3, true, null] }),
);
const spelling = fc.constantFrom(
  'plain',
  'spaced',
  'escaped key',
  'escaped value',
  'reversed',
  'duplicate',
  'crlf',
  'tab',
);

function spelled(value: object, how: string, n: number): string {
  const named = JSON.parse(
    JSON.stringify(value)
      .replaceAll('"ID"', `"id-${n}"`)
      .replaceAll('"PARENT"', n === 0 ? 'null' : `"id-${n - 1}"`),
  ) as object;
  const text = JSON.stringify(named);
  switch (how) {
    case 'spaced':
      return text.replaceAll('","', '", "').replaceAll('":', '": ');
    case 'escaped key':
      return text.replace('"type"', `"ty${ESCAPED('pe')}"`);
    case 'escaped value':
      return text.replace(/"type":"(\w+)"/, (_, type: string) => `"type":"${ESCAPED(type)}"`);
    case 'reversed':
      return JSON.stringify(Object.fromEntries(Object.entries(named).reverse()));
    case 'duplicate':
      return text.replace(/\}$/, ',"type":"summary","summary":"twice"}');
    case 'crlf':
      return `${text}\r`;
    case 'tab':
      return `\t${text}`;
    default:
      return text;
  }
}

describe('the fast path and the slow path', () => {
  test('SRC-63 SRC-62 SO-107: generated lines give the same entries, ids, pointers and counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(record, spelling), { minLength: 1, maxLength: 12 }), async (pairs) => {
        const lines = pairs.map(([value, how], n) => spelled(value, how, n));
        const answers: unknown[] = [];
        for (const parse of ['fast', 'full'] as const) {
          const world = await makeWorld({ sources: { parse } });
          // Entries of a file without any time get the file's.
          utimesSync(world.write(claude.path('s-1'), lines), 1_788_300_000, 1_788_300_000);
          await world.sync();
          answers.push(await everything(world));
          await removeWorlds();
        }
        expect(answers[0]).toEqual(answers[1]);
      }),
      { numRuns: 60 },
    );
  });

  test.skipIf(!hasData)(
    'SRC-63 SO-106: every Claude Code file of the sample data gives the same both ways',
    async () => {
      const folder = join(DATA, 'claude');
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.jsonl'),
      );
      expect(files.length).toBeGreaterThan(50);
      const answers: unknown[] = [];
      for (const parse of ['fast', 'full'] as const) {
        const world = await makeWorld({ sources: { parse } });
        for (const [n, name] of files.entries()) {
          const target = `.claude/projects/-p/${n}-${name.replaceAll('/', '_')}`;
          world.write(target, [readFileSync(join(folder, name), 'utf8')], { end: '' });
        }
        await world.sync();
        answers.push(await everything(world));
      }
      expect(answers[0]).toEqual(answers[1]);
    },
  );
});

describe('incremental reading', () => {
  const histories = {
    [claude.path('s-1')]: [
      claude.user('u-1', 'first walrus'),
      claude.assistant('a-1', [{ type: 'thinking', thinking: 'hm' }], 'u-1', {
        message: { id: 'm1', role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }] },
      }),
      claude.assistant('a-2', 'I', 'a-1', {
        message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'I' }] },
      }),
      claude.assistant('a-3', 'I will', 'a-2', {
        message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'I will' }] },
      }),
      {
        type: 'attachment',
        attachment: { type: 'queued_command', prompt: 'also check', commandMode: 'prompt' },
        sessionId: 's-1',
      },
      claude.user('u-2', [{ type: 'tool_result', tool_use_id: 't', content: 'é😀' }], 'a-3'),
      claude.user('u-3', 'also check', 'u-2'),
      { type: 'summary', summary: 'Title', leafUuid: 'a-2' },
      claude.user('u-4', 'other branch', 'u-2', { timestamp: '2026-09-01T09:00:00.000Z' }),
      {
        parentUuid: null,
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b-1',
        timestamp: '2026-09-01T09:30:00.000Z',
      },
      claude.user('u-5', 'summary text', 'b-1', { isCompactSummary: true }),
      claude.user('u-6', 'after 🦓 zebra', 'u-5'),
    ],
    [codex.path('c-1')]: [
      codex.meta('c-1'),
      codex.turn('t-1'),
      codex.event('user_message', 'ask one'),
      codex.item('user', 'ask one'),
      codex.item('assistant', 'answer one'),
      codex.event('agent_message', 'answer one'),
      codex.turn('t-2'),
      codex.item('user', 'ask two'),
      codex.item('assistant', 'answer two'),
      codex.rolledBack(1),
      codex.turn('t-3'),
      codex.item('user', 'ask one'),
    ],
    [claw.path('s-9')]: [
      claw.session('s-9'),
      claw.message('e1', null, 'user', 'one'),
      claw.message('e2', 'e1', 'assistant', 'two'),
      { type: 'reset', id: 'r1', parentId: 'e2', timestamp: '2026-09-02T08:00:00.000Z', firstKeptEntryId: 'e2' },
      claw.message('e3', 'r1', 'user', 'three'),
      { type: 'leaf', id: 'l1', parentId: 'e3', targetId: 'r1' },
      claw.message('e4', 'r1', 'user', 'four'),
      { type: 'custom', id: 'x1', parentId: 'e4', timestamp: '2026-09-02T08:10:00.000Z' },
      claw.message('e5', 'x1', 'assistant', 'five'),
    ],
  };

  test('SRC-49 SRC-42 SRC-43: cut at any bytes, with a sync after each part, it equals one fresh sync', async () => {
    const fresh = await makeWorld();
    for (const [path, lines] of Object.entries(histories)) fresh.write(path, lines);
    await fresh.sync();
    const whole = await everything(fresh);
    await removeWorlds();
    const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, async (cuts) => {
        const world = await makeWorld();
        const texts = Object.entries(histories).map(
          ([path, lines]) => [path, Buffer.from(`${linesOf(lines)}\n`)] as const,
        );
        let done = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), 1]) {
          for (const [path, bytes] of texts) {
            const [from, to] = [Math.floor(bytes.length * done), Math.floor(bytes.length * cut)];
            if (done === 0) world.write(path, [], { end: '' });
            world.appendBytes(path, bytes.subarray(from, to));
          }
          done = cut;
          await world.sync();
        }
        expect(await everything(world)).toEqual(whole);
        await removeWorlds();
      }),
      { numRuns: 40 },
    );
  });

  test('SRC-49 SRC-121: an event that a later item repeats leaves no time of its own', async () => {
    const lines = [codex.meta('c-1'), codex.turn('t-1'), codex.event('user_message', 'ask'), codex.item('user', 'ask')];
    const fresh = await makeWorld();
    fresh.write(codex.path('c-1'), lines);
    await fresh.sync();
    const whole = await everything(fresh);
    await removeWorlds();
    const grown = await makeWorld();
    grown.write(codex.path('c-1'), lines.slice(0, 3));
    await grown.sync();
    grown.append(codex.path('c-1'), `${linesOf(lines.slice(3))}\n`);
    await grown.sync();
    expect(await everything(grown)).toEqual(whole);
  });

  const chains = hasData ? readdirSync(join(DATA, 'claude', 'chains')).sort() : [];
  test.skipIf(!hasData)('SRC-49: real files caught while they grew end as one fresh sync of the last', async () => {
    for (const chain of chains) {
      const steps = readdirSync(join(DATA, 'claude', 'chains', chain)).sort();
      const grown = await makeWorld();
      for (const step of steps) {
        const bytes = readFileSync(join(DATA, 'claude', 'chains', chain, step));
        const path = '.claude/projects/-p/chain.jsonl';
        grown.write(path, [], { end: '' });
        grown.truncateTo(path, bytes);
        await grown.sync();
      }
      const fresh = await makeWorld();
      fresh.write('.claude/projects/-p/chain.jsonl', [], { end: '' });
      fresh.truncateTo(
        '.claude/projects/-p/chain.jsonl',
        readFileSync(join(DATA, 'claude', 'chains', chain, steps.at(-1)!)),
      );
      await fresh.sync();
      expect(await everything(grown), chain).toEqual(await everything(fresh));
      await removeWorlds();
    }
  });
});
