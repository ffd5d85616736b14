// The table of VIS-30, row by row, with the reason in words: what `explain` shows and what every scope must agree with.
import { isReservedKey } from '../model/ids.ts';
import type { Caller } from './caller.ts';
import { fitsAny, fitsPattern } from './patterns.ts';
import type { VisibilitySettings } from './policy.ts';
import type { CallScope } from './scope.ts';
import { agentOf, type ChainStep, type Target } from './target.ts';

export type Reason =
  | 'incognito'
  | 'deleted'
  | 'operator'
  | 'own'
  | 'other_person'
  | 'person_required'
  | 'sandbox'
  | 'self'
  | 'descendant'
  | 'same_agent'
  | 'tree'
  | 'cross_agent'
  | 'agent_to_agent_off'
  | 'agent_pair'
  | 'all';

export interface Step {
  readonly row: number;
  readonly applies: boolean;
  /** A sentence with the values. */
  readonly because: string;
}

export interface Decision {
  readonly visible: boolean;
  readonly row: number;
  readonly reason: Reason;
  /** Each row up to the deciding one. */
  readonly steps: readonly Step[];
}

/** How the target descends from the caller's own session: by any link, and by `spawnedBy` alone. */
export interface Chains {
  readonly any?: readonly ChainStep[] | undefined;
  readonly spawned?: readonly ChainStep[] | undefined;
}

/**
 * The decision for one session, with the settings of the caller's agent. A scope given by the call is a second look at
 * the table with that visibility and nothing else in the way: both must say yes (VIS-14).
 */
export function decide(
  caller: Caller,
  settings: VisibilitySettings,
  target: Target,
  chains: Chains = {},
  call?: CallScope,
): Decision {
  const decision = firstThatApplies(caller, settings, target, chains);
  if (call === undefined || !decision.visible) return decision;
  const { operator: _, person: _person, sandboxed: _sandboxed, ...plain } = caller;
  const narrowed = firstThatApplies(plain, { ...OPEN, visibility: call }, target, chains);
  return narrowed.visible ? decision : narrowed;
}

const OPEN: VisibilitySettings = {
  visibility: 'all',
  agentToAgent: { enabled: true },
  sandbox: { sessions: 'all' },
  people: 'narrow',
};

interface Judged {
  readonly caller: Caller;
  readonly settings: VisibilitySettings;
  readonly target: Target;
  readonly chains: Chains;
}

type Row = readonly [visible: boolean, reason: Reason, judge: (judged: Judged) => readonly [boolean, string]];

function firstThatApplies(caller: Caller, settings: VisibilitySettings, target: Target, chains: Chains): Decision {
  const judged: Judged = { caller, settings, target, chains };
  const steps: Step[] = [];
  for (const [index, [visible, reason, judge]] of ROWS.entries()) {
    const [applies, because] = judge(judged);
    steps.push({ row: index + 1, applies, because });
    if (applies) return { visible, row: index + 1, reason, steps };
  }
  throw new Error('the last row of the table applies to everything');
}

