// Recording never fails a run: cases/episodes.md "Never fails the run", rules EPI-50 … EPI-54, EPI-63, EPI-164.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { RecordingFailure } from '../../src/config/index.ts';
import { openBackstory } from '../../src/engine/engine.ts';
import type { RunInit } from '../../src/episodes/run-facts.ts';
import { makeSteps, NS, removeSteps, type Steps, T0 } from './steps.ts';

const locks: Database.Database[] = [];

afterEach(async () => {
  for (const lock of locks.splice(0)) lock.close();
  await removeSteps();
});

/** Holds the write lock of the store as another process would. */
function locked(steps: Steps): Database.Database {
  const db = new Database(join(steps.home, 'memory', 'main.sqlite'));
  locks.push(db);
  db.exec('BEGIN IMMEDIATE');
  return db;
}

/** A home whose store can never be opened: its path is a folder. */
function broken(steps: Steps): void {
  mkdirSync(join(steps.home, 'memory', 'main.sqlite'), { recursive: true });
}

const inputs = async (steps: Steps): Promise<unknown[]> => (await steps.all()).map(({ data }) => data.input);

test('E-60, EPI-51: while the store is locked the run’s value arrives, and the record lands after', async () => {
  const steps = await makeSteps({ episodes: { writeTimeoutMs: 40 } });
  await steps.record('first');
  const { recorder } = await steps.context();
  const lock = locked(steps);
  // The lock is still held when the value is there.
  expect(await recorder.run({ input: 'second' }, async () => 7)).toBe(7);
  expect(await recorder.start({ input: 'third' }).settle()).toMatchObject({ recorded: false, reason: 'queued' });
  expect(recorder.health()).toMatchObject({ recorded: 1, queued: 2 });
  lock.exec('COMMIT');
  await recorder.flush();
  expect(recorder.health()).toMatchObject({ recorded: 3, queued: 0, lost: 0 });
  expect(await inputs(steps)).toEqual(['first', 'second', 'third']);
});

test('EPI-51: what waits is retried by itself, before the next write, and makes no second record', async () => {
  const steps = await makeSteps({ episodes: { writeTimeoutMs: 0 } });
  await steps.record('first');
  const { recorder } = await steps.context();
  const lock = locked(steps);
  expect(await recorder.start({ input: 'second', runId: 'r2' }).settle()).toMatchObject({ reason: 'queued' });
  lock.exec('COMMIT');
  await recorder.start({ input: 'third' }).settle();
  await recorder.flush();
  expect(await recorder.start({ input: 'second', runId: 'r2' }).settle()).toMatchObject({ reason: 'duplicate' });
  expect(await inputs(steps)).toEqual(['first', 'second', 'third']);
});

test('EPI-51: closing the engine waits for what is queued', async () => {
  const steps = await makeSteps({ episodes: { writeTimeoutMs: 0 } });
  await steps.record('first');
  const lock = locked(steps);
  const { recorder } = await steps.context();
  await recorder.start({ input: 'second' }).settle();
  const closing = steps.backstory.close();
  lock.exec('COMMIT');
  await closing;
  expect(await inputs(steps)).toEqual(['first', 'second']);
  expect(await recorder.start({ input: 'late' }).settle()).toMatchObject({ recorded: false, reason: 'lost' });
});

test('E-63, EPI-51: at most 256 wait; the oldest beyond are lost and counted', async () => {
  const steps = await makeSteps({ episodes: { writeTimeoutMs: 0, cap: null } });
  await steps.record('first');
  const { recorder } = await steps.context();
  const lock = locked(steps);
  for (let n = 0; n < 300; n++) {
    expect(await recorder.start({ input: `r${n}` }).settle()).toMatchObject({ reason: 'queued' });
  }
  expect(recorder.health()).toMatchObject({ queued: 256, lost: 44 });
  lock.exec('COMMIT');
  await recorder.flush();
  expect(recorder.health()).toMatchObject({ queued: 0, lost: 44, recorded: 257 });
  const kept = await inputs(steps);
  expect(kept).toHaveLength(257);
  expect(kept).not.toContain('r43');
  expect(kept).toContain('r44');
});

