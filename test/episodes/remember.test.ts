// What agents write themselves, and its review: cases/episodes.md "remember and review", rules EPI-100 … EPI-107, EPI-120 … 123.
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AskChange } from '../../src/episodes/context.ts';
import { defineMemory } from '../../src/episodes/define.ts';
import { DAY, makeSteps, NS, removeSteps, T0 } from './steps.ts';

afterEach(removeSteps);

const events = defineMemory({
  kind: 'episodic',
  scope: ['workspace', 'route'],
  schema: z.object({ event: z.string(), ticketId: z.string() }),
});
const facts = defineMemory({
  kind: 'semantic',
  scope: ['workspace', 'route'],
  schema: z.object({ subject: z.string(), predicate: z.string(), object: z.unknown() }),
});
const refund = { data: { event: 'refunded', ticketId: 'T-1' } };
const terms = (object: unknown): object => ({ data: { subject: 'acme', predicate: 'terms', object } });
const iso = (ms: number): string => new Date(ms).toISOString();

describe('definitions (EPI-100)', () => {
  const schema = z.object({ a: z.string() });
  test.each([
    ['E-173', { kind: 'episodic', scope: ['route'], schema, identity: ['b'] }, 'identity key "b"'],
    ['E-173, EPI-107', { kind: 'procedural', scope: ['route'], schema }, 'procedural'],
    ['E-173', { kind: 'episodic', scope: [], schema }, 'scope'],
    ['EPI-100', { kind: 'episodic', scope: ['team'], schema }, 'team'],
    ['EPI-100', { kind: 'episodic', scope: ['route', 'route'], schema }, 'twice'],
    ['EPI-100', { kind: 'episodic', scope: ['route'], schema: z.string() }, 'schema'],
    ['EPI-100', { kind: 'episodic', scope: ['route'] }, 'schema'],
    ['EPI-106', { kind: 'semantic', scope: ['route'], schema }, 'subject'],
    ['EPI-100', { kind: 'episodic', scope: ['route'], schema, keys: [] }, 'keys'],
    ['EPI-100', null, 'object'],
  ] as [string, never, string][])('%s: %o is definition_invalid when it is made', (_id, definition, said) => {
    expect(() => defineMemory(definition)).toThrow(
      expect.objectContaining({ code: 'definition_invalid', message: expect.stringContaining(said) }),
    );
  });

  test('EPI-101: the tool’s schema is derived from the definition’s', async () => {
    const steps = await makeSteps();
    const { remember } = (await steps.context({ definition: events })).tools();
    expect(remember!.name).toBe('remember');
    expect(remember!.inputSchema).toMatchObject({
      type: 'object',
      required: ['data'],
      additionalProperties: false,
      properties: {
        data: { type: 'object', required: ['event', 'ticketId'], properties: { event: { type: 'string' } } },
        tags: { maxItems: 16 },
      },
    });
  });
});

