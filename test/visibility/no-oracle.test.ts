// What a caller may not see does not exist for it: not in errors, not in links, not in any count (VIS-50 … VIS-52, SES-74).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, operator } from '../../src/access/caller.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';
import { isBackstoryError } from '../../src/model/errors.ts';
import { caller, type House, INC, KID, makeHouse, OTH, PEER, X } from './house.ts';
import { sessionIdOf } from './places.ts';

const self: VisibilityPolicy = { visibility: 'self' };

/** The whole of an error but for the value that the caller gave. */
async function errorOf(work: Promise<unknown>, given: string): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    if (!isBackstoryError(error)) throw error;
    const { message, hint, code, details } = error.toJSON();
    const blank = (text: string): string => text.replaceAll(given, '…');
    return {
      code,
      status: error.status,
      message: blank(message),
      hint: blank(hint),
      details: blank(JSON.stringify(details)),
    };
  }
  throw new Error(`${given} was found`);
}

describe('errors', () => {
  let house: House;
  const DELETED = 'agent:desk:gone';
  beforeAll(async () => {
    house = await makeHouse();
    await house.plant({ key: DELETED, kind: 'other' });
    await house.erase(DELETED);
  });
  afterAll(() => house.close());

  test('V-30 VIS-50: unknown, invisible, incognito and deleted are one error, by key and by id', async () => {
    const { sessions } = await house.open(self);
    const names = [OTH, 'agent:home:random', INC, DELETED, sessionIdOf(OTH), 'random-id', PEER, sessionIdOf(PEER)];
    const reads = [
      (session: string) => sessions.history(caller, { session }),
      (session: string) => sessions.describe(caller, { session }),
      (session: string) => sessions.search(caller, { query: 'lease', session }),
      (session: string) => sessions.history(caller, { session, messageId: `m-${sessionIdOf(OTH)}` }),
    ];
    for (const read of reads) {
      const errors = await Promise.all(names.map((name) => errorOf(read(name), name)));
      expect(errors[0]).toMatchObject({ code: 'session_not_found', status: 404 });
      for (const error of errors) expect(error).toEqual(errors[0]);
    }
  });

  test('V-31 SES-107: a window of another session and one of nobody are one error', async () => {
    const { sessions } = await house.open(self);
    const ids = [sessionIdOf(OTH), 'random-id', sessionIdOf(PEER), sessionIdOf(INC)];
    const errors = await Promise.all(
      ids.map((sessionId) => errorOf(sessions.history(caller, { session: X, sessionId }), sessionId)),
    );
    expect(errors[0]).toMatchObject({ code: 'session_id_mismatch' });
    for (const error of errors) expect(error).toEqual(errors[0]);
  });

  test('V-37 SES-85: an agent that is nowhere and one that is hidden are one answer', async () => {
    const { sessions } = await house.open(self);
    const of = async (agent: string): Promise<string> =>
      JSON.stringify(await sessions.search(caller, { query: 'lease', agents: [agent] })).replaceAll(agent, '…');
    expect(await of('ghost')).toBe(await of('home'));
    expect(await of('ghost')).toContain('no visible session of agent …');
    const list = async (agent: string): Promise<string> =>
      JSON.stringify(await sessions.list(caller, { agents: [agent] })).replaceAll(agent, '…');
    expect(await list('ghost')).toBe(await list('home'));
  });

  test('VIS-52: no answer and no error says which rule hid something', async () => {
    const { sessions } = await house.open({ agentToAgent: { allow: [] } });
    const error = await errorOf(sessions.history(caller, { session: OTH }), OTH);
    const found = await sessions.search(caller, { query: 'lease' });
    expect(JSON.stringify([error, found])).not.toMatch(/agent_pair|allow|agentToAgent|visib|denied|forbidden/i);
  });

  test('V-43 VIS-3: a session key of another agent is caller_invalid in every read', async () => {
    const { sessions } = await house.open();
    const bad: Caller = { agentId: 'desk', sessionKey: OTH };
    for (const read of await Promise.allSettled([
      sessions.search(bad, { query: 'lease' }),
      sessions.history(bad, { session: X }),
      sessions.list(bad),
      sessions.describe(bad, { session: X }),
      sessions.stats(bad),
      sessions.explain(operator(), { caller: bad, session: X }),
    ])) {
      expect(read).toMatchObject({ reason: { code: 'caller_invalid', status: 400 } });
    }
  });

  test.each(['operator', 'agentId', 'sessionKey', 'person'])(
    'V-44 VIS-2: %s among the arguments is unknown',
    async (name) => {
      const { sessions } = await house.open();
      for (const read of await Promise.allSettled([
        sessions.search(caller, { query: 'lease', [name]: 'home' } as never),
        sessions.history(caller, { session: X, [name]: 'home' } as never),
        sessions.list(caller, { [name]: 'home' } as never),
        sessions.describe(caller, { session: X, [name]: 'home' } as never),
        sessions.stats(caller, { [name]: 'home' } as never),
      ])) {
        expect(read).toMatchObject({ reason: { code: 'invalid_argument', details: { parameter: name } } });
      }
    },
  );

  test('VIS-14: a scope that is none is named, in every read', async () => {
    const { sessions } = await house.open();
    const scope = 'everything' as never;
    for (const read of await Promise.allSettled([
      sessions.search(caller, { query: 'lease', scope }),
      sessions.history(caller, { session: X, scope }),
      sessions.list(caller, { scope }),
      sessions.describe(caller, { session: X, scope }),
      sessions.stats(caller, { scope }),
    ])) {
      expect(read).toMatchObject({ reason: { code: 'invalid_argument', details: { parameter: 'scope' } } });
    }
  });
});

