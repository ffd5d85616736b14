// Random and near-valid requests to every route and tool: documented errors only, no fault, nothing of another caller.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { OPERATIONS } from '../../src/api/operations.ts';
import type { Parameter } from '../../src/api/parameters.ts';
import { toolsOf } from '../../src/api/tools.ts';
import { createApp } from '../../src/http/app.ts';
import { allowedHosts } from '../../src/http/guards.ts';
import { Principals } from '../../src/http/principals.ts';
import { systemClock } from '../../src/model/clock.ts';
import { ERROR_CODES, isBackstoryError } from '../../src/model/errors.ts';
import { claude, makeWorld, removeWorlds, type World } from '../steps/world.ts';

const REQUESTS = 10_000;
const HIDDEN = 'zanzibar';
const DESK = ['desk', 'token', 'of', 'fuzz'].join('-');

let world: World;
let ask: (path: string, init: RequestInit) => Promise<Response>;
let operatorToken: string;
const faults: unknown[] = [];

beforeAll(async () => {
  world = await makeWorld({ visibility: { visibility: 'agent' } });
  world.write(claude.path('s-1'), [claude.user('u-1', `the ${HIDDEN} of another agent`)]);
  await world.sync();
  await world.backstory.sessions.append({
    key: 'agent:desk:main',
    message: { role: 'user', content: 'the orchard blooms' },
  });
  const principals = new Principals(systemClock, [{ token: DESK, caller: { agentId: 'desk' } }]);
  operatorToken = principals.operatorToken;
  const app = createApp({
    backstory: world.backstory,
    clock: systemClock,
    version: '0',
    principals,
    hosts: allowedHosts('127.0.0.1'),
    requestsPerSecond: 1e9,
    onFault: (error) => faults.push(error),
  });
  ask = async (path, init) =>
    app.fetch(
      new Request(`http://127.0.0.1:4519${path}`, {
        ...init,
        headers: { host: '127.0.0.1:4519', authorization: `Bearer ${DESK}`, ...init.headers },
      }),
    );
});
afterAll(removeWorlds);

const junk = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '"',
    '-',
    '*',
    'OR',
    '\u202e',
    '\ud800',
    '0',
    '-1',
    '1e9',
    '9'.repeat(40),
    'null',
    '[]',
    '{}',
  ),
  fc.constantFrom(
    'agent:claude-code:s-1',
    'agent:desk:main',
    's-1',
    'u-1',
    'current',
    'main',
    'orchard',
    HIDDEN,
    '-7d',
  ),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 2 }),
);

function near(parameter: Parameter): fc.Arbitrary<unknown> {
  switch (parameter.type) {
    case 'integer':
      return fc.integer({ min: parameter.min - 2, max: Math.min(parameter.max, parameter.min + 1_000) + 2 });
    case 'boolean':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...parameter.of);
    case 'choices':
      return fc.array(fc.constantFrom(...parameter.of), { maxLength: 3 });
    case 'texts':
      return fc.array(fc.constantFrom('desk', 'claude-code', 'nobody', ''), { maxLength: 3 });
    case 'time':
      return fc.constantFrom('now', '-7d', '2026-09-01', 'yesterday', 'never');
    default:
      return fc.constantFrom('orchard', HIDDEN, 'agent:desk:main', 'agent:claude-code:s-1', 's-1', 'u-1', '');
  }
}

function inputOf(operation: Operation): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(operation.parameters).map(
    ([name, parameter]) =>
      [name, fc.oneof({ arbitrary: near(parameter), weight: 4 }, { arbitrary: junk, weight: 1 })] as const,
  );
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  return fc
    .tuple(known, fc.dictionary(fc.string({ maxLength: 6 }), junk, { maxKeys: 1 }), fc.integer({ min: 0, max: 9 }))
    .map(([input, more, dice]) => {
      const few = Object.fromEntries(Object.entries(input).filter((_, index) => (index * 7 + dice) % 3 === 0));
      return { ...few, ...(dice === 0 ? more : {}) };
    });
}

const request = fc.constantFrom(...OPERATIONS).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    input: inputOf(operation),
    method: fc.constantFrom('GET', 'POST', 'POST', 'PUT'),
    asOperator: fc.boolean(),
  }),
);

describe('whatever is asked', () => {
  test('SUR-40 SUR-4: over HTTP there are documented errors only, and nothing of another caller', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(request, async ({ operation, input, method, asOperator }) => {
        const path = `/api/v1/${operation.name}`;
        const query = new URLSearchParams(
          Object.entries(input).map(([name, value]): [string, string] => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        );
        const authorization = `Bearer ${asOperator ? operatorToken : DESK}`;
        const body = { headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(input) };
        const answer =
          method === 'GET'
            ? await ask(`${path}?${query}`, { headers: { authorization } })
            : await ask(path, { method, ...body });
        const text = await answer.text();
        if (!asOperator) expect(text).not.toContain(`the ${HIDDEN}`);
        const value = JSON.parse(text) as { error?: { code: keyof typeof ERROR_CODES; message: string; hint: string } };
        seen.add(`${operation.name} ${answer.status}`);
        if (answer.status === 200) return;
        expect(ERROR_CODES[value.error!.code]?.http).toBe(answer.status);
        expect(value.error!.code).not.toBe('internal');
        expect(value.error!.message).not.toContain('orchard blooms');
      }),
      { numRuns: REQUESTS, endOnFailure: true },
    );
    expect(faults).toEqual([]);
    // It reached operations that answer, and not only the guards.
    expect([...seen].filter((one) => one.endsWith(' 200')).length).toBeGreaterThan(3);
  }, 300_000);

  test('SUR-30: tools reject with documented errors only, and show nothing of another caller', async () => {
    const tools = toolsOf(world.backstory, { agentId: 'desk' });
    const call = fc
      .constantFrom(...tools)
      .chain((tool) => fc.tuple(fc.constant(tool), inputOf(OPERATIONS.find(({ name }) => name === tool.name)!)));
    await fc.assert(
      fc.asyncProperty(call, async ([tool, input]) => {
        try {
          expect(JSON.stringify(await tool.execute(input))).not.toContain(`the ${HIDDEN}`);
        } catch (error) {
          if (!isBackstoryError(error)) throw error;
          expect(error.code).not.toBe('internal');
        }
      }),
      { numRuns: 2_000, endOnFailure: true },
    );
  }, 120_000);

  test('SUR-40: a body or a path of any bytes is answered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.webPath(),
        fc.constantFrom('application/json', 'text/plain', 'application/json; charset=utf-16', ''),
        fc.boolean(),
        async (bytes, path, type, asOperator) => {
          const authorization = `Bearer ${asOperator ? operatorToken : DESK}`;
          const headers = { authorization, ...(type === '' ? {} : { 'content-type': type }) };
          const posted = await ask('/api/v1/sessions_search', {
            method: 'POST',
            headers,
            body: bytes as Uint8Array<ArrayBuffer>,
          });
          const got = await ask(path === '' ? '/' : path, { headers });
          for (const { status } of [posted, got])
            expect([200, 303, 400, 401, 403, 404, 405, 413, 415]).toContain(status);
        },
      ),
      { numRuns: 500, endOnFailure: true },
    );
    expect(faults).toEqual([]);
  }, 120_000);
});
