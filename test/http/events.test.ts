// Server-sent events over a real port: what whom is told of, from this process and from others, and how many may listen.
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { BackstoryError } from '../../src/model/errors.ts';
import { bundled, removeBundles, start } from '../steps/run-process.ts';
import { removeWorlds } from '../steps/world.ts';
import { as, BOUND, closeSites, DESK, makeSite, type Site } from './steps.ts';

const open: AbortController[] = [];

afterEach(async () => {
  for (const stream of open.splice(0)) stream.abort();
  await closeSites();
  await removeWorlds();
});
afterAll(removeBundles);

interface Told {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a stream tells until `count` events came; `then` runs once it watches. */
async function take(site: Site, token: string, count: number, then: () => unknown): Promise<Told[]> {
  const answer = await listen(site, token);
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  let text = '';
  let events: Told[] = [];
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    if (text === '') await then();
    text += Buffer.from(chunk).toString();
    events = [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, event, data]) => ({
      event: event!,
      data: JSON.parse(data!) as Told['data'],
    }));
    if (events.length >= count) break;
  }
  return events;
}

function listen(site: Site, token: string): Promise<Response> {
  const ended = new AbortController();
  open.push(ended);
  return fetch(`${site.served.url}/api/v1/events`, { ...as(token), signal: ended.signal });
}

const keysOf = (events: readonly Told[]): unknown[] => events.map(({ data }) => data.sessionKey);

test('SUR-41: a stream that fails says so in the stream, and of a fault of ours nothing else', async () => {
  const fails = (error: Error): Promise<Site> =>
    makeSite(({ backstory }) => ({
      backstory: { ...backstory, sessions: { ...backstory.sessions, watch: () => Promise.reject(error) } },
    }));
  const site = await fails(new Error('a path of ours'));
  const text = await (await site.ask('/api/v1/events')).text();
  expect(text).toContain('event: error');
  expect(text).toContain('"code":"internal"');
  expect(text).not.toContain('a path of ours');
  expect(site.faults).toHaveLength(1);
  const closed = await fails(new BackstoryError('closed', 'The engine was closed.', 'Open it again.'));
  expect(await (await closed.ask('/api/v1/events')).text()).toContain('"code":"closed"');
});

test('VIS-46: tell of new messages, of sessions made after the stream began too, to whoever may see them; of old ones, and of others’, nothing', async () => {
  const site = await makeSite();
  const { sessions } = site.world.backstory;
  const say = (key: string, content: string): Promise<unknown> =>
    sessions.append({
      key,
      message: { role: 'user', content },
      ...(key.endsWith('direct:7') ? { session: { people: ['nobody-here'] } } : {}),
    });
  const write = async (): Promise<void> => {
    await say('agent:desk:main', 'first');
    await say('agent:desk:direct:7', 'second');
    await say('agent:desk:main', 'third');
  };
  expect(keysOf(await take(site, site.served.token!, 3, write))).toEqual([
    'agent:desk:main',
    'agent:desk:direct:7',
    'agent:desk:main',
  ]);
  expect(keysOf(await take(site, BOUND, 1, write))).toEqual(['agent:desk:direct:7']);
});

describe('SUR-41: episodes', () => {
  const OWN = ['own', 'memory', 'of', 'tests'].join('-');
  const OTHER = ['other', 'memory', 'of', 'tests'].join('-');
  const PERSON = ['operator', 'of', 'one', 'person'].join('-');
  const NARROW = ['operator', 'of', 'one', 'memory'].join('-');
  const memory = { workspace: 'app', writes: 'auto', episodes: { enabled: true, cap: null } } as const;
  const tokens = [
    { token: OWN, agentId: 'desk', memory: { agent: 'main', route: '/a' } },
    { token: OTHER, agentId: 'desk', memory: { agent: 'main', route: '/b' } },
    { token: PERSON, operator: true, person: 'nobody-here' },
    { token: NARROW, operator: true, memory: { agent: 'main', route: '/b' } },
  ];
  const worker = bundled(join('test', 'episodes', 'processes', 'worker.mjs'));
  const elsewhere = (site: Site, name: string, count: number): Promise<string[]> =>
    start(worker, ['record', site.world.home, name, String(count), '0']).lines;
  const idsIn = async (site: Site, route: string, agent = 'main'): Promise<string[]> => {
    const context = await site.world.backstory.episodes.context({ agent, route });
    const { records } = await context.recall({ limit: 100 });
    return records.map(({ id }) => id).reverse();
  };

  test('that settle in another process are told to its memory’s token and to the operator: their keys, and no text', async () => {
    const site = await makeSite({}, { world: { memory }, tokens });
    await elsewhere(site, 'old', 2);
    const told: Told[][] = [];
    const tellers = [OWN, site.served.token!].map((token) =>
      take(site, token, 3, () => undefined).then((events) => void told.push(events)),
    );
    // Both watch before the other process begins.
    await new Promise((resolve) => setTimeout(resolve, 700));
    await elsewhere(site, 'new', 3);
    await Promise.all(tellers);
    const ids = (await idsIn(site, '/a')).filter((_, index) => index >= 2);
    for (const events of told) {
      expect(events.map(({ event, data }) => [event, data.id])).toEqual(ids.map((id) => ['episode', id]));
      const { timestamp, ...keys } = events[0]!.data;
      expect(keys).toEqual({
        agentId: 'main',
        namespace: 'workspace=app|route=/a',
        id: ids[0],
        kind: 'episodic',
        source: 'run',
        outcome: 'ok',
      });
      expect(Date.parse(String(timestamp))).toBeGreaterThan(0);
    }
  });

  test('are told to nobody who has another memory, none, or acts for a person; what is remembered is told as well', async () => {
    const site = await makeSite({}, { world: { memory }, tokens });
    const { episodes, sessions } = site.world.backstory;
    const [a, b] = await Promise.all(['/a', '/b'].map((route) => episodes.context({ route })));
    const write = async (): Promise<void> => {
      await a!.remember({ data: { event: 'the harbour froze' } });
      await elsewhere(site, `n${open.length}`, 2);
      await b!.remember({ data: { event: 'the orchard bloomed' } });
      await sessions.append({
        key: 'agent:desk:direct:7',
        message: { role: 'user', content: 'last' },
        session: { people: ['nobody-here'] },
      });
    };
    const seenBy = async (token: string, count: number): Promise<string[]> =>
      (await take(site, token, count, write)).map(({ event, data }) => `${event} ${data.namespace ?? ''}`).sort();
    const ofB = ['episode workspace=app|route=/b', 'message '];
    expect(await seenBy(OTHER, 2)).toEqual(ofB);
    expect(await seenBy(NARROW, 2)).toEqual(ofB);
    expect(await seenBy(DESK, 1)).toEqual(['message ']);
    expect(await seenBy(PERSON, 1)).toEqual(['message ']);
    expect((await seenBy(OWN, 4)).filter((told) => told !== 'message ')).toEqual(
      Array.from({ length: 3 }, () => 'episode workspace=app|route=/a'),
    );
  });

  test('of a candidate nothing is told, of an agent’s first memory everything', async () => {
    const site = await makeSite({}, { world: { memory: { ...memory, writes: 'candidate' } } });
    const { episodes } = site.world.backstory;
    const events = await take(site, site.served.token!, 1, async () => {
      const context = await episodes.context({ agent: 'fresh', route: '/a' });
      await context.remember({ data: { event: 'waits for review' } });
      await context.recorder.start({ input: 'a first run' }).settle();
    });
    expect(events.map(({ data }) => data.id)).toEqual(await idsIn(site, '/a', 'fresh'));
  });
});

