// The catalogue of links across agents: which stores a scope opens, and that it is derived (SES-211, VIS-43).
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/access/caller.ts';
import { conditionIn, descendantsIn, scopeFor } from '../../src/access/scope.ts';
import { openBackstory } from '../../src/engine/engine.ts';
import type { StoreSet } from '../../src/store/contract.ts';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { type Planned, plant, scopeOf, seenBy } from './places.ts';

const X = 'agent:desk:main';
const caller: Caller = { agentId: 'desk', sessionKey: X };
const tree = { visibility: 'tree' } as const;

const folders: string[] = [];
const sets: StoreSet[] = [];
afterEach(async () => {
  for (const set of sets.splice(0)) await set.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'backstory-cat-'));
  folders.push(folder);
  return folder;
}

/** Another process would open the same files; here each set is one after the other. */
function open(folder: string): StoreSet {
  const set = openSqliteStores({ folder });
  sets.push(set);
  return set;
}

const acp = (key: string, spawnedBy: string): Planned => ({ key, kind: 'acp', spawnedBy });
const CHAIN: readonly Planned[] = [
  { key: X, kind: 'main' },
  acp('agent:lab:acp:1', X),
  acp('agent:lab:acp:2', 'agent:lab:acp:1'),
  acp('agent:home:acp:3', 'agent:lab:acp:2'),
  acp('agent:desk:acp:4', 'agent:home:acp:3'),
  { key: 'agent:desk:5', kind: 'other', parent: 'agent:desk:acp:4' },
  { key: 'agent:other:main', kind: 'main' },
];
const SEEN = CHAIN.slice(0, 6).map(({ key }) => key);

describe('descendants across agents', () => {
  test('VIS-21: a chain goes from store to store and back, each step across of a native kind', async () => {
    const stores = open(folderOf());
    await plant(stores, CHAIN);
    expect(await seenBy(stores, await scopeOf(stores, caller, tree))).toEqual([...SEEN].sort());
  });

  test('VIS-21: in another store whatever is not native ends the chain', async () => {
    const stores = open(folderOf());
    await plant(stores, [
      { key: X, kind: 'main' },
      acp('agent:lab:acp:1', X),
      { key: 'agent:lab:plain', kind: 'other', spawnedBy: 'agent:lab:acp:1' },
      acp('agent:lab:acp:below', 'agent:lab:plain'),
    ]);
    expect(await seenBy(stores, await scopeOf(stores, caller, tree))).toEqual([X, 'agent:lab:acp:1'].sort());
  });

  test('VIS-43: only the stores that hold a descendant are opened', async () => {
    const stores = open(folderOf());
    await plant(stores, CHAIN);
    const scope = await scopeOf(stores, caller, tree);
    const opened = (await stores.agents()).filter((agent) => conditionIn(scope, agent).kind !== 'nothing');
    expect(opened).toEqual(['desk', 'home', 'lab']);
  });

  test('VIS-43: a store outside the scope that cannot be read is neither opened nor named', async () => {
    const home = folderOf();
    const stores = open(join(home, 'agents'));
    await plant(stores, CHAIN);
    await stores.close();
    writeFileSync(join(home, 'agents', 'broken.sqlite'), 'this is no database, but long enough to be looked at as one');
    const backstory = await openBackstory({ home, visibility: tree, host: { env: {}, home, platform: 'linux' } });
    try {
      const { coverage, hits } = await backstory.sessions.search(caller, { query: 'lease', limit: 50 });
      expect(hits.map((hit) => hit.sessionKey).sort()).toEqual([...SEEN].sort());
      expect(coverage.skipped).toEqual([]);
      const all = await backstory.sessions.search({ operator: true }, { query: 'lease' });
      expect(all.coverage.skipped).toEqual([{ what: 'broken', reason: 'store_damaged' }]);
    } finally {
      await backstory.close();
    }
  });

  test('SES-211: a link is known to the next call, in every process, and gone when it is changed', async () => {
    const folder = folderOf();
    const [writer, reader] = [open(folder), open(folder)];
    await plant(writer, [
      { key: X, kind: 'main' },
      { key: 'agent:lab:acp:1', kind: 'acp' },
    ]);
    expect(await seenBy(reader, await scopeOf(reader, caller, tree))).toEqual([X]);
    const lab = (await writer.open('lab'))!;
    const own = async (owner: string | null): Promise<void> =>
      lab.write(async (writing) => writing.hostUpdate((await writing.session('agent:lab:acp:1'))!.no, { owner }));
    await own(X);
    expect(await seenBy(reader, await scopeOf(reader, caller, tree))).toEqual([X, 'agent:lab:acp:1'].sort());
    await own('agent:home:main');
    expect(await seenBy(reader, await scopeOf(reader, caller, tree))).toEqual([X]);
    await own(null);
    expect(await linksIn(join(folder, 'catalogue.db'))).toEqual([]);
  });

  test('SES-211: a write that fails leaves no link that shows anything', async () => {
    const stores = open(folderOf());
    await plant(stores, [
      { key: X, kind: 'main' },
      { key: 'agent:lab:acp:1', kind: 'acp' },
    ]);
    const lab = (await stores.open('lab'))!;
    const failing = lab.write(async (writing) => {
      await writing.hostUpdate((await writing.session('agent:lab:acp:1'))!.no, { owner: X });
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await seenBy(stores, await scopeOf(stores, caller, tree))).toEqual([X]);
  });

  test('SES-211: a hint that the store does not confirm shows nothing', async () => {
    const folder = folderOf();
    const stores = open(folder);
    await plant(stores, [
      { key: X, kind: 'main' },
      { key: 'agent:lab:acp:1', kind: 'acp' },
    ]);
    await scopeOf(stores, caller, tree);
    const db = new Database(join(folder, 'catalogue.db'));
    db.prepare('INSERT INTO link VALUES (?, ?, ?, ?, 1)').run('agent:lab:acp:1', X, 'lab', 'desk');
    db.close();
    expect(await seenBy(stores, await scopeOf(stores, caller, tree))).toEqual([X]);
  });
});

async function linksIn(path: string): Promise<unknown[]> {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare('SELECT child FROM link').all();
  } finally {
    db.close();
  }
}

