// What is worth a second look in the settings of visibility, for `doctor` (VIS-63). Advice, and no error.
import { fitsPattern } from './patterns.ts';
import { settingsFor, type Visibility, type VisibilityPolicy, type VisibilityRules } from './policy.ts';

export interface VisibilityFinding {
  readonly code: 'shared_by_default' | 'unknown_agent' | 'override_widens';
  /** A sentence with the values. */
  readonly message: string;
  readonly fix: string;
}

export interface Known {
  /** Agents that have a store. */
  readonly agents: readonly string[];
  /** Sessions that have people of more than one person. */
  readonly sharedSessions: number;
}

export function visibilityFindings(policy: VisibilityPolicy, known: Known): readonly VisibilityFinding[] {
  return [...sharedByDefault(policy, known), ...unknownAgents(policy, known), ...wideningOverrides(policy)];
}

function sharedByDefault(policy: VisibilityPolicy, { sharedSessions }: Known): readonly VisibilityFinding[] {
  if (sharedSessions === 0 || (policy.visibility ?? 'all') !== 'all') return [];
  const sessions = sharedSessions === 1 ? '1 session has' : `${sharedSessions} sessions have`;
  return [
    {
      code: 'shared_by_default',
      message: `visibility is "all", and ${sessions} people of more than one person.`,
      fix: 'Bind callers to the person they act for, or set people to "require".',
    },
  ];
}

function unknownAgents(policy: VisibilityPolicy, { agents }: Known): readonly VisibilityFinding[] {
  const named = new Map<string, string>();
  const add = (place: string, patterns: readonly string[]): void => {
    for (const pattern of patterns) if (!named.has(pattern)) named.set(pattern, place);
  };
  add('agentToAgent.allow', namesIn(policy));
  for (const [name, rules] of Object.entries(policy.agents ?? {})) {
    add('agents', [name]);
    add(`agents.${name}.agentToAgent.allow`, namesIn(rules));
  }
  return [...named]
    .filter(([pattern]) => !agents.some((agent) => fitsPattern(pattern, agent)))
    .map(([pattern, place]) => ({
      code: 'unknown_agent',
      message: `${place} names ${JSON.stringify(pattern)}, which matches no agent that has a store.`,
      fix: 'Check the spelling; a name for an agent that is yet to come is fine.',
    }));
}

function namesIn({ agentToAgent }: VisibilityRules): readonly string[] {
  return (agentToAgent?.allow ?? []).flatMap((rule) => (typeof rule === 'string' ? [rule] : [rule.from, rule.to]));
}

const BREADTH: readonly Visibility[] = ['self', 'tree', 'agent', 'all'];

function wideningOverrides(policy: VisibilityPolicy): readonly VisibilityFinding[] {
  const { agents = {}, ...base } = policy;
  const before = settingsFor(base, undefined);
  return Object.entries(agents).flatMap(([name, rules]) => {
    const after = settingsFor({ ...base, agents: { '*': rules } }, 'x');
    const wider = [
      ...(BREADTH.indexOf(after.visibility) > BREADTH.indexOf(before.visibility) ? ['visibility'] : []),
      ...(after.agentToAgent.enabled && !before.agentToAgent.enabled ? ['agentToAgent.enabled'] : []),
      ...(rules.agentToAgent?.allow !== undefined && isWider(rules.agentToAgent.allow, before.agentToAgent.allow)
        ? ['agentToAgent.allow']
        : []),
      ...(after.sandbox.sessions === 'all' && before.sandbox.sessions === 'spawned' ? ['sandbox.sessions'] : []),
      ...(after.people === 'narrow' && before.people === 'require' ? ['people'] : []),
    ];
    return wider.map((setting) => ({
      code: 'override_widens' as const,
      message: `agents.${name}.${setting} gives more than ${setting} of the base.`,
      fix: 'Keep it if that agent is meant to see more than the others.',
    }));
  });
}

/** A rule that the base does not have word for word may allow a pair more. */
function isWider(allow: readonly unknown[], base: readonly unknown[] | undefined): boolean {
  const known = base?.map((rule) => JSON.stringify(rule));
  return known !== undefined && allow.some((rule) => !known.includes(JSON.stringify(rule)));
}
