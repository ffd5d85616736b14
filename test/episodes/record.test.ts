// The record of a run: cases/episodes.md "The record", and the rules EPI-1 … EPI-9.
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { RunInit } from '../../src/episodes/run-facts.ts';
import { cutText } from '../../src/model/episode.ts';
import { DAY, makeSteps, removeSteps, T0 } from './steps.ts';

afterEach(removeSteps);

const KEY = `sk-ant-${'api03-'}${'qZ7'.repeat(30)}`;

test('E-1, EPI-1, EPI-6, EPI-7, EPI-38: the documented record, byte for byte', async () => {
  const steps = await makeSteps({ workspace: 'support-desk' });
  const { recorder, namespace } = await steps.context({ route: '/support' });
  expect(namespace).toBe('workspace=support-desk|route=/support');
  const run = recorder.start({ runId: 'run-456', threadId: 'thread-123', input: 'summarize invoice 8821' });
  for (const tool of ['readFile', 'lookupInvoice', 'readFile']) run.tool(tool).ok();
  steps.pass(1_400);
  expect(await run.settle()).toEqual({ recorded: true, id: 'ep_f4f0288671fdd30ea96de2bd60cf1109' });
  expect(JSON.stringify(await steps.one('ep_f4f0288671fdd30ea96de2bd60cf1109'), null, 2)).toBe(`{
  "id": "ep_f4f0288671fdd30ea96de2bd60cf1109",
  "namespace": "workspace=support-desk|route=/support",
  "kind": "episodic",
  "status": "active",
  "content": "run ok: summarize invoice 8821 (2 tools, 1.4s)",
  "data": {
    "input": "summarize invoice 8821",
    "outcome": "ok",
    "toolsUsed": [
      "readFile",
      "lookupInvoice"
    ],
    "durationMs": 1400,
    "threadId": "thread-123",
    "runId": "run-456"
  },
  "source": {
    "type": "run",
    "id": "run-456"
  },
  "confidence": 1,
  "tags": [],
  "createdAt": "2026-08-10T18:00:01.400Z",
  "updatedAt": "2026-08-10T18:00:01.400Z",
  "effectiveAt": "2026-08-10T18:00:00.000Z",
  "expiresAt": "2026-09-09T18:00:00.000Z"
}`);
});

describe('the source of a run record (EPI-9)', () => {
  test.each([
    ['E-2', { threadId: 't1' }, 't1', { threadId: 't1' }],
    ['E-3', {}, '2026-08-10T18:00:00.000Z', {}],
    ['EPI-9', { runId: 'r', threadId: 't' }, 'r', { threadId: 't', runId: 'r' }],
  ])('%s: is the run, else the thread, else the start', async (_id, init, source, ids) => {
    const steps = await makeSteps();
    const { data, source: found } = await steps.one(await steps.record('x', init));
    expect(found).toEqual({ type: 'run', id: source });
    const { threadId, runId } = data as { threadId?: string; runId?: string };
    expect(JSON.parse(JSON.stringify({ threadId, runId }))).toEqual(ids);
  });
});

