// Settings of visibility: patterns, rules between agents, overrides of one requester.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsPattern } from '../../src/access/patterns.ts';
import { allowedAgents, settingsFor, settingsUsed, type VisibilityPolicy } from '../../src/access/policy.ts';

describe('patterns of agent ids', () => {
  test.each<[string, string, boolean]>([
    ['desk', 'desk', true],
    ['DESK', 'desk', true],
    ['desk', 'desktop', false],
    ['ho*', 'home', true],
    ['*', 'anything', true],
    ['*me', 'home', true],
    ['h*e', 'home', true],
    ['h*o*e', 'home', true],
    ['a*a', 'a', false],
    ['*ab*ab*', 'ab', false],
    ['*ab*ab*', 'abab', true],
    ['**', 'x', true],
    ['archive-*', 'archive-', true],
    ['archive-*', 'archive', false],
  ])('VIS-12: %s against %s is %s', (pattern, id, fits) => {
    expect(fitsPattern(pattern, id)).toBe(fits);
  });

  test('VIS-12: any pattern agrees with the plain expression for it', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 8 }).map((list) => list.join(''));
    const ids = fc.array(fc.constantFrom('a', 'b'), { maxLength: 10 }).map((list) => list.join(''));
    fc.assert(
      fc.property(letters, ids, (pattern, id) => {
        const plain = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
        expect(fitsPattern(pattern, id)).toBe(plain.test(id));
      }),
    );
  });

  test('VIS-12: a pattern of many stars is one pass, where a plain expression would never end', () => {
    expect(fitsPattern(`${'*a'.repeat(5_000)}b`, 'a'.repeat(100_000))).toBe(false);
  });
});

describe('rules between agents', () => {
  const of = (allow: NonNullable<VisibilityPolicy['agentToAgent']>['allow'], from: string) =>
    allowedAgents({ enabled: true, ...(allow === undefined ? {} : { allow }) }, from);

  test('VIS-10: without a list every pair is allowed; an empty list is nobody', () => {
    expect(of(undefined, 'desk')).toBeUndefined();
    expect(of([], 'desk')).toEqual([]);
  });

  test('VIS-12: { from, to } is one direction, mutual both', () => {
    expect(of([{ from: 'desk', to: 'home' }], 'desk')).toEqual(['home']);
    expect(of([{ from: 'desk', to: 'home' }], 'home')).toEqual([]);
    expect(of([{ from: 'desk', to: 'home', mutual: true }], 'home')).toEqual(['desk']);
  });

  test('VIS-12: strings let those see each other that match some of them', () => {
    expect(of(['desk', 'ho*'], 'home')).toEqual(['desk', 'ho*']);
    expect(of(['desk', 'ho*'], 'lab')).toEqual([]);
  });
});

describe('settings of a requester', () => {
  test('VIS-10: the defaults are broad', () => {
    expect(settingsFor({}, 'desk')).toEqual({
      visibility: 'all',
      agentToAgent: { enabled: true },
      sandbox: { sessions: 'spawned' },
      people: 'narrow',
    });
  });

  const policy: VisibilityPolicy = {
    visibility: 'agent',
    agentToAgent: { enabled: false, allow: ['x'] },
    agents: { 'h*': { visibility: 'self' }, '*e': { people: 'require' }, home: { agentToAgent: { enabled: true } } },
  };

  test('VIS-13: the exact id comes before patterns, and each absent field is inherited', () => {
    expect(settingsFor(policy, 'home')).toEqual({
      visibility: 'agent',
      agentToAgent: { enabled: true, allow: ['x'] },
      sandbox: { sessions: 'spawned' },
      people: 'narrow',
    });
  });

  test('VIS-13: among patterns the first in the order written holds', () => {
    expect(settingsFor(policy, 'house')).toMatchObject({ visibility: 'self', people: 'narrow' });
    expect(settingsFor(policy, 'desk')).toMatchObject({ visibility: 'agent' });
  });

  test('VIS-4: an unknown agent gets the base', () => {
    expect(settingsFor(policy, 'nobody').visibility).toBe('agent');
  });

  test('VIS-60: each setting says where it came from', () => {
    const from = Object.fromEntries(settingsUsed(policy, 'home').map((one) => [one.name, one.from]));
    expect(from).toEqual({
      visibility: 'base',
      'agentToAgent.enabled': 'agents.home',
      'agentToAgent.allow': 'base',
      'sandbox.sessions': 'default',
      people: 'default',
    });
  });
});
