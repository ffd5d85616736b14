// cases/visibility.md, case by case, each through search, history, list, describe, stats and explain alike.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, operator } from '../../src/access/caller.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';
import type { CallScope } from '../../src/access/scope.ts';
import { CRON, caller, FAR, GRANDKID, type House, INC, KID, makeHouse, OTH, PEER, X } from './house.ts';

const all = [X, KID, GRANDKID, FAR, PEER, OTH, CRON].sort();
const ownTree = [X, KID, GRANDKID, FAR].sort();
const desk = [X, KID, GRANDKID, FAR, PEER].sort();
const inHome: Caller = { agentId: 'home', sessionKey: OTH };
const pair = (mutual?: true) => ({
  agentToAgent: { allow: [{ from: 'desk', to: 'home', ...(mutual ? { mutual } : {}) }] },
});
const sandboxed: Caller = { ...caller, sandboxed: true };

interface Case {
  readonly who?: Caller;
  readonly policy?: VisibilityPolicy;
  readonly call?: CallScope;
  readonly sees: readonly string[];
}

const CASES: Readonly<Record<string, Case>> = {
  'V-1 VIS-10: no settings': { sees: all },
  'V-2 VIS-30: agent-to-agent off, row 11 before 15': { policy: { agentToAgent: { enabled: false } }, sees: desk },
  'V-3 VIS-30: allow desk → home, row 16': { policy: pair(), sees: [...desk, OTH].sort() },
  'V-4 VIS-12: the same from home is one direction': { who: inHome, policy: pair(), sees: [OTH] },
  'V-5 VIS-12: mutual': { who: inHome, policy: pair(true), sees: [OTH, X, KID, GRANDKID, PEER].sort() },
  'V-6 VIS-12: allow desk and home': {
    policy: { agentToAgent: { allow: ['desk', 'home'] } },
    sees: [...desk, OTH].sort(),
  },
  'V-6 VIS-12: the same from home': {
    who: inHome,
    policy: { agentToAgent: { allow: ['desk', 'home'] } },
    sees: [OTH, X, KID, GRANDKID, PEER].sort(),
  },
  'V-7 VIS-10: allow nobody': { policy: { agentToAgent: { allow: [] } }, sees: desk },
  'V-8 VIS-12: a pattern': {
    policy: { agentToAgent: { allow: [{ from: '*', to: 'ho*' }] } },
    sees: [...desk, OTH].sort(),
  },
  'V-8 VIS-12: letter case': {
    policy: { agentToAgent: { allow: [{ from: 'DESK', to: 'HOME' }] } },
    sees: [...desk, OTH].sort(),
  },
  'V-10 VIS-31: agent': { policy: { visibility: 'agent' }, sees: [X, KID, GRANDKID, PEER].sort() },
  'V-11 VIS-21: tree': { policy: { visibility: 'tree' }, sees: ownTree },
  'V-12 VIS-30: self, row 9': { policy: { visibility: 'self' }, sees: [X] },
  'V-13 VIS-22: sandboxed': { who: sandboxed, sees: ownTree },
  'V-14 VIS-31: sandboxed, self: the clamp does not widen': {
    who: sandboxed,
    policy: { visibility: 'self' },
    sees: [X],
  },
  'V-15 VIS-31: sandboxed, agent': {
    who: sandboxed,
    policy: { visibility: 'agent' },
    sees: [X, KID, GRANDKID].sort(),
  },
  'V-16 VIS-10: sandboxed, sandbox.sessions all': {
    who: sandboxed,
    policy: { sandbox: { sessions: 'all' } },
    sees: all,
  },
  'V-17 VIS-30: sandboxed without a session, row 8': { who: { agentId: 'desk', sandboxed: true }, sees: [] },
  'V-18 VIS-31: the caller is kid, tree: not its parent': {
    who: { agentId: 'desk', sessionKey: KID },
    policy: { visibility: 'tree' },
    sees: [GRANDKID, KID].sort(),
  },
  'V-19 VIS-30: an operator, row 3': { who: operator(), policy: { visibility: 'self' }, sees: all },
  'V-20 SES-14: the caller is incognito itself, and sees itself no more than others do': {
    who: { agentId: 'desk', sessionKey: INC },
    policy: { visibility: 'tree' },
    sees: [],
  },
  'V-22 VIS-13: an override narrows home': {
    who: inHome,
    policy: { agents: { home: { visibility: 'self' } } },
    sees: [OTH],
  },
  'V-22 VIS-13: and never concerns the target': { policy: { agents: { home: { visibility: 'self' } } }, sees: all },
  'V-23 VIS-13: the exact id wins over the pattern before it': {
    who: inHome,
    policy: { agents: { 'h*': { visibility: 'self' }, home: { visibility: 'agent' } } },
    sees: [OTH],
  },
  'V-24 VIS-14: a call never widens': { policy: { visibility: 'self' }, call: 'all', sees: [X] },
  'VIS-14: a call narrows to self': { call: 'self', sees: [X] },
  'VIS-14: a call narrows to the tree': { call: 'tree', sees: ownTree },
  'VIS-14: a call narrows to the agent': { call: 'agent', sees: [X, KID, GRANDKID, PEER].sort() },
  'VIS-14: agent and tree meet in the descendants of the own agent': {
    policy: { visibility: 'agent' },
    call: 'tree',
    sees: [X, KID, GRANDKID].sort(),
  },
  'V-28 VIS-30: people required and none given, row 7': { policy: { people: 'require' }, sees: [X] },
  'V-28 VIS-30: an operator needs none': { who: operator(), policy: { people: 'require' }, sees: all },
  'V-50 VIS-4: an unknown agent': { who: { agentId: 'nobody' }, sees: all },
  'V-50 VIS-1: without a session it has no tree': {
    who: { agentId: 'nobody' },
    policy: { visibility: 'tree' },
    sees: [],
  },
};

