// Cases of the store contract: what was read from files, and who reads now (SRC-43, SRC-44).
import assert from 'node:assert/strict';
import type { AgentStore, StoreSet } from '../store/contract.ts';
import type { FileChange } from '../store/writing.ts';
import { everything } from './store-steps.ts';

const seen: FileChange = {
  dev: 1n,
  ino: 9_007_199_254_740_993n,
  size: 10,
  mtimeNs: 1_788_249_600_000_000_001n,
  ctimeNs: 1_788_249_600_000_000_002n,
  settled: true,
  reader: 1,
  outcome: 'read',
};

async function withInstance(stores: StoreSet): Promise<{ store: AgentStore; no: number }> {
  const store = (await stores.open('a', { create: true }))!;
  const { no } = await store.write((writing) => writing.instance('claude-code', '/root'));
  return { store, no };
}

export const fileCases: readonly { name: string; run(stores: StoreSet): Promise<void> }[] = [
  {
    name: 'SRC-43: a file row keeps numbers over 2^53, its state and its counts',
    async run(stores) {
      const { store, no } = await withInstance(stores);
      const made = await store.write((writing) =>
        writing.putFile(no, 'a.jsonl', { ...seen, state: new Uint8Array([1, 2]), counts: { glued: 2 } }, 0),
      );
      assert(made);
      const found = await store.read((reading) => reading.sourceFiles(everything(), 'claude-code', '/root'));
      assert.equal(found?.files[0]?.ino, seen.ino);
      assert.equal(found.files[0].mtimeNs, seen.mtimeNs);
      const saved = await store.write((writing) => writing.fileState(made.no));
      assert.deepEqual([...(saved.state ?? [])], [1, 2]);
      assert.deepEqual(saved.counts, { glued: 2 });
      assert.equal(await store.read((reading) => reading.sourceFiles(everything(), 'codex', '/root')), undefined);
    },
  },
  {
    name: 'SRC-44: a batch applies only on the state it started from',
    async run(stores) {
      const { store, no } = await withInstance(stores);
      const first = await store.write((writing) => writing.putFile(no, 'a.jsonl', seen, 0));
      assert(first);
      assert.equal(await store.write((writing) => writing.putFile(no, 'a.jsonl', seen, 0)), undefined);
      const second = await store.write((writing) => writing.putFile(no, 'a.jsonl', seen, first.version));
      assert(second && second.version > first.version && second.no === first.no);
      assert.equal(await store.write((writing) => writing.putFile(no, 'a.jsonl', seen, first.version)), undefined);
    },
  },
  {
    name: 'SRC-44: a lease keeps others off until it is given back or runs out',
    async run(stores) {
      const { store, no } = await withInstance(stores);
      const take = (holder: string, now: number, until: number | null): Promise<boolean> =>
        store.write((writing) => writing.lease(no, holder, now, until));
      assert.equal(await take('x', 0, 100), true);
      assert.equal(await take('y', 50, 150), false);
      assert.equal(await take('x', 60, 160), true);
      assert.equal(await take('y', 161, 300), true);
      assert.equal(await take('y', 170, null), true);
      assert.equal(await take('x', 171, 300), true);
    },
  },
  {
    name: 'SRC-50: a file that is gone is no longer listed, and comes back when it is put again',
    async run(stores) {
      const { store, no } = await withInstance(stores);
      const file = await store.write((writing) => writing.putFile(no, 'a.jsonl', seen, 0));
      await store.write((writing) => writing.goneFiles([file!], 5));
      const listed = async (): Promise<number> =>
        (await store.read((reading) => reading.sourceFiles(everything(), 'claude-code', '/root')))?.files.length ?? 0;
      assert.equal(await listed(), 0);
      await store.write((writing) => writing.putFile(no, 'a.jsonl', seen, undefined));
      assert.equal(await listed(), 1);
    },
  },
];
