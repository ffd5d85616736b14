// Who asks, and what they may see, as a condition.
import { describe, expect, test } from 'vitest';
import { type Caller, checkedCaller, operator } from '../../src/access/caller.ts';
import type { VisibilityPolicy } from '../../src/access/policy.ts';
import { conditionIn, descendantsIn, emptyScope, scopeFor, withReach } from '../../src/access/scope.ts';
import { isBackstoryError } from '../../src/model/errors.ts';

function errorOf(work: () => unknown): { code: string; message: string; status: number } {
  try {
    work();
  } catch (error) {
    if (isBackstoryError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the caller', () => {
  test('VIS-2: operator() needs no agent, and may be bound to a person', () => {
    expect(checkedCaller(operator())).toEqual({ operator: true });
    expect(operator({ person: 'ann' })).toEqual({ operator: true, person: 'ann' });
  });

  test('VIS-3: a session key that does not exist yet is fine', () => {
    const caller = { agentId: 'desk', sessionKey: 'agent:desk:not-yet' };
    expect(checkedCaller(caller)).toBe(caller);
  });

  test.each<[string, unknown, string]>([
    ['a session key of another agent', { agentId: 'desk', sessionKey: 'agent:home:main' }, '"agent:home:main"'],
    ['a session key that breaks the grammar', { agentId: 'desk', sessionKey: 'desk:main' }, '"desk:main"'],
    ['an agent id that JSON cannot hold', { agentId: 5n }, '5'],
    ['an operator with a broken session key', { operator: true, sessionKey: 'x' }, '"x"'],
    ['an agent id that breaks the grammar', { agentId: 'Desk!' }, '"Desk!"'],
    ['no agent', {}, 'agentId'],
    ['operator: false and no agent', { operator: false }, 'agentId'],
    ['a blank person', { agentId: 'desk', person: ' ' }, 'person'],
    ['a wrong type', { agentId: 'desk', sandboxed: 'yes' }, '"yes"'],
    ['an operator that is not a boolean', { agentId: 'desk', operator: 'true' }, '"true"'],
    ['a field nobody knows', { agentId: 'desk', operater: true }, '"operater"'],
    ['no object', null, 'null'],
  ])('VIS-3: %s is caller_invalid (400) and named', (_what, caller, named) => {
    const error = errorOf(() => checkedCaller(caller as Caller));
    expect(error.code).toBe('caller_invalid');
    expect(error.status).toBe(400);
    expect(error.message).toContain(named);
  });
});

describe('the scope', () => {
  const desk: Caller = { agentId: 'desk', sessionKey: 'agent:desk:main' };

  test('VIS-30: an operator without a person sees everything (row 3), in every agent', () => {
    expect(scopeFor(operator(), { visibility: 'self' }).condition).toEqual({ kind: 'everything' });
  });

  test('VIS-10: by default a caller sees everything', () => {
    expect(scopeFor(desk).condition).toEqual({ kind: 'everything' });
  });

  test('VIS-3: an invalid caller is named as such before anything is decided', () => {
    expect(errorOf(() => scopeFor({ agentId: '' })).code).toBe('caller_invalid');
  });

  test('VIS-41: an empty scope selects nothing', () => {
    expect(emptyScope().condition).toEqual({ kind: 'nothing' });
    expect(scopeFor({ agentId: 'desk', sandboxed: true }).condition).toEqual({ kind: 'nothing' });
  });

  test('VIS-40: nobody changes a scope after it was made', () => {
    const scope = scopeFor(operator()) as unknown as { condition: unknown };
    expect(() => {
      scope.condition = { kind: 'everything' };
    }).toThrow(TypeError);
  });

  test('VIS-43: the scope says of each agent whether its store may hold something visible', () => {
    const kinds = (policy: VisibilityPolicy, agents: readonly string[]) =>
      agents.map((agent) => conditionIn(scopeFor(desk, policy), agent).kind);
    const agents = ['desk', 'home', 'lab'];
    expect(kinds({}, agents)).toEqual(['everything', 'everything', 'everything']);
    expect(kinds({ visibility: 'agent' }, agents)).toEqual(['everything', 'nothing', 'nothing']);
    expect(kinds({ visibility: 'self' }, agents)).toEqual(['key', 'nothing', 'nothing']);
    expect(kinds({ visibility: 'tree' }, agents)).toEqual(['or', 'nothing', 'nothing']);
    expect(kinds({ agentToAgent: { allow: [{ from: 'desk', to: 'ho*' }] } }, agents)).toEqual([
      'everything',
      'everything',
      'nothing',
    ]);
  });

  test('VIS-43: a store is opened when the catalogue says that descendants hang there', () => {
    const scope = scopeFor(desk, { visibility: 'tree' });
    const [asked] = descendantsIn(scope);
    const entries = new Map([['lab', [{ key: 'agent:desk:main', depth: 0 }]]]);
    expect(conditionIn(withReach(scope, [{ ...asked!, entries }]), 'lab')).toEqual(asked);
  });

  test('VIS-14: the scope of a call only narrows', () => {
    expect(scopeFor(desk, { visibility: 'self' }, 'all').condition).toEqual({ kind: 'key', key: 'agent:desk:main' });
    expect(scopeFor(desk, {}, 'self').condition).toEqual({ kind: 'key', key: 'agent:desk:main' });
    expect(scopeFor(operator(), {}, 'self').condition).toEqual({ kind: 'nothing' });
  });
});
