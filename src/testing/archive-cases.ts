// Cases of the store contract: what a store gives to an archive and takes from one (SUR-72). Knows no file and no format.
import assert from 'node:assert/strict';
import type { ArchivedEntry, ArchivedSession, ArchiveReading, Part, Place } from '../store/archive.ts';
import type { AgentStore, StoreSet } from '../store/contract.ts';
import { addMessage, addSession, everything, plain, textsFound, totals } from './store-steps.ts';

interface Archived {
  readonly sessions: readonly ArchivedSession[];
  readonly entries: readonly ArchivedEntry[];
  readonly keys: readonly { session: string; idempotencyKey: string; entry: number }[];
}

const NOW = 5_000;
/** Entries of an archive go above those that are there. */
const above = (shift: number): ((no: number) => number) => {
  return (no) => no + shift;
};

export const archiveCases: readonly { name: string; run(stores: StoreSet): Promise<void> }[] = [
  {
    name: 'SUR-72: what one store gives, another takes aside, shows at once, and gives the same again',
    async run(stores) {
      const from = await filled(stores);
      const archived = await archivedOf(from);
      assert.deepEqual(
        archived.sessions.map(({ key }) => key),
        ['agent:a:one', 'agent:a:two'],
      );
      assert.equal(archived.entries.length, 4);
      assert.equal(archived.keys.length, 1);
      const to = await open(stores, 'b');
      await stage(to, archived);
      assert.deepEqual(await textsFound(to, 'walrus'), []);
      assert.deepEqual(await totals(to), { texts: 0, characters: 0 });
      assert.equal(await to.read((reading) => reading.session(everything(), 'agent:b:one')), undefined);
      assert.deepEqual((await archivedOf(to)).sessions, []);
      assert.deepEqual(await to.write((writing) => writing.showStaged(above(0), plain)), { shown: 2, kept: 0 });
      assert.deepEqual(await textsFound(to, 'walrus'), ['a walrus', 'the walrus']);
      assert.deepEqual(await archivedOf(to), inB(archived));
      const { no } = (await to.write((writing) => writing.session('agent:b:one')))!;
      assert.equal(await to.write((writing) => writing.idempotent(no, 'k-1')), archived.keys[0]!.entry);
    },
  },
  {
    name: 'SUR-72: entries are numbered above those that are there, and hang together as before',
    async run(stores) {
      const archived = await archivedOf(await filled(stores));
      const to = await open(stores, 'b');
      const shift = await to.write(async (writing) => {
        const own = await writing.createSession({
          key: 'agent:b:own',
          kind: 'main',
          sessionId: 'own',
          reason: 'initial',
          createdAt: 1,
        });
        await addMessage(writing, own, 'm1', 'user', 'the first walrus');
        return writing.lastEntry();
      });
      assert(shift > 0);
      await stage(to, archived, shift);
      await to.write((writing) => writing.showStaged(above(shift), plain));
      assert.deepEqual(await textsFound(to, 'walrus'), ['a walrus', 'the first walrus', 'the walrus']);
      const taken = (await archivedOf(to)).entries.filter(({ session }) => session !== 'agent:b:own');
      const moved = inB(archived).entries.map(({ no, parent, ...entry }) => ({
        ...entry,
        no: no + shift,
        ...(parent === undefined ? {} : { parent: parent + shift }),
      }));
      assert.deepEqual(taken, moved);
    },
  },
  {
    name: 'SUR-72, SES-174: a session that is there is kept, one that was deleted stays away, a session id is one session’s',
    async run(stores) {
      const { sessions } = inB(await archivedOf(await filled(stores)));
      const [one, two] = sessions as [ArchivedSession, ArchivedSession];
      const to = await open(stores, 'b');
      const stageOf = (session: ArchivedSession): Promise<string> =>
        to.write((writing) => writing.stageSession(session, NOW));
      const make = (key: string, sessionId: string): Promise<{ no: number }> =>
        to.write((writing) =>
          writing.createSession({ key, kind: 'imported', sessionId, reason: 'imported', createdAt: 1 }),
        );
      await make('agent:b:one', 'elsewhere');
      assert.equal(await stageOf(one), 'kept');
      const { no } = await make('agent:b:other', 'two');
      assert.equal(await stageOf(two), 'taken');
      await to.write((writing) => writing.beginDelete(no, 'agent:b:other', NOW + 1));
      assert.equal(await stageOf(two), 'erased');
      assert.equal(await stageOf({ ...two, windows: [{ sessionId: 'new', reason: 'imported' }] }), 'staged');
    },
  },
  {
    name: 'SUR-72: what came to be meanwhile under the same key stays, and what stood aside for it goes',
    async run(stores) {
      const archived = await archivedOf(await filled(stores));
      const to = await open(stores, 'b');
      await stage(to, archived);
      await to.write(async (writing) => {
        const own = await writing.createSession({
          key: 'agent:b:one',
          kind: 'imported',
          sessionId: 'mine',
          reason: 'imported',
          createdAt: 1,
        });
        await addMessage(writing, own, 'm1', 'user', 'my own walrus');
      });
      assert.deepEqual(await to.write((writing) => writing.showStaged(above(0), plain)), { shown: 1, kept: 1 });
      assert.deepEqual(await textsFound(to, 'walrus'), ['a walrus', 'my own walrus']);
      assert.equal((await totals(to)).texts, 2);
    },
  },
  {
    name: 'SUR-72: what stands aside is dropped session by session, and takes nothing else along',
    async run(stores) {
      const archived = await archivedOf(await filled(stores));
      const to = await open(stores, 'b');
      await stage(to, archived);
      const drop = (): Promise<boolean> => to.write((writing) => writing.dropStaged(plain));
      assert.deepEqual([await drop(), await drop(), await drop()], [true, true, false]);
      assert.deepEqual(await to.write((writing) => writing.showStaged(above(0), plain)), { shown: 0, kept: 0 });
      assert.deepEqual(await archivedOf(to), { sessions: [], entries: [], keys: [] });
      assert.equal((await archivedOf(await open(stores, 'a'))).entries.length, 4);
    },
  },
  {
    name: 'SUR-72: what nobody is shown is in no archive, and a long one comes in parts, each row once and in order',
    async run(stores) {
      const store = await open(stores, 'a');
      await store.write(async (writing) => {
        const hidden = await addSession(writing, 'hidden');
        await addMessage(writing, hidden, 'm', 'user', 'gone');
        const long = await addSession(writing, 'long');
        for (let n = 0; n < MANY; n++) await addMessage(writing, long, `m${n}`, 'user', `n ${n}`, { index: false });
        await writing.beginDelete(hidden.no, 'agent:a:hidden', NOW);
      });
      const parts: number[][] = [];
      await store.read(async (reading) => {
        let after: Place | undefined;
        do {
          const part: Part<ArchivedEntry> = await reading.archivedEntries(after);
          parts.push(part.rows.map(({ no }) => no));
          after = part.next;
        } while (after !== undefined);
      });
      const rows = parts.flat();
      assert(parts.length > 1);
      assert.equal(rows.length, MANY);
      assert.deepEqual(
        rows,
        [...new Set(rows)].sort((a, b) => a - b),
      );
      assert.deepEqual(
        (await archivedOf(store)).sessions.map(({ key }) => key),
        ['agent:a:long'],
      );
    },
  },
];

