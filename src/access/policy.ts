// The settings that decide who sees what, and those that hold for one requester (VIS-10 … VIS-13). Knows no session.
import { fitsAny, fitsPattern } from './patterns.ts';

export type Visibility = 'all' | 'agent' | 'tree' | 'self';

/** One rule of `allow` (VIS-12): a direction, or a string that both agents match some of. */
export type AllowRule = string | { readonly from: string; readonly to: string; readonly mutual?: boolean };

/** Settings as an operator writes them: what is absent is inherited. */
export interface VisibilityRules {
  readonly visibility?: Visibility;
  readonly agentToAgent?: { readonly enabled?: boolean; readonly allow?: readonly AllowRule[] };
  readonly sandbox?: { readonly sessions?: 'spawned' | 'all' };
  readonly people?: 'narrow' | 'require';
}

/** The whole of the setting `visibility`: rules for all, and those of requesting agents by id or pattern. */
export interface VisibilityPolicy extends VisibilityRules {
  readonly agents?: Readonly<Record<string, VisibilityRules>>;
}

/** What holds for one requester, with every default filled in. `allow` absent: every pair. */
export interface VisibilitySettings {
  readonly visibility: Visibility;
  readonly agentToAgent: { readonly enabled: boolean; readonly allow?: readonly AllowRule[] };
  readonly sandbox: { readonly sessions: 'spawned' | 'all' };
  readonly people: 'narrow' | 'require';
}

export type SettingSource = 'default' | 'base' | `agents.${string}` | 'call';

export interface SettingUsed {
  readonly name: string;
  readonly value: unknown;
  readonly from: SettingSource;
}

/** Names and defaults of what can be set, in the order of VIS-10. */
export const VISIBILITY_DEFAULTS: readonly (readonly [name: string, value: unknown])[] = [
  ['visibility', 'all'],
  ['agentToAgent.enabled', true],
  ['agentToAgent.allow', undefined],
  ['sandbox.sessions', 'spawned'],
  ['people', 'narrow'],
];

/** The settings of a requester: its exact override, else the first pattern that fits, over the base (VIS-13). */
export function settingsFor(policy: VisibilityPolicy, agentId: string | undefined): VisibilitySettings {
  const value = new Map(settingsUsed(policy, agentId).map((setting) => [setting.name, setting.value]));
  const allow = value.get('agentToAgent.allow') as readonly AllowRule[] | undefined;
  return {
    visibility: value.get('visibility') as Visibility,
    agentToAgent: { enabled: value.get('agentToAgent.enabled') as boolean, ...(allow === undefined ? {} : { allow }) },
    sandbox: { sessions: value.get('sandbox.sessions') as 'spawned' | 'all' },
    people: value.get('people') as 'narrow' | 'require',
  };
}

/** Each setting with where it came from (VIS-60). */
export function settingsUsed(policy: VisibilityPolicy, agentId: string | undefined): readonly SettingUsed[] {
  const name = overrideFor(policy, agentId);
  const override = name === undefined ? undefined : policy.agents?.[name];
  return VISIBILITY_DEFAULTS.map(([setting, standard]): SettingUsed => {
    const own = ruleOf(override, setting);
    if (own !== undefined) return { name: setting, value: own, from: `agents.${name}` };
    const base = ruleOf(policy, setting);
    return base === undefined
      ? { name: setting, value: standard, from: 'default' }
      : { name: setting, value: base, from: 'base' };
  });
}

/** The key of `agents` that holds for a requester. */
export function overrideFor(policy: VisibilityPolicy, agentId: string | undefined): string | undefined {
  const { agents } = policy;
  if (agents === undefined || agentId === undefined) return undefined;
  if (Object.hasOwn(agents, agentId)) return agentId;
  return Object.keys(agents).find((pattern) => fitsPattern(pattern, agentId));
}

function ruleOf(rules: VisibilityRules | undefined, name: string): unknown {
  const [field, below] = name.split('.') as [keyof VisibilityRules, string | undefined];
  const value = rules?.[field] as Record<string, unknown> | string | undefined;
  return below === undefined ? value : (value as Record<string, unknown> | undefined)?.[below];
}

/** Agents whose sessions a requester may see by `allow`, as patterns; undefined: every agent's. */
export function allowedAgents(
  { allow }: VisibilitySettings['agentToAgent'],
  from: string,
): readonly string[] | undefined {
  if (allow === undefined) return undefined;
  const both = allow.filter((rule) => typeof rule === 'string');
  const found = new Set<string>(fitsAny(both, from) ? both : []);
  for (const rule of allow) {
    if (typeof rule === 'string') continue;
    if (fitsPattern(rule.from, from)) found.add(rule.to);
    if (rule.mutual === true && fitsPattern(rule.to, from)) found.add(rule.from);
  }
  return [...found];
}