test('E-61, E-62, EPI-50, EPI-52: a store that cannot be written: values come back, one line, every failure counted and told', async () => {
  const told: RecordingFailure[] = [];
  const steps = await makeSteps({
    onError: (failure) => {
      told.push(failure);
      throw new Error('the callback of the host');
    },
  });
  broken(steps);
  const { recorder } = await steps.context();
  for (let n = 0; n < 3; n++)
    expect(await recorder.run({ input: 'secret words', runId: `r${n}` }, async () => n)).toBe(n);
  expect(steps.lines).toHaveLength(1);
  expect(steps.lines[0]).toMatch(
    /^backstory: episode recording failed \(later failures are counted, not logged\): store_\w+ The store .+/,
  );
  expect(recorder.health().failed).toBeGreaterThanOrEqual(3);
  expect(told.length).toBeGreaterThanOrEqual(3);
  expect(told[0]).toMatchObject({
    code: expect.stringMatching(/^store_/),
    at: '2026-08-10T18:00:00.000Z',
    namespace: NS,
    runId: 'r0',
  });
  expect(JSON.stringify([steps.lines, told, recorder.health()])).not.toContain('secret words');
  expect(recorder.health().lastFailure).toMatchObject({ code: told[0]!.code });
});

test('EPI-50: a store of a later release fails no run either, and nothing of it changes', async () => {
  const steps = await makeSteps();
  await steps.record('x');
  await steps.backstory.close();
  const db = new Database(join(steps.home, 'memory', 'main.sqlite'));
  db.pragma('user_version = 9999');
  db.close();
  const { recorder } = await (await steps.another()).episodes.context({ route: '/a' });
  expect(await recorder.run({ input: 'y' }, async () => 'value')).toBe('value');
  expect(recorder.health().lastFailure).toMatchObject({ code: 'store_newer' });
});

test('E-64, EPI-50: bad optional values are left out and counted; the record lands', async () => {
  const steps = await makeSteps();
  const { recorder } = await steps.context();
  const result = await recorder.start({ input: 'x', startedAt: 'soon', threadId: 7 as never }).settle();
  const record = await steps.one(result.id!);
  expect(record.effectiveAt).toBe(new Date(T0).toISOString());
  expect(record.data).not.toHaveProperty('threadId');
  expect(recorder.health()).toMatchObject({ recorded: 1, dropped: 2 });
});

test('EPI-50: no method throws or rejects, whatever it is given', async () => {
  const steps = await makeSteps({ episodes: { cap: null } });
  const { recorder } = await steps.context();
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  const init = fc.oneof(
    anything,
    fc.record(
      Object.fromEntries(
        ['input', 'runId', 'threadId', 'attempt', 'parentRunId', 'startedAt', 'signal', 'parkedWhen'].map((name) => [
          name,
          anything,
        ]),
      ),
      { requiredKeys: [] },
    ),
  );
  let ends = 0;
  await fc.assert(
    fc.asyncProperty(
      init,
      anything,
      fc.constantFrom('settle', 'fail', 'cancel', 'park', 'run'),
      async (given, value, end) => {
        if (end === 'run') expect(await recorder.run(given as RunInit, async () => value)).toBe(value);
        else {
          const run = recorder.start(given as RunInit);
          run.tool(value as string).failed(value);
          const result = await (run[end] as (argument: unknown) => Promise<unknown>).call(run, value);
          expect(result).toMatchObject({ recorded: expect.any(Boolean) });
          await recorder.resume(value as never, given as never);
        }
        ends++;
      },
    ),
    { numRuns: 150 },
  );
  const { recorded, parked, duplicates, conflicts, failed, lost, skipped } = recorder.health();
  const other = Object.values(skipped).reduce((sum, n) => sum + n, 0);
  expect({ sum: recorded + parked + duplicates + conflicts + other, failed, lost }).toEqual({
    sum: ends,
    failed: 0,
    lost: 0,
  });
});

