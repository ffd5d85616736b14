// Erasure equivalence (SES-74, VIS-51): an answer is, byte for byte, that of a store from which every session outside the
// caller's scope has been erased. Cursors are opaque and left out; what they lead to is not.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, operator } from '../../src/access/caller.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';
import type { Backstory } from '../../src/engine/engine.ts';
import { isBackstoryError } from '../../src/model/errors.ts';
import type { SearchParams } from '../../src/sessions/search.ts';
import { plain } from '../../src/testing/store-steps.ts';
import { caller, type House, makeHouse, OTH, X } from './house.ts';
import { agentOfKey, FINGERPRINT, type Planned, START, sessionIdOf } from './places.ts';

const SEARCHES: readonly SearchParams[] = [
  { query: 'lease' },
  { query: 'lease', limit: 2 },
  { query: 'lease draft', group: 'session' },
  { query: 'draft', sort: 'newest' },
  { query: 'lease OR draft', sort: 'oldest', perSession: 1 },
  { query: 'leas' },
  { query: 'lease nowhere' },
  { query: 'draft', since: '2026-09-01T08:00:02Z', explain: true },
  { query: 'lease', agents: ['home', 'ghost'] },
  { query: 'lease', kinds: ['subagent', 'imported'] },
  { query: 'dra.t', regex: true },
  { query: 'hidden' },
  { query: 'lease', include: ['thinking'], waitMs: 10_000 },
  { query: 'draft OR lease', include: ['thinking'], limit: 2, explain: true, waitMs: 10_000 },
  { query: 'draft', include: ['thinking'], roles: ['thinking'], sort: 'newest', waitMs: 10_000 },
  { query: 'dra.t', include: ['thinking'], regex: true, waitMs: 10_000 },
];

/** Everything that a caller can get, as text. */
async function everythingFor({ sessions }: Backstory, who: Caller, keys: readonly string[]): Promise<string> {
  const answers: unknown[] = [];
  const ask = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      answers.push([what, await work()]);
    } catch (error) {
      if (!isBackstoryError(error)) throw error;
      answers.push([what, error.toJSON()]);
    }
  };
  for (const params of SEARCHES) {
    await ask(JSON.stringify(params), async () => {
      const pages: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await sessions.search(who, { ...params, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page);
        cursor = page.coverage.cursor;
      } while (cursor !== undefined && pages.length < 4);
      return pages;
    });
  }
  await ask('list', () => sessions.list(who));
  await ask('list 2', () => sessions.list(who, { limit: 2 }));
  await ask('list spawned', () => sessions.list(who, { spawnedBy: keys[0]! }));
  await ask('stats', () => sessions.stats(who));
  for (const key of keys) {
    for (const session of [key, sessionIdOf(key)]) {
      await ask(`describe ${session}`, () => sessions.describe(who, { session }));
      await ask(`history ${session}`, () => sessions.history(who, { session }));
    }
    await ask(`anchor ${key}`, () =>
      sessions.history(who, { session: key, messageId: `m-${sessionIdOf(key)}`, limit: 3 }),
    );
    await ask(`within ${key}`, () => sessions.search(who, { query: 'lease', session: key }));
  }
  return JSON.stringify(answers, (name, value) => (name === 'cursor' ? typeof value : value), 1);
}

const KEYS = [X, 'agent:desk:a', 'agent:desk:b', 'agent:lab:acp:c', 'agent:lab:d', OTH, 'agent:home:e'];
const WORDS = ['lease', 'draft', 'lease lease draft', 'harbour', 'a draft of the hidden lease', 'hidden'];

interface Drawn {
  readonly kind: Planned['kind'];
  readonly up: number;
  readonly people: readonly string[];
  readonly words: readonly string[];
}
const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom('subagent' as const, 'acp' as const, 'imported' as const, 'cron' as const, 'other' as const),
  up: fc.integer({ min: -1, max: 6 }),
  people: fc.uniqueArray(fc.constantFrom('P', 'Q'), { maxLength: 2 }),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
});
const views: readonly (readonly [Caller, VisibilityPolicy])[] = [
  [caller, { visibility: 'tree' }],
  [caller, { visibility: 'agent' }],
  [caller, { visibility: 'self' }],
  [caller, { agentToAgent: { allow: [{ from: 'desk', to: 'lab' }] } }],
  [{ ...caller, sandboxed: true }, {}],
  [{ ...caller, person: 'P' }, {}],
  [operator({ person: 'Q' }), {}],
  [{ agentId: 'nobody', sandboxed: true }, {}],
];

