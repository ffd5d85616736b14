// How runs end: cases/episodes.md "Settled, failed, cancelled, parked" and "Clocks", rules EPI-30 … EPI-48, EPI-163.
import { afterEach, describe, expect, test } from 'vitest';
import type { ChunkReading } from '../../src/episodes/stream.ts';
import { DAY, makeSteps, removeSteps, type Steps, T0 } from './steps.ts';

afterEach(removeSteps);

class AbortError extends Error {
  override name = 'AbortError';
}

async function outcomeOf(steps: Steps): Promise<unknown> {
  const all = await steps.all();
  expect(all).toHaveLength(1);
  return all[0]!.data.outcome;
}

describe('outcomes and tools', () => {
  test('E-20, EPI-34: a failed run has the tools it called, and those that failed', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const error = new Error('no quota');
    const body = recorder.run({ input: 'ship' }, async (run) => {
      await run.tool('build', async () => 1);
      await run.tool('deploy', async () => {
        throw error;
      });
    });
    await expect(body).rejects.toBe(error);
    const [record] = await steps.all();
    expect(record!.data).toMatchObject({
      input: 'ship',
      outcome: 'error',
      toolsUsed: ['build', 'deploy'],
      toolsFailed: ['deploy'],
    });
  });

  test('E-21, EPI-34: without live calls a failed run has none', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await expect(recorder.run({}, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect((await steps.all())[0]!.data.toolsUsed).toEqual([]);
  });

  test('E-22, E-23, EPI-32: how the run ended decides, not a failed tool and not words in its output', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const value = await recorder.run({ input: 'x' }, async (run) => {
      run.tool('deploy').failed(new Error('once'));
      run.tool('deploy').ok();
      return 'error: failed';
    });
    expect(value).toBe('error: failed');
    expect((await steps.all())[0]!.data).toMatchObject({
      outcome: 'ok',
      toolsUsed: ['deploy'],
      toolsFailed: ['deploy'],
    });
  });

  const called = (id: string, toolName: string): object => ({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName }],
  });
  const answered = (id: string, toolName: string): object => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: id, toolName }],
  });
  const user = { role: 'user', content: 'go' };
  test.each([
    [
      'E-24',
      [user, called('1', 'search'), answered('1', 'search'), user, called('2', 'readFile'), answered('2', 'readFile')],
      ['readFile'],
    ],
    ['E-25', [user, called('1', 'deploy')], []],
    ['EPI-35', { messages: [user, called('1', 'a'), called('2', 'b'), answered('2', 'b')] }, ['b']],
    [
      'EPI-35 (OpenAI)',
      [
        user,
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f' } }] },
        { role: 'tool', tool_call_id: 'c', content: '' },
      ],
      ['f'],
    ],
    [
      'EPI-35 (Anthropic)',
      [
        user,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 'g' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u' }] },
      ],
      ['g'],
    ],
    [
      'EPI-35 (LangChain)',
      [
        { type: 'human', content: 'x' },
        { type: 'ai', content: '', tool_calls: [{ id: 'l', name: 'h', args: {} }] },
        { type: 'tool', tool_call_id: 'l' },
      ],
      ['h'],
    ],
    [
      'EPI-35 (AI SDK page)',
      [
        { role: 'user', parts: [{ type: 'text', text: 'x' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'tool-find', toolCallId: 'p', state: 'output-available' },
            { type: 'tool-wait', toolCallId: 'q', state: 'input-available' },
          ],
        },
      ],
      ['find'],
    ],
    ['EPI-50', 'no messages', []],
    ['EPI-50', [7, null], []],
  ] as [string, unknown, string[]][])('%s: tools of a final state', async (_id, finalState, tools) => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const result = await recorder.start({ input: 'x' }).settle({ finalState });
    expect((await steps.one(result.id!)).data.toolsUsed).toEqual(tools);
  });

  test('E-26, E-27, EPI-35: a denied call is taken back; where calls were live nothing else is read', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const denied = recorder.start({ input: 'x' });
    denied.tool('deploy').denied();
    const first = await denied.settle({ toolsUsed: ['other'] });
    expect((await steps.one(first.id!)).data.toolsUsed).toEqual([]);
    const live = recorder.start({ input: 'x' });
    live.tool('a').ok();
    const second = await live.settle({ toolsUsed: ['b'], finalState: [] });
    expect((await steps.one(second.id!)).data.toolsUsed).toEqual(['a']);
    const given = await recorder.start({ input: 'x' }).settle({ toolsUsed: ['b', 'b', 'c'] });
    expect((await steps.one(given.id!)).data.toolsUsed).toEqual(['b', 'c']);
  });

  test('E-28, EPI-33: failed runs left out are excluded, and the error still reaches the caller; cancelled ones alike', async () => {
    const steps = await makeSteps({ episodes: { includeFailedRuns: false, includeCancelledRuns: false } });
    const { recorder } = await steps.context();
    const error = new Error('x');
    await expect(recorder.run({}, () => Promise.reject(error))).rejects.toBe(error);
    expect(await recorder.start({}).fail(error)).toMatchObject({ recorded: false, reason: 'excluded' });
    expect(await recorder.start({}).cancel()).toMatchObject({ reason: 'excluded' });
    expect(await recorder.start({}).settle()).toMatchObject({ recorded: true });
    expect(await steps.all()).toHaveLength(1);
    expect(recorder.health().skipped).toEqual({ excluded: 3 });
  });
});