test('SUR-41: one token holds no other out, nor all of them the operator, and one too many is told when to ask again', async () => {
  const tokens = Array.from({ length: 6 }, (_, index) => ({ token: `token-of-tests-${index}`, agentId: 'desk' }));
  const site = await makeSite({}, { tokens });
  const statuses = async (token: string, count: number): Promise<number[]> => {
    const all: number[] = [];
    for (let n = 0; n < count; n++) all.push((await listen(site, token)).status);
    return all;
  };
  expect(await statuses(tokens[0]!.token, 20)).toEqual(Array.from({ length: 20 }, () => 200));
  const refused = await listen(site, tokens[0]!.token);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  for (const { token } of tokens.slice(1, 5)) expect(new Set(await statuses(token, 20))).toEqual(new Set([200]));
  expect(await statuses(tokens[5]!.token, 1)).toEqual([429]);
  expect(await statuses(site.served.token!, 1)).toEqual([200]);
  // What ends makes room.
  for (const stream of open.splice(0, 20)) stream.abort();
  await expect.poll(async () => (await listen(site, tokens[0]!.token)).status).toBe(200);
}, 20_000);

test('SUR-40: HEAD of an address that is read answers as GET does, without a body; of the events it opens none', async () => {
  const site = await makeSite();
  for (const path of ['/api/v1/sessions_search?query=orchard', '/openapi.json', '/metrics', '/healthz']) {
    const [head, got] = [await site.ask(path, { method: 'HEAD' }), await site.ask(path)];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'));
  }
  expect((await site.ask('/api/v1/sessions_search?limit=x', { method: 'HEAD' })).status).toBe(400);
  const refused = await site.ask('/api/v1/sync', { method: 'HEAD' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await site.ask('/api/v1/sync', { method: 'OPTIONS' })).headers.get('allow')).toBe('POST');
  for (let n = 0; n < 25; n++) expect((await site.ask('/api/v1/events', { method: 'HEAD' })).status).toBe(200);
  expect((await listen(site, site.served.token!)).status).toBe(200);
});

describe('SUR-40: a flood without a token', () => {
  const codesOf = async (site: Site, path: string, count: number): Promise<number[]> => {
    const all = Array.from({ length: count }, () => fetch(site.served.url + path, { redirect: 'manual' }));
    return (await Promise.all(all)).map(({ status }) => status);
  };

  test('of /healthz is answered, costs few searches, and holds nobody out', async () => {
    let searches = 0;
    const site = await makeSite(({ backstory }) => {
      const search: typeof backstory.sessions.search = (...given) => {
        searches++;
        return backstory.sessions.search(...given);
      };
      return { backstory: { ...backstory, sessions: { ...backstory.sessions, search } } };
    });
    const began = performance.now();
    expect(new Set(await codesOf(site, '/healthz', 300))).toEqual(new Set([200]));
    expect(searches).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 1_000));
    expect((await site.ask('/api/v1/sessions_search?query=orchard')).status).toBe(200);
  });

  test('of /auth is slowed down, and the link of the operator works all the same, once', async () => {
    const site = await makeSite();
    const guesses = await codesOf(site, '/auth?code=wrong', 60);
    expect(guesses.filter((status) => status === 429).length).toBeGreaterThan(30);
    expect(new Set(guesses)).toEqual(new Set([401, 429]));
    const link = new URL(site.served.link());
    expect(await codesOf(site, link.pathname + link.search, 1)).toEqual([303]);
    expect(await codesOf(site, link.pathname + link.search, 1)).not.toContain(303);
  });
});

test('SUR-42: a stop ends the streams, and cuts none off', async () => {
  const site = await makeSite();
  const answer = await listen(site, site.served.token!);
  // What is cut off rejects; the grace is longer than the test may take.
  await Promise.all([site.served.close(600_000), answer.text()]);
});
