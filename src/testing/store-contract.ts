// The contract of src/store/ as cases that any backend must pass. Framework-neutral: each case runs alone and throws.
import assert from 'node:assert/strict';
import type { AgentStore, StoreSet } from '../store/contract.ts';
import { archiveCases } from './archive-cases.ts';
import { copyCases } from './copy-cases.ts';
import { fileCases } from './file-cases.ts';
import { addMessage, addSession, everything, plain, textsFound, totals } from './store-steps.ts';

export interface ContractCase {
  readonly name: string;
  /** Gets a set without any store, and closes what it opened. */
  run(stores: StoreSet): Promise<void>;
}

/** The cases, in the order of the contract's nouns. */
export function storeContract(): readonly ContractCase[] {
  return [...setCases, ...entryCases, ...indexCases, ...copyCases, ...fileCases, ...archiveCases];
}

async function open(stores: StoreSet, agentId = 'a'): Promise<AgentStore> {
  const store = await stores.open(agentId, { create: true });
  assert(store);
  return store;
}

const setCases: readonly ContractCase[] = [
  {
    name: 'SES-1: an agent has one store; opening it without create makes none',
    async run(stores) {
      assert.equal(await stores.open('nobody'), undefined);
      assert.deepEqual(await stores.agents(), []);
      const store = await open(stores);
      assert.equal(await stores.open('a'), store);
      await open(stores, 'b');
      assert.deepEqual(await stores.agents(), ['a', 'b']);
    },
  },
  {
    name: 'COM-21: a method after close is the error `closed`, naming it',
    async run(stores) {
      const store = await open(stores);
      await stores.close();
      await assert.rejects(async () => store.write(() => undefined), { code: 'closed', message: /write/ });
      await assert.rejects(async () => store.read(() => undefined), { code: 'closed', message: /read/ });
      await assert.rejects(async () => stores.agents(), { code: 'closed' });
    },
  },
  {
    name: 'SES-20: a write that rejects wrote nothing, and the next one works',
    async run(stores) {
      const store = await open(stores);
      const failing = store.write(async (writing) => {
        await addSession(writing, 'one');
        throw new Error('stop');
      });
      await assert.rejects(failing, /stop/);
      assert.equal(await store.write((writing) => writing.session('agent:a:one')), undefined);
      await store.write((writing) => addSession(writing, 'two'));
      assert.equal((await store.write((writing) => writing.session('agent:a:two')))?.key, 'agent:a:two');
    },
  },
  {
    name: 'SES-28: writes of one process run in order, one at a time',
    async run(stores) {
      const store = await open(stores);
      const seen: string[] = [];
      await Promise.all(
        ['1', '2', '3'].map((name) =>
          store.write(async () => {
            seen.push(`+${name}`);
            await new Promise((resolve) => setImmediate(resolve));
            seen.push(`-${name}`);
          }),
        ),
      );
      assert.deepEqual(seen, ['+1', '-1', '+2', '-2', '+3', '-3']);
    },
  },
];

const entryCases: readonly ContractCase[] = [
  {
    name: 'SES-6: an entry is found by its id in its session, with its parent, state and blocks',
    async run(stores) {
      const store = await open(stores);
      await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        const two = await addSession(writing, 'two');
        const first = await addMessage(writing, one, '01234567-89ab-4cde-8f01-23456789abcd', 'user', 'hello');
        const second = await addMessage(writing, one, 'not-a-uuid', 'assistant', 'hi', { parent: first });
        await writing.link(one.no, 'passing', second);
        const found = await writing.resolve(one.no, [
          '01234567-89ab-4cde-8f01-23456789abcd',
          'not-a-uuid',
          'passing',
          'unknown',
        ]);
        assert.deepEqual([...found.keys()], ['01234567-89ab-4cde-8f01-23456789abcd', 'not-a-uuid', 'passing']);
        const known = found.get('not-a-uuid');
        assert(known && 'entry' in known);
        assert.equal(known.entry.parent, first);
        assert.equal(known.entry.messageId, 'not-a-uuid');
        assert.equal(known.entry.state, 'active');
        assert.deepEqual(found.get('passing'), { ancestor: second });
        assert.equal((await writing.resolve(two.no, ['not-a-uuid'])).size, 0);
        assert.deepEqual((await writing.content(second))?.blocks, [{ type: 'text', text: 'hi' }]);
      });
    },
  },
  {
    name: 'SES-11: blocks of every type come back as they went in, text between tools included',
    async run(stores) {
      const store = await open(stores);
      const blocks = [
        { type: 'text', text: 'before 😀' },
        { type: 'tool_call', id: 't1', name: 'run', input: '{"a":1}' },
        {
          type: 'tool_result',
          id: 't1',
          pointer: { file: 3, offset: 12, length: 9, path: ['message', 'content', 2], digest: '0123456789abcdef' },
        },
        { type: 'text', text: '' },
        { type: 'reasoning', pointer: { file: 3, table: 't', row: 'r', path: ['x'], digest: 'fedcba9876543210' } },
        { type: 'image', mediaType: 'image/png', bytes: 42 },
        { type: 'other', name: 'novel' },
        { type: 'text', text: 'after\nend' },
      ] as const;
      await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        const id = await addMessage(writing, one, 'm', 'assistant', blocks);
        assert.deepEqual((await writing.content(id))?.blocks, blocks);
      });
    },
  },
  {
    name: 'SRC-107: prompts under one parent are found, those put aside are not',
    async run(stores) {
      const store = await open(stores);
      await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        const root = await addMessage(writing, one, 'r', 'assistant', 'root');
        const first = await addMessage(writing, one, 'p1', 'user', 'first', { parent: root, prompt: true });
        const second = await addMessage(writing, one, 'p2', 'user', 'second', { parent: root, prompt: true });
        const ids = async (): Promise<number[]> => (await writing.promptsUnder(one.no, root)).map((row) => row.id);
        assert.deepEqual(await ids(), [first, second]);
        await writing.setState([first], 'side');
        assert.deepEqual(await ids(), [second]);
        assert.deepEqual(
          (await writing.lastPrompts(one.no, second, 5)).map((row) => row.id),
          [second],
        );
      });
    },
  },
];

