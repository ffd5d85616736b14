// The HTTP API over a real port: who may ask, what is refused, and that an operation answers as it does in the library.
import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/access/caller.ts';
import { OPERATIONS } from '../../src/api/operations.ts';
import { toolsOf } from '../../src/api/tools.ts';
import { isBackstoryError } from '../../src/model/errors.ts';
import { removeWorlds } from '../steps/world.ts';
import { as, BOUND, closeSites, DESK, makeSite, post, type Site } from './steps.ts';

afterEach(async () => {
  await closeSites();
  await removeWorlds();
});

const codeOf = ({ body }: { body: Record<string, unknown> }): unknown => (body.error as { code?: unknown })?.code;

// Node's fetch sets Host and Origin itself: these two are the test's.
function raw(site: Site, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(site.served.url + path, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('SUR-40: operations', () => {
  test('answer a GET and a POST as the library does', async () => {
    const site = await makeSite();
    const library = await site.world.backstory.sessions.search(operator(), { query: 'orchard' });
    const got = await site.json('/api/v1/sessions_search?query=orchard');
    const posted = await site.json('/api/v1/sessions_search', post({ query: 'orchard' }));
    expect([got.status, posted.status]).toEqual([200, 200]);
    expect(got.body).toEqual(JSON.parse(JSON.stringify(library)));
    expect(posted.body).toEqual(got.body);
    const page = await site.json('/api/v1/sessions_history?session=agent:claude-code:s-1&messageId=a-1&limit=2');
    expect((page.body.entries as { messageId: string }[]).map(({ messageId }) => messageId)).toEqual(['u-1', 'a-1']);
  });

  test('SUR-2: read lists by commas, numbers and booleans as words; name what they do not know', async () => {
    const site = await makeSite();
    const list = await site.json('/api/v1/sessions_list?agents=codex,desk&limit=5');
    expect((list.body.sessions as { agentId: string }[]).map(({ agentId }) => agentId)).toEqual(['codex']);
    const wrong = await site.json('/api/v1/sessions_search?query=x&limt=3');
    expect([wrong.status, codeOf(wrong)]).toEqual([400, 'invalid_argument']);
    expect((wrong.body.error as { message: string }).message).toContain('limit');
    for (const path of ['?query=x&exact=perhaps', '?query=x&limit=ten', '?query=x&limit=0', '?query=a&query=b', '']) {
      expect(codeOf(await site.json(`/api/v1/sessions_search${path}`))).toBe('invalid_argument');
    }
  });

  test('SES-100: raw is of the library and the command line: over HTTP and MCP nobody has it', async () => {
    const site = await makeSite();
    const path = '/api/v1/sessions_history';
    const session = 'agent:claude-code:s-1';
    for (const asked of [
      site.json(`${path}?session=${session}&raw=true`),
      site.json(path, post({ session, raw: true })),
    ]) {
      expect(codeOf(await asked)).toBe('invalid_argument');
    }
    const call = { name: 'sessions_history', arguments: { session, raw: true } };
    const headers = { accept: 'application/json, text/event-stream' };
    const sent = post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    const told = await site.ask('/mcp', { ...sent, headers: { ...(sent.headers as object), ...headers } });
    expect(await told.text()).toContain('invalid_argument');
    expect(JSON.stringify((await site.json('/openapi.json')).body)).not.toContain('as it was stored');
    expect(JSON.stringify(toolsOf(site.world.backstory, operator()))).not.toContain('as it was stored');
  });

  test('SUR-2: read objects as JSON, as the document says of each parameter', async () => {
    const site = await makeSite();
    const run = encodeURIComponent(JSON.stringify({ folder: '/nowhere', agent: 'Alice' }));
    const got = await site.json(`/api/v1/search?query=orchard&run=${run}`);
    expect([got.status, (got.body.coverage as { skipped: object[] }).skipped]).toEqual([
      200,
      [{ what: 'run', reason: 'not_found' }],
    ]);
    const text = await site.json('/api/v1/search?query=orchard&run=Alice');
    expect([text.status, codeOf(text)]).toEqual([400, 'invalid_argument']);
  });

  test('SUR-4: errors have the status and the shape of their code', async () => {
    const site = await makeSite();
    const cases: [string, RequestInit | undefined, number, string][] = [
      ['/api/v1/sessions_history?session=agent:codex:none', undefined, 404, 'session_not_found'],
      ['/api/v1/sessions_search?query=%22%22', undefined, 400, 'query_empty'],
      ['/api/v1/nothing', undefined, 404, 'not_found'],
      ['/elsewhere', undefined, 404, 'not_found'],
      ['/api/v1/sync', undefined, 405, 'method_not_allowed'],
      ['/api/v1/sessions_search', { method: 'DELETE' }, 405, 'method_not_allowed'],
      ['/api/v1/sessions_search', { method: 'OPTIONS' }, 405, 'method_not_allowed'],
      ['/api/v1/sessions_search', post('{'), 400, 'invalid_argument'],
      ['/api/v1/sessions_search', post('[]'), 400, 'invalid_argument'],
      ['/api/v1/sessions_search', { method: 'POST', body: 'query=x' }, 415, 'unsupported_media_type'],
      ['/api/v1/sessions_search', post({ query: 'x', scope: 'everything' }), 400, 'invalid_argument'],
    ];
    for (const [path, init, status, code] of cases) {
      const answer = await site.json(path, init);
      expect([path, answer.status, codeOf(answer)]).toEqual([path, status, code]);
      expect(Object.keys(answer.body)).toEqual(['error']);
    }
    expect(site.faults).toEqual([]);
  });

  test('COM-2: a body over its bound is refused while it comes in', async () => {
    const site = await makeSite({ maxBytes: 1_000 });
    const big = post({ query: 'x'.repeat(2_000) }, as(DESK).headers);
    const answer = await site.json('/api/v1/sessions_search', big);
    expect([answer.status, codeOf(answer)]).toEqual([413, 'request_too_large']);
  });
});

describe('SUR-40: who asks', () => {
  test('is told by a token; without one, or with another, nothing is told', async () => {
    const site = await makeSite();
    for (const authorization of ['', 'Bearer ', 'Bearer wrong', `Basic ${site.served.token}`, 'Bearer é']) {
      const answer = await fetch(`${site.served.url}/api/v1/sessions_list`, {
        headers: authorization === '' ? {} : { authorization: Buffer.from(authorization).toString('latin1') },
      });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    for (const path of ['/openapi.json', '/metrics', '/mcp', '/elsewhere', '/api/v1/sync']) {
      expect((await fetch(site.served.url + path)).status).toBe(401);
    }
  });

  test('COM-50: a token of the file is its caller: its scope, and no operator', async () => {
    const site = await makeSite();
    const seen = await site.json('/api/v1/sessions_search?query=orchard', as(DESK));
    expect((seen.body.hits as unknown[]).length).toBe(1);
    const bound = await site.json('/api/v1/sessions_search?query=orchard', as(BOUND));
    expect(bound.body.hits).toEqual([]);
    for (const path of ['/api/v1/sources_list', '/metrics', '/api/v1/sessions_search?query=x&budgetMs=5&regex=true']) {
      const refused = await site.json(path, as(DESK));
      expect([path, refused.status, codeOf(refused)]).toEqual([path, 403, 'operator_required']);
    }
  });

  test('a page gets its cookie for a code that works once', async () => {
    const site = await makeSite();
    const link = site.served.link();
    const login = await fetch(link, { redirect: 'manual' });
    expect([login.status, login.headers.get('location')]).toEqual([303, '/']);
    const cookie = login.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^backstory=[\w-]{20,}; HttpOnly; SameSite=Strict; Path=\//);
    const asked = await fetch(`${site.served.url}/api/v1/sources_list`, {
      headers: { cookie: `other=1; ${cookie.split(';')[0]}` },
    });
    expect(asked.status).toBe(200);
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(401);
    expect((await fetch(`${site.served.url}/auth?code=`, { redirect: 'manual' })).status).toBe(401);
  });

  test('guessing is slowed down, and whoever has a token is not', async () => {
    const site = await makeSite();
    const statuses: number[] = [];
    for (let n = 0; n < 40; n++) {
      statuses.push((await fetch(`${site.served.url}/api/v1/stats`, as(`guess-number-${n}-aaaa`))).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect((await site.ask('/api/v1/stats')).status).toBe(200);
  });

  test('more requests than its share are refused, and told when to come back', async () => {
    const site = await makeSite({ requestsPerSecond: 2 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => site.ask('/api/v1/stats', as(DESK))));
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
  });

  test('--no-auth is for loopback only', async () => {
    const site = await makeSite({ noAuth: true });
    expect(site.served.token).toBeUndefined();
    expect((await fetch(`${site.served.url}/api/v1/sources_list`)).status).toBe(200);
    await expect(makeSite({ noAuth: true, host: '0.0.0.0' })).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('SUR-40: where it is asked', () => {
  test('a Host that is not ours is refused, whatever token comes with it', async () => {
    const site = await makeSite();
    const authorization = `Bearer ${site.served.token}`;
    const port = new URL(site.served.url).port;
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example']) {
      expect(await raw(site, '/api/v1/stats', { authorization, host })).toBe(403);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', `[::1]:${port}`]) {
      expect(await raw(site, '/api/v1/stats', { authorization, host })).toBe(200);
    }
    expect(await raw(site, '/healthz', { host: 'evil.example' })).toBe(403);
  });

  test('a page of another origin is refused', async () => {
    const site = await makeSite();
    const authorization = `Bearer ${site.served.token}`;
    const own = site.served.url;
    const at = (headers: Record<string, string>): Promise<number> =>
      raw(site, '/api/v1/stats', { authorization, host: new URL(own).host, ...headers });
    expect(await at({ origin: 'https://evil.example' })).toBe(403);
    expect(await at({ origin: 'null' })).toBe(403);
    expect(await at({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await at({ origin: own, 'sec-fetch-site': 'same-origin' })).toBe(200);
  });

  test('every answer forbids other sites to run, frame or sniff it, errors too', async () => {
    const site = await makeSite();
    for (const path of ['/api/v1/stats', '/elsewhere', '/healthz', '/api/v1/sessions_search']) {
      const { headers } = await site.ask(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('SUR-40: what it says of itself', () => {
  test('health needs no token and does a search', async () => {
    const site = await makeSite();
    const healthy = await fetch(`${site.served.url}/healthz`);
    expect([healthy.status, await healthy.json()]).toEqual([200, { status: 'ok' }]);
    await site.world.backstory.close();
    await expect.poll(async () => (await fetch(`${site.served.url}/healthz`)).status, { timeout: 3_000 }).toBe(503);
  });

  test('metrics count requests by operation and status, and hold no words of anybody', async () => {
    const site = await makeSite();
    await site.ask('/api/v1/sessions_search?query=orchard');
    await site.ask('/api/v1/nothing-of-the-sort');
    const text = await (await site.ask('/metrics')).text();
    expect(text).toContain('backstory_http_requests_total{operation="sessions_search",status="200"} 1');
    expect(text).toContain('backstory_messages 3');
    expect(text).not.toMatch(/orchard|nothing-of-the-sort/);
  });

  test('the OpenAPI document has every operation', async () => {
    const site = await makeSite();
    const { body } = await site.json('/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const paths = body.paths as Record<string, { get?: object; post?: object }>;
    const remote = OPERATIONS.filter(({ local }) => !local);
    expect(Object.keys(paths)).toEqual(remote.map(({ name }) => `/api/v1/${name}`));
    for (const { name, readOnly } of remote) {
      expect([name, Object.keys(paths[`/api/v1/${name}`]!)]).toEqual([name, readOnly ? ['get', 'post'] : ['post']]);
    }
  });
});

test('SUR-42: a stop lets what runs end, and takes no more', async () => {
  const site = await makeSite();
  const headers = { authorization: `Bearer ${site.served.token}`, 'content-type': 'application/json' };
  const sent = request(`${site.served.url}/api/v1/sessions_search`, { method: 'POST', headers });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.on('error', reject);
  });
  sent.write('{"query":');
  // Until the server has this request in hand, which then waits for the rest of its body.
  for (let inFlight = 0; inFlight < 2; ) {
    const text = await (await site.ask('/metrics')).text();
    inFlight = Number(/backstory_http_requests_in_flight (\d+)/.exec(text)?.[1]);
  }
  const closed = site.served.close();
  await expect(site.ask('/api/v1/stats')).rejects.toThrow();
  sent.end('"orchard"}');
  expect(await answered).toBe(200);
  await closed;
});

test('SUR-31: a request that is no MCP is answered, and fills no log', async () => {
  const site = await makeSite();
  for (const body of ['{"x":1}', '[]', 'null', '{"jsonrpc":"2.0","id":1,"method":7}', '{']) {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await site.ask('/mcp', { method: 'POST', body, headers });
    expect([body, answer.status]).toEqual([body, 400]);
  }
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  for (const [body, given, status] of [
    [list, { 'content-type': 'text/plain' }, 415],
    [list, { accept: 'text/html' }, 406],
    [list, { 'mcp-protocol-version': '1999-01-01' }, 400],
    [`"${'x'.repeat(200_000)}"`, {}, 413],
  ] as const) {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...given };
    expect((await site.ask('/mcp', { method: 'POST', body, headers })).status, body.slice(0, 80)).toBe(status);
  }
  expect((await site.ask('/mcp', { method: 'DELETE' })).status).toBe(405);
  expect(site.faults).toEqual([]);
});

test('COM-42: a bad token file is named, and no token of it is shown', async () => {
  const { writeFileSync } = await import('node:fs');
  const site = await makeSite();
  const path = `${site.world.folder}/bad.json`;
  const secret = ['se', 'cret'].join('');
  for (const text of [
    '{',
    '{}',
    `{"tokens":[{"token":"${secret}"}]}`,
    `{"tokens":[{"token":"${secret.repeat(4)}"}]}`,
    // No header carries a space within a token: it would be of no use to anybody.
    `{"tokens":[{"token":"${secret} ${secret.repeat(4)}","agentId":"main"}]}`,
    `{"tokens":[{"token":"${secret.repeat(100)}","agentId":"main"}]}`,
  ]) {
    writeFileSync(path, text);
    const error: unknown = await makeSite({ tokenFile: path }).catch((caught: unknown) => caught);
    expect(isBackstoryError(error) && error.code).toBe('config_invalid');
    expect(String((error as Error).message)).not.toContain(secret);
  }
  await expect(makeSite({ tokenFile: `${path}.none` })).rejects.toThrow(
    'bad.json.none is not valid: it cannot be read (ENOENT).',
  );
});