/** More than one part of any backend that holds little at once. */
const MANY = 2_000;

async function open(stores: StoreSet, agentId: string): Promise<AgentStore> {
  return (await stores.open(agentId, { create: true }))!;
}

/** Two sessions, one of them a child of the other; blocks of tools, a branch that was left, an idempotency key. */
async function filled(stores: StoreSet): Promise<AgentStore> {
  const store = await open(stores, 'a');
  await store.write(async (writing) => {
    const one = await addSession(writing, 'one');
    const two = await addSession(writing, 'two');
    const first = await addMessage(writing, one, 'm1', 'user', 'the walrus');
    const tools = [
      { type: 'text', text: 'it is' },
      { type: 'tool_call', id: 't1', name: 'look', input: '{"at":"walrus"}' },
    ] as const;
    const second = await addMessage(writing, one, 'm2', 'assistant', tools, { parent: first });
    const third = await addMessage(writing, one, 'm3', 'user', 'never mind', { parent: second });
    await writing.setState([third], 'side');
    await writing.index([third], plain);
    await addMessage(writing, two, 'm1', 'user', 'a walrus');
    await writing.setIdempotent(one.no, 'k-1', first);
  });
  return store;
}

async function archivedOf(store: AgentStore): Promise<Archived> {
  return store.read(async (reading: ArchiveReading) => ({
    sessions: await all((after) => reading.archivedSessions(after)),
    entries: await all((after) => reading.archivedEntries(after)),
    keys: await all((after) => reading.archivedKeys(after)),
  }));
}

async function all<T>(partAfter: (after: Place | undefined) => Part<T> | Promise<Part<T>>): Promise<T[]> {
  const rows: T[] = [];
  let after: Place | undefined;
  do {
    const part: Part<T> = await partAfter(after);
    rows.push(...part.rows);
    after = part.next;
  } while (after !== undefined);
  return rows;
}

/** The same of agent b, whose store takes it. */
function inB({ sessions, entries, keys }: Archived): Archived {
  const moved = (key: string): string => key.replace('agent:a:', 'agent:b:');
  return {
    sessions: sessions.map((session) => ({ ...session, key: moved(session.key) })),
    entries: entries.map((entry) => ({ ...entry, session: moved(entry.session) })),
    keys: keys.map((one) => ({ ...one, session: moved(one.session) })),
  };
}

async function stage(store: AgentStore, archived: Archived, shift = 0): Promise<void> {
  const { sessions, entries, keys } = inB(archived);
  await store.write(async (writing) => {
    for (const session of sessions) assert.equal(await writing.stageSession(session, NOW), 'staged');
    const written: number[] = [];
    for (const entry of entries) {
      const no = await writing.stageEntry(entry, above(shift));
      assert.equal(no, entry.no + shift);
      written.push(no);
    }
    await writing.index(written, plain);
    for (const key of keys) await writing.stageKey(key, above(shift));
  });
}