const ROWS: readonly Row[] = [
  [
    false,
    'incognito',
    ({ target }) =>
      isReservedKey(target.key)
        ? [true, `the key ${shown(target.key)} is reserved for incognito sessions`]
        : [false, 'the session is not incognito'],
  ],
  [
    false,
    'deleted',
    ({ target }) =>
      target.deleting ? [true, 'the session is being deleted'] : [false, 'the session is not being deleted'],
  ],
  [
    true,
    'operator',
    ({ caller: { operator, person } }) => {
      if (!operator) return [false, 'the caller is no operator'];
      return person === undefined
        ? [true, 'the caller is an operator without a person']
        : [false, `the caller is an operator bound to the person ${shown(person)}`];
    },
  ],
  [
    true,
    'own',
    ({ caller: { sessionKey }, target }) => {
      if (sessionKey === undefined) return [false, 'the caller has no session of its own'];
      return sessionKey === target.key
        ? [true, "it is the caller's own session"]
        : [false, `the caller's own session is ${shown(sessionKey)}`];
    },
  ],
  [
    false,
    'other_person',
    ({ caller: { person }, target: { people = [] } }) => {
      if (person === undefined) return [false, 'the caller is bound to no person'];
      const whose =
        people.length === 0 ? 'belongs to no person' : `belongs to ${people.slice(0, 20).map(shown).join(', ')}`;
      return [!people.includes(person), `the caller is bound to the person ${shown(person)}, and the session ${whose}`];
    },
  ],
  [
    true,
    'operator',
    ({ caller: { operator } }) =>
      operator ? [true, 'the caller is an operator'] : [false, 'the caller is no operator'],
  ],
  [
    false,
    'person_required',
    ({ caller: { person }, settings: { people } }) => [
      people === 'require' && person === undefined,
      `people is ${shown(people)}, and the caller ${person === undefined ? 'has no person' : `is bound to ${shown(person)}`}`,
    ],
  ],
  [
    false,
    'sandbox',
    ({ caller, settings: { sandbox }, chains }) => {
      if (!caller.sandboxed) return [false, 'the caller is not sandboxed'];
      if (sandbox.sessions === 'all') return [false, 'the caller is sandboxed, and sandbox.sessions is "all"'];
      const descends = descent(caller, chains.spawned, 'spawned ');
      return [chains.spawned === undefined, `the caller is sandboxed, sandbox.sessions is "spawned", and ${descends}`];
    },
  ],
  [false, 'self', ({ settings: { visibility } }) => [visibility === 'self', `visibility is ${shown(visibility)}`]],
  [
    true,
    'descendant',
    ({ caller, target, chains }) => [
      chains.any !== undefined && sameAgent(caller, target),
      `${descent(caller, chains.any)}, in ${whoseStore(caller, target)}`,
    ],
  ],
  [
    true,
    'descendant',
    ({ caller, target, chains, settings: { visibility } }) => [
      chains.any !== undefined && visibility !== 'agent',
      `${descent(caller, chains.any)}, in ${whoseStore(caller, target)}, and visibility is ${shown(visibility)}`,
    ],
  ],
  [
    true,
    'same_agent',
    ({ caller, target, settings: { visibility } }) => [
      sameAgent(caller, target) && visibility !== 'tree',
      `the session is of ${whoseAgent(caller, target)}, and visibility is ${shown(visibility)}`,
    ],
  ],
  [
    false,
    'tree',
    ({ caller, target, settings: { visibility } }) => [
      sameAgent(caller, target),
      `the session is of ${whoseAgent(caller, target)}, and visibility is ${shown(visibility)}`,
    ],
  ],
  [
    false,
    'cross_agent',
    ({ caller, target, settings: { visibility } }) => [
      visibility !== 'all',
      `the session is of ${whoseAgent(caller, target)}, and visibility is ${shown(visibility)}`,
    ],
  ],
  [
    false,
    'agent_to_agent_off',
    ({ settings: { agentToAgent } }) => [!agentToAgent.enabled, `agentToAgent.enabled is ${agentToAgent.enabled}`],
  ],
  [false, 'agent_pair', ({ caller, target, settings }) => pairOf(caller, target, settings)],
  [true, 'all', () => [true, 'no rule stands in the way, and visibility is "all"']],
];

function pairOf(
  { agentId = '' }: Caller,
  { key }: Target,
  { agentToAgent: { allow } }: VisibilitySettings,
): readonly [boolean, string] {
  if (allow === undefined) return [false, 'agentToAgent.allow is not set: every pair is allowed'];
  const to = agentOf(key);
  const count = `agentToAgent.allow has ${allow.length} ${allow.length === 1 ? 'rule' : 'rules'}`;
  const pairs = allow.filter((rule) => typeof rule !== 'string');
  const fits = (from: string, other: string, rule: { readonly from: string; readonly to: string }): boolean =>
    fitsPattern(rule.from, from) && fitsPattern(rule.to, other);
  const rule = pairs.find((one) => fits(agentId, to, one) || (one.mutual === true && fits(to, agentId, one)));
  if (rule !== undefined) return [false, `${count}; ${JSON.stringify(rule)} allows ${agentId} to see ${to}`];
  const names = allow.filter((one) => typeof one === 'string');
  if (fitsAny(names, agentId) && fitsAny(names, to)) {
    return [false, `${count}; both ${agentId} and ${to} match some of ${names.map(shown).join(', ')}`];
  }
  return [true, `${count}; none has from matching ${agentId} and to matching ${to}`];
}

function sameAgent({ agentId }: Caller, { key }: Target): boolean {
  return agentOf(key) === agentId;
}

function whoseAgent(caller: Caller, target: Target): string {
  const agent = agentOf(target.key);
  return sameAgent(caller, target)
    ? `the caller's agent ${agent}`
    : `agent ${agent}, and the caller of ${caller.agentId}`;
}

function whoseStore(caller: Caller, target: Target): string {
  return sameAgent(caller, target) ? "the caller's own agent" : `agent ${agentOf(target.key)}`;
}

function descent({ sessionKey }: Caller, chain: readonly ChainStep[] | undefined, how = ''): string {
  if (sessionKey === undefined) return 'the caller has no session of its own, so nothing descends from it';
  if (chain === undefined) return `the session is no ${how}descendant of ${shown(sessionKey)}`;
  return `the session is a ${how}descendant of ${shown(sessionKey)}, ${chain.length} ${chain.length === 1 ? 'step' : 'steps'} below`;
}

function shown(value: string): string {
  return JSON.stringify(value);
}
