// What a live view of memory tells when a look fails halfway.
import { expect, test } from 'vitest';
import { EpisodeMarks } from '../../src/episodes/watch.ts';
import type { MemoryStore } from '../../src/store/memory.ts';
import { openSqliteMemories } from '../../src/store/sqlite/memory-set.ts';
import { newRecord, T } from '../../src/testing/memory-contract.ts';

test('SUR-41: a look that fails at a later namespace tells all of it at the next one', async () => {
  const stores = openSqliteMemories({});
  const store = (await stores.open('main', { create: true }))!;
  const marks = new EpisodeMarks(undefined);
  await marks.begin(store);
  await store.write(async (writing) => {
    await writing.insert(newRecord('one', 'zeta'));
    await writing.insert(newRecord('two', 'zeta', { namespace: 'workspace=app|route=/b' }));
  });
  let asked = 0;
  const failing: Pick<MemoryStore, 'agentId' | 'state' | 'read'> = {
    agentId: 'main',
    state: () => store.state(),
    read: (work) =>
      store.read((reading) =>
        work({
          ...reading,
          writtenAfter: (...args) => {
            if (++asked === 2) throw new Error('the connection is lost');
            return reading.writtenAfter(...args);
          },
        }),
      ),
  };
  await expect(marks.next(failing as MemoryStore, T)).rejects.toThrow('the connection is lost');
  expect((await marks.next(store, T)).map(({ id }) => id).sort()).toEqual(['one', 'two']);
  expect(await marks.next(store, T)).toEqual([]);
  await stores.close();
});