test('EPI-50: getters that throw, on anything a host gives', async () => {
  const steps = await makeSteps();
  const { recorder } = await steps.context();
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
      ownKeys: () => {
        throw new Error('no');
      },
    },
  );
  expect(await recorder.start(hostile as RunInit).settle(hostile as never)).toMatchObject({ recorded: true });
  expect(await recorder.start({ input: hostile }).fail(hostile)).toMatchObject({ recorded: true });
  await expect(recorder.run(hostile as RunInit, () => Promise.reject(hostile))).rejects.toBe(hostile);
  expect((await steps.all()).map(({ data }) => data.outcome)).toEqual(['ok', 'error', 'error']);
});

test('EPI-63: a prune that fails leaves the record, and the failure is counted', async () => {
  const steps = await makeSteps({ episodes: { cap: 1 } });
  await steps.record('first');
  const db = new Database(join(steps.home, 'memory', 'main.sqlite'));
  db.exec("CREATE TRIGGER no_prune BEFORE DELETE ON body BEGIN SELECT RAISE(ABORT, 'no'); END");
  db.close();
  expect(await steps.recordResult('second')).toMatchObject({ recorded: true });
  expect(await inputs(steps)).toEqual(['first', 'second']);
  expect((await steps.context()).recorder.health()).toMatchObject({ recorded: 2, failed: 1 });
});

describe('health and stats (EPI-53)', () => {
  test('E-65: another process sees the failures after the next successful write', async () => {
    const steps = await makeSteps({ episodes: { writeTimeoutMs: 0 } });
    await steps.record('first');
    const { recorder } = await steps.context();
    const lock = locked(steps);
    while (recorder.health().failed < 5) await recorder.start({ input: 'x' }).settle();
    lock.exec('COMMIT');
    await recorder.flush();
    await recorder.start({ input: 'last' }).settle();
    const { failed } = recorder.health();
    const other = await steps.another();
    const { health } = await other.episodes.stats();
    expect(health).toMatchObject({
      failed,
      lastFailure: { code: 'store_busy' },
      lastRecordedAt: '2026-08-10T18:00:01.400Z',
    });
    expect(health.failed).toBeGreaterThanOrEqual(5);
  });

  test('EPI-53, EPI-178: counts of namespaces are kept', async () => {
    const steps = await makeSteps();
    await steps.record('x');
    await (await steps.context()).recorder.start({ input: 'y' }).park();
    expect(await steps.backstory.episodes.stats()).toMatchObject({
      agent: 'main',
      records: 1,
      active: 1,
      candidates: 0,
      parkedRuns: 1,
      namespaces: [{ namespace: NS, records: 1, active: 1, candidates: 0, runs: 1, authored: 0, parked: 1 }],
      health: { recorded: 1, parked: 1 },
    });
  });
});

describe('doctor (EPI-54)', () => {
  const codes = async (steps: Steps, options: object = { route: '/a' }): Promise<string[]> =>
    (await steps.backstory.episodes.doctor(options)).findings.map(({ code }) => code);

  test('E-66: disabled, with the name of the setting', async () => {
    const steps = await makeSteps({ episodes: { enabled: false } });
    const { findings } = await steps.backstory.episodes.doctor({ route: '/a' });
    expect(findings).toEqual([
      {
        code: 'recorder_disabled',
        level: 'note',
        message: 'The recorder is disabled.',
        fix: 'Set memory.episodes.enabled to true.',
      },
    ]);
  });

  test('EPI-54: says writes off, the dimension that is missing, failures, and only parked runs', async () => {
    const steps = await makeSteps({ writes: 'off' });
    expect(await codes(steps, {})).toEqual(['writes_off', 'no_scope']);
    const parked = await makeSteps();
    await (await parked.context()).recorder.start({ input: 'x' }).park();
    expect(await codes(parked)).toEqual(['only_parked']);
    const failing = await makeSteps({ episodes: { writeTimeoutMs: 0 } });
    await failing.record('x');
    const lock = locked(failing);
    await (await failing.context()).recorder.start({ input: 'y' }).settle();
    lock.exec('COMMIT');
    expect(await codes(failing)).toEqual(['recording_failed']);
  });

  test('EPI-54: records, recalls and forgets in a scratch agent, and leaves nothing', async () => {
    const steps = await makeSteps();
    await steps.record('x');
    expect(await codes(steps)).toEqual([]);
    expect(await steps.all()).toHaveLength(1);
    const sick = await makeSteps();
    writeFileSync(join(sick.home, 'memory'), 'a file where the folder should be');
    await expect(sick.backstory.episodes.doctor({ route: '/a' })).resolves.toMatchObject({
      findings: [{ code: 'trial_failed' }],
    });
  });

  test('EPI-164: warns when the newest record is over 5 minutes ahead', async () => {
    const steps = await makeSteps();
    await steps.record('x');
    steps.now -= 3 * 60_000;
    expect(await codes(steps)).toEqual([]);
    steps.now -= 3 * 60_000;
    expect(await codes(steps)).toEqual(['clock_ahead']);
  });
});

