// Settings that deserve a second look (VIS-63).
import { expect, test } from 'vitest';
import { visibilityFindings } from '../../src/access/findings.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';

const known = { agents: ['desk', 'home', 'archive-1'], sharedSessions: 0 };

function codes(policy: VisibilityPolicy, sharedSessions = 0): string[] {
  return visibilityFindings(policy, { ...known, sharedSessions }).map(({ code }) => code);
}

test('VIS-63: nothing to say of the defaults', () => {
  expect(codes({})).toEqual([]);
});

test('VIS-63: visibility all together with sessions of several persons', () => {
  const [finding] = visibilityFindings({}, { ...known, sharedSessions: 2 });
  expect(finding).toMatchObject({ code: 'shared_by_default', message: expect.stringContaining('2 sessions') });
  expect(codes({ visibility: 'tree' }, 2)).toEqual([]);
});

test('VIS-63: agents in rules that match no agent there is, each once', () => {
  const policy: VisibilityPolicy = {
    agentToAgent: { allow: [{ from: 'desk', to: 'archive-*' }, { from: 'dsek', to: 'home' }, 'dsek'] },
    agents: { 'intern-*': { agentToAgent: { allow: ['desk', 'lab'] } } },
  };
  const found = visibilityFindings(policy, known).filter(({ code }) => code === 'unknown_agent');
  expect(found.map(({ message }) => message)).toEqual([
    'agentToAgent.allow names "dsek", which matches no agent that has a store.',
    'agents names "intern-*", which matches no agent that has a store.',
    'agents.intern-*.agentToAgent.allow names "lab", which matches no agent that has a store.',
  ]);
});

test.each<[string, VisibilityPolicy, string[]]>([
  ['visibility', { visibility: 'tree', agents: { desk: { visibility: 'all' } } }, ['visibility']],
  ['a narrower one', { agents: { desk: { visibility: 'self' } } }, []],
  [
    'agentToAgent.enabled',
    { agentToAgent: { enabled: false }, agents: { desk: { agentToAgent: { enabled: true } } } },
    ['agentToAgent.enabled'],
  ],
  [
    'a rule that the base does not have',
    { agentToAgent: { allow: [] }, agents: { desk: { agentToAgent: { allow: ['desk', 'home'] } } } },
    ['agentToAgent.allow'],
  ],
  ['rules where the base has none', { agents: { desk: { agentToAgent: { allow: ['desk'] } } } }, []],
  ['sandbox.sessions', { agents: { desk: { sandbox: { sessions: 'all' } } } }, ['sandbox.sessions']],
  ['people', { people: 'require', agents: { desk: { people: 'narrow' } } }, ['people']],
])('VIS-63: an override that widens the base: %s', (_what, policy, settings) => {
  const found = visibilityFindings(policy, known).filter(({ code }) => code === 'override_widens');
  expect(found.map(({ message }) => /^agents\.desk\.(\S+) gives/.exec(message)?.[1])).toEqual(settings);
});
