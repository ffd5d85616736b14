import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Forgotten, forgetRecord } from '../../../src/episodes/erase-forget.ts';
import { type Memory, makeMemory, NAMESPACE, NOW } from './memory-steps.ts';

let memory: Memory;
beforeEach(async () => {
  memory = await makeMemory('disk');
});
afterEach(() => memory.close());

const forget = (id: string, namespace?: string): Promise<Forgotten> =>
  forgetRecord({ store: memory.store, now: NOW, ...(namespace === undefined ? {} : { namespace }) }, id);

describe('forgetting', () => {
  test.each(['active', 'candidate', 'superseded'] as const)(
    'EPI-122: a record that is %s is deleted',
    async (status) => {
      const id = await memory.run('a', { status });
      expect(await forget(id)).toEqual({ id, records: 1, parked: 0, derived: 0, revived: 0, file: 'absent' });
      await expect(forget(id)).rejects.toMatchObject({
        code: 'record_not_found',
        message: expect.stringContaining(id),
      });
    },
  );

  test('EPI-132: what was made from it goes with it, and the other source is active again', async () => {
    const [a, b] = await memory.runs([['a'], ['b', { status: 'superseded' }]]);
    await memory.event('both', { source: { type: 'distill', id: 'consolidate' }, derivedFrom: [a!, b!] });
    expect(await forget(a!)).toMatchObject({ records: 1, derived: 1, revived: 1 });
    expect((await memory.recall()).records.map(({ id }) => id)).toEqual([b]);
  });

  test('EPI-133: its text is in no byte of the file or its WAL', async () => {
    const id = await memory.run('a text of its own to be looked for in the file');
    const all = (): string =>
      ['', '-wal'].map((end) => readFileSync(join(memory.folder!, `main.sqlite${end}`), 'latin1')).join();
    expect(all()).toContain('of its own to be looked for');
    await forget(id);
    expect(all()).not.toContain('of its own to be looked for');
  });

  test('EPI-43: a parked run is dropped without a record', async () => {
    const parked = { namespace: NAMESPACE, startedAt: NOW, parkedAt: NOW, state: '{}' };
    await memory.store.write((writing) => writing.park({ id: 'ep_p', ...parked }));
    expect(await forget('ep_p')).toMatchObject({ records: 0, parked: 1 });
    expect(await memory.store.read((reading) => reading.parkedRuns({}))).toEqual([]);
  });

  test('EPI-15, E-83: an id of another namespace is one that does not exist', async () => {
    const id = await memory.run('a');
    const refusals = await Promise.all(
      [forget(id, `${NAMESPACE}b`), forget('ep_none', NAMESPACE)].map((one) => one.catch((error: unknown) => error)),
    );
    expect(refusals).toMatchObject([{ code: 'record_not_found' }, { code: 'record_not_found' }]);
    expect((await memory.recall()).records).toHaveLength(1);
  });
});