describe('events (EPI-101 … EPI-105)', () => {
  test('E-160, EPI-102: the same event twice in one millisecond is two records, dated at their write, without expiry', async () => {
    const steps = await makeSteps();
    const context = await steps.context({ definition: events, threadId: 'th', runId: 'ru' });
    const first = await context.remember(refund);
    const second = await context.remember(refund);
    expect(first.text).toBe(`Stored memory ${first.id}.`);
    expect(second.id).not.toBe(first.id);
    expect(await steps.one(first.id!)).toEqual({
      id: first.id,
      namespace: NS,
      kind: 'episodic',
      status: 'active',
      content: '{"event":"refunded","ticketId":"T-1"}',
      data: { event: 'refunded', ticketId: 'T-1' },
      source: { type: 'tool', id: 'remember', threadId: 'th', runId: 'ru' },
      confidence: 1,
      tags: [],
      createdAt: iso(T0),
      updatedAt: iso(T0),
      effectiveAt: iso(T0),
    });
    expect(first.id).toMatch(/^mem_/);
    expect(await steps.all()).toHaveLength(2);
  });

  test('E-161, EPI-101: what the schema refuses is said with its path, and nothing is stored', async () => {
    const steps = await makeSteps();
    const { remember } = (await steps.context({ definition: events })).tools();
    const result = await remember!.execute({ data: { event: 'x', ticketId: 7 } });
    expect(result.status).toBe('rejected');
    expect(result.text).toMatch(/^Rejected: ticketId: .+/);
    expect(await steps.all()).toEqual([]);
  });

  test('E-162, EPI-101: arguments that are the host’s are an error naming the first', async () => {
    const steps = await makeSteps();
    const { remember } = (await steps.context({ definition: events })).tools();
    const result = await remember!.execute({ ...refund, namespace: 'x', status: 'active', effectiveAt: 'now' });
    expect(result).toMatchObject({
      status: 'error',
      code: 'invalid_argument',
      message: expect.stringContaining('"namespace"'),
    });
    expect(await steps.all()).toEqual([]);
  });

  test.each([
    ['content', { ...refund, content: 'x'.repeat(2_001) }],
    ['data', { data: { event: 'x'.repeat(16_400), ticketId: 'T' } }],
    ['tags', { ...refund, tags: Array.from({ length: 17 }, (_, n) => `t${n}`) }],
    ['tags.0', { ...refund, tags: ['t'.repeat(65)] }],
    ['confidence', { ...refund, confidence: 1.1 }],
    ['data', {}],
  ])('EPI-1, EPI-101: too large or out of range is rejected, not cut: %s', async (path, args) => {
    const steps = await makeSteps();
    const result = await (await steps.context({ definition: events })).remember(args);
    expect(result.status).toBe('rejected');
    expect(result.text).toMatch(new RegExp(`^Rejected: ${path}`));
    expect(await steps.all()).toEqual([]);
  });

  test('EPI-1, EPI-101: content, tags in order and once, confidence; stored is what the schema returns', async () => {
    const steps = await makeSteps();
    const definition = defineMemory({
      kind: 'episodic',
      scope: ['workspace', 'route'],
      schema: z.object({ n: z.string().transform(Number), on: z.boolean().default(true) }),
    });
    const context = await steps.context({ definition });
    const { id } = await context.remember({
      data: { n: '5' } as never,
      content: 'five',
      tags: ['b', 'a', 'b'],
      confidence: 0.5,
    });
    expect(await steps.one(id!)).toMatchObject({
      content: 'five',
      tags: ['b', 'a'],
      confidence: 0.5,
      data: { n: 5, on: true },
    });
    const odd = defineMemory({ kind: 'episodic', scope: ['route'], schema: z.object({ at: z.any() }) });
    const rejected = await (await steps.context({ definition: odd })).remember({ data: { at: new Date(0) } as never });
    expect(rejected.text).toContain('at: it is no JSON');
  });

  test('E-163, EPI-104: the same call stores once and gets the first reply; another namespace is another call', async () => {
    const steps = await makeSteps();
    const { remember } = (await steps.context({ definition: events })).tools();
    const first = await remember!.execute(refund, { toolCallId: 'call-1' });
    expect(await remember!.execute({ data: { event: 'other', ticketId: 'T' } }, { toolCallId: 'call-1' })).toEqual(
      first,
    );
    const beside = (await steps.context({ definition: events, route: '/b' })).tools().remember!;
    expect(await beside.execute(refund, { toolCallId: 'call-1' })).not.toEqual(first);
    expect(await steps.all()).toHaveLength(2);
  });

  test('E-165, EPI-24: ask mode does not ask for events', async () => {
    const steps = await makeSteps({ writes: 'ask' });
    const ask: AskChange = () => {
      throw new Error('asked');
    };
    expect((await (await steps.context({ definition: events, ask })).remember(refund)).status).toBe('stored');
  });

  test('EPI-105, EPI-190: a person writes as user; without a definition an event in words', async () => {
    const steps = await makeSteps();
    const { id } = await (await steps.context()).remember({ data: { event: 'moved' } }, { by: 'user' });
    expect(await steps.one(id!)).toMatchObject({
      kind: 'episodic',
      data: { event: 'moved' },
      source: { type: 'user', id: 'remember' },
    });
  });

  test('EPI-107: reflections append', async () => {
    const steps = await makeSteps();
    const definition = defineMemory({
      kind: 'reflection',
      scope: ['workspace', 'route'],
      schema: z.object({ text: z.string() }),
    });
    const context = await steps.context({ definition });
    for (let n = 0; n < 2; n++) await context.remember({ data: { text: 'same' } });
    expect((await steps.all()).map(({ kind }) => kind)).toEqual(['reflection', 'reflection']);
  });
});