test('SUR-10: the folder of memory and its files are the owner’s alone', async () => {
  const steps = await makeSteps();
  await steps.record('x');
  chmodSync(steps.home, 0o700);
  const { statSync } = await import('node:fs');
  expect(statSync(join(steps.home, 'memory')).mode & 0o777).toBe(0o700);
  expect(statSync(join(steps.home, 'memory', 'main.sqlite')).mode & 0o777).toBe(0o600);
});

test('COM-21: after close every face says closed', async () => {
  const steps = await makeSteps();
  const context = await steps.context();
  await steps.backstory.close();
  const { episodes } = steps.backstory;
  for (const call of [
    () => episodes.context({}),
    () => episodes.list(),
    () => episodes.stats(),
    () => episodes.prune(),
    () => episodes.doctor(),
    () => context.recall(),
    () => context.remember({ data: { event: 'x' } }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'closed' });
  }
  expect((await context.tools().recall.execute({})).status).toBe('unavailable');
  const again = await openBackstory({ home: steps.home, memory: { workspace: 'app' } });
  await again.close();
});

test('EPI-50, EPI-45: an error of the body goes on as it is, and resume answers, whatever init, signal and key are', async () => {
  const steps = await makeSteps();
  const { recorder } = await steps.context();
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('boom');
      },
      ownKeys: () => {
        throw new Error('boom');
      },
    },
  );
  const thrown = { what: 'the body threw this' };
  const failing = async (): Promise<never> => {
    throw thrown;
  };
  await expect(recorder.run({ signal: hostile as never }, failing)).rejects.toBe(thrown);
  await expect(recorder.run(hostile as never, failing)).rejects.toBe(thrown);
  for (const [key, init] of [
    [hostile, undefined],
    [null, undefined],
    ['x'.repeat(1_000_000), undefined],
    [{ runId: 'r1' }, hostile],
    [{ runId: 'r2' }, 'x'.repeat(1_000_000)],
  ]) {
    const run = await recorder.resume(key as never, init as never);
    expect(run.resumed).toBe(false);
    expect(await run.settle()).toMatchObject({ recorded: true });
  }
});

test('EPI-50, COM-10: a start outside the years 0001 to 9999 is left out, and the timeline of its namespace goes on', async () => {
  const steps = await makeSteps({ episodes: { ttlMs: null } });
  const memory = await steps.context();
  for (const at of [-62_198_755_200_000, -8.64e15, 8.64e15, 253_402_300_800_000]) {
    expect(await memory.recorder.start({ startedAt: new Date(at) }).settle()).toMatchObject({ recorded: true });
  }
  expect(memory.recorder.health().dropped).toBe(4);
  expect((await steps.all()).map(({ effectiveAt }) => Date.parse(effectiveAt!))).toEqual([T0, T0, T0, T0]);
  for (const bucket of ['hour', 'day', 'week', 'month'] as const) {
    expect((await memory.timeline({ bucket })).buckets).toMatchObject([{ total: 4 }]);
  }
});
