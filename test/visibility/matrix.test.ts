// The decision table as a matrix: every caller × settings × relation × kind × people, each cell on every read alike. What
// is right is said here a second time, from how the sessions were made, without the code that decides.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/access/caller.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';
import type { SessionKind } from '../../src/model/session.ts';
import { type House, makeHouse, seenAlike, X } from './house.ts';
import type { Planned } from './places.ts';

interface Made extends Planned {
  readonly agent: 'desk' | 'lab';
  readonly link: 'spawnedBy' | 'parent' | 'owner' | 'none';
}

const AGENTS = ['desk', 'lab'] as const;
const LINKS = ['spawnedBy', 'parent', 'owner', 'none'] as const;
const KINDS: readonly SessionKind[] = ['subagent', 'acp', 'imported', 'cron', 'other'];
const PEOPLE = [undefined, ['P'], ['P', 'Q']] as const;

// Each relation with each kind, the people in turn; and the own session.
const MADE: readonly Made[] = AGENTS.flatMap((agent) =>
  LINKS.flatMap((link, place) =>
    KINDS.map((kind, turn): Made => {
      const people = PEOPLE[(place + turn) % PEOPLE.length];
      const key = `agent:${agent}:${link}:${kind}`;
      const linked = link === 'none' ? {} : { [link]: X };
      return { key, kind, agent, link, ...linked, ...(people === undefined ? {} : { people }) };
    }),
  ),
);

const PLAIN: Caller = { agentId: 'desk', sessionKey: X };
const CALLERS: Readonly<Record<string, Caller>> = {
  plain: PLAIN,
  sandboxed: { ...PLAIN, sandboxed: true },
  'without a session': { agentId: 'desk' },
  'of another agent': { agentId: 'lab', sessionKey: 'agent:lab:not-yet' },
  'bound to P': { ...PLAIN, person: 'P' },
  'sandboxed and bound to Q': { ...PLAIN, sandboxed: true, person: 'Q' },
  operator: { operator: true },
  'operator bound to Q': { ...PLAIN, operator: true, person: 'Q' },
};
const POLICIES: Readonly<Record<string, VisibilityPolicy>> = {
  none: {},
  agent: { visibility: 'agent' },
  tree: { visibility: 'tree' },
  self: { visibility: 'self' },
  'agent-to-agent off': { agentToAgent: { enabled: false } },
  'allow nobody': { agentToAgent: { allow: [] } },
  'allow desk to lab': { agentToAgent: { allow: [{ from: 'desk', to: 'l*' }] } },
  'sandbox all': { sandbox: { sessions: 'all' } },
  'people required': { people: 'require' },
  'desk alone has a tree': { visibility: 'self', agents: { desk: { visibility: 'tree' } } },
};

/** VIS-30 in plain words, from how a session was made. */
function shown(who: Caller, policyName: string, made: Made | 'own'): boolean {
  const { operator, person, sandboxed } = who;
  if (operator && person === undefined) return true;
  const own = who.sessionKey === X;
  if (made === 'own' && own) return true;
  const target: Pick<Made, 'agent' | 'link' | 'kind' | 'people'> =
    made === 'own' ? { agent: 'desk', link: 'none', kind: 'main' } : made;
  if (person !== undefined && !target.people?.includes(person)) return false;
  if (operator) return true;
  const is = (name: string): boolean => policyName === name;
  if (is('people required') && person === undefined) return false;
  const native = target.kind === 'subagent' || target.kind === 'acp';
  const descends = own && target.link !== 'none' && (target.agent === 'desk' || native);
  if (sandboxed && !is('sandbox all') && !(descends && target.link === 'spawnedBy')) return false;
  const tree = is('tree') || (is('desk alone has a tree') && who.agentId === 'desk');
  if (is('self') || (is('desk alone has a tree') && who.agentId !== 'desk')) return false;
  if (descends && (target.agent === 'desk' || !is('agent'))) return true;
  if (tree) return false;
  if (target.agent === who.agentId) return true;
  if (is('agent') || is('agent-to-agent off') || is('allow nobody')) return false;
  return !is('allow desk to lab') || who.agentId === 'desk';
}

const CELLS = Object.keys(CALLERS).flatMap((who) => Object.keys(POLICIES).map((policy) => [who, policy] as const));

describe('VIS-30: every caller and all settings, over every relation and kind', () => {
  let house: House;
  beforeAll(async () => {
    house = await makeHouse([{ key: X, kind: 'main' }, ...MADE]);
  });
  afterAll(() => house.close());

  test.each(CELLS)('VIS-30 VIS-21 VIS-22: %s, %s', async (name, policyName) => {
    const who = CALLERS[name]!;
    const backstory = await house.open(POLICIES[policyName]!);
    const right = [
      ...(shown(who, policyName, 'own') ? [X] : []),
      ...MADE.filter((made) => shown(who, policyName, made)).map(({ key }) => key),
    ];
    // Lists, searches and counts are of all sessions; reads of one session take turns from cell to cell.
    const turn = CELLS.findIndex(([a, b]) => a === name && b === policyName);
    const some = [X, ...MADE.map(({ key }) => key)].filter((_, index) => index % 12 === turn % 12);
    expect(await seenAlike(backstory, who, some)).toEqual(right.sort());
  });
});
