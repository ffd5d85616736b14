// Operators whose token is bound to a person or to a memory context: of memory they have that context and nothing else.
import { afterEach, expect, test } from 'vitest';
import { removeWorlds } from '../steps/world.ts';
import { as, closeSites, makeSite, post, type Site } from './steps.ts';

afterEach(async () => {
  await closeSites();
  await removeWorlds();
});

const [OF_MEMORY, OF_PERSON, OF_BOTH] = ['memory', 'person', 'both'].map((name) => `operator-bound-to-${name}`);
const BOUND_TO = { agent: 'main', route: '/b' };
const OWN = 'workspace=app|route=/b';
const WITHIN = 'workspace=app|route=/b|tenant=acme';
const OTHER = 'workspace=app|route=/a';
const tokens = [
  { token: OF_MEMORY, operator: true, memory: BOUND_TO },
  { token: OF_PERSON, operator: true, person: 'nobody-here' },
  { token: OF_BOTH, operator: true, person: 'nobody-here', memory: BOUND_TO },
];

interface Found {
  readonly site: Site;
  /** Ids of candidates by namespace. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  call(token: string, operation: string, input?: object): Promise<{ status: number; body: Record<string, unknown> }>;
}

/** Four candidates in each of three namespaces. */
async function made(): Promise<Found> {
  const world = { memory: { workspace: 'app', writes: 'candidate', episodes: { enabled: true } } } as const;
  const site = await makeSite({}, { world, tokens });
  const { episodes } = site.world.backstory;
  const { defineMemory } = await import('../../src/episodes/define.ts');
  const z = await import('zod');
  const definition = defineMemory({
    kind: 'episodic',
    scope: ['workspace', 'route', 'tenant'],
    schema: z.object({ event: z.string() }),
  });
  const contexts = [
    await episodes.context({ route: '/a' }),
    await episodes.context({ route: '/b' }),
    await episodes.context({ route: '/b', scope: { tenant: 'acme' }, definition }),
  ];
  expect(contexts.map(({ namespace }) => namespace)).toEqual([OTHER, OWN, WITHIN]);
  const ids: Record<string, string[]> = { [OTHER]: [], [OWN]: [], [WITHIN]: [] };
  for (const context of contexts) {
    for (let n = 0; n < 4; n++) {
      const { id } = (await context.remember({ data: { event: `event ${n}` } })) as { id: string };
      ids[context.namespace!]!.push(id);
    }
  }
  const call: Found['call'] = (token, operation, input = {}) =>
    site.json(`/api/v1/${operation}`, post(input, as(token).headers));
  return { site, ids, call };
}

test('COM-50: an operator bound to a memory context lists, looks at, reviews and forgets its own records alone', async () => {
  const { site, ids, call } = await made();
  for (const token of [OF_MEMORY!, OF_BOTH!]) {
    const left = async (): Promise<unknown[]> => {
      const { body } = await call(token, 'memory_list');
      return (body.records as { id: string }[]).map(({ id }) => id);
    };
    const before = await left();
    expect(new Set(before)).toEqual(new Set(ids[OWN]!.filter((id) => before.includes(id))));
    expect(before.length).toBeGreaterThanOrEqual(2);
    expect((await call(token, 'memory_list', { namespace: OWN, agent: 'main' })).status).toBe(200);
    for (const other of [
      { namespace: OTHER },
      { namespace: 'workspace=app' },
      { namespace: WITHIN },
      { agent: 'desk' },
    ]) {
      const refused = await call(token, 'memory_list', other);
      expect([refused.status, (refused.body.error as { code: string }).code]).toEqual([403, 'operator_required']);
    }
    for (const operation of ['memory_inspect', 'memory_approve', 'memory_reject', 'memory_forget']) {
      for (const namespace of [OTHER, WITHIN]) {
        expect((await call(token, operation, { id: ids[namespace]![0] })).status, operation).toBe(404);
      }
    }
    const [first, second] = before;
    expect((await call(token, 'memory_inspect', { id: first })).status).toBe(200);
    expect((await call(token, 'memory_approve', { id: first })).status).toBe(200);
    expect((await call(token, 'memory_reject', { id: second })).status).toBe(200);
    expect((await call(token, 'memory_forget', { id: first })).status).toBe(200);
    expect(await left()).toEqual(before.slice(2));
  }
  const all = await site.json('/api/v1/memory_list');
  expect(all.body.records).toHaveLength(8);
});

test('EPI-17: upkeep by an operator bound to a memory context reaches its namespace, and no namespace within it', async () => {
  const { site, call } = await made();
  const counted = async (): Promise<unknown[]> => {
    const { namespaces } = await site.world.backstory.episodes.stats();
    return namespaces.map(({ namespace, records }) => [namespace, records]);
  };
  for (const operation of ['memory_consolidate', 'memory_reflect']) {
    const { status, body } = await call(OF_BOTH!, operation, { dryRun: true });
    expect([status, body.batches]).toEqual([200, []]);
    expect((await call(OF_BOTH!, operation, { namespace: OTHER, dryRun: true })).status).toBe(403);
  }
  for (const other of [{ namespace: OTHER }, { agent: 'desk' }]) {
    expect((await call(OF_MEMORY!, 'memory_prune', other)).status).toBe(403);
  }
  const pruned = await call(OF_MEMORY!, 'memory_prune', { olderThan: '0s', kind: 'episodic' });
  expect([pruned.status, pruned.body.namespaces]).toEqual([200, 1]);
  expect(await counted()).toEqual([
    [OTHER, 4],
    [OWN, 0],
    [WITHIN, 4],
  ]);
});

test('SUR-71, SUR-73: counts are of the own namespace, and what reaches beyond it is erased by no bound operator', async () => {
  const { call } = await made();
  for (const token of [OF_MEMORY!, OF_BOTH!]) {
    const { body } = await call(token, 'stats');
    expect(body.memory).toMatchObject([{ agent: 'main', records: 4, namespaces: [{ namespace: OWN }] }]);
    for (const selector of [
      { namespace: OWN },
      { subject: { tenant: 'acme' } },
      { thread: 't' },
      { run: 'r' },
      { agent: 'main' },
    ]) {
      expect((await call(token, 'erase', { ...selector, dryRun: true })).status).toBe(403);
    }
  }
  for (const operation of ['export', 'import_archive']) expect((await call(OF_BOTH!, operation)).status).toBe(404);
});

test('VIS-70: an operator bound to a person and to no memory has none', async () => {
  const { ids, call } = await made();
  const id = ids[OWN]![0]!;
  expect((await call(OF_PERSON!, 'stats')).body.memory).toBeUndefined();
  for (const [operation, input] of [
    ['memory_list', {}],
    ['memory_inspect', { id }],
    ['memory_approve', { id }],
    ['memory_reject', { id }],
    ['memory_forget', { id }],
    ['memory_prune', { dryRun: true }],
    ['memory_consolidate', { dryRun: true }],
    ['memory_reflect', { dryRun: true }],
    ['erase', { namespace: OWN, dryRun: true }],
  ] as const) {
    const { status, body } = await call(OF_PERSON!, operation, input);
    expect([operation, status, (body.error as { code: string }).code]).toEqual([operation, 403, 'operator_required']);
  }
});