describe('who sees what', () => {
  let house: House;
  beforeAll(async () => {
    house = await makeHouse();
  });
  afterAll(() => house.close());

  test.each(Object.entries(CASES))('%s', async (_name, { who = caller, policy = {}, call, sees }) => {
    expect(await house.sees(who, policy, call)).toEqual(sees);
  });

  test.each<[string, Caller, VisibilityPolicy, string]>([
    ['all', caller, {}, 'yes yes yes yes yes no'],
    ['all, off', caller, { agentToAgent: { enabled: false } }, 'yes yes yes yes no no'],
    ['all, no pair', caller, { agentToAgent: { allow: [] } }, 'yes yes yes yes no no'],
    ['agent', caller, { visibility: 'agent' }, 'yes yes no yes no no'],
    ['tree', caller, { visibility: 'tree' }, 'yes yes yes no no no'],
    ['self', caller, { visibility: 'self' }, 'yes no no no no no'],
    ['sandboxed, all', sandboxed, {}, 'yes yes yes no no no'],
    ['sandboxed, tree', sandboxed, { visibility: 'tree' }, 'yes yes yes no no no'],
    ['sandboxed, agent', sandboxed, { visibility: 'agent' }, 'yes yes no no no no'],
    ['sandboxed, self', sandboxed, { visibility: 'self' }, 'yes no no no no no'],
    ['sandboxed, sandbox all', sandboxed, { sandbox: { sessions: 'all' } }, 'yes yes yes yes yes no'],
    ['operator', operator(), {}, 'yes yes yes yes yes no'],
  ])('V-51 VIS-32: the table, %s', async (_name, who, policy, row) => {
    const seen = await house.sees(who, policy);
    const cells = [X, KID, FAR, PEER, OTH, INC].map((key) => (seen.includes(key) ? 'yes' : 'no'));
    expect(cells.join(' ')).toBe(row);
  });
});