describe('facts (EPI-106)', () => {
  test('E-166: one active fact, whatever is recorded in between', async () => {
    const steps = await makeSteps({ writes: 'auto' });
    const context = await steps.context({ definition: facts });
    const first = await context.remember(terms('net-30'));
    for (let n = 0; n < 60; n++) await steps.record(`r${n}`);
    const second = await context.remember(terms('net-60'));
    expect(second).toEqual({ status: 'superseded', id: second.id, text: `Superseded ${first.id} with ${second.id}.` });
    const semantic = (await steps.all()).filter(({ kind }) => kind === 'semantic');
    expect(semantic.map(({ status, data, supersedes }) => [data.object, status, supersedes])).toEqual([
      ['net-30', 'superseded', undefined],
      ['net-60', 'active', [first.id]],
    ]);
  });

  test('E-169: the same data with keys in another order refreshes it', async () => {
    const steps = await makeSteps();
    const context = await steps.context({ definition: facts });
    const first = await context.remember(terms({ a: 1, b: 2 }));
    steps.pass(1_000);
    const again = await context.remember({ ...terms({ b: 2, a: 1 }), confidence: 0.5, tags: ['checked'] });
    expect(again).toEqual({ status: 'updated', id: first.id, text: `Updated memory ${first.id}.` });
    const all = await steps.all();
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({
      confidence: 0.5,
      tags: ['checked'],
      createdAt: iso(T0),
      updatedAt: iso(T0 + 1_000),
      effectiveAt: iso(T0 + 1_000),
    });
    expect((await context.recall({ query: 'checked' })).records).toHaveLength(1);
  });

  test('E-167, EPI-103, EPI-106: ask decides; deny keeps the old one', async () => {
    const steps = await makeSteps({ writes: 'ask' });
    const asked: unknown[] = [];
    let answer: 'allow' | 'deny' = 'deny';
    const ask: AskChange = (change) => {
      asked.push([change.namespace, change.identity, change.old.data.object, change.new.data.object]);
      return answer;
    };
    const context = await steps.context({ definition: facts, ask });
    const first = await context.remember(terms('net-30'));
    expect((await context.remember(terms('net-60'))).text).toBe(`Kept ${first.id}; the change was denied.`);
    expect(asked).toEqual([[NS, { subject: 'acme', predicate: 'terms' }, 'net-30', 'net-60']]);
    answer = 'allow';
    expect((await context.remember(terms('net-60'))).status).toBe('superseded');
    expect((await context.remember(terms('net-60'))).status).toBe('updated');
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['E-168', undefined],
    ['EPI-106', () => Promise.reject(new Error('gone'))],
    ['EPI-106', () => 'perhaps' as never],
  ] as [string, AskChange | undefined][])('%s: nobody who answers: held for review', async (_id, ask) => {
    const steps = await makeSteps({ writes: 'ask' });
    const context = await steps.context({ definition: facts, ...(ask === undefined ? {} : { ask }) });
    await context.remember(terms('net-30'));
    expect((await context.remember(terms('net-60'))).status).toBe('candidate');
    expect((await steps.all()).map(({ status }) => status).sort()).toEqual(['active', 'candidate']);
  });

  test('EPI-106: candidate mode holds, and a fact that is known changes nothing', async () => {
    const steps = await makeSteps();
    const known = await (await steps.context({ definition: facts })).remember(terms('net-30'));
    const held = await (await steps.another({ writes: 'candidate' })).episodes.context({
      route: '/a',
      definition: facts,
    });
    const before = await steps.all();
    expect(await held.remember(terms('net-30'))).toEqual({
      status: 'known',
      id: known.id,
      text: `Already known ${known.id}.`,
    });
    expect(await steps.all()).toEqual(before);
    const candidate = await held.remember(terms('net-60'));
    expect(candidate.text).toBe(`Stored memory candidate ${candidate.id}, waiting for review.`);
  });

  test('EPI-64, EPI-106: an expired fact is none', async () => {
    const steps = await makeSteps({ authored: { ttlMs: 1_000 } });
    const context = await steps.context({ definition: facts });
    await context.remember(terms('net-30'));
    steps.pass(1_000);
    expect((await context.remember(terms('net-60'))).status).toBe('stored');
  });

  test('E-170: two that supersede one fact at once leave one active', async () => {
    const steps = await makeSteps();
    const one = await steps.context({ definition: facts });
    const two = await (await steps.another()).episodes.context({ route: '/a', definition: facts });
    await one.remember(terms('net-30'));
    await Promise.all([one.remember(terms('net-60')), two.remember(terms('net-90')), one.remember(terms('net-10'))]);
    const all = await steps.all();
    expect(all.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(all).toHaveLength(4);
  });
});

describe('review (EPI-120 … EPI-123)', () => {
  test('E-164, EPI-24, EPI-121: a candidate is not recalled until it is approved; its event time stays', async () => {
    const steps = await makeSteps({ writes: 'candidate' });
    const context = await steps.context({ definition: events });
    const { id, text } = await context.remember(refund);
    expect(text).toContain('waiting for review');
    expect((await context.recall()).status).toBe('empty');
    const [listed] = (await steps.backstory.episodes.list()).records;
    expect(listed!.id).toBe(id);
    steps.pass(5_000);
    expect(await steps.backstory.episodes.approve({ id: id! })).toEqual({ status: 'activated', id });
    const [found] = (await context.recall({ query: 'refunded' })).records;
    expect(found).toMatchObject({ id, effectiveAt: iso(T0), updatedAt: iso(T0 + 5_000), status: 'active' });
  });

  test('EPI-121: approving facts goes by the table', async () => {
    const steps = await makeSteps({ writes: 'candidate' });
    const context = await steps.context({ definition: facts });
    const { episodes } = steps.backstory;
    const ids: string[] = [];
    for (const object of ['net-30', 'net-60', 'net-60']) {
      ids.push((await context.remember(terms(object))).id!);
      steps.pass(10);
    }
    expect(await episodes.approve({ id: ids[0]! })).toEqual({ status: 'activated', id: ids[0] });
    expect(await episodes.approve({ id: ids[1]! })).toEqual({ status: 'superseded', id: ids[1], superseded: ids[0] });
    expect(await episodes.approve({ id: ids[2]! })).toEqual({ status: 'refreshed', id: ids[1] });
    expect((await steps.all()).map(({ id, status, supersedes }) => [id, status, supersedes])).toEqual([
      [ids[0], 'superseded', undefined],
      [ids[1], 'active', [ids[0]]],
    ]);
    const inspected = await episodes.inspect({ id: ids[0]! });
    expect(inspected).toMatchObject({ supersededBy: [ids[1]], recalled: false, reasons: ['superseded'] });
    expect(await episodes.inspect({ id: ids[1]! })).toMatchObject({
      supersedes: [ids[0]],
      recalled: true,
      reasons: [],
    });
    // EPI-123: a superseded fact is not revived while another is active.
    await expect(episodes.approve({ id: ids[0]! })).rejects.toMatchObject({ code: 'not_a_candidate' });
  });

  test('E-171, EPI-122: only candidates are rejected; the status is named; missing is record_not_found', async () => {
    const steps = await makeSteps();
    const { id } = await (await steps.context({ definition: events })).remember(refund);
    const { episodes } = steps.backstory;
    await expect(episodes.reject({ id: id! })).rejects.toMatchObject({
      code: 'not_a_candidate',
      details: { id, status: 'active' },
    });
    await expect(episodes.approve({ id: id! })).rejects.toMatchObject({ code: 'not_a_candidate' });
    await expect(episodes.reject({ id: 'mem_none' })).rejects.toMatchObject({
      code: 'record_not_found',
      details: { id: 'mem_none' },
    });
    await expect(episodes.approve({ id: 'x', agent: 'nobody' })).rejects.toMatchObject({ code: 'record_not_found' });
  });

  test('E-172, EPI-122: an expired candidate is not approved', async () => {
    const steps = await makeSteps({ writes: 'candidate', authored: { ttlMs: DAY } });
    const { id } = await (await steps.context({ definition: events })).remember(refund);
    steps.pass(DAY);
    await expect(steps.backstory.episodes.approve({ id: id! })).rejects.toMatchObject({
      code: 'record_expired',
      details: { id, expiresAt: iso(T0 + DAY) },
    });
    expect((await steps.backstory.episodes.inspect({ id: id! })).reasons).toEqual(['candidate', 'expired']);
  });

  test('EPI-122: of two reviewers at once one wins', async () => {
    const steps = await makeSteps({ writes: 'candidate' });
    const { id } = await (await steps.context({ definition: events })).remember(refund);
    const other = await steps.another();
    const results = await Promise.allSettled([
      steps.backstory.episodes.approve({ id: id! }),
      other.episodes.reject({ id: id! }),
    ]);
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost).toHaveLength(1);
    expect(['not_a_candidate', 'record_not_found']).toContain((lost[0] as PromiseRejectedResult).reason.code);
  });

  test('EPI-120: lists by status, kind, namespace and words, newest first, by pages', async () => {
    const steps = await makeSteps({ writes: 'candidate' });
    const context = await steps.context({ definition: events });
    const ids: string[] = [];
    for (const event of ['alpha', 'beta', 'gamma']) {
      ids.push((await context.remember({ data: { event, ticketId: 'T' } })).id!);
      steps.pass(10);
    }
    await steps.record('alpha run');
    const { episodes } = steps.backstory;
    const listed = async (options: object): Promise<string[]> =>
      (await episodes.list(options)).records.map(({ id }) => id);
    expect(await listed({})).toEqual([...ids].reverse());
    expect(await listed({ query: 'beta' })).toEqual([ids[1]]);
    expect(await listed({ kind: 'semantic' })).toEqual([]);
    expect(await listed({ namespace: 'workspace=app' })).toHaveLength(3);
    expect(await listed({ namespace: 'workspace=ap' })).toEqual([]);
    expect(await listed({ status: 'active' })).toHaveLength(1);
    const first = await episodes.list({ limit: 2 });
    expect(first.records.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(await listed({ limit: 2, cursor: first.coverage.cursor })).toEqual([ids[0]]);
    await expect(episodes.list({ limit: 2, kind: 'episodic', cursor: first.coverage.cursor! })).rejects.toMatchObject({
      code: 'cursor_invalid',
    });
    for (const limit of [0, 201, 1.5])
      await expect(episodes.list({ limit })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(episodes.list({ namespace: 'x' })).rejects.toMatchObject({ code: 'namespace_invalid' });
  });

  test('EPI-120: inspect says what is outside a window', async () => {
    const steps = await makeSteps();
    const id = await steps.record('x');
    expect(await steps.backstory.episodes.inspect({ id, until: '2026-08-10' })).toMatchObject({
      recalled: false,
      reasons: ['outside_window'],
    });
  });
});
