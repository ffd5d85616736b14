// Cases of the store contract: one message in several sessions (SRC-15).
import assert from 'node:assert/strict';
import type { AgentStore, StoreSet } from '../store/contract.ts';
import { addMessage, addSession, everything, plain, textsFound, totals } from './store-steps.ts';

interface Forked {
  readonly store: AgentStore;
  readonly original: number;
  readonly copy: number;
  readonly sessions: readonly [number, number];
}

async function forked(stores: StoreSet): Promise<Forked> {
  const store = (await stores.open('a', { create: true }))!;
  return store.write(async (writing) => {
    const one = await addSession(writing, 'one');
    const two = await addSession(writing, 'two');
    const original = await addMessage(writing, one, 'm', 'user', 'shared walrus');
    const copy = await addMessage(writing, two, 'm', 'user', 'shared walrus', { copyOf: original });
    return { store, original, copy, sessions: [one.no, two.no] };
  });
}

async function placesOf({ store, original }: Forked, entry: number = original): Promise<string[]> {
  const located = await store.read((reading) => reading.locate(everything(), {}, [entry]));
  return (located.get(entry)?.places ?? []).map((place) => place.session.key).sort();
}

export const copyCases: readonly { name: string; run(stores: StoreSet): Promise<void> }[] = [
  {
    name: 'SRC-15: one index row stands for all copies, and both sessions are named',
    async run(stores) {
      const made = await forked(stores);
      assert.deepEqual(await textsFound(made.store, 'walrus'), ['shared walrus']);
      assert.deepEqual(await placesOf(made), ['agent:a:one', 'agent:a:two']);
      const content = await made.store.write((writing) => writing.content(made.copy));
      assert.deepEqual(content?.blocks, [{ type: 'text', text: 'shared walrus' }]);
      assert.equal((await totals(made.store)).texts, 2);
    },
  },
  {
    name: 'SRC-15: an original that leaves its branch leaves the text to its copies',
    async run(stores) {
      const made = await forked(stores);
      await made.store.write(async (writing) => {
        await writing.setState([made.original], 'side');
        await writing.index([made.original], plain);
      });
      assert.deepEqual(await textsFound(made.store, 'walrus'), ['shared walrus']);
      assert.deepEqual(await placesOf(made), ['agent:a:two']);
      assert.equal((await totals(made.store)).texts, 1);
    },
  },
  {
    name: 'SRC-15: a deleted original leaves text and index row to its copy',
    async run(stores) {
      const made = await forked(stores);
      await made.store.write((writing) => writing.deleteSessions([made.sessions[0]], plain));
      assert.deepEqual(await textsFound(made.store, 'walrus'), ['shared walrus']);
      assert.deepEqual(await placesOf(made, made.copy), ['agent:a:two']);
      const content = await made.store.write((writing) => writing.content(made.copy));
      assert.deepEqual(content?.blocks, [{ type: 'text', text: 'shared walrus' }]);
      assert.equal((await totals(made.store)).texts, 1);
    },
  },
  {
    name: 'SRC-24: an original that is replaced leaves its old text to its copies',
    async run(stores) {
      const made = await forked(stores);
      await made.store.write(async (writing) => {
        const heirs = await writing.replace(made.original, [{ type: 'text', text: 'other words' }], 5);
        assert.deepEqual(heirs, [made.copy]);
        await writing.index([made.original, ...heirs], plain);
      });
      assert.deepEqual(await textsFound(made.store, 'walrus'), ['shared walrus']);
      assert.deepEqual(await textsFound(made.store, 'other'), ['other words']);
      assert.equal((await totals(made.store)).texts, 2);
    },
  },
  {
    name: 'SRC-45: a copy that gets a text of its own, and the other way round, keeps counters and words in agreement',
    async run(stores) {
      const made = await forked(stores);
      await made.store.write(async (writing) => {
        const again = await writing.replace(made.copy, [{ type: 'text', text: 'own quokka' }], 5);
        assert.deepEqual(again, [made.original]);
        await writing.index([made.copy, ...again], plain);
      });
      assert.deepEqual(await placesOf(made), ['agent:a:one']);
      assert.deepEqual(await totals(made.store), { texts: 2, characters: 23 });
      await made.store.write(async (writing) => {
        const again = await writing.replace(made.copy, [{ type: 'text', text: 'shared walrus' }], 6, made.original);
        await writing.index([made.copy, ...again], plain);
      });
      assert.deepEqual(await textsFound(made.store, 'quokka'), []);
      assert.deepEqual(await placesOf(made), ['agent:a:one', 'agent:a:two']);
      assert.deepEqual(await totals(made.store), { texts: 2, characters: 26 });
    },
  },
];