describe('properties that decide', () => {
  const houses: House[] = [];
  afterAll(async () => {
    for (const house of houses) await house.close();
  });
  const build = async (...sessions: Parameters<typeof makeHouse>[0] & {}): Promise<House> => {
    const house = await makeHouse(sessions);
    houses.push(house);
    return house;
  };

  test('V-21 VIS-23: an imported session with the key of a subagent gives no right', async () => {
    const house = await build(
      { key: X, kind: 'main' },
      { key: 'agent:lab:acp:1', kind: 'imported', spawnedBy: X },
      { key: 'agent:desk:1', kind: 'imported', spawnedBy: X },
    );
    expect(await house.sees(caller, { visibility: 'tree' })).toEqual(['agent:desk:1', X]);
  });

  test('V-25 VIS-30: a person sees its own sessions and its own session, rows 4 and 5', async () => {
    const one = (name: string, people?: string[]) => ({
      key: `agent:desk:${name}`,
      kind: 'other' as const,
      ...(people ? { people } : {}),
    });
    const house = await build(
      one('p', ['P']),
      one('q', ['Q']),
      one('both', ['P', 'Q']),
      one('none'),
      one('mine', ['Q']),
    );
    const bound: Caller = { agentId: 'desk', sessionKey: 'agent:desk:mine', person: 'P' };
    expect(await house.sees(bound)).toEqual(['agent:desk:both', 'agent:desk:mine', 'agent:desk:p']);
    expect(await house.sees({ ...bound, operator: true })).toEqual([
      'agent:desk:both',
      'agent:desk:mine',
      'agent:desk:p',
    ]);
    expect(await house.sees(operator({ person: 'Q' }))).toEqual(['agent:desk:both', 'agent:desk:mine', 'agent:desk:q']);
  });

  test('V-26 VIS-31: routing by peer restricts nothing', async () => {
    const [p, q] = ['agent:desk:telegram:direct:P', 'agent:desk:telegram:direct:Q'];
    const house = await build({ key: p, kind: 'direct' }, { key: q, kind: 'direct' });
    expect(await house.sees({ agentId: 'desk', sessionKey: q })).toEqual([p, q]);
  });

  test('V-27 VIS-31: a subagent that its host started for a person belongs to that person', async () => {
    const house = await build();
    const backstory = await house.open();
    const say = (key: string, session: object): Promise<unknown> =>
      backstory.sessions.append({ key, message: { role: 'user', content: 'lease' }, session });
    await say('agent:desk:p', { people: ['P'] });
    await say('agent:desk:subagent:s', { spawnedBy: 'agent:desk:p' });
    await say('agent:desk:other', {});
    const { sessions } = await backstory.sessions.list({ agentId: 'desk', sessionKey: 'agent:desk:x', person: 'P' });
    expect(sessions.map((row) => row.sessionKey).sort()).toEqual(['agent:desk:p', 'agent:desk:subagent:s']);
  });

  test('VIS-31: an archived session is as visible as before', async () => {
    const house = await build({ key: X, kind: 'main' }, { key: OTH, kind: 'main' });
    await (await house.stores.open('home'))!.write(async (writing) => {
      await writing.hostUpdate((await writing.session(OTH))!.no, { archivedAt: 1 });
    });
    expect(await house.sees(caller)).toEqual([X, OTH]);
  });

  test('VIS-30: a session that is being deleted is gone for everyone, row 2, and cuts the chain', async () => {
    const house = await build(
      { key: X, kind: 'main' },
      { key: KID, kind: 'subagent', spawnedBy: X },
      { key: GRANDKID, kind: 'subagent', spawnedBy: KID },
    );
    const db = new Database(join(house.home, 'agents', 'desk.sqlite'));
    db.prepare('UPDATE session SET deleting = 1 WHERE key = ?').run(KID);
    db.close();
    expect(await house.sees(operator())).toEqual([X, GRANDKID].sort());
    expect(await house.sees(caller, { visibility: 'tree' })).toEqual([X]);
    const backstory = await house.open();
    expect(await backstory.sessions.explain(operator(), { caller: operator(), session: KID })).toMatchObject({
      exists: true,
      visible: false,
      row: 2,
      reason: 'deleted',
    });
  });

  test('V-42 VIS-20: a cycle of spawns ends, and both see each other', async () => {
    const [a, b] = ['agent:desk:subagent:a', 'agent:desk:subagent:b'];
    const house = await build({ key: a, kind: 'subagent', spawnedBy: b }, { key: b, kind: 'subagent', spawnedBy: a });
    expect(await house.sees({ agentId: 'desk', sessionKey: a }, { visibility: 'tree' })).toEqual([a, b]);
    expect(await house.sees({ agentId: 'desk', sessionKey: b }, { visibility: 'tree' })).toEqual([a, b]);
  });

  test('VIS-20: an incognito session has no descendants, though only its own process knows what it is', async () => {
    const own = 'agent:desk:quiet';
    const house = await build({ key: X, kind: 'main' }, { key: KID, kind: 'subagent', owner: own });
    const who: Caller = { agentId: 'desk', sessionKey: own };
    expect(await house.sees(who, { visibility: 'tree' })).toEqual([KID]);
    const { sessions } = await house.open();
    await sessions.append({ key: own, message: { role: 'user', content: 'lease' }, session: { incognito: true } });
    expect(await house.sees(who, { visibility: 'tree' })).toEqual([]);
  });

  test('VIS-20: descendants reach 32 steps, in one store or from store to store', async () => {
    const key = (n: number): string => `agent:${n % 3 === 0 ? 'desk' : 'lab'}:acp:${n}`;
    const chain = Array.from({ length: 40 }, (_, n) => ({
      key: key(n),
      kind: 'acp' as const,
      ...(n === 0 ? {} : { spawnedBy: key(n - 1) }),
    }));
    const house = await build(...chain);
    const { sessions } = await house.open({ visibility: 'tree' });
    const who: Caller = { agentId: 'desk', sessionKey: key(0) };
    const seen = (await sessions.list(who)).sessions.map((row) => row.sessionKey).sort();
    expect(seen).toEqual(Array.from({ length: 33 }, (_, n) => key(n)).sort());
    const explained = await Promise.all(
      [32, 33].map((n) => sessions.explain(operator(), { caller: who, session: key(n) })),
    );
    expect(explained.map(({ visible, chain }) => [visible, chain?.length])).toEqual([
      [true, 32],
      [false, undefined],
    ]);
  });

  test('V-41 VIS-44: a row that nobody can judge is invisible, breaks no search, and is counted', async () => {
    const house = await build({ key: X, kind: 'main' }, { key: 'agent:desk:a', kind: 'other', people: ['P'] });
    const db = new Database(join(house.home, 'agents', 'desk.sqlite'));
    const insert = db.prepare('INSERT INTO session (key, kind, people, created_at, last_at) VALUES (?, ?, ?, 1, 1)');
    insert.run('agent:Bad Agent!:x', 'main', null);
    insert.run('agent:home:elsewhere', 'main', null);
    insert.run('agent:desk:kind', 'sort of', null);
    insert.run('agent:desk:people', 'main', '["P"');
    insert.run('agent:desk:object', 'main', '{"P":"P"}');
    db.exec(
      'INSERT INTO entry (session, window, kind, role, state, at, flags, native) SELECT no, 1, 0, 0, 0, 1, 0, key FROM session WHERE created_at = 1',
    );
    db.close();
    expect(await house.sees(operator())).toEqual(['agent:desk:a', X]);
    expect(await house.sees({ ...caller, person: 'P' })).toEqual(['agent:desk:a', X]);
    const { wholeScope } = await import('../../src/access/scope.ts');
    const store = (await house.stores.open('desk'))!;
    expect(await store.read((reading) => reading.unjudged(wholeScope()))).toBe(5);
  });
});