describe('what is thrown (EPI-45, EPI-46)', () => {
  const aborted = AbortSignal.abort('stop');
  test.each([
    ['E-29', { signal: aborted }, new Error('plain'), 'cancelled'],
    ['E-30', { signal: new AbortController().signal }, new AbortError('x'), 'error'],
    ['E-31', {}, new AbortError('x'), 'cancelled'],
    ['EPI-45', {}, Object.assign(new Error('x'), { code: 'ABORT_ERR' }), 'cancelled'],
    ['EPI-45', {}, new Error('x'), 'error'],
    ['EPI-45', {}, null, 'error'],
  ] as [string, { signal?: AbortSignal }, unknown, string][])(
    '%s: %o and %o is %s',
    async (_id, init, error, outcome) => {
      const steps = await makeSteps();
      const { recorder } = await steps.context();
      await expect(recorder.run(init, () => Promise.reject(error))).rejects.toBe(error);
      expect(await outcomeOf(steps)).toBe(outcome);
    },
  );

  test('E-32: a run aborted at once has its input; the reason of the signal is kept', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await recorder.run({ input: 'hello', signal: aborted }, () => Promise.reject(new Error())).catch(() => undefined);
    expect((await steps.all())[0]!.data).toMatchObject({ input: 'hello', outcome: 'cancelled', cancelReason: 'stop' });
  });

  test('E-52: rejects with the same object', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const e = { not: 'an error' };
    await expect(recorder.run({}, () => Promise.reject(e))).rejects.toBe(e);
  });

  test('E-53, EPI-45: a returned interrupt, or a thrown one, is parked where the host says so', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const interrupt = { __interrupt__: true };
    const parkedWhen = (value: unknown): boolean => value === interrupt;
    expect(await recorder.run({ runId: 'a', parkedWhen }, async () => interrupt)).toBe(interrupt);
    await expect(recorder.run({ runId: 'b', parkedWhen }, () => Promise.reject(interrupt))).rejects.toBe(interrupt);
    expect(await steps.all()).toEqual([]);
    expect((await steps.backstory.episodes.list({ status: 'parked' })).parked).toHaveLength(2);
  });

  test('EPI-45: what the body did with its handle stands', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await recorder.run({ input: 'a' }, async (run) => {
      await run.cancel('by itself');
    });
    await recorder.run({ input: 'b' }, async (run) => {
      await run.park();
    });
    expect((await steps.all()).map(({ data }) => data.outcome)).toEqual(['cancelled']);
  });

  test('EPI-48: a run inside a run is its own, with its parent', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await recorder.run({ runId: 'outer' }, (outer) =>
      recorder.run({ runId: 'inner', parentRunId: 'outer' }, async (inner) => {
        inner.tool('x').ok();
        outer.tool('inner').ok();
      }),
    );
    const all = await steps.all();
    expect(all.map(({ data }) => [data.runId, data.parentRunId, data.toolsUsed])).toEqual([
      ['inner', 'outer', ['x']],
      ['outer', undefined, ['inner']],
    ]);
  });
});

