// What one answer is made from: one snapshot of each store, counters in place of scans, excerpts of the whole text.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { scopeFor } from '../../src/access/scope.ts';
import { Masker } from '../../src/redact/masker.ts';
import { readHistory } from '../../src/sessions/history.ts';
import { preparerOf } from '../../src/sessions/prepare.ts';
import { searchSessions } from '../../src/sessions/search.ts';
import type { AgentStore } from '../../src/store/contract.ts';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { makeWorld, removeWorlds } from '../steps/world.ts';
import { KEY, makeDesk as makeHostDesk, secretLine } from './host/steps.ts';
import { makeDesk, START } from './search-steps.ts';

afterEach(removeWorlds);

const context = (stores: readonly AgentStore[], elapsed: () => number = () => 0) => ({
  stores,
  failed: [],
  scope: scopeFor(operator()),
  caller: operator(),
  masker: Masker.off,
  clock: { now: () => START, elapsed },
  timeZone: 'UTC',
  cursorKey: () => 'key of a test',
  reopen: () => async () => ({ reason: 'source_gone' }) as const,
});

/** The same store, with what is done after each of its reads, and how many there were. */
function watched(store: AgentStore, after: () => Promise<unknown> = async () => {}): AgentStore & { reads: number } {
  const read: AgentStore['read'] = async (work) => {
    proxy.reads++;
    const made = await store.read(work);
    await after();
    return made;
  };
  const proxy = new Proxy(store, {
    get: (target, name) => {
      if (name === 'read') return read;
      if (name === 'reads') return proxy_reads;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (_, name, value) => {
      if (name === 'reads') proxy_reads = value as number;
      return true;
    },
  }) as AgentStore & { reads: number };
  let proxy_reads = 0;
  return proxy;
}

describe('one snapshot', () => {
  test('SES-86: a search reads each store in one transaction, from scope to excerpts', async () => {
    const desk = await makeDesk();
    for (let n = 0; n < 30; n++) await desk.say(`s${n % 7}`, `zebra ${n} ${'pad '.repeat(n)}`);
    const store = watched((await desk.stores.open('a'))!);
    for (const params of [{}, { group: 'session' }, { sort: 'newest' }, { session: 'agent:a:s1' }] as const) {
      store.reads = 0;
      const { hits } = await searchSessions(context([store]), { query: 'zebra', ...params });
      expect(hits.length).toBeGreaterThan(0);
      expect(store.reads).toBe(1);
    }
    await desk.close();
  });

  test('SES-86: an append does not wait for a search that holds its snapshot, and is not seen in it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'backstory-snapshot-'));
    const stores = openSqliteStores({ folder, catalogue: join(folder, 'catalogue.db'), busyTimeoutMs: 0 });
    try {
      const store = (await stores.open('main', { create: true }))!;
      const prepare = preparerOf(Masker.off);
      const say = (text: string): Promise<void> =>
        store.write(async (writing) => {
          const known = await writing.session('agent:main:s');
          const asked = {
            key: 'agent:main:s',
            kind: 'other',
            sessionId: 'w',
            createdAt: START,
            reason: 'initial',
          } as const;
          const session = known ?? (await writing.createSession(asked));
          const blocks = [{ type: 'text', text }] as const;
          const made = { session: session.no, window: session.window, kind: 'message', role: 'user' } as const;
          const more = { state: 'active', at: START, messageId: text, blocks } as const;
          await writing.index([await writing.insert({ ...made, ...more })], prepare);
        });
      await say('one zebra');
      const held = watched(store);
      let seen = 0;
      const { hits } = await searchSessions(
        context([held], () => {
          seen++;
          return 0;
        }),
        { query: 'zebra' },
      );
      expect([hits.length, seen > 0]).toEqual([1, true]);
      // A reader holds its snapshot open while a write comes and goes.
      const count = await store.read(async (reading) => {
        const scope = scopeFor(operator());
        const before = (await reading.totals(scope)).texts;
        await say('two zebra');
        return [before, (await reading.totals(scope)).texts];
      });
      expect(count).toEqual([1, 1]);
      expect((await searchSessions(context([store]), { query: 'zebra' })).hits).toHaveLength(2);
    } finally {
      await stores.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('SES-86: the event loop turns while a search looks at many texts', async () => {
    const desk = await makeDesk();
    await desk.say('s', ...Array.from({ length: 1_500 }, (_, n) => `zebra ${n}`));
    const store = (await desk.stores.open('a'))!;
    let [time, turns, going] = [0, 0, true];
    const turn = (): void => {
      turns++;
      if (going) setImmediate(turn);
    };
    setImmediate(turn);
    const { coverage } = await searchSessions(
      context([store], () => (time += 3)),
      { query: 'zebra' },
    );
    going = false;
    expect(coverage.ranked.considered).toBe(1_500);
    // A look at the clock after every 64 texts, which makes 3 ms each here: a turn after each third.
    expect(turns).toBeGreaterThanOrEqual(5);
    await desk.close();
  });

  test('SES-115, SES-13: a page is one snapshot, blocks that lie apart included: what is erased meanwhile is still of it', async () => {
    const { world, host } = await makeHostDesk();
    const long = 'wombat '.repeat(8_000);
    await host.append({
      key: KEY,
      message: { id: 'm1', role: 'tool', content: [{ type: 'tool_result', id: 't', content: long }] },
    });
    await world.backstory.close();
    const stores = openSqliteStores({
      folder: join(world.home, 'agents'),
      catalogue: join(world.home, 'catalogue.db'),
      busyTimeoutMs: 5_000,
    });
    const store = (await stores.open('main'))!;
    const db = new Database(join(world.home, 'agents', 'main.sqlite'));
    const erasing = watched(store, async () => db.exec('DELETE FROM block'));
    const page = await readHistory(context([erasing]), { session: KEY, includeTools: true });
    expect(erasing.reads).toBe(1);
    expect(page.entries).toMatchObject([
      { messageId: 'm1', blocks: [{ text: expect.stringMatching(/^wombat wombat/) }] },
    ]);
    db.close();
    await stores.close();
  });

  test('SES-115: history answers while the index is made anew: it reads the tree', async () => {
    const desk = await makeDesk();
    await desk.say('s', 'one', 'two');
    await (await desk.stores.open('a'))!.dropIndex();
    expect((await desk.history('s')).entries.map(({ blocks: [block] }) => block?.text)).toEqual(['one', 'two']);
    await desk.close();
  });
});

describe('counters', () => {
  test('SES-132: lists and stats give the counters kept by the writes, and scan nothing', async () => {
    const { world, say } = await makeHostDesk();
    await say('u one', 'a two', 'u three');
    const stats = await world.backstory.sessions.stats(operator());
    expect(stats).toMatchObject({ total: { sessions: 1, messages: 3 } });
    // Rows behind the counters' back: an answer that counted rows would say 4.
    const db = new Database(join(world.home, 'agents', 'main.sqlite'));
    db.exec(
      "INSERT INTO entry SELECT 99, session, window, parent, kind, role, state, at, flags, 'x', blocks, NULL, author FROM entry WHERE id = 1",
    );
    expect(await world.backstory.sessions.stats(operator())).toMatchObject({ total: { messages: 3 } });
    db.exec('UPDATE session SET messages = 41');
    db.close();
    expect(await world.backstory.sessions.stats(operator())).toMatchObject({ total: { messages: 41 } });
    const { sessions } = await world.backstory.sessions.list(operator());
    expect(sessions).toMatchObject([{ messages: 41 }]);
  });

  test('SES-132: counts are of what the caller may see', async () => {
    const world = await makeWorld({ visibility: { visibility: 'self' } });
    const { sessions } = world.backstory;
    const say = (key: string, content: string): Promise<unknown> =>
      sessions.append({ key, message: { role: 'user', content } });
    await say(KEY, 'mine');
    for (let n = 0; n < 3; n++) await say(`agent:main:other${n}`, 'theirs');
    await say('agent:else:main', 'theirs');
    const caller = { agentId: 'main', sessionKey: KEY };
    expect(await sessions.stats(caller)).toMatchObject({ total: { sessions: 1, messages: 1 } });
    expect((await sessions.list(caller)).sessions.map(({ sessionKey }) => sessionKey)).toEqual([KEY]);
    expect(await sessions.stats(operator())).toMatchObject({ total: { sessions: 5, messages: 5 } });
  });
});

describe('excerpts', () => {
  test('SES-82: of a 2.6 MB message that repeats the word 120 000 times, one bounded excerpt', async () => {
    const desk = await makeDesk();
    await desk.say('s', 'some words of needle then'.padEnd(22).repeat(120_000).slice(0, 2_640_000));
    const { hits } = await desk.search('needle');
    expect(hits).toHaveLength(1);
    const [{ excerpt, ranges }] = hits as [(typeof hits)[0]];
    expect(excerpt.length).toBeLessThanOrEqual(300);
    for (const [from, to] of ranges) expect(excerpt.slice(from, to)).toBe('needle');
    expect(ranges.length).toBeGreaterThan(0);
    await desk.close();
  });

  test('SES-82: no excerpt ends inside a character or a mask, wherever the word stands', async () => {
    const masker = Masker.credentials();
    const desk = await makeDesk({ masker });
    const family = '👩‍👩‍👧‍👦';
    const whole = new Set([...new Intl.Segmenter().segment(family)].map(({ segment }) => segment));
    expect(whole.size).toBe(1);
    for (let n = 0; n < 60; n++) {
      await desk.say(
        `s${n}`,
        `${family.repeat(40 + n)} ${secretLine} ${'é'.repeat(n)} needle ${secretLine} ${family.repeat(90)}`,
      );
    }
    const { hits } = await desk.search('needle', { limit: 100 });
    expect(hits).toHaveLength(60);
    for (const { excerpt } of hits) {
      const emoji = excerpt.replaceAll(family, '');
      expect(emoji).not.toMatch(/\p{Extended_Pictographic}|\u200d/u);
      expect(emoji.replace(/\[hidden:[a-z-]+\]/g, '')).not.toMatch(/[[\]]|hidden/);
    }
    await desk.close();
  });
});