describe('content (EPI-8)', () => {
  test.each([
    [0, '0.0s'],
    [49, '0.0s'],
    [50, '0.1s'],
    [1_449, '1.4s'],
    [1_450, '1.5s'],
    [192_000, '192.0s'],
  ])('E-4: %i ms is %s', async (ms, said) => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const run = recorder.start({ input: 'x' });
    steps.pass(ms);
    const result = await run.settle();
    const record = await steps.one(result.id!);
    expect(record.content).toBe(`run ok: x (0 tools, ${said})`);
    expect(record.data.durationMs).toBe(ms);
  });

  test.each([
    ['E-5', 'x', { tools: ['a'] }, 'run ok: x (1 tool, 1.4s)', 'x'],
    ['E-6', 'a\r\nb\u2028c\td', {}, 'run ok: a b c d (0 tools, 1.4s)', 'a\r\nb\u2028c\td'],
    ['EPI-8', 'a\u0085b\u2029c\u0007d  ', {}, 'run ok: a b c d (0 tools, 1.4s)', 'a\u0085b\u2029c\u0007d  '],
    ['EPI-8', undefined, {}, 'run ok: (no input) (0 tools, 1.4s)', ''],
    ['EPI-8', 'y'.repeat(81), {}, `run ok: ${'y'.repeat(79)}… (0 tools, 1.4s)`, 'y'.repeat(81)],
    ['E-7', `${'x'.repeat(499)}😀😀`, {}, `run ok: ${'x'.repeat(79)}… (0 tools, 1.4s)`, `${'x'.repeat(499)}…`],
    ['E-8', `${'x'.repeat(498)}😀`, {}, undefined, `${'x'.repeat(498)}😀`],
    ['E-8', `${'x'.repeat(498)}😀😀`, {}, undefined, `${'x'.repeat(498)}…`],
    ['E-9', { question: 'why?' }, {}, undefined, '{"question":"why?"}'],
    ['EPI-36', { b: 1, a: [2] }, {}, undefined, '{"a":[2],"b":1}'],
    ['EPI-36', null, {}, 'run ok: (no input) (0 tools, 1.4s)', ''],
    ['EPI-36', [], {}, undefined, ''],
    ['EPI-36', [{ role: 'assistant', content: 'hi' }], {}, undefined, ''],
    [
      'E-10',
      [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: [{ type: 'text', text: 'three' }, { type: 'image' }] },
      ],
      {},
      undefined,
      'three',
    ],
    [
      'EPI-36',
      {
        messages: [
          {
            role: 'user',
            parts: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
        ],
      },
      {},
      undefined,
      'a b',
    ],
    ['E-11', circular(), {}, undefined, '[unreadable input]'],
    ['EPI-36', 5n, {}, undefined, '[unreadable input]'],
  ] as [string, unknown, RunInit & { tools?: string[] }, string | undefined, string][])(
    '%s: of input %o',
    async (_id, input, init, content, kept) => {
      const steps = await makeSteps();
      const record = await steps.one(await steps.record(input, init));
      if (content !== undefined) expect(record.content).toBe(content);
      expect(record.data.input).toBe(kept);
      expect(String(record.data.input).isWellFormed()).toBe(true);
    },
  );

  test('E-16, EPI-7: over 64 tools are named and the rest counted', async () => {
    const steps = await makeSteps();
    const tools = Array.from({ length: 70 }, (_, index) => `tool${index}`);
    const record = await steps.one(await steps.record('x', { tools } as RunInit));
    expect(record.data.toolsUsed).toEqual(tools.slice(0, 64));
    expect(record.data.toolsOmitted).toBe(6);
    expect(record.content).toBe('run ok: x (70 tools, 1.4s)');
  });
});

test('EPI-2: a cut is inside its bound, ends in an ellipsis and splits no pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (text, max) => {
      const cut = cutText(text, max);
      expect(cut.length).toBeLessThanOrEqual(max);
      if (text.length <= max) expect(cut).toBe(text);
      else expect(cut.endsWith('…')).toBe(true);
      if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
    }),
  );
});