describe('handles (EPI-37 … EPI-39)', () => {
  test('E-42, EPI-37: ends once; what comes later changes nothing and is counted', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const run = recorder.start({ input: 'x' });
    const first = await run.settle();
    expect(first).toEqual({ recorded: true, id: run.id });
    expect(await run.fail(new Error())).toEqual({ recorded: false, reason: 'ended', id: run.id });
    expect(await run.park()).toEqual({ recorded: false, reason: 'ended', id: run.id });
    run.tool('late').ok();
    expect(await run.tool('late', async () => 5)).toBe(5);
    expect(await outcomeOf(steps)).toBe('ok');
    expect(recorder.health()).toMatchObject({ recorded: 1, dropped: 2, skipped: { ended: 2 } });
  });

  test('E-43, E-44, E-45, EPI-38: one record per run and attempt; same outcome duplicate, another one conflict', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const end = (runId: string, attempt?: number): Promise<unknown> =>
      recorder.start({ runId, ...(attempt === undefined ? {} : { attempt }) }).settle();
    expect(await end('r1')).toMatchObject({ recorded: true });
    expect(await end('r1')).toMatchObject({ recorded: false, reason: 'duplicate' });
    expect(await recorder.start({ runId: 'r2' }).fail('x')).toMatchObject({ recorded: true });
    expect(await end('r2')).toMatchObject({ recorded: false, reason: 'conflict' });
    expect(await end('r2', 2)).toMatchObject({ recorded: true });
    expect(recorder.health()).toMatchObject({ recorded: 3, duplicates: 1, conflicts: 1 });
    expect((await steps.all()).map(({ data }) => [data.runId, data.outcome])).toEqual([
      ['r1', 'ok'],
      ['r2', 'error'],
      ['r2', 'ok'],
    ]);
  });

  test('E-46, E-47, EPI-39: a run id that is the thread, or none, never makes two runs one', async () => {
    const steps = await makeSteps({ episodes: { cap: null } });
    const { recorder } = await steps.context();
    for (let turn = 0; turn < 3; turn++) await recorder.start({ runId: 't', threadId: 't' }).settle();
    await Promise.all(Array.from({ length: 50 }, () => recorder.start({}).settle()));
    const all = await steps.all();
    expect(all).toHaveLength(53);
    expect(all[0]!.source.id).toBe('t');
    expect(new Set(all.map(({ id }) => id)).size).toBe(53);
  });
});

