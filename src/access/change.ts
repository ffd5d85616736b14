// The smallest change of settings that would flip a decision, in words (VIS-60, VIS-61).
import type { Caller } from './caller.ts';
import { type Chains, decide } from './decide.ts';
import type { SettingUsed, Visibility, VisibilitySettings } from './policy.ts';
import type { CallScope } from './scope.ts';
import { agentOf, type Target } from './target.ts';

export interface Judged {
  readonly caller: Caller;
  readonly settings: VisibilitySettings;
  /** The same settings with where each came from: a change goes there. */
  readonly used: readonly SettingUsed[];
  readonly target: Target;
  readonly chains: Chains;
  readonly call?: CallScope | undefined;
}

interface Change {
  readonly setting: string;
  readonly words: string;
  apply(settings: VisibilitySettings): VisibilitySettings;
}

/** Undefined when no setting decides: a row of the session's or the caller's own. */
export function changeThatFlips(judged: Judged): string | undefined {
  const { caller, settings, used, target, chains, call } = judged;
  const { visible } = decide(caller, settings, target, chains, call);
  if (!visible && call !== undefined && decide(caller, settings, target, chains).visible) {
    return `leave out the call's scope ${JSON.stringify(call)}`;
  }
  const combinations = byNumber(changesOf(judged, visible));
  const flips = combinations.find((changes) => {
    const changed = changes.reduce((all, change) => change.apply(all), settings);
    return decide(caller, changed, target, chains, call).visible !== visible;
  });
  return flips?.map(({ setting, words }) => `${placeOf(used, setting)}${words}`).join(' and ');
}

function changesOf({ caller, settings, target }: Judged, visible: boolean): readonly Change[] {
  const { agentToAgent, sandbox, people } = settings;
  const pair = { from: caller.agentId ?? '', to: agentOf(target.key) };
  const otherPeople = people === 'require' ? 'narrow' : 'require';
  const otherSandbox = sandbox.sessions === 'spawned' ? 'all' : 'spawned';
  // From broad to narrow to hide, from narrow to broad to show: the least that does it comes first.
  const levels: readonly Visibility[] = visible ? ['agent', 'tree', 'self'] : ['tree', 'agent', 'all'];
  return [
    {
      setting: 'agentToAgent.allow',
      words: visible ? 'agentToAgent.allow: []' : `agentToAgent.allow: add { from: "${pair.from}", to: "${pair.to}" }`,
      apply: (all) => ({
        ...all,
        agentToAgent: { ...all.agentToAgent, allow: visible ? [] : [...(agentToAgent.allow ?? []), pair] },
      }),
    },
    {
      setting: 'agentToAgent.enabled',
      words: `agentToAgent.enabled: ${!agentToAgent.enabled}`,
      apply: (all) => ({ ...all, agentToAgent: { ...all.agentToAgent, enabled: !agentToAgent.enabled } }),
    },
    ...levels.map(
      (visibility): Change => ({
        setting: 'visibility',
        words: `visibility: "${visibility}"`,
        apply: (all) => ({ ...all, visibility }),
      }),
    ),
    {
      setting: 'sandbox.sessions',
      words: `sandbox.sessions: "${otherSandbox}"`,
      apply: (all) => ({ ...all, sandbox: { sessions: otherSandbox } }),
    },
    {
      setting: 'people',
      words: `people: "${otherPeople}"`,
      apply: (all) => ({ ...all, people: otherPeople }),
    },
  ];
}

/** All combinations with at most one change of each setting, the smallest first. */
function byNumber(changes: readonly Change[]): readonly (readonly Change[])[] {
  let all: (readonly Change[])[] = [[]];
  for (const change of changes) {
    const more = all.filter((some) => !some.some(({ setting }) => setting === change.setting));
    all = [...all, ...more.map((some) => [...some, change])];
  }
  return all.filter((some) => some.length > 0).sort((a, b) => a.length - b.length);
}

/** An override is changed where it stands, since it holds before the base. */
function placeOf(used: readonly SettingUsed[], setting: string): string {
  const from = used.find(({ name }) => name === setting)?.from ?? 'base';
  return from.startsWith('agents.') ? `${from}.` : '';
}
