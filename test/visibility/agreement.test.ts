// The decision and the compiled condition are two readings of one table: they agree on every session (VIS-42).
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/access/caller.ts';
import { decide } from '../../src/access/decide.ts';
import { settingsFor, type VisibilityPolicy, type VisibilityRules } from '../../src/access/policy.ts';
import { CALL_SCOPES, type CallScope } from '../../src/access/scope.ts';
import { chainTo, type Target } from '../../src/access/target.ts';
import type { SessionKind } from '../../src/model/session.ts';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { type Planned, plant, scopeOf, seenBy } from './places.ts';

const AGENTS = ['desk', 'home', 'lab'];
const KEYS = [
  ...AGENTS.flatMap((agent) => ['main', 'a', 'b', 'c'].map((name) => `agent:${agent}:${name}`)),
  'agent:desk:incognito:x',
  'agent:lab:a:incognito-1',
];
const KINDS: readonly SessionKind[] = ['main', 'subagent', 'acp', 'cron', 'imported', 'other'];

const link = fc.option(fc.constantFrom(...KEYS, 'agent:desk:nowhere'), { nil: undefined });
const session = (key: string): fc.Arbitrary<Planned> =>
  fc
    .record({
      kind: fc.constantFrom(...KINDS),
      spawnedBy: link,
      parent: link,
      owner: link,
      people: fc.option(fc.uniqueArray(fc.constantFrom('P', 'Q'), { maxLength: 2 }), { nil: undefined }),
    })
    .map(
      (given) =>
        ({ key, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }) as Planned,
    );
const graphs = fc.tuple(...KEYS.map((key) => fc.option(session(key), { nil: undefined, freq: 4 })));

const pattern = fc.constantFrom('desk', 'home', 'LAB', '*', 'h*', '*b');
const rules: fc.Arbitrary<VisibilityRules> = fc.record(
  {
    visibility: fc.constantFrom('all' as const, 'agent' as const, 'tree' as const, 'self' as const),
    agentToAgent: fc.record(
      {
        enabled: fc.boolean(),
        allow: fc.array(fc.oneof(pattern, fc.record({ from: pattern, to: pattern, mutual: fc.boolean() })), {
          maxLength: 3,
        }),
      },
      { requiredKeys: [] },
    ),
    sandbox: fc.record({ sessions: fc.constantFrom('spawned' as const, 'all' as const) }),
    people: fc.constantFrom('narrow' as const, 'require' as const),
  },
  { requiredKeys: [] },
);
const policies: fc.Arbitrary<VisibilityPolicy> = fc
  .tuple(rules, fc.option(fc.dictionary(pattern, rules, { maxKeys: 2 }), { nil: undefined }))
  .map(([base, agents]) => ({ ...base, ...(agents === undefined ? {} : { agents }) }));

const callers: fc.Arbitrary<Caller> = fc
  .record({
    agentId: fc.constantFrom(...AGENTS, 'nobody'),
    session: fc.option(fc.constantFrom('main', 'a', 'b', 'incognito:x', 'not-yet'), { nil: undefined }),
    sandboxed: fc.boolean(),
    person: fc.option(fc.constantFrom('P', 'Q', 'R'), { nil: undefined, freq: 2 }),
    operator: fc.boolean(),
  })
  .map(({ agentId, session: own, person, ...rest }) => ({
    agentId,
    ...(own === undefined ? {} : { sessionKey: `agent:${agentId}:${own}` }),
    ...(person === undefined ? {} : { person }),
    ...rest,
    operator: rest.operator && rest.sandboxed,
  }));
const calls = fc.option(fc.constantFrom(...CALL_SCOPES), { nil: undefined });

/** The table, asked for every session of a graph. */
function decided(
  graph: readonly Planned[],
  caller: Caller,
  policy: VisibilityPolicy,
  call: CallScope | undefined,
): string[] {
  const targets = new Map<string, Target>(graph.map((one) => [one.key, one]));
  const settings = settingsFor(policy, caller.agentId);
  const { sessionKey } = caller;
  return graph
    .filter((target) => {
      const up = (key: string): Target | undefined => targets.get(key);
      const any = sessionKey === undefined ? undefined : chainTo(target, sessionKey, up);
      const spawned = sessionKey === undefined ? undefined : chainTo(target, sessionKey, up, { links: ['spawnedBy'] });
      return decide(caller, settings, target, { any, spawned }, call).visible;
    })
    .map(({ key }) => key)
    .sort();
}

describe('the two readings of the table', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterAll(async () => {
    for (const stores of opened) await stores.close();
  });

  test('VIS-42 V-46: the decision and the SQL agree on every session of random graphs', async () => {
    const views = fc.array(fc.tuple(callers, policies, calls), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(graphs, views, async (planned, asked) => {
        const graph = planned.filter((one) => one !== undefined);
        const stores = openSqliteStores();
        opened.push(stores);
        await plant(stores, graph);
        for (const [caller, policy, call] of asked) {
          const seen = await seenBy(stores, await scopeOf(stores, caller, policy, call));
          expect(seen, JSON.stringify({ caller, policy, call })).toEqual(decided(graph, caller, policy, call));
        }
        await stores.close();
      }),
      { numRuns: 40 },
    );
  });
});