describe('parked runs (EPI-40 … EPI-44)', () => {
  test('E-33, EPI-31, EPI-40: a parked run is no record anywhere, and is listed', async () => {
    const steps = await makeSteps();
    const context = await steps.context();
    const run = context.recorder.start({ input: 'approve the deploy', threadId: 't' });
    expect(await run.park()).toEqual({ recorded: false, reason: 'parked', id: run.id });
    steps.pass(60_000);
    expect((await context.recall()).status).toBe('empty');
    expect((await context.timeline()).total).toBe(0);
    const { parked } = await steps.backstory.episodes.list({ status: 'parked' });
    expect(parked).toEqual([
      expect.objectContaining({
        id: run.id,
        startedAt: '2026-08-10T18:00:00.000Z',
        ageMs: 60_000,
        input: 'approve the deploy',
        threadId: 't',
      }),
    ]);
  });

  test('E-34, EPI-41, EPI-42: another process goes on with it: one record, first start, tools of all turns', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const run = recorder.start({ input: 'x', runId: 'r' });
    run.tool('a').ok();
    steps.pass(2_000);
    await run.park();
    steps.pass(3_598_000);
    const other = await steps.another();
    const context = await other.episodes.context({ route: '/a' });
    const resumed = await context.recorder.resume({ runId: 'r' });
    expect(resumed).toMatchObject({ resumed: true, id: run.id });
    resumed.tool('b').ok();
    steps.pass(1_000);
    expect(await resumed.settle()).toEqual({ recorded: true, id: run.id });
    const record = await steps.one(run.id);
    expect(record.effectiveAt).toBe('2026-08-10T18:00:00.000Z');
    expect(record.data).toMatchObject({ toolsUsed: ['a', 'b'], durationMs: 3_000, parkedMs: 3_598_000, outcome: 'ok' });
    expect((await steps.backstory.episodes.list({ status: 'parked' })).parked).toEqual([]);
    expect(await run.settle()).toMatchObject({ reason: 'duplicate' });
  });

  test('E-35, EPI-42: however often it is parked it is one record', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const run = recorder.start({ input: 'x' });
    await run.park();
    run.resume();
    steps.pass(10);
    await run.park();
    steps.pass(1_000);
    expect(await run.fail(new Error('x'))).toMatchObject({ recorded: true });
    const [record, ...more] = await steps.all();
    expect(more).toEqual([]);
    expect(record!.data).toMatchObject({ outcome: 'error', durationMs: 10, parkedMs: 1_000 });
  });

  test('E-38, EPI-42: two that both end it: one record, the other a duplicate', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await recorder.start({ input: 'x', threadId: 't' }).park();
    const other = await (await steps.another()).episodes.context({ route: '/a' });
    const one = await recorder.resume({ threadId: 't' });
    const two = await other.recorder.resume({ threadId: 't' });
    const results = await Promise.all([one.settle(), two.settle()]);
    expect(results.map((result) => (result.recorded ? 'recorded' : result.reason)).sort()).toEqual([
      'duplicate',
      'recorded',
    ]);
    expect(await steps.all()).toHaveLength(1);
  });

  test('E-37, E-39, EPI-43: resuming leaves it parked until it ends; it can be ended by whoever resumes it', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await recorder.start({ input: 'x', runId: 'r' }).park();
    await recorder.resume({ runId: 'r' });
    const parked = async (): Promise<number> =>
      (await steps.backstory.episodes.list({ status: 'parked' })).parked.length;
    expect(await parked()).toBe(1);
    const again = await recorder.resume({ runId: 'r' });
    await again.cancel('closed by user');
    expect((await steps.all())[0]!.data).toMatchObject({ outcome: 'cancelled', cancelReason: 'closed by user' });
    expect(await parked()).toBe(0);
  });

  test('EPI-41: by thread the one parked last', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await recorder.start({ input: 'first', threadId: 't' }).park();
    steps.pass(10);
    const later = recorder.start({ input: 'second', threadId: 't' });
    await later.park();
    expect((await recorder.resume({ threadId: 't' })).id).toBe(later.id);
  });

  test('E-40, EPI-44: over its life it is not written, and its state is gone', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    await recorder.start({ input: 'x', runId: 'r' }).park();
    steps.pass(31 * DAY);
    const run = await recorder.resume({ runId: 'r' });
    expect(await run.settle()).toMatchObject({ recorded: false, reason: 'expired' });
    expect(await steps.all()).toEqual([]);
    expect((await steps.backstory.episodes.list({ status: 'parked' })).parked).toEqual([]);
    await recorder.start({ input: 'y', runId: 's' }).park();
    steps.pass(31 * DAY);
    expect(await steps.backstory.episodes.prune()).toMatchObject({ parkedExpired: 1 });
  });

  test('EPI-44: parked runs have the same cap, the oldest start goes first', async () => {
    const steps = await makeSteps({ episodes: { cap: 2 } });
    const { recorder } = await steps.context();
    for (const runId of ['a', 'b', 'c']) {
      expect(await recorder.start({ input: runId, runId }).park()).toMatchObject({ reason: 'parked' });
      steps.pass(10);
    }
    const { parked } = await steps.backstory.episodes.list({ status: 'parked' });
    expect(parked.map(({ runId }) => runId)).toEqual(['c', 'b']);
    const old = recorder.start({ startedAt: '2026-08-01', runId: 'd' });
    expect(await old.park()).toMatchObject({ reason: 'over_cap' });
  });

  test('E-41, EPI-41: nothing parked is a fresh handle', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const run = await recorder.resume({ runId: 'none' }, { input: 'x' });
    expect(run.resumed).toBe(false);
    expect(await run.settle()).toMatchObject({ recorded: true });
    expect((await recorder.resume({} as never)).resumed).toBe(false);
  });
});