const indexCases: readonly ContractCase[] = [
  {
    name: 'SES-20: a message is found by its words once its transaction is done, and not after it left the branch',
    async run(stores) {
      const store = await open(stores);
      const id = await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        const entry = await addMessage(writing, one, 'm1', 'user', 'the quick brown fox');
        await addMessage(writing, one, 'm2', 'assistant', 'a lazy dog');
        return entry;
      });
      assert.deepEqual(await textsFound(store, 'brown'), ['the quick brown fox']);
      assert.deepEqual(await totals(store), { texts: 2, characters: 29 });
      await store.write(async (writing) => {
        await writing.setState([id], 'side');
        await writing.index([id], plain);
      });
      assert.deepEqual(await textsFound(store, 'brown'), []);
      assert.deepEqual(await totals(store), { texts: 1, characters: 10 });
    },
  },
  {
    name: 'SES-40: tool and system messages, reasoning and blank text have no index row',
    async run(stores) {
      const store = await open(stores);
      await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        await addMessage(writing, one, 'm1', 'tool', 'walrus');
        await addMessage(writing, one, 'm2', 'system', 'walrus');
        await addMessage(writing, one, 'm3', 'assistant', [{ type: 'reasoning', text: 'walrus' }]);
        await addMessage(writing, one, 'm4', 'user', ' \n\t ');
      });
      assert.deepEqual(await textsFound(store, 'walrus'), []);
      assert.deepEqual(await totals(store), { texts: 0, characters: 0 });
    },
  },
  {
    name: 'SRC-45: text replaced in place is found by its new words only, and counted once',
    async run(stores) {
      const store = await open(stores);
      await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        const id = await addMessage(writing, one, 'm1', 'user', 'alpha');
        assert.deepEqual(await writing.replace(id, [{ type: 'text', text: 'beta beta' }], 5), []);
        await writing.index([id], plain);
      });
      assert.deepEqual(await textsFound(store, 'alpha'), []);
      assert.deepEqual(await textsFound(store, 'beta'), ['beta beta']);
      assert.deepEqual(await totals(store), { texts: 1, characters: 9 });
    },
  },
  {
    name: 'SES-42: what prepare hides is not found',
    async run(stores) {
      const store = await open(stores);
      await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        const id = await addMessage(writing, one, 'm1', 'user', 'visible hiddenword', { index: false });
        await writing.index([id], (text) => ({ ...plain(text.replace('hiddenword', '[hidden:value]')), clean: false }));
      });
      assert.deepEqual(await textsFound(store, 'hiddenword'), []);
      assert.deepEqual(await textsFound(store, 'visible'), ['visible hiddenword']);
    },
  },
  {
    name: 'SES-170: deleting a session takes its rows, its words and its counters, and leaves the other',
    async run(stores) {
      const store = await open(stores);
      const no = await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        const two = await addSession(writing, 'two');
        await addMessage(writing, one, 'm1', 'user', 'walrus one');
        await addMessage(writing, two, 'm1', 'user', 'walrus two');
        return one.no;
      });
      assert.equal(await store.write((writing) => writing.deleteSessions([no], plain)), 1);
      assert.deepEqual(await textsFound(store, 'walrus'), ['walrus two']);
      assert.equal(await store.write((writing) => writing.session('agent:a:one')), undefined);
      assert.equal(await store.read((reading) => reading.session(everything(), 'agent:a:one')), undefined);
    },
  },
  {
    name: 'TXT-22: words of one long text are found wherever they stand, as one text',
    async run(stores) {
      const store = await open(stores);
      const text = `alpha ${'filler '.repeat(25_000)}omega`;
      await store.write(async (writing) => {
        const one = await addSession(writing, 'one');
        await addMessage(writing, one, 'm1', 'user', text);
      });
      assert.equal((await textsFound(store, 'alpha')).length, 1);
      assert.equal((await textsFound(store, 'omega')).length, 1);
      assert.equal((await textsFound(store, 'filler')).length, 1);
      assert.equal((await textsFound(store, 'alpha omega')).length, 1);
      assert.equal((await totals(store)).texts, 1);
    },
  },
];
