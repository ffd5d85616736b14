// explain: the decision with its reasons, for operators (VIS-60 … VIS-62).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, operator } from '../../src/access/caller.ts';
import { decide } from '../../src/access/decide.ts';
import { settingsFor, type VisibilityPolicy } from '../../src/access/policy.ts';
import { execute } from '../../src/api/operation.ts';
import { explain } from '../../src/api/operations.ts';
import { RESULTS } from '../../src/api/results.ts';
import type { Explanation } from '../../src/sessions/explain.ts';
import { CRON, caller, FAR, GRANDKID, type House, INC, KID, makeHouse, OTH, PEER, X } from './house.ts';

describe('explain', () => {
  let house: House;
  beforeAll(async () => {
    house = await makeHouse();
    await house.plant({ key: 'agent:desk:p', kind: 'other', people: ['P'] });
  });
  afterAll(() => house.close());

  const asked = async (
    session: string,
    policy: VisibilityPolicy = {},
    who: Caller = caller,
    scope?: 'self',
  ): Promise<Explanation> => {
    const { sessions } = await house.open(policy);
    return sessions.explain(operator(), { caller: who, session, ...(scope === undefined ? {} : { scope }) });
  };
  const V3: VisibilityPolicy = { agentToAgent: { allow: [{ from: 'desk', to: 'home' }] } };
  const lab: Caller = { agentId: 'lab', sessionKey: 'agent:lab:main' };

  test('V-39 VIS-61: the pair that no rule allows, with the rules, the agents and the missing rule', async () => {
    const answer = await asked(OTH, V3, lab);
    expect(answer).toMatchObject({ exists: true, visible: false, row: 16, reason: 'agent_pair' });
    expect(answer.steps.at(-1)).toEqual({
      row: 16,
      applies: true,
      because: 'agentToAgent.allow has 1 rule; none has from matching lab and to matching home',
    });
    expect(answer.change).toBe('agentToAgent.allow: add { from: "lab", to: "home" }');
  });

  test('VIS-60: each row up to the deciding one, in order, and only the last applies', async () => {
    const { steps } = await asked(OTH, V3, lab);
    expect(steps.map(({ row }) => row)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
    expect(steps.map(({ applies }) => applies)).toEqual([...Array(15).fill(false), true]);
    for (const { because } of steps) expect(because).toMatch(/^\S.{10,}$/);
  });

  test('VIS-60: the way from the session up to the own one', async () => {
    expect((await asked(GRANDKID)).chain).toEqual([
      { key: GRANDKID, link: 'spawnedBy', kind: 'subagent' },
      { key: KID, link: 'spawnedBy', kind: 'subagent' },
    ]);
    expect(await asked(PEER)).not.toHaveProperty('chain');
  });

  test('VIS-60: each setting with where it came from, and the scope of the call', async () => {
    const policy: VisibilityPolicy = { people: 'narrow', agents: { 'd*': { visibility: 'tree' } } };
    expect((await asked(PEER, policy, caller, 'self')).settings).toEqual([
      { name: 'visibility', value: 'tree', from: 'agents.d*' },
      { name: 'agentToAgent.enabled', value: true, from: 'default' },
      { name: 'agentToAgent.allow', value: null, from: 'default' },
      { name: 'sandbox.sessions', value: 'spawned', from: 'default' },
      { name: 'people', value: 'narrow', from: 'base' },
      { name: 'scope', value: 'self', from: 'call' },
    ]);
  });

  test('VIS-60: a key without a session gets the decision that such a key would get', async () => {
    expect(await asked('agent:home:never')).toMatchObject({ exists: false, visible: true, row: 17, reason: 'all' });
    expect(await asked('agent:home:never', { visibility: 'agent' })).toMatchObject({ exists: false, row: 14 });
    await expect(asked('agent:home:')).rejects.toMatchObject({ code: 'key_invalid' });
    await expect(asked('no-such-id')).rejects.toMatchObject({ code: 'session_not_found' });
  });

  test('V-40 VIS-60: only an operator may ask', async () => {
    const backstory = await house.open();
    const error = { code: 'operator_required', status: 403 };
    await expect(backstory.sessions.explain(caller, { caller, session: X })).rejects.toMatchObject(error);
    await expect(execute(explain, backstory, caller, { session: X, agentId: 'desk' })).rejects.toMatchObject(error);
  });

  test('VIS-62: a reserved name says that it is incognito, whether a session has it or not', async () => {
    for (const key of [INC, 'agent:desk:a:incognito-9']) {
      const answer = await asked(key);
      expect(answer).toMatchObject({ exists: false, visible: false, row: 1, reason: 'incognito' });
      expect(answer).not.toHaveProperty('change');
    }
  });

  test('VIS-62: an incognito session without a reserved name is explained as a key without a session', async () => {
    const backstory = await house.open();
    const key = 'agent:desk:quiet';
    await backstory.sessions.append({ key, message: { role: 'user', content: 'lease' }, session: { incognito: true } });
    const [there, never] = [await asked(key), await asked('agent:desk:never')];
    expect(JSON.stringify(there)).toBe(JSON.stringify(never));
    expect(there.exists).toBe(false);
  });

  // One decision for each row of VIS-30 that can say something else with other settings, and what would flip it.
  test.each<[string, string, VisibilityPolicy, Caller, number, string | undefined]>([
    ['operator', OTH, {}, operator(), 3, undefined],
    ['own', X, { visibility: 'self' }, caller, 4, undefined],
    ['other_person', X, {}, { agentId: 'lab', person: 'P' }, 5, undefined],
    ['operator', 'agent:desk:p', {}, operator({ person: 'P' }), 6, undefined],
    ['person_required', PEER, { people: 'require' }, caller, 7, 'people: "narrow"'],
    ['sandbox', PEER, {}, { ...caller, sandboxed: true }, 8, 'sandbox.sessions: "all"'],
    ['self', KID, { visibility: 'self' }, caller, 9, 'visibility: "tree"'],
    ['descendant', KID, { visibility: 'tree' }, caller, 10, 'visibility: "self"'],
    ['descendant', FAR, { visibility: 'tree' }, caller, 11, 'visibility: "agent"'],
    ['same_agent', PEER, { visibility: 'agent' }, caller, 12, 'visibility: "tree"'],
    ['tree', PEER, { visibility: 'tree' }, caller, 13, 'visibility: "agent"'],
    ['cross_agent', OTH, { visibility: 'tree' }, caller, 14, 'visibility: "all"'],
    ['agent_to_agent_off', OTH, { agentToAgent: { enabled: false } }, caller, 15, 'agentToAgent.enabled: true'],
    ['all', OTH, {}, caller, 17, 'agentToAgent.allow: []'],
    ['tree', PEER, { agents: { desk: { visibility: 'tree' } } }, caller, 13, 'agents.desk.visibility: "agent"'],
    [
      'self',
      CRON,
      { visibility: 'self', agentToAgent: { enabled: false } },
      caller,
      9,
      'agentToAgent.enabled: true and visibility: "all"',
    ],
  ])('VIS-61: %s of %s, and what would flip it', async (reason, session, policy, who, row, change) => {
    const answer = await asked(session, policy, who);
    expect(answer).toMatchObject({ row, reason });
    expect(answer.change).toBe(change);
  });

  test('VIS-61: the scope of a call is what to leave out', async () => {
    expect((await asked(PEER, {}, caller, 'self')).change).toBe('leave out the call\'s scope "self"');
  });

  test('VIS-60: the operation gives the same as the library, and its schema knows it', async () => {
    const backstory = await house.open(V3);
    const answer = await execute(explain, backstory, operator(), { session: OTH, agentId: 'lab' });
    expect(answer).toEqual(await backstory.sessions.explain(operator(), { caller: { agentId: 'lab' }, session: OTH }));
    expect(RESULTS.explain!.safeParse(JSON.parse(JSON.stringify(answer))).error).toBeUndefined();
  });
});

describe('the table', () => {
  test('VIS-30: an incognito session comes before operators and the own session', () => {
    const target = { key: INC, kind: 'other' as const };
    for (const who of [operator(), { agentId: 'desk', sessionKey: INC }]) {
      expect(decide(who, settingsFor({}, 'desk'), target)).toMatchObject({ visible: false, row: 1 });
    }
  });

  test('VIS-31: a caller bound to a person sees its own session, whoever it names', () => {
    const target = { key: X, kind: 'main' as const, people: ['Q'] };
    const bound = { ...caller, person: 'P' };
    expect(decide(bound, settingsFor({}, 'desk'), target)).toMatchObject({ visible: true, row: 4 });
  });
});