describe('redaction (EPI-5)', () => {
  test.each([
    ['E-12', `use key ${KEY}`],
    ['E-13', `${'x'.repeat(490)} ${KEY}`],
  ])('%s: no part of a key is kept, found or shown', async (_id, input) => {
    const steps = await makeSteps();
    const record = await steps.one(await steps.record(input));
    const text = JSON.stringify(record);
    for (let at = 7; at + 8 <= KEY.length; at += 4) expect(text).not.toContain(KEY.slice(at, at + 8));
    const context = await steps.context();
    for (const query of [KEY, KEY.slice(20, 28), 'qZ7qZ7qZ']) {
      expect((await context.recall({ query })).records).toEqual([]);
    }
    expect(context.recorder.health().masked).toBe(1);
  });

  test('EPI-5: errors, tool names, ids and reasons are redacted, and what is beside a secret name in data', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const failed = recorder.start({ input: 'x', threadId: KEY });
    failed.tool(KEY).failed();
    await failed.fail(new Error(`denied for ${KEY}`));
    await recorder.start({ input: { password: 'hunter2-very-secret' } }).cancel(`because ${KEY}`);
    expect(JSON.stringify(await steps.all())).not.toContain(KEY.slice(13, 30));
    expect(JSON.stringify(await steps.all())).not.toContain('hunter2-very');
  });
});

describe('errors (EPI-7)', () => {
  class TimeoutError extends Error {
    override name = 'TimeoutError';
  }
  test.each([
    ['E-14', new TimeoutError('no answer\nin 10 s'), 'TimeoutError', 'no answer in 10 s'],
    ['E-15', 'boom', 'NonError', 'boom'],
    ['EPI-7', undefined, 'NonError', 'undefined'],
    [
      'EPI-7',
      Object.assign(new Error('x'.repeat(400)), { name: 'N'.repeat(120) }),
      `${'N'.repeat(99)}…`,
      `${'x'.repeat(299)}…`,
    ],
    [
      'EPI-50',
      {
        toString: () => {
          throw new Error('no');
        },
      },
      'NonError',
      '[unreadable error]',
    ],
  ] as [string, unknown, string, string][])('%s: are kept on one line', async (_id, error, name, message) => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const result = await recorder.start({ input: 'x' }).fail(error);
    const { data, content } = await steps.one(result.id!);
    expect(data).toMatchObject({ outcome: 'error', errorClass: name, errorMessage: message });
    expect(content).toBe('run error: x (0 tools, 0.0s)');
  });
});

test('EPI-7: ids over 256 characters are stored as their digest, attempt only over 1, parents as given; keys in order', async () => {
  const steps = await makeSteps();
  const id = await steps.record('x', { threadId: 't'.repeat(257), runId: 'r', attempt: 2, parentRunId: 'p' });
  const { data } = await steps.one(id);
  expect(data.threadId).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(Object.keys(data)).toEqual([
    'input',
    'outcome',
    'toolsUsed',
    'durationMs',
    'threadId',
    'runId',
    'attempt',
    'parentRunId',
  ]);
  expect((await steps.one(await steps.record('y', { attempt: 1 }))).data).not.toHaveProperty('attempt');
});

test('EPI-3, EPI-4, EPI-9: every form of a start becomes one instant; event time and expiry count from it', async () => {
  const steps = await makeSteps({ episodes: { ttlMs: DAY } });
  for (const startedAt of [
    '2026-08-10T19:30:00+02:00',
    '2026-08-10T17:30:00Z',
    '2026-08-10T17:30',
    new Date(T0 - 1_800_000),
  ]) {
    const record = await steps.one(await steps.record('x', { startedAt }));
    expect(record.effectiveAt).toBe('2026-08-10T17:30:00.000Z');
    expect(record.expiresAt).toBe('2026-08-11T17:30:00.000Z');
    steps.now = T0;
  }
});

function circular(): object {
  const object: Record<string, unknown> = {};
  object.self = object;
  return object;
}

test('EPI-5: an object asked with a token for a key keeps no token', async () => {
  const steps = await makeSteps();
  const token = `sk-${'ant-api03'}-${'Ab3dEf9hJk2m'.repeat(4)}`;
  const id = await steps.record({ [token]: { [token]: ['v', token] }, kept: 'v' });
  const { data, content } = await steps.one(id);
  expect(data.input).toContain('"kept":"v"');
  for (let at = 0; at + 8 <= token.length; at += 8) {
    if (at >= 16) expect(JSON.stringify([data, content])).not.toContain(token.slice(at, at + 8));
  }
});
