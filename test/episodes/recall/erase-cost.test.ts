import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { eraseMemory } from '../../../src/episodes/erase.ts';
import type { MemoryStore } from '../../../src/store/memory.ts';
import { ERASURE_SQL } from '../../../src/store/sqlite/memory-erase.ts';
import { makeMemory, NAMESPACE, NOW } from './memory-steps.ts';

test('EPI-136: cost follows what is erased: one transaction, and no statement that scans what is kept', async () => {
  const memory = await makeMemory('disk');
  await memory.runs(
    Array.from({ length: 200 }, (_, index) => [`run ${index}`, { threadId: `t${index % 2}` }] as const),
  );
  let writes = 0;
  const store: MemoryStore = {
    agentId: memory.store.agentId,
    read: (work) => memory.store.read(work),
    write: (work, options) => {
      writes++;
      return memory.store.write(work, options);
    },
    clean: () => memory.store.clean(),
    fragmentsFound: (fragments) => memory.store.fragmentsFound(fragments),
    bytes: () => memory.store.bytes(),
    state: () => memory.store.state(),
  };
  const clock = { now: () => NOW, elapsed: () => 0 };
  expect((await eraseMemory({ stores: [store], clock }, { thread: 't1' })).deleted.records).toBe(100);
  expect((await eraseMemory({ stores: [store], clock }, { namespace: NAMESPACE })).deleted.records).toBe(100);
  expect(writes).toBe(2);

  const db = new Database(join(memory.folder!, 'main.sqlite'), { readonly: true });
  for (const sql of ERASURE_SQL) {
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...boundTo(sql));
    const scans = plan.map(({ detail }) => detail).filter((detail) => /^SCAN/.test(detail) && !isBounded(detail));
    expect(scans, sql).toEqual([]);
  }
  db.close();
  await memory.close();
});

function boundTo(sql: string): unknown[] {
  return sql.includes('@match') ? [{ match: '"x"', fragment: 'x' }] : [...sql.matchAll(/\?/g)].map(() => '[]');
}

// The numbers that are given, matches of the index, and one row without a table.
function isBounded(detail: string): boolean {
  return /json_each|VIRTUAL TABLE|CONSTANT ROW/.test(detail);
}