describe('links', () => {
  let house: House;
  beforeAll(async () => {
    house = await makeHouse([
      { key: X, kind: 'main', people: ['Q'] },
      { key: KID, kind: 'subagent', spawnedBy: X, parent: X, owner: OTH, people: ['P'] },
      { key: OTH, kind: 'main', people: ['P'] },
    ]);
  });
  afterAll(() => house.close());
  const bound: Caller = { agentId: 'lab', person: 'P' };

  test('V-38 VIS-51: a link to a session that the caller may not see is left out', async () => {
    const { sessions } = await house.open();
    const row = await sessions.describe(bound, { session: KID });
    expect(row).not.toHaveProperty('spawnedBy');
    expect(row).not.toHaveProperty('parent');
    expect(row.owner).toBe(OTH);
    expect((await sessions.list(bound)).sessions.map((one) => one.spawnedBy)).toEqual([undefined, undefined]);
    expect(await sessions.describe(operator(), { session: KID })).toMatchObject({
      spawnedBy: X,
      parent: X,
      owner: OTH,
    });
  });

  test('VIS-51: a link to a session that is in a store which this read leaves out is shown', async () => {
    const { sessions } = await house.open();
    const listed = await sessions.list(operator(), { agents: ['desk'], spawnedBy: X });
    expect(listed.sessions.map((one) => [one.sessionKey, one.spawnedBy])).toEqual([[KID, X]]);
  });

  test('VIS-50: a filter cannot ask what hangs from a session that is hidden', async () => {
    const { sessions } = await house.open();
    const hidden = await sessions.list(bound, { spawnedBy: X });
    const unknown = await sessions.list(bound, { spawnedBy: 'agent:desk:random' });
    expect(hidden).toEqual(unknown);
    expect(hidden.sessions).toEqual([]);
  });

  test('VIS-51: a session id that two agents have is the one that the caller may see', async () => {
    await house.plant({ key: 'agent:lab:desk-main', kind: 'other', people: ['P'] });
    const { sessions } = await house.open();
    const lab = (await house.stores.open('lab'))!;
    await lab.write(async (writing) => {
      const made = await writing.session('agent:lab:desk-main');
      await writing.openWindow(made!.no, sessionIdOf(X), made!.window, 'reset');
    });
    expect((await sessions.describe(bound, { session: sessionIdOf(X) })).sessionKey).toBe('agent:lab:desk-main');
  });
});
