// One policy and one snapshot throughout a call; the next call has the new one (VIS-15). And what a call costs (VIS-41).

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopeFor } from '../../src/access/scope.ts';
import { descendantsQuery } from '../../src/store/sqlite/scope-condition.ts';
import { sightOf } from '../../src/store/sqlite/search-scope.ts';
import { caller, type House, makeHouse, OTH, X } from './house.ts';

describe('settings', () => {
  let house: House;
  beforeAll(async () => {
    house = await makeHouse();
  });
  afterAll(() => house.close());

  test('V-45 VIS-15: a search goes on with the settings it began with', async () => {
    const backstory = await house.open();
    const running = backstory.sessions.search(caller, { query: 'lease', limit: 50 });
    backstory.setVisibility({ visibility: 'self' });
    expect((await running).hits.map((hit) => hit.sessionKey)).toContain(OTH);
    const next = await backstory.sessions.search(caller, { query: 'lease', limit: 50 });
    expect(next.hits.map((hit) => hit.sessionKey)).toEqual([X]);
  });

  test('VIS-11: settings that are not valid are refused, and the old ones stay', async () => {
    const backstory = await house.open({ visibility: 'self' });
    expect(() => backstory.setVisibility({ visibility: 'everything' as never })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
    expect((await backstory.sessions.list(caller)).sessions.map((row) => row.sessionKey)).toEqual([X]);
  });

  test('VIS-15: a call decides and reads in one snapshot: a link made meanwhile is of the next call', async () => {
    const store = (await house.stores.open('desk'))!;
    const scope = scopeFor(caller, { visibility: 'tree' });
    await store.read(async (reading) => {
      const before = await reading.list(scope, {}, 50);
      await store.write(async (writing) => {
        const peer = (await writing.session('agent:desk:telegram:direct:7'))!;
        await writing.hostUpdate(peer.no, { owner: X });
      });
      expect((await reading.list(scope, {}, 50)).map(({ key }) => key)).toEqual(before.map(({ key }) => key));
      expect((await reading.stats(scope)).sessions).toBe(before.length);
      expect(await reading.session(scope, 'agent:desk:telegram:direct:7')).toBeUndefined();
    });
    expect(await store.read((reading) => reading.session(scope, 'agent:desk:telegram:direct:7'))).toBeDefined();
  });
});

describe('no listing before a search', () => {
  const COUNT = 842;
  let house: House;
  beforeAll(async () => {
    house = await makeHouse([]);
    for (const agent of ['desk', 'home']) {
      const store = (await house.stores.open(agent, { create: true }))!;
      await store.write(async (writing) => {
        for (let n = 0; n < COUNT / 2; n++) {
          const made = await writing.hostCreate({
            key: `agent:${agent}:s${n}`,
            kind: 'other',
            sessionId: `${agent}-${n}`,
            createdAt: 1,
          });
          await writing.hostUpdate(made.no, n === 7 ? { people: ['P'] } : {});
        }
      });
    }
  });
  afterAll(() => house.close());

  test('V-48 VIS-41: all of 842 sessions are searched without one statement that lists them', () => {
    const trace: string[] = [];
    const db = new Database(join(house.home, 'agents', 'desk.sqlite'), {
      verbose: (sql) => void trace.push(String(sql)),
    });
    try {
      const sight = sightOf(db, 'desk');
      expect(sight.plan(scopeFor(caller), {})).toEqual({ by: 'all' });
      expect(trace.filter((sql) => /SELECT s\.no|FROM session s\b/i.test(sql))).toEqual([]);
      expect(sight.plan(scopeFor({ ...caller, person: 'P' }), {})).toEqual({ by: 'tokens', sessions: [8] });
    } finally {
      db.close();
    }
  });

  test('VIS-41: an empty scope is a plan of no session, not of all', () => {
    const db = new Database(join(house.home, 'agents', 'desk.sqlite'));
    try {
      const sight = sightOf(db, 'desk');
      const scope = scopeFor({ agentId: 'desk', sandboxed: true });
      expect(sight.plan(scope, {})).toEqual({ by: 'tokens', sessions: [] });
      expect(sight.plan(scopeFor(caller, { visibility: 'self' }), { kinds: ['cron'] })).toEqual({
        by: 'tokens',
        sessions: [],
      });
    } finally {
      db.close();
    }
  });

  test('VIS-45: what is never shown is found by its index, and links by theirs', () => {
    const db = new Database(join(house.home, 'agents', 'desk.sqlite'));
    try {
      const from = { kind: 'descendants', of: X, spawned: false } as const;
      const { sql, values } = descendantsQuery(from, scopeFor(caller, { visibility: 'tree' }), 'desk');
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      const steps = (plan as { detail: string }[]).map(({ detail }) => detail).join('\n');
      for (const index of ['session_spawned_by', 'session_parent', 'session_owner']) expect(steps).toContain(index);
      expect(steps).not.toMatch(/SCAN (s|c)\b/);
    } finally {
      db.close();
    }
  });
});