describe('erasure equivalence', () => {
  test('SES-74 VIS-51 V-32: any store, any caller: what is hidden changes nothing', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: KEYS.length, maxLength: KEYS.length }),
        fc.constantFrom(...views),
        async (graph, [who, policy]) => {
          const house = await makeHouse(
            graph.map(
              ({ kind, up, people, words }, index): Planned => ({
                key: KEYS[index]!,
                kind: index === 0 ? 'main' : kind,
                // Only by sessions written before: so no visible one hangs from a hidden one through itself.
                ...(up >= 0 && up < index ? { spawnedBy: KEYS[up]! } : {}),
                people,
                text: words.join(' '),
                thought: words.toReversed().join(' and '),
              }),
            ),
          );
          try {
            const backstory = await house.open(policy);
            const listed = (await backstory.sessions.list(who, { limit: 200 })).sessions;
            const visible = new Set(listed.map((row) => row.sessionKey));
            // What a visible session hangs from stays: the chain is a reason for seeing it, whoever is on it.
            const keep = new Set(visible);
            const up = new Map(
              graph.map(({ up: at }, index) => [KEYS[index]!, at >= 0 && at < index ? KEYS[at] : undefined]),
            );
            for (const key of visible) for (let at = up.get(key); at !== undefined; at = up.get(at)) keep.add(at);
            const before = await everythingFor(backstory, who, KEYS);
            await house.erase(...KEYS.filter((key) => !keep.has(key)));
            expect(await everythingFor(backstory, who, KEYS)).toBe(before);
          } finally {
            await house.close();
          }
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe('one hidden thing at a time', () => {
  const houses: House[] = [];
  let house: House;
  const bound: Caller = { agentId: 'desk', sessionKey: 'agent:desk:mine', person: 'P' };
  const make = async (...sessions: readonly Planned[]): Promise<House> => {
    const made = await makeHouse(sessions);
    houses.push(made);
    return made;
  };
  beforeAll(async () => {
    house = await make(
      ...[1, 2, 3].map(
        (n): Planned => ({ key: `agent:desk:p${n}`, kind: 'other', people: ['P'], text: `lease ${n} draft` }),
      ),
    );
  });
  afterAll(async () => {
    for (const one of houses) await one.close();
  });
  const scores = async (): Promise<unknown> => {
    const { sessions } = await house.open();
    const { hits, coverage } = await sessions.search(bound, { query: 'lease draft' });
    return [hits.map(({ sessionKey, score }) => [sessionKey, score]), coverage, await sessions.stats(bound)];
  };

  test('V-33 SES-74: hidden documents with the word leave scores, counts and coverage as they were', async () => {
    const before = await scores();
    await house.plant(
      ...[1, 2, 3, 4, 5].map(
        (n): Planned => ({ key: `agent:desk:q${n}`, kind: 'other', people: ['Q'], text: 'lease lease draft' }),
      ),
      { key: 'agent:new:q', kind: 'other', people: ['Q'], text: 'lease' },
    );
    expect(await scores()).toEqual(before);
  });

  test('V-34 SES-83: a hidden session whose index is dirty flags nothing', async () => {
    const before = await scores();
    const desk = (await house.stores.open('desk'))!;
    await desk.write(async (writing) => writing.markDirty((await writing.session('agent:desk:q1'))!.no, 1, 1_000));
    expect(await scores()).toEqual(before);
    const { sessions } = await house.open();
    expect(await sessions.search(bound, { query: 'lease' })).toMatchObject({ indexing: false });
  });

  test('V-35 SES-80: a cursor goes on over what happens to hidden sessions', async () => {
    const { sessions } = await house.open();
    const first = await sessions.search(bound, { query: 'lease', limit: 1 });
    await house.erase('agent:desk:q2');
    await house.plant({ key: 'agent:desk:q6', kind: 'other', people: ['Q'], text: 'lease' });
    const rest = await sessions.search(bound, { query: 'lease', limit: 1, cursor: first.coverage.cursor! });
    expect(rest.hits).toHaveLength(1);
    await house.erase(first.hits[0]!.sessionKey);
    await expect(
      sessions.search(bound, { query: 'lease', limit: 1, cursor: rest.coverage.cursor! }),
    ).rejects.toMatchObject({ code: 'cursor_stale' });
  });

  test('SES-80 VIS-15: a session that left the scope makes a cursor stale', async () => {
    const { sessions } = await house.open();
    const asked = { query: 'lease', limit: 1 };
    const first = await sessions.search(caller, asked);
    await house.open({ visibility: 'self' });
    await expect(sessions.search(caller, { ...asked, cursor: first.coverage.cursor! })).rejects.toMatchObject({
      code: 'cursor_stale',
    });
  });

  test('V-36 SES-73: 10 000 hidden newer matches, three visible old ones', async () => {
    const crowded = await make(
      ...[1, 2, 3].map((n): Planned => ({ key: `agent:desk:p${n}`, kind: 'other', people: ['P'] })),
    );
    const desk = (await crowded.stores.open('desk'))!;
    await desk.write(async (writing) => {
      const made = await writing.hostCreate({ key: 'agent:desk:q', kind: 'other', sessionId: 'q', createdAt: START });
      const entries: number[] = [];
      for (let n = 0; n < 10_000; n++) {
        entries.push(
          await writing.insert({
            session: made.no,
            window: made.window,
            kind: 'message',
            role: 'user',
            state: 'active',
            at: START + 3_600_000 + n,
            messageId: `q-${n}`,
            blocks: [{ type: 'text', text: 'lease' }],
          }),
        );
      }
      await writing.index(entries, plain);
      await writing.hostUpdate(made.no, { people: ['Q'], lastAt: START + 4_000_000, messagesAdded: 10_000 });
    });
    const { sessions } = await crowded.open();
    for (const sort of ['relevance', 'newest', 'oldest'] as const) {
      const { hits, coverage } = await sessions.search(bound, { query: 'lease', limit: 10, sort });
      expect(hits).toHaveLength(3);
      expect(coverage).toMatchObject({ truncated: false, ranked: { complete: true, considered: 3 } });
    }
  });

  test('V-49 SES-87: of an original and its fork each caller gets the one it may see, once', async () => {
    const forked = await make();
    const desk = (await forked.stores.open('desk', { create: true }))!;
    await desk.write(async (writing) => {
      const texts = Array.from({ length: 20 }, (_, n) => `lease ${n}`);
      const write = async (name: string, people: readonly string[], copies?: readonly number[]): Promise<number[]> => {
        const key = `agent:desk:${name}`;
        const made = await writing.createSession({
          key,
          kind: 'imported',
          sessionId: name,
          reason: 'imported',
          createdAt: START,
        });
        const entries: number[] = [];
        for (const [n, text] of texts.entries()) {
          entries.push(
            await writing.insert({
              session: made.no,
              window: made.window,
              kind: 'message',
              role: 'user',
              state: 'active',
              at: START + n,
              messageId: `m-${n}`,
              blocks: [{ type: 'text', text }],
              ...(copies === undefined ? {} : { copyOf: copies[n]! }),
            }),
          );
        }
        await writing.index(entries, plain);
        await writing.updateSession(made.no, { lastAt: START + 20, messagesAdded: 20 });
        await writing.hostUpdate(made.no, { people });
        return entries;
      };
      await writing.setMeta('index', FINGERPRINT);
      const original = await write('original', ['P']);
      await write('fork', ['Q'], original);
    });
    const { sessions } = await forked.open();
    for (const [person, name] of [
      ['P', 'original'],
      ['Q', 'fork'],
    ] as const) {
      const { hits, coverage } = await sessions.search({ agentId: 'lab', person }, { query: 'lease', limit: 100 });
      expect(hits.map((hit) => hit.sessionKey)).toEqual(Array(20).fill(`agent:desk:${name}`));
      for (const hit of hits) expect(hit).not.toHaveProperty('alsoIn');
      expect(coverage.indexing).toEqual({ done: 20, total: 20 });
    }
    const both = await sessions.search(operator(), { query: 'lease', limit: 100 });
    expect(both.hits).toHaveLength(20);
    expect(both.hits[0]!.alsoIn?.count).toBe(1);
  });

  test('SES-14 SES-16: no read shows an incognito session, to nobody, whatever its key says', async () => {
    const quiet = await make({ key: X, kind: 'main' });
    const reserved = ['agent:desk:incognito', 'agent:desk:Incognito:x', 'agent:desk:a:INCOGNITO-1'];
    await quiet.plant(...reserved.map((key): Planned => ({ key, kind: 'other', text: 'lease secret' })));
    const backstory = await quiet.open();
    const held = 'agent:desk:held';
    await backstory.sessions.append({
      key: held,
      message: { role: 'user', content: 'lease secret' },
      session: { incognito: true },
    });
    for (const who of [
      operator(),
      caller,
      ...[...reserved, held].map((sessionKey) => ({ agentId: 'desk', sessionKey })),
    ]) {
      const answers = JSON.parse(await everythingFor(backstory, who, [X])) as unknown;
      expect(JSON.stringify(answers)).not.toMatch(/secret|incognito|held/i);
      for (const session of [...reserved, held]) {
        for (const scope of [undefined, 'self' as const]) {
          const given = scope === undefined ? { session } : { session, scope };
          await expect(backstory.sessions.history(who, given)).rejects.toMatchObject({ code: 'session_not_found' });
        }
      }
    }
  });
});

test('the keys of the property are of the agents of the cases', () => {
  expect([...new Set(KEYS.map(agentOfKey))]).toEqual(['desk', 'lab', 'home']);
});