describe('the catalogue is derived', () => {
  test.each<[string, (path: string) => void]>([
    ['absent', (path) => rmSync(path)],
    ['damaged', (path) => writeFileSync(path, 'no database at all, however long this text may be')],
    [
      'of another kind',
      (path) => {
        rmSync(path);
        new Database(path).exec('CREATE TABLE theirs (x)').close();
      },
    ],
    [
      'of a later release',
      (path) => {
        const db = new Database(path);
        db.pragma('user_version = 9999');
        db.close();
      },
    ],
  ])('SES-211: %s, it is made anew from the stores', async (_what, spoil) => {
    const folder = folderOf();
    const first = open(folder);
    await plant(first, CHAIN);
    await scopeOf(first, caller, tree);
    await first.close();
    const path = join(folder, 'catalogue.db');
    expect(existsSync(path)).toBe(true);
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    spoil(path);
    const again = open(folder);
    expect(await seenBy(again, await scopeOf(again, caller, tree))).toEqual([...SEEN].sort());
    expect(await seenBy(again, await scopeOf(again, caller, tree))).toEqual([...SEEN].sort());
  });

  test('SES-211: stores that came or went by other means are found out', async () => {
    const folder = folderOf();
    const first = open(folder);
    await plant(first, CHAIN);
    await scopeOf(first, caller, tree);
    await first.close();
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `home.sqlite${end}`), { force: true });
    const again = open(folder);
    expect(await seenBy(again, await scopeOf(again, caller, tree))).toEqual(
      [X, 'agent:lab:acp:1', 'agent:lab:acp:2'].sort(),
    );
  });

  test('SUR-10: nothing is made for a caller who sees everything, nor in a home without stores', async () => {
    const folder = folderOf();
    const stores = open(folder);
    await scopeOf(stores, caller, tree);
    await plant(stores, [{ key: X, kind: 'main' }]);
    expect(descendantsIn(scopeFor(caller))).toEqual([]);
    await scopeOf(stores, caller);
    expect(existsSync(join(folder, 'catalogue.db'))).toBe(false);
  });
});