describe('streams (EPI-47)', () => {
  const chunks = (list: readonly unknown[], closed: string[] = []): AsyncIterable<unknown> => ({
    [Symbol.asyncIterator]() {
      const each = list[Symbol.iterator]();
      return {
        next: async () => {
          const { done, value } = each.next();
          if (value instanceof Error) throw value;
          return done ? { done: true, value: undefined } : { done: false, value };
        },
        return: async () => {
          closed.push('return');
          return { done: true, value: undefined };
        },
      };
    },
  });
  const read = (chunk: unknown): ChunkReading | undefined =>
    chunk === 'done' ? { done: true } : chunk === 'interrupt' ? { parked: true } : undefined;
  const streamTo = async (
    list: readonly unknown[],
    stopAt?: unknown,
  ): Promise<{ outcome: unknown; got: unknown[]; closed: string[]; steps: Steps }> => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const closed: string[] = [];
    const got: unknown[] = [];
    try {
      for await (const chunk of recorder.stream({ input: 'x' }, chunks(list, closed), read)) {
        got.push(chunk);
        if (chunk === stopAt) break;
      }
    } catch (error) {
      got.push(error);
    }
    const [record] = await steps.all();
    return { outcome: record?.data, got, closed, steps };
  };

  test('E-48: the consumer stops after done: ok', async () => {
    const { outcome, closed } = await streamTo(['a', 'done', 'b'], 'done');
    expect(outcome).toMatchObject({ outcome: 'ok' });
    expect(closed).toEqual(['return']);
  });

  test('E-49: the consumer stops before done: cancelled as abandoned, and the source is closed once', async () => {
    const { outcome, closed } = await streamTo(['a', 'b', 'done'], 'a');
    expect(outcome).toMatchObject({ outcome: 'cancelled', cancelReason: 'abandoned' });
    expect(closed).toEqual(['return']);
  });

  test('E-50: an interrupt, then the end: parked', async () => {
    const { outcome, steps } = await streamTo(['a', 'interrupt']);
    expect(outcome).toBeUndefined();
    expect((await steps.backstory.episodes.list({ status: 'parked' })).parked).toHaveLength(1);
  });

  test('EPI-47: the source throws: error, and the same error goes on', async () => {
    const error = new Error('broken pipe');
    const { outcome, got } = await streamTo(['a', error]);
    expect(got).toEqual(['a', error]);
    expect(outcome).toMatchObject({ outcome: 'error', errorMessage: 'broken pipe' });
  });

  test('E-51: read throws on one chunk: counted, the others are read and all arrive', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const seen: unknown[] = [];
    const objects = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }];
    const got: unknown[] = [];
    const stream = recorder.stream({ input: 'x' }, chunks(objects), (chunk) => {
      seen.push(chunk);
      if (chunk === objects[1]) throw new Error('unreadable');
      return chunk === objects[2] ? { tool: { name: 'find', state: 'called' } } : undefined;
    });
    for await (const chunk of stream) got.push(chunk);
    expect(got.every((chunk, index) => chunk === objects[index])).toBe(true);
    expect(seen).toEqual(objects);
    expect((await steps.all())[0]!.data).toMatchObject({ outcome: 'ok', toolsUsed: ['find'] });
    expect(recorder.health().dropped).toBe(1);
  });

  test('EPI-47: tools of chunks are called, answered, failed and denied', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const tools = [
      { name: 'a', state: 'called' },
      { name: 'a', state: 'ok' },
      { name: 'b', state: 'called' },
      { name: 'b', state: 'failed', error: new Error() },
      { name: 'c', state: 'called' },
      { name: 'c', state: 'denied' },
    ] as const;
    for await (const _ of recorder.stream({}, chunks(tools), (tool) => ({ tool: tool as (typeof tools)[number] })));
    expect((await steps.all())[0]!.data).toMatchObject({ toolsUsed: ['a', 'b'], toolsFailed: ['b'] });
  });
});

describe('clocks (EPI-163)', () => {
  test('E-195: the wall clock steps back during a run', async () => {
    const steps = await makeSteps();
    const { recorder } = await steps.context();
    const run = recorder.start({ input: 'x' });
    steps.pass(1_000);
    steps.now -= 5_000;
    const record = await steps.one((await run.settle()).id!);
    expect(record.data).toMatchObject({ durationMs: 1_000, clockSkewMs: 4_000 });
    expect(record.effectiveAt).toBe(new Date(T0 - 4_000).toISOString());
    expect(record.createdAt).toBe(record.effectiveAt);
  });

  test('E-197: a given start one day ahead is dated at its end', async () => {
    const steps = await makeSteps();
    const record = await steps.one(await steps.record('x', { startedAt: new Date(T0 + DAY) }));
    expect(record.effectiveAt).toBe(new Date(T0 + 1_400).toISOString());
    expect(record.data.clockSkewMs).toBe(DAY - 1_400);
  });
});

test('EPI-30: the first condition that fails is the reason', async () => {
  const disabled = await makeSteps({ writes: 'off', episodes: { enabled: false } });
  const unscoped = (await disabled.backstory.episodes.context({ agent: 'main' })).recorder.start({});
  expect(await unscoped.settle()).toMatchObject({ reason: 'disabled' });
  expect(await unscoped.settle()).toMatchObject({ reason: 'ended' });
  const off = await makeSteps({ writes: 'off' });
  expect(await (await off.backstory.episodes.context({})).recorder.start({}).settle()).toMatchObject({
    reason: 'no_scope',
  });
  expect(await (await off.context()).recorder.start({}).settle()).toMatchObject({ reason: 'writes_off' });
});
